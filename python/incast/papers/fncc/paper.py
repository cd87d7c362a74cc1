"""FNCC: Fast Notification Congestion Control, whose telemetry comes with ACKs.

Xu et al.'s paper, with DCQCN, HPCC and RoCC as rivals on the same engine. ``figures`` has a file
for each figure, under its id: ``fig13e`` is Figure 13 (e), ``sec4`` Section 4; ``vai_sf`` is beyond
the paper.
"""

from incast.papers.fncc.algorithms import COLOURS
from incast.papers.fncc.figures import (
    fig1,
    fig3,
    fig10,
    fig12,
    fig13,
    fig13e,
    fig14,
    fig15,
    sec4,
    vai_sf,
)
from incast.papers.framework.paper import Paper

PAPER = Paper(
    name="fncc",
    title="FNCC: Fast Notification Congestion Control in Data Center Networks",
    source="J. Xu, Z. Wang, F. Yang, N. Kang, Z. Ma, X. Lu, R. Miao, G. Yuan, G. Tan and N. Sun, "
    "Chinese Academy of Sciences, UC Merced and Meta, 2024",
    figures=[
        fig1.FIGURE,
        fig3.FIGURE,
        fig10.FIGURE,
        fig12.FIGURE,
        fig13.FIGURE,
        fig13e.FIGURE,
        fig14.FIGURE,
        fig15.FIGURE,
        sec4.FIGURE,
        vai_sf.FIGURE,
    ],
    readings=[
        "Frames: 1518 bytes hold 1470 of payload and 48 of headers; HPCC's telemetry comes on top, "
        "42 bytes in every data packet.",
        "One service level for data of all sources, as the paper says; ACKs, of which it does not "
        "speak, go ahead of data under every algorithm, so that FNCC's are read and gone at once.",
        "PFC pauses a sender when its ingress port holds 500 KB, with 32 MiB of buffer at 100 Gb/s "
        "and more at higher rates.",
        "FNCC's table is read live: the paper says that it is updated periodically, and gives no "
        "period. 'FNCC table 1 µs' is the other reading, shown beside it; verdicts are of the live "
        "one. N counts flows that are under way.",
        "HPCC and FNCC: η = 0.95, five stages, an additive increase of 50 Mb/s at 100 Gb/s that "
        "grows with the link. FNCC's last hop: α = 1.05, β = 0.9, as printed.",
        "DCQCN as its paper has it, with marking in proportion to the link; RoCC as its paper has "
        "it at 100 Gb/s, beyond in proportion.",
        "A sender has slowed down when its rate, as congestion control sets it, is a tenth below "
        "what it was: flow0's in the 50 µs before, flow1's at its start.",
        "Queues: peaks, unless a claim says otherwise; the paper does not say. The congested port "
        "is the one where both elephants meet.",
        "Places of congestion: the figure of the topologies is not in the text; the second "
        "elephant joins at the first, the second or the third of three switches.",
        "Paths in the fat tree: symmetric ECMP under every algorithm, so that all have the same "
        "paths.",
        "Slowdown by size: ten classes, each of a tenth of the distribution; pN of n flows is the "
        "value at ⌊n·N/100⌋; means over seeds with Student's 95 % interval.",
    ],
    colours=COLOURS,
)
