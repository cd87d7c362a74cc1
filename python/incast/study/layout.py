"""How the points of a sweep are laid out: one key across, a line for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incast.present.charts.chart import Axis, Quantity, spans_decades
from incast.study.quantities import number, short_texts, value_text

__all__ = ["Across", "across_of", "line_label", "line_parts"]

_NAMED = ("cc", "attack", "name")
"""Keys whose values say what they are."""
_ONE = "all runs"


@dataclass(frozen=True)
class Across:
    """The key that goes across, and its axis."""

    key: str | None
    axis: Axis
    names: Sequence[str] = ()
    """Of places, where values are no numbers."""
    follow: frozenset[str] = frozenset()
    """Keys that go together with this one: their values follow from its."""
    short: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of long texts of values, by key, what stands for them."""

    def text(self, values: Mapping[str, Any]) -> str:
        """A point's value of the key."""
        return _ONE if self.key is None else self.value(self.key, values)

    def value(self, key: str, values: Mapping[str, Any]) -> str:
        """A point's value of any key, as legends and listings have it."""
        text = value_text(values.get(key))
        return self.short.get(key, {}).get(text, text)

    def place(self, values: Mapping[str, Any]) -> float:
        """Where a point stands on the axis, in base units."""
        if self.key is None:
            return 0.0
        value = values.get(self.key)
        if self.names:
            return float(self.names.index(self.value(self.key, values)))
        found = number(value)
        assert found is not None
        return found[0]


def across_of(points: Sequence[Mapping[str, Any]]) -> Across:
    """The key of numbers that takes most values; without one, the key that takes most."""
    keys = list(dict.fromkeys(key for point in points for key in point))
    distinct = {key: _distinct(points, key) for key in keys}
    short = {key: short_texts(found) for key, found in distinct.items()}
    numeric = {key: found for key in keys if (found := _numbers(distinct[key]))}
    if numeric:
        key = max(numeric, key=lambda each: len(distinct[each]))
        places, quantity = numeric[key]
        spread = spans_decades([np.array(places)]) and len(places) > 2
        follow = _following(points, key, keys)
        return Across(
            key, Axis(_short(key, keys), quantity, log=spread), follow=follow, short=short
        )
    if not keys:
        return Across(None, Axis("", Quantity.COUNT, names=(_ONE,)), (_ONE,))
    key = max(keys, key=lambda each: len(distinct[each]))
    texts = map(value_text, distinct[key])
    names = tuple(short[key].get(text, text) for text in texts)
    axis = Axis(_short(key, keys), Quantity.COUNT, names=names)
    return Across(key, axis, names, _following(points, key, keys), short)


def _following(
    points: Sequence[Mapping[str, Any]], key: str, keys: Sequence[str]
) -> frozenset[str]:
    def follows(other: str) -> bool:
        pairs = {(value_text(each.get(key)), value_text(each.get(other))) for each in points}
        return len(pairs) == len({value for value, _ in pairs})

    return frozenset(each for each in keys if each != key and follows(each))


def _distinct(points: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    return list({value_text(point.get(key)): point.get(key) for point in points}.values())


def _numbers(values: Sequence[Any]) -> tuple[list[float], Quantity] | None:
    """Several numbers of one quantity."""
    found = [number(value) for value in values]
    quantities = {each[1] for each in found if each}
    if len(values) < 2 or None in found or len(quantities) > 1:
        return None
    return [each[0] for each in found if each], quantities.pop()


def line_parts(values: Mapping[str, Any], across: Across) -> list[str]:
    """What tells a point's line from others: its values of the other keys, in words."""
    left_out = {across.key, *across.follow}
    return [
        ("" if key in _NAMED else f"{_short(key, list(values))} ") + across.value(key, values)
        for key in values
        if key not in left_out
    ]


def line_label(values: Mapping[str, Any], across: Across) -> str:
    """The name of a point's line."""
    return ", ".join(line_parts(values, across))


def _short(key: str, among: Sequence[str]) -> str:
    """The last part of a key, in words, if no other key has the same."""
    last = key.rpartition(".")[2]
    alone = [each.rpartition(".")[2] for each in among].count(last) < 2
    return last.replace("_", " ") if alone and not last.isdecimal() else key
