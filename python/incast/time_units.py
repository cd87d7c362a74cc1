"""Times: results tell them in picoseconds, people and formulas take seconds."""

from __future__ import annotations

__all__ = ["PICOSECOND"]

PICOSECOND = 1e-12
"""In seconds."""
