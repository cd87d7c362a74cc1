"""Logistic Growth Control against DCTCP, with its theory and its fluid model.

Teymoori, Hayes, Welzl and Gjessing's paper. A file for each group of figures; `variants` has the
algorithms, `scenarios` the networks and traffic, `measuring` what is taken from runs, `panels` what
several figures draw.
"""

from incast.papers.lgc import (
    fig01_02,
    fig03_05,
    fig06,
    fig07_09,
    fig08,
    fig10,
    sec03,
    sec04_e,
    table2,
)
from incast.papers.lgc.variants import COLOURS
from incast.papers.paper import Paper

PAPER = Paper(
    name="lgc",
    title="Even Lower Latency, Even Better Fairness: Logistic Growth Congestion Control in "
    "Datacenters",
    source="P. Teymoori, D. Hayes, M. Welzl, S. Gjessing, University of Oslo; LCN 2016",
    figures=[
        fig01_02.GROWTH,
        fig01_02.COMPETITION,
        sec03.UPLINK,
        sec03.FEW_ACKS,
        fig03_05.FLUID,
        sec04_e.FIGURE,
        fig03_05.PACED,
        fig03_05.RATE,
        fig06.FIGURE,
        fig07_09.QUEUES,
        fig07_09.INTERVALS,
        table2.FIGURE,
        fig08.FIGURE,
        fig07_09.RTTS,
        fig10.FIGURE,
    ],
    readings=[
        "Packets have 1460 B of payload and 54 B of headers: the paper's 9.64 Gb/s are 10 Gb/s × "
        "1460/1514.",
        "A packet is marked if it has to wait behind another one; the one in transmission does not "
        'count. The alternative, to mark every packet that waits, is `ecn = { step = "0 packets", '
        'at = "enqueue" }`.',
        "x_init, which the paper does not name: 0.006, a packet of 1500 B in an RTT.",
        "The growth rate between r_conv and r_init: as Fig. 5 draws it, not as Algorithm 1 prints "
        "it. g₂ is 0.045 (§VI), not 0.45 (§V-B).",
        "Sections before §V have a fixed growth rate and no exponential gaps, which come only "
        "then; r, which Fig. 3 does not name, is 0.1 and 0.3.",
        "Rates follow the moving average of marks with the interval just ended among its values; "
        "flows update at moments of their own, an interval after their start.",
        "DCTCP: RFC 8257 with an initial window of 10 packets, marking above 65 packets, recovery "
        "by selective repeat. Queues hold 250 packets (its authors' simulations); what overflows "
        "is dropped.",
        "The second half of each run counts as settled, for all figures alike.",
        "Traffic without end; starts at random within 200 µs; ten seeds.",
        "The 64-host 'fat tree' is one of 8-port switches with half of its hosts. Destinations: "
        "every eighth host, so that some 8 flows compete.",
    ],
    colours=COLOURS,
)
