"""Checks whether an algorithm does what congestion control has to do: :func:`check`."""

from incast.conformance.kit import Conformance, check
from incast.conformance.line import Line

__all__ = ["Conformance", "Line", "check"]
