"""Public measurements of machines, with the same experiments here beside them.

``figures`` has a file for each machine or experiment. Numbers of others, and where they stand, are
in ``measured.toml``.
"""

from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials
from incast.papers.hardware.algorithms import COLOURS
from incast.papers.hardware.figures import drops, hgx_h100, incast, nics, pairs
from incast.papers.hardware.tried import DISTANCES, TRIALS

PAPER = Paper(
    name="hardware",
    title="Public measurements of machines",
    source="ASTRA-sim's documentation; Araujo et al., arXiv:2605.04333, 2026; NVIDIA's answers at "
    "github.com/NVIDIA/nccl and nccl-tests; openfabric-systems/simllm",
    figures=with_trials(
        [hgx_h100.FIGURE, nics.FIGURE, incast.FIGURE, pairs.FIGURE, drops.FIGURE],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Nothing is fitted to what is compared with. Rates of links are those of their makers; "
        "what NVLink's packets and NCCL's steps take is what NCCL itself reckons with, which "
        "NVIDIA took from machines of its own.",
        "Times of the HGX-H100 are read off pictures. Sizes below 128 MiB cannot be read, so they "
        "are not judged, and ASTRA-sim's own numbers, which are over all sizes from 8 B on, are "
        "compared with by its curve over the same sizes.",
        "The error of a size is our time over the measured one, less 1; the geometric mean is of "
        "their absolute values. ASTRA-sim's page does not define its own.",
        "Of the testbed's DCQCN the parameters are not told. Ours are the default; a vendor's "
        "defaults for other NICs, and those of DCQCN's paper, stand beside them. So are the "
        "thresholds of marking and PFC, and the buffers: incast's defaults.",
        "The source measures over seconds, we from 50 to 100 ms.",
        "Of the switch that drops two senders are judged by selective repeat. What the measured "
        "NICs do after a loss is not told.",
        "MRC itself is not in incast: of it only headers are taken, on paths where flows do not "
        "meet, as its spraying makes them.",
    ],
    colours=COLOURS,
)
