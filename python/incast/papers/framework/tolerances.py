"""How far a measured value may lie from what a claim says: conditions on measured values. Each
takes values by run and returns whether they meet it; a missing value (nan) meets none. What is
expected, and how large a tolerance is, stands with the claims of a figure: `figures/<id>.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from incast.papers.framework.claim import Values

__all__ = ["Condition", "at_least", "at_most", "both", "close_to", "falls_to", "of", "within"]

Condition = Callable[[Values], bool]


def within(low: float, high: float, slack: float = 0.0) -> Condition:
    """Every value lies from `low` to `high`, or outside by no more than this share of the bound."""
    return lambda values: all(
        low * (1 - slack) <= value <= high * (1 + slack) for value in values.values()
    )


def close_to(expected: float, slack: float) -> Condition:
    """Every value is this one, give or take a share of it."""
    return lambda values: all(
        abs(value - expected) <= slack * abs(expected) for value in values.values()
    )


def at_least(bound: float) -> Condition:
    """No value is smaller."""
    return lambda values: all(value >= bound for value in values.values())


def at_most(bound: float) -> Condition:
    """No value is larger."""
    return lambda values: all(value <= bound for value in values.values())


def falls_to(share: float, *, below: str, labels: Sequence[str]) -> Condition:
    """The runs of these labels have at most this share of what the run `below` has; a value that
    is never reached (inf) falls to nothing.
    """
    return lambda values: all(
        math.isfinite(values[label]) and values[label] <= share * values[below] for label in labels
    )


def of(label: str, condition: Condition) -> Condition:
    """The run of this label meets a condition; the others are there for comparison."""
    return lambda values: condition({label: values[label]})


def both(*conditions: Condition) -> Condition:
    """A condition that holds if all of these hold."""
    return lambda values: all(condition(values) for condition in conditions)
