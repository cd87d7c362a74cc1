"""Values that are varied: as numbers, for axes, and as text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from incast import toml
from incast.present.charts.chart import Quantity

__all__ = ["number", "short_texts", "value_text"]

_NUMBER = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([A-Za-zµ]+)\s*")
_TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_PREFIXES = {"": 1e0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_PREFIXED = {
    "bps": (Quantity.RATE, _PREFIXES),
    "B": (Quantity.SIZE, _PREFIXES | _BINARY),
}


def number(value: object) -> tuple[float, Quantity] | None:
    """A value in its base unit, and its quantity: ``"5us"`` is 5e-6 s. ``None`` if it has none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), Quantity.RATIO
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    amount, unit = float(found[1].replace("_", "")), found[2]
    if unit in _TIMES:
        return amount * _TIMES[unit], Quantity.TIME
    for ending, quantity in (
        ("bps", Quantity.RATE),
        ("bit/s", Quantity.RATE),
        ("B", Quantity.SIZE),
    ):
        prefix = unit.removesuffix(ending)
        scales = _PREFIXES | _BINARY if quantity is Quantity.SIZE else _PREFIXES
        if prefix != unit and prefix in scales:
            return amount * scales[prefix], quantity
    return None


def value_text(value: object) -> str:
    """A value as a reader has it: text as it is, everything else as TOML; a dash for none."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else toml.inline(value)


_LONGEST = 28
"""Characters of a table or a list, in legends and in columns."""


def short_texts(values: Iterable[object]) -> dict[str, str]:
    """Of some values of a key, what stands for the text of each where room is scarce: tables and
    lists are cut, and have numbers if they begin alike.
    """
    lists = (each for each in values if not isinstance(each, str))
    texts = dict.fromkeys(text for each in lists if len(text := value_text(each)) > _LONGEST)
    cut = {text: text[: _LONGEST - 1].rstrip() + "…" for text in texts}
    begins = list(cut.values())
    return {
        text: f"{begin} ({number})" if begins.count(begin) > 1 else begin
        for number, (text, begin) in enumerate(cut.items(), start=1)
    }
