"""FNCC: Fast Notification Congestion Control, whose ACKs collect telemetry.

Xu et al.'s paper, with DCQCN, HPCC and RoCC as its rivals. ``figures`` has a file for each figure,
under its id: ``fig13e`` is Figure 13 (e), ``sec4`` Section 4; ``locks``, ``plus``, ``plus_price``,
``plus_tried`` and ``vai_sf`` are beyond the paper.
"""

from incast.papers.tried import with_trials

from incast_papers.fncc.algorithms import COLOURS
from incast_papers.fncc.figures import (
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
from incast_papers.fncc.tried import DISTANCES, TRIALS
from incast_papers.fncc.words import WORDS

PAPER = WORDS.paper(
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
    colours=COLOURS,
)
