"""Figure 9: with Variable AI and Sampling Frequency flows under Swift finish together."""

from __future__ import annotations

from incast.papers.fairness.algorithms import SWIFT, SWIFT_VAI_SF
from incast.papers.fairness.figures.fig8 import finish_together

FIGURE = finish_together(9, "B02", SWIFT, SWIFT_VAI_SF)
