"""Logistic Growth Control against DCTCP, with its theory and its fluid model.

Teymoori, Hayes, Welzl and Gjessing's paper. ``figures`` has a file for each figure, under its id:
``fig3`` is Figure 3, ``sec4e`` Section IV-E, ``table2`` Table II.
"""

from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials
from incast.papers.lgc.algorithms import COLOURS
from incast.papers.lgc.figures import (
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
    sec3c,
    sec3d,
    sec4e,
    sec6a,
    table2,
)
from incast.papers.lgc.tried import DISTANCES, TRIALS

PAPER = Paper(
    name="lgc",
    title="Even Lower Latency, Even Better Fairness: Logistic Growth Congestion Control in "
    "Datacenters",
    source="P. Teymoori, D. Hayes, M. Welzl, S. Gjessing, University of Oslo; LCN 2016",
    figures=with_trials(
        [
            fig1.FIGURE,
            fig2.FIGURE,
            sec3c.FIGURE,
            sec3d.FIGURE,
            fig3.FIGURE,
            sec4e.FIGURE,
            fig4.FIGURE,
            fig5.FIGURE,
            fig6.FIGURE,
            fig7.FIGURE,
            sec6a.FIGURE,
            table2.FIGURE,
            fig8.FIGURE,
            fig9.FIGURE,
            fig10.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Packets have 1460 B of payload and 54 B of headers: the paper's 9.64 Gb/s are 10 Gb/s × "
        "1460/1514.",
        "A packet is marked if it has to wait behind another one; the one in transmission does not "
        "count. 'Exceeds one packet' may also mean that two wait already, as DCTCP's words are "
        "read: rows with '-two'. No one threshold gives Table II and Figs. 7 and 9 together.",
        "'Exponentially-distributed inter-packet delay between packets such that the sending rate "
        "is xK on average' is a packet's time on the link and then an exponential delay. A Poisson "
        "process, in which packets may leave back-to-back, is L21-poisson.",
        "x_init, which the paper does not name: 0.006, a packet of 1500 B in an RTT.",
        "The growth rate between r_conv and r_init: as Fig. 5 draws it; as Algorithm 1 prints it, "
        "in rows with '-printed'. g₂ is 0.045 (§VI), not 0.45 (§V-B).",
        "Sections before §V have a fixed growth rate and no exponential delays, which come only "
        "then; r, which Fig. 3 does not name, is 0.1 and 0.3.",
        "Rates follow the moving average of marks with the interval just ended among its values; "
        "flows update at moments of their own, an interval after their start.",
        "DCTCP: RFC 8257 with an initial window of 10 packets, marking above 65 packets, recovery "
        "by selective repeat. Queues hold 250 packets (its authors' simulations); what overflows "
        "is dropped at the tail. Marked as they leave, and with a window of 2 packets: rows with "
        "'-dequeue'.",
        "The second half of each run counts as settled, for all figures alike.",
        "Traffic without end; starts at random within 200 µs; ten seeds.",
        "The 64-host 'fat tree' is one of 8-port switches with half of its hosts. Destinations: "
        "every eighth host; every host sends one flow.",
    ],
    colours=COLOURS,
)
