"""Logistic Growth Control, reproduced."""

from incast.papers.lgc.paper import PAPER

__all__ = ["PAPER"]
