"""Fast Convergence to Fairness, reproduced."""

from incast.papers.fairness.paper import PAPER

__all__ = ["PAPER"]
