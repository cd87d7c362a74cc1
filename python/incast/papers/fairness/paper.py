"""Fast Convergence to Fairness: how soon flows share fairly, and the cost in queues.

Snyder and Lebeck's paper on Variable AI and Sampling Frequency, and the chapters of Snyder's
dissertation that tell the same at more length. ``figures`` has a file for each figure, under its
id: ``fig3`` is Figure 3 of the paper, ``thesis_fig3_6`` Figure 3.6 of the dissertation.
"""

from incast.papers.fairness.algorithms import COLOURS
from incast.papers.fairness.figures import (
    fig1,
    fig2,
    fig3,
    fig4,
    fig5,
    fig6,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    hops,
    readings,
    sec2,
    sec3a,
    sec4a,
    sec4b,
    sec5a,
    sec5b,
    sec6,
    sec7,
    thesis_fig2_1,
    thesis_fig2_3,
    thesis_fig3_6,
    thesis_fig4_1,
)
from incast.papers.fairness.tried import DISTANCES, TRIALS
from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials

PAPER = Paper(
    name="fairness",
    title="Fast Convergence to Fairness for Reduced Long Flow Tail Latency in Datacenter Networks",
    source="J. Snyder and A. R. Lebeck, Duke University; also chapters 2.3, 3.1–3.3 and 4 of "
    "Snyder's dissertation",
    figures=with_trials(
        [
            sec2.FIGURE,
            sec3a.FIGURE,
            fig1.FIGURE,
            fig2.FIGURE,
            fig3.FIGURE,
            thesis_fig3_6.FIGURE,
            thesis_fig4_1.FIGURE,
            fig4.FIGURE,
            sec4a.FIGURE,
            sec4b.FIGURE,
            sec5a.FIGURE,
            sec5b.FIGURE,
            fig5.FIGURE,
            fig6.FIGURE,
            fig7.FIGURE,
            fig8.FIGURE,
            fig9.FIGURE,
            fig10.FIGURE,
            fig11.FIGURE,
            fig12.FIGURE,
            fig13.FIGURE,
            sec6.FIGURE,
            sec7.FIGURE,
            readings.FIGURE,
            hops.FIGURE,
            thesis_fig2_1.FIGURE,
            thesis_fig2_3.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Network: what the HPCC artifact does (profile hpcc-ns3), which the paper used, except "
        "that events at the same time come in the order of ports and durations are exact. ACKs go "
        "among the data under HPCC and Swift, and ahead of it under the others.",
        "Jain's index: of the bytes acknowledged in each 20 µs (with 96 senders 100 µs), over the "
        "flows alive in all of them. The paper names neither bin nor quantity.",
        "HPCC's lowest rate, which the paper does not give: 100 Mb/s, as the artifact's example; "
        "one rate for all hops.",
        "Swift: hops are switches; decreases as in Swift itself, in proportion to the delay above "
        "the target over the delay; the additive increase per base RTT; at most one decrease per "
        "RTT; paced.",
        "Variable AI: under HPCC, tokens from the whole queue depth; under Swift, from the delay "
        "above the target, with a threshold of 4 µs.",
        "A rate that 'decreases overall' (§IV-A) is one below the reference with its additive "
        "increase; under congestion many tokens may make it larger. Sampling Frequency counts the "
        "ACKs between two decreases (§V-B), so increases do not restart its count. The figure "
        "`readings` has the other reading.",
        "Probabilistic feedback: an ignored ACK leaves everything as it was, so the next one is "
        "sampled again. Rows that end in `-rtt` have the other reading, one sample per RTT.",
        "Fairness is measured in one way for all claims: the time from the last arrival until "
        "Jain's index stays ≥ 0.95, and the time lost to unfairness, the integral over the run of "
        "what the index lacks to 1. 'Faster' is a fifth less of both, 'much faster' and 'quickly' "
        "half.",
        "Seeds: 1 to 3 for datacenter traffic, 1 to 5 where feedback or marks are random; medians "
        "are judged, ranges shown. Of Hadoop traffic the first has the paper's 50 ms of arrivals, "
        "the others 20 ms; web search and storage have 10 ms: shorter than the paper.",
        "Web search and storage: a quarter of the link rate each.",
        "Slowdown by size: flows in order of size in 100 groups of equal count, as in the paper; "
        "claims on tails are judged at its points above 1 MB. p99.9 of n is the value at "
        "⌊0.999 n⌋. Every flow counts: runs end when all have finished.",
    ],
    colours=COLOURS,
)
