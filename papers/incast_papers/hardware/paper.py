"""Public measurements of machines, compared with runs of the same experiments.

``figures`` has a file for each machine or experiment. Published numbers, with their sources, are in
``measured.toml``.
"""

from incast.papers.tried import with_trials

from incast_papers.hardware.algorithms import COLOURS
from incast_papers.hardware.figures import drops, hgx_h100, incast, nics, pairs
from incast_papers.hardware.tried import DISTANCES, TRIALS
from incast_papers.hardware.words import WORDS

PAPER = WORDS.paper(
    figures=with_trials(
        [hgx_h100.FIGURE, nics.FIGURE, incast.FIGURE, pairs.FIGURE, drops.FIGURE],
        TRIALS,
        DISTANCES,
    ),
    colours=COLOURS,
)
