"""Public measurements of machines, compared with runs of the same experiments."""

from incast_papers.hardware.paper import PAPER

__all__ = ["PAPER"]
