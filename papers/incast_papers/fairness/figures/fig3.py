"""Figure 3: under Swift, flows that start last finish first. That changes if flows increase faster,
or react to a random part of feedback.
"""

from __future__ import annotations

from incast_papers.fairness.algorithms import SWIFT, SWIFT_1G, SWIFT_PROB, SWIFT_PROB_RTT
from incast_papers.fairness.figures.fig2 import start_and_finish

FIGURE = start_and_finish(3, ("A02", "A05", "A06"), SWIFT, SWIFT_1G, SWIFT_PROB, SWIFT_PROB_RTT)
