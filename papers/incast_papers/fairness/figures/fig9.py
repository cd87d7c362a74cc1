"""Figure 9: under Swift with Variable AI and Sampling Frequency, flows finish together."""

from __future__ import annotations

from incast_papers.fairness.algorithms import SWIFT, SWIFT_VAI_SF
from incast_papers.fairness.figures.fig8 import finish_together

FIGURE = finish_together(9, "B02", SWIFT, SWIFT_VAI_SF)
