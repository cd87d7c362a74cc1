"""3CPO: injection control for collectives inside a memory fabric: see :mod:`.paper`."""

from incast.papers.threecpo.paper import PAPER

__all__ = ["PAPER"]
