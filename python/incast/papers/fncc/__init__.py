"""FNCC, reproduced."""

from incast.papers.fncc.paper import PAPER

__all__ = ["PAPER"]
