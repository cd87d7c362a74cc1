"""What one check found."""

from __future__ import annotations

from dataclasses import dataclass

from incast.present.charts.chart import Chart

__all__ = ["Line"]


@dataclass(frozen=True)
class Line:
    """What a check found.

    Attributes:
        name: Of the check.
        demand: What had to come out.
        passed: Whether it did.
        found: The numbers, in a sentence.
        chart: What to look at, if there is something.
    """

    name: str
    demand: str
    passed: bool
    found: str
    chart: Chart | None = None
