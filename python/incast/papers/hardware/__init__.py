"""Public measurements of machines, compared with runs of the same experiments."""

from incast.papers.hardware.paper import PAPER

__all__ = ["PAPER"]
