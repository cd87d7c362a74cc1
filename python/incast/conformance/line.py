"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass

from incast.present.charts.chart import Chart

__all__ = ["Line"]


@dataclass(frozen=True)
class Line:
    """The result of one check.

    Attributes:
        name: The name of the check.
        demand: The condition to pass, in words.
        passed: Whether the condition holds.
        found: The measured numbers, in a sentence.
        chart: The chart, if the check has one.
    """

    name: str
    demand: str
    passed: bool
    found: str
    chart: Chart | None = None
