"""Conditions on measured values, with tolerances. Each takes values by label, and tells whether
they meet it; a missing value (NaN) meets no condition. Expected values and sizes of tolerances are
with the claims, in `figures/<id>.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from incast.papers.claim import Values

__all__ = ["Condition", "at_least", "at_most", "both", "close_to", "falls_to", "of", "within"]

Condition = Callable[[Values], bool]


def within(low: float, high: float, slack: float = 0.0) -> Condition:
    """Every value is between `low` and `high`, or outside by at most `slack` times the bound."""
    return lambda values: all(
        low * (1 - slack) <= value <= high * (1 + slack) for value in values.values()
    )


def close_to(expected: float, slack: float) -> Condition:
    """Every value differs from `expected` by at most `slack` times that."""
    return lambda values: all(
        abs(value - expected) <= slack * abs(expected) for value in values.values()
    )


def at_least(bound: float) -> Condition:
    """Every value is at least `bound`."""
    return lambda values: all(value >= bound for value in values.values())


def at_most(bound: float) -> Condition:
    """Every value is at most `bound`."""
    return lambda values: all(value <= bound for value in values.values())


def falls_to(share: float, *, below: str, labels: Sequence[str]) -> Condition:
    """The values of these labels are at most `share` times the value of `below`. An infinite value,
    of something never reached, does not meet it.
    """
    return lambda values: all(
        math.isfinite(values[label]) and values[label] <= share * values[below] for label in labels
    )


def of(label: str, condition: Condition) -> Condition:
    """The value of this label meets a condition; values of other labels are only shown."""
    return lambda values: condition({label: values[label]})


def both(*conditions: Condition) -> Condition:
    """All of these conditions hold."""
    return lambda values: all(condition(values) for condition in conditions)
