"""Logistic Growth Control compared with DCTCP, with its theory and its fluid model.

Teymoori, Hayes, Welzl and Gjessing's paper. ``figures`` has a file for each figure, under its id:
``fig3`` is Figure 3, ``sec4e`` Section IV-E, ``table2`` Table II.
"""

from incast.papers.tried import with_trials

from incast_papers.lgc.algorithms import COLOURS
from incast_papers.lgc.figures import (
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
from incast_papers.lgc.tried import DISTANCES, TRIALS
from incast_papers.lgc.words import WORDS

PAPER = WORDS.paper(
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
    colours=COLOURS,
)
