"""Attacks on the isolation of RDMA networks, and what stops them.

Snyder's dissertation, §3.4–3.8 and chapter 5: three attacks, enforcement per QP, per destination
and per pair, s-PERC with One-RTT Convergence (1RC) and weights. ``figures`` has a file for each
figure, under its id: ``fig3_9`` is Figure 3.9; ``defences`` is beyond the dissertation.
"""

from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials
from incast.papers.isolation.algorithms import COLOURS
from incast.papers.isolation.figures import (
    ch5,
    defences,
    fig3_9,
    fig3_10,
    fig3_11,
    fig3_12,
    fig5_1,
    fig5_5,
    fig5_7,
    fig5_9,
    sec3_5,
    sec5_1,
    sec5_3,
    table3_2,
)
from incast.papers.isolation.tried import DISTANCES, TRIALS

PAPER = Paper(
    name="isolation",
    title="Performance isolation in RDMA networks: attacks and defences",
    source="J. Snyder, dissertation, Duke University, §3.4–3.8 and chapter 5",
    figures=with_trials(
        [
            fig3_9.FIGURE,
            fig3_10.FIGURE,
            fig3_11.FIGURE,
            fig3_12.FIGURE,
            table3_2.FIGURE,
            sec3_5.FIGURE,
            sec5_1.FIGURE,
            sec5_3.FIGURE,
            fig5_1.FIGURE,
            fig5_5.FIGURE,
            fig5_7.FIGURE,
            fig5_9.FIGURE,
            ch5.FIGURE,
            defences.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Testbed: of 1106 bytes on the wire 1024 are payload, which gives the 92 Gb/s of the text; "
        "an RTT of 3.0 µs is the BDP of 37.5 KB; DCQCN with the vendor's defaults.",
        "Datacentre: DCQCN as in the HPCC artifact with a minimum of 100 Mb/s, ACKs among data, "
        "55 % load. The text states neither parameters nor load, and load decides.",
        "ACKs go ahead of the data in Fig. 3.12 and in chapter 5, as NICs send them today; in Fig. "
        "3.11 among it, as in the configuration of HPCC's artifact.",
        "s-PERC has host demand, as the simulator of its authors: a flow leaves to others what it "
        "cannot use in an RTT. Algorithms 3 and 4 have none: see E04, E05 and E16.",
        "Pieces of an attacker's flow are flows of their own, with their own slowdown; the FCT of "
        "the whole runs from its start to the finish of its last piece.",
        "Per pair: one window and one pacer for all flows of a source and a destination, served in "
        "turn; its state is kept while the pair is idle.",
        "Algorithm 4 as printed diverges; ours removes what a flow has registered at a link before "
        "it registers it anew, so that sums stay exact. See docs/algorithms.md.",
        "s-PERC exempts flows up to a BDP from scheduling; with 1RC nothing is exempt.",
        "pN of n flows is the value at ⌊n·N/100⌋.",
    ],
    colours=COLOURS,
)
