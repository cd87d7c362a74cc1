"""What key figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

__all__ = ["NOT_MEASURED", "KeyFigure", "Statistics", "Summary"]

Summary: TypeAlias = Mapping[str, Any]

NOT_MEASURED = "not measured"


class KeyFigure(NamedTuple):
    """A name, its value, and a remark."""

    name: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class Statistics:
    """The quantity that a kind of run is judged by, in classes."""

    caption: str
    """What it is."""
    classes: str
    """What its rows are."""
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
