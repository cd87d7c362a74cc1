"""3CPO: injection control for collectives inside a memory fabric: see :mod:`.paper`."""

from incast_papers.threecpo.paper import PAPER

__all__ = ["PAPER"]
