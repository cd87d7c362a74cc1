"""FNCC, reproduced."""

from incast_papers.fncc.paper import PAPER

__all__ = ["PAPER"]
