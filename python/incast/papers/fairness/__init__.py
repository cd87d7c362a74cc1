"""Fast Convergence to Fairness: how long flows get their share, and what that costs in queues.

Snyder and Lebeck's paper on Variable AI and Sampling Frequency, and the chapters of Snyder's
dissertation that tell the same at more length. A file for each figure, or for two of one kind;
`variants` has the algorithms, `scenarios` the networks and traffic, `judging` what the paper's
words mean here.
"""

from incast.papers.fairness import (
    fig01,
    fig02_01,
    fig02_03,
    fig02_tcp,
    fig03_06,
    fig04,
    fig04_01,
    fig05_06,
    fig07,
    fig08_09,
    fig10_12,
    fig11_13,
    sec02_dcqcn,
    sec03_a,
    sec05,
    sec06_target,
)
from incast.papers.fairness.variants import COLOURS
from incast.papers.paper import Paper

PAPER = Paper(
    name="fairness",
    title="Fast Convergence to Fairness for Reduced Long Flow Tail Latency in Datacenter Networks",
    source="J. Snyder and A. R. Lebeck, Duke University; also chapters 2.3, 3.1–3.3 and 4 of "
    "Snyder's dissertation",
    figures=[
        sec02_dcqcn.FIGURE,
        sec03_a.FIGURE,
        fig01.FIGURE,
        fig02_03.HPCC_FIGURE,
        fig02_03.SWIFT_FIGURE,
        fig03_06.FIGURE,
        fig04_01.FIGURE,
        fig04.FIGURE,
        sec05.NEWCOMER,
        sec05.ALWAYS_ADDING,
        fig05_06.HPCC_FIGURE,
        fig05_06.SWIFT_FIGURE,
        fig07.FIGURE,
        fig08_09.HPCC_FIGURE,
        fig08_09.SWIFT_FIGURE,
        fig10_12.TAIL,
        fig11_13.TAIL,
        fig10_12.MEDIAN,
        fig11_13.MEDIAN,
        sec06_target.FIGURE,
        fig02_01.FIGURE,
        fig02_tcp.FIGURE,
    ],
    readings=[
        "Network: what the HPCC artifact does (profile hpcc-ns3), which the paper used, except "
        "that events at the same time come in the order of ports and durations are exact. ACKs go "
        "among the data under HPCC and ahead of it under the others, as in the artifact.",
        "Jain's index: of the bytes acknowledged in each 20 µs (with 96 senders 100 µs), over the "
        "flows alive in all of them. The paper names neither bin nor quantity.",
        "HPCC's lowest rate, which the paper does not give: 100 Mb/s, as the artifact's example; "
        "one rate for all hops.",
        "Swift: hops are switches; decreases as in Swift itself, in proportion to the delay above "
        "the target over the delay; the additive increase per base RTT; at most one decrease per "
        "RTT; paced.",
        "Variable AI: under HPCC, tokens from the whole queue depth; under Swift, from the delay "
        "above the target, with a threshold of 4 µs.",
        "Sampling Frequency counts ACKs anew at every commit of the reference rate.",
        "Probabilistic feedback: an ignored ACK leaves everything as it was, so the next one draws "
        "again.",
        "Web search and storage: a quarter of the link rate each.",
        "Slowdown by size: flows in order of size in 100 groups of equal count; p99.9 of n is the "
        "value at ⌊0.999 n⌋. Every flow counts: runs end when all have finished.",
    ],
    colours=COLOURS,
)
