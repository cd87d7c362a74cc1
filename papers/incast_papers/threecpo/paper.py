"""3CPO, injection control for collectives in a memory fabric: Snyder's dissertation, chapter 6.

``figures`` has a file for each figure, under its id: ``fig6_2`` is Figure 6.2. ``repair`` and
``scale`` are beyond the dissertation.
"""

from incast.papers.tried import with_trials

from incast_papers.threecpo.algorithms import COLOURS
from incast_papers.threecpo.figures import (
    fig6_1,
    fig6_2,
    fig6_3,
    fig6_4,
    fig6_5,
    fig6_6,
    fig6_7,
    fig6_8,
    fig6_9,
    fig6_10,
    fig6_11,
    fig6_12,
    fig6_13,
    fig6_14,
    fig6_15,
    fig6_16,
    fig6_17,
    readings,
    repair,
    scale,
    sec6_1_4,
    sec7_2,
    table6_1,
)
from incast_papers.threecpo.tried import DISTANCES, TRIALS
from incast_papers.threecpo.words import WORDS

PAPER = WORDS.paper(
    figures=with_trials(
        [
            sec6_1_4.FIGURE,
            fig6_1.FIGURE,
            fig6_2.FIGURE,
            fig6_3.FIGURE,
            table6_1.FIGURE,
            fig6_4.FIGURE,
            fig6_5.FIGURE,
            fig6_6.FIGURE,
            fig6_7.FIGURE,
            fig6_8.FIGURE,
            fig6_9.FIGURE,
            fig6_10.FIGURE,
            fig6_11.FIGURE,
            fig6_12.FIGURE,
            fig6_13.FIGURE,
            fig6_14.FIGURE,
            fig6_15.FIGURE,
            fig6_16.FIGURE,
            fig6_17.FIGURE,
            sec7_2.FIGURE,
            readings.FIGURE,
            repair.FIGURE,
            scale.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    colours=COLOURS,
)
