"""The reproduction of Logistic Growth Control."""

from incast_papers.lgc.paper import PAPER

__all__ = ["PAPER"]
