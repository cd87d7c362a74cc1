"""3CPO, injection control for collectives in a memory fabric: Snyder's dissertation, chapter 6.

``figures`` has a file for each figure, under its id: ``fig6_2`` is Figure 6.2. ``repair`` and
``scale`` are beyond the dissertation.
"""

from incast.papers.framework.paper import Paper
from incast.papers.framework.tried import with_trials
from incast.papers.threecpo.algorithms import COLOURS
from incast.papers.threecpo.figures import (
    fig6_1,
    fig6_2,
    fig6_3,
    fig6_4,
    fig6_5,
    fig6_6,
    fig6_7,
    fig6_8,
    fig6_9,
    fig6_10,
    fig6_11,
    fig6_12,
    fig6_13,
    fig6_14,
    fig6_15,
    fig6_16,
    fig6_17,
    readings,
    repair,
    scale,
    sec6_1_4,
    sec7_2,
    table6_1,
)
from incast.papers.threecpo.tried import DISTANCES, TRIALS

PAPER = Paper(
    name="3cpo",
    title="3CPO: congestion control for in-network multicast and reductions",
    source="J. Snyder, dissertation, Duke University, chapter 6",
    figures=with_trials(
        [
            sec6_1_4.FIGURE,
            fig6_1.FIGURE,
            fig6_2.FIGURE,
            fig6_3.FIGURE,
            table6_1.FIGURE,
            fig6_4.FIGURE,
            fig6_5.FIGURE,
            fig6_6.FIGURE,
            fig6_7.FIGURE,
            fig6_8.FIGURE,
            fig6_9.FIGURE,
            fig6_10.FIGURE,
            fig6_11.FIGURE,
            fig6_12.FIGURE,
            fig6_13.FIGURE,
            fig6_14.FIGURE,
            fig6_15.FIGURE,
            fig6_16.FIGURE,
            fig6_17.FIGURE,
            sec7_2.FIGURE,
            readings.FIGURE,
            repair.FIGURE,
            scale.FIGURE,
        ],
        TRIALS,
        DISTANCES,
    ),
    readings=[
        "Effective bandwidth counts the flits of data packets once for each member, per endpoint "
        "and cycle. An all-reduce reaches 1.8 of them; the text's 2 counts 1-flit packets as free.",
        "Latency is counted from the request's injection onto the link.",
        "Writes are acknowledged after 0 cycles, reads answered after 180: 916 and 1,096 cycles on "
        "an idle fabric. Links take a cycle for each flit and nothing more.",
        "An endpoint accepts requests while it owes at most 512 flits of responses, and queues "
        "hold 512 flits for each channel. Without both bounds nothing is lost without control.",
        "All endpoints start in cycle 0 unless a figure says otherwise; the text names no spread.",
        "Windows are for reads and for writes apart. That of all 128 endpoints is 5 where all do "
        "the same (Figs. 6.13 and 6.14: it has the mean latency that the text gives there), and 3 "
        "where initiators change or halves share (Figs. 6.15 to 6.17), as for 64 in Table 6.1.",
        "Initial watermarks are the largest; a bucket holds one token; an operation needs a token "
        "in both buckets.",
        "A request of another member counts when it arrives at an endpoint, not when "
        "that accepts it.",
        "Algorithm 6's md is the part removed, as its lines 15 to 20 need it; what could not have "
        "been made in a round trip is carried over.",
    ],
    colours=COLOURS,
)
