"""The reproduction of Fast Convergence to Fairness."""

from incast.papers.fairness.paper import PAPER

__all__ = ["PAPER"]
