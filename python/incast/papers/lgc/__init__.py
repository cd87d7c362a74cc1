"""The reproduction of Logistic Growth Control."""

from incast.papers.lgc.paper import PAPER

__all__ = ["PAPER"]
