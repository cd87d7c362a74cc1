"""Attacks on the isolation of RDMA networks, and defences.

Snyder's dissertation, §3.4–3.8 and chapter 5: three attacks, enforcement per QP, per destination
and per pair, s-PERC with One-RTT Convergence (1RC) and weights. ``figures`` has a file for each
figure, under its id: ``fig3_9`` is Figure 3.9; ``defences`` is beyond the dissertation.
"""

from incast.papers.tried import with_trials

from incast_papers.isolation.algorithms import COLOURS
from incast_papers.isolation.figures import (
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
from incast_papers.isolation.tried import DISTANCES, TRIALS
from incast_papers.isolation.words import WORDS

PAPER = WORDS.paper(
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
    colours=COLOURS,
)
