"""Fast Convergence to Fairness: how long flows get their share, and what that costs in queues.

Snyder and Lebeck's paper on Variable AI and Sampling Frequency, and the chapters of Snyder's
dissertation that tell the same at more length. A file for each figure; `variants` has the
algorithms, `scenarios` the networks and traffic, `judging` what the paper's words mean here.
"""

from incast.papers.fairness import fig01, fig02, fig03_06, fig04
from incast.papers.fairness.variants import COLOURS
from incast.papers.paper import Paper

PAPER = Paper(
    name="fairness",
    title="Fast Convergence to Fairness for Reduced Long Flow Tail Latency in Datacenter Networks",
    source="J. Snyder and A. R. Lebeck, Duke University; also chapters 2.3, 3.1–3.3 and 4 of "
    "Snyder's dissertation",
    figures=[
        fig01.FIGURE,
        fig02.FIGURE,
        fig03_06.FIGURE,
        fig04.FIGURE,
    ],
    readings=[
        "Network: what the HPCC artifact does (profile hpcc-ns3), which the paper used, except "
        "that events at the same time come in the order of ports and durations are exact.",
        "Jain's index: of the bytes acknowledged in each 20 µs (with 96 senders 100 µs), over the "
        "flows alive in all of them. The paper names neither bin nor quantity.",
        "HPCC's lowest rate, which the paper does not give: 100 Mb/s, as the artifact's example.",
        "Slowdown by size: flows in order of size in 100 groups of equal count; p99.9 of n is the "
        "value at ⌊0.999 n⌋.",
    ],
    colours=COLOURS,
)
