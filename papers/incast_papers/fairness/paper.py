"""Fast Convergence to Fairness: how soon flows share a link fairly, and the cost in queue length.

Snyder and Lebeck's paper on Variable AI and Sampling Frequency, with the corresponding chapters of
Snyder's dissertation. ``figures`` has a file for each figure, under its id: ``fig3`` is Figure 3 of
the paper, ``thesis_fig3_6`` Figure 3.6 of the dissertation.
"""

from incast.papers.tried import with_trials

from incast_papers.fairness.algorithms import COLOURS
from incast_papers.fairness.figures import (
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
from incast_papers.fairness.tried import DISTANCES, TRIALS
from incast_papers.fairness.words import WORDS

PAPER = WORDS.paper(
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
    colours=COLOURS,
)
