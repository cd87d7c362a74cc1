"""Times: results have picoseconds, people and formulas use seconds."""

from __future__ import annotations

__all__ = ["PICOSECOND"]

PICOSECOND = 1e-12
"""A picosecond in seconds."""
