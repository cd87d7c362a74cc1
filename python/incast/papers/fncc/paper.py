"""FNCC: Fast Notification Congestion Control, whose telemetry comes with ACKs.

Xu et al.'s paper, with DCQCN, HPCC and RoCC as rivals on the same engine. ``figures`` has a file
for each figure, under its id: ``fig13e`` is Figure 13 (e), ``sec4`` Section 4; ``locks``,
``plus``, ``plus_price``, ``plus_tried`` and ``vai_sf`` are beyond the paper.
"""

from incast.papers.fncc.algorithms import COLOURS
from incast.papers.fncc.figures import (
    fig1,
    fig3,
    fig10,
    fig10c,
    fig12,
    fig13,
    fig13e,
    fig14,
    fig15,
    locks,
    plus,
    plus_price,
    plus_tried,
    sec4,
    vai_sf,
)
from incast.papers.fncc.tried import DISTANCES, TRIALS
from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials

PAPER = Paper(
    name="fncc",
    title="FNCC: Fast Notification Congestion Control in Data Center Networks",
    source="J. Xu, Z. Wang, F. Yang, N. Kang, Z. Ma, X. Lu, R. Miao, G. Yuan, G. Tan and N. Sun, "
    "Chinese Academy of Sciences, UC Merced and Meta, 2024",
    figures=with_trials(
        [
            fig1.FIGURE,
            fig3.FIGURE,
            fig10.FIGURE,
            fig10c.FIGURE,
            fig12.FIGURE,
            fig13.FIGURE,
            fig13e.FIGURE,
            fig14.FIGURE,
            fig15.FIGURE,
            sec4.FIGURE,
            locks.FIGURE,
            plus.FIGURE,
            plus_price.FIGURE,
            plus_tried.FIGURE,
            vai_sf.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Two settings. Ours, by which the tally counts: windows limit what is in flight; HPCC and "
        "FNCC have η = 0.95, five stages, an additive increase of 50 Mb/s at 100 Gb/s that grows "
        "with the link; ACKs, of which the paper does not speak, go ahead of data under every "
        "algorithm; DCQCN as its paper has it, with marking in proportion to the link; RoCC as its "
        "paper has it at 100 Gb/s, beyond in proportion.",
        "The paper's setting, inferred from its pictures, in rows of their own: rates pace, and no "
        "window holds packets back (its HPCC pauses at 200 Gb/s, which a window of one BDP "
        "excludes); no additive stage, as in HPCC's artifact; ACKs among the data and "
        "paused with them ('packets from all sources are transferred on the same service level'); "
        "DCQCN's marking from 400 to 1600 KB with 0.2, HPCC's for 100 Gb/s; RoCC's parameters for "
        "100 Gb/s at every rate. FNCC averages once per ACK there, as HPCC does: of both averages "
        "it gives more of the pictures; 'FNCC as printed' stands beside it.",
        "FNCC's average in our setting: as Algorithm 3 prints it, inside the loop over hops. 'FNCC "
        "single average' takes that for a misprint, and averages once per ACK. FNCC's last hop: "
        "α = 1.05, β = 0.9, as printed; in what is compared with α no port sends faster than its "
        "link. N counts flows that are under way.",
        "Frames: 1518 bytes hold 1470 of payload and 48 of headers; HPCC's telemetry comes on top, "
        "42 bytes in every data packet.",
        "PFC pauses a sender when its ingress port holds 500 KB, with 32 MiB of buffer at 100 Gb/s "
        "and more at higher rates.",
        "FNCC's table is read live: the paper says that it is updated periodically, and gives no "
        "period. 'FNCC table 1 µs' is the other reading, shown beside it; Fig. 1 has four periods.",
        "A sender has slowed down when its rate, as congestion control sets it, is a tenth below "
        "what it was: flow0's in the 50 µs before, flow1's at its start.",
        "Queues: peaks, unless a claim says otherwise; the paper does not say. The congested port "
        "is the one where both elephants meet.",
        "Places of congestion: the figure of the topologies is not in the text; the second "
        "elephant joins at the first, the second or the third of three switches.",
        "Paths in the fat tree: symmetric ECMP under every algorithm, so that all have the same "
        "paths.",
        "Slowdown by size: ten classes, each of a tenth of the distribution; pN of n flows is the "
        "value at ⌊n·N/100⌋; means over seeds with Student's 95 % interval, or medians with their "
        "range, seed by seed where two are compared.",
    ],
    colours=COLOURS,
)
