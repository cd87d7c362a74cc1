"""The reproduction of Fast Convergence to Fairness."""

from incast_papers.fairness.paper import PAPER

__all__ = ["PAPER"]
