"""The types of key figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "NOT_MEASURED",
    "TOO_FEW",
    "KeyFigure",
    "Statistics",
    "Summary",
    "percentile_text",
    "too_few_note",
]

Summary: TypeAlias = Mapping[str, Any]

NOT_MEASURED = "not measured"

TOO_FEW = (
    "In parentheses: the largest value, where there are too few for the percentile to be another."
)


def percentile_text(text: str, permille: int, count: int) -> str:
    """The text of a percentile of `count` values; in parentheses if it is just their maximum."""
    return f"({text})" if 0 < count * (1000 - permille) <= 1000 else text


class KeyFigure(NamedTuple):
    """A name, its value, and a remark."""

    name: str
    value: str
    detail: str = ""


class Statistics(NamedTuple):
    """The main quantity of a kind of run, by class."""

    caption: str
    """The name of the quantity."""
    classes: str
    """The meaning of the rows."""
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


def too_few_note(rows: Iterable[Iterable[str]]) -> str:
    """The note on parentheses, if any cell has them: see :func:`percentile_text`."""
    return TOO_FEW if any(cell.startswith("(") for cells in rows for cell in cells) else ""
