"""Measurements of machines, beside ours."""

from incast.papers.hardware.paper import PAPER

__all__ = ["PAPER"]
