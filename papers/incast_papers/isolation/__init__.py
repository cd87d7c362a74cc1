"""Attacks on the isolation of RDMA networks, and defences: see :mod:`.paper`."""

from incast_papers.isolation.paper import PAPER

__all__ = ["PAPER"]
