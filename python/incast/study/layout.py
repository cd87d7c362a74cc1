"""The layout of a sweep's points: one key along the x axis, a line for each combination of the
others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incast.present.charts.chart import Axis, Quantity, spans_decades
from incast.study.quantities import canonical, number, short_texts, told_apart

__all__ = ["Across", "across_of", "line_labels", "line_parts", "short_key"]

_NAMED = ("cc", "attack", "name")
"""Keys whose values need no name of the key beside them."""
_AXES = {"cc": "algorithm"}
"""Axis titles for keys that are abbreviations."""
_ONE = "all runs"


@dataclass(frozen=True)
class Across:
    """The key along the x axis, and the axis."""

    key: str | None
    axis: Axis
    names: Sequence[str] = ()
    """Names along the axis, if its values are not numbers."""
    texts: Mapping[str, Mapping[Hashable, str]] = field(default_factory=dict)
    """The text of each value, by key and by the value's canonical form."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Keys that make lines, each with the prefix of its values in labels; empty if the values
    suffice.
    """

    def text(self, values: Mapping[str, Any]) -> str:
        """The text of a point's value of the key along the x axis."""
        return _ONE if self.key is None else self.value(self.key, values)

    def value(self, key: str, values: Mapping[str, Any]) -> str:
        """The text of a point's value of any key, for legends and listings."""
        return self.texts[key][canonical(values.get(key), key)]

    def place(self, values: Mapping[str, Any]) -> float:
        """The position of a point on the x axis, in base units."""
        if self.key is None:
            return 0.0
        value = values.get(self.key)
        if self.names:
            return float(self.names.index(self.value(self.key, values)))
        found = number(value, self.key)
        assert found is not None
        return found[0]


def across_of(points: Sequence[Mapping[str, Any]]) -> Across:
    """Chooses the key along the x axis: the numeric key with the most values; if no key is numeric,
    the key with the most values.
    """
    keys = list(dict.fromkeys(key for point in points for key in point))
    if not keys:
        return Across(None, Axis("", Quantity.COUNT, names=(_ONE,)), (_ONE,))
    distinct = {key: _distinct(points, key) for key in keys}
    texts = {key: short_texts(found, key) for key, found in distinct.items()}
    numeric = {key: found for key in keys if (found := _numbers(distinct[key], key))}
    key = max(numeric or keys, key=lambda each: len(distinct[each]))
    called = _called(_making_lines(points, key, keys), keys, texts)
    if numeric:
        places, quantity = numeric[key]
        spread = spans_decades([np.array(places)]) and len(places) > 2
        return Across(
            key, Axis(_AXES.get(key, short_key(key, keys)), quantity, log=spread), (), texts, called
        )
    names = tuple(texts[key].values())
    axis = Axis(_AXES.get(key, short_key(key, keys)), Quantity.COUNT, names=names)
    return Across(key, axis, names, texts, called)


def _making_lines(
    points: Sequence[Mapping[str, Any]], across: str, keys: Sequence[str]
) -> list[str]:
    """The keys whose values are not determined by the value of the key along the x axis."""

    def follows(key: str) -> bool:
        pairs = {tuple(canonical(each.get(of), of) for of in (across, key)) for each in points}
        return len(pairs) == len({value for value, _ in pairs})

    return [key for key in keys if key != across and not follows(key)]


def _called(
    making_lines: Sequence[str],
    keys: Sequence[str],
    texts: Mapping[str, Mapping[Hashable, str]],
) -> dict[str, str]:
    """The prefix of each key's values in labels. Keys that share a value need one to be told
    apart.
    """
    named = {
        key: {text for value, text in texts[key].items() if value != canonical(None)}
        for key in making_lines
        if key in _NAMED
    }
    counts = Counter(text for told in named.values() for text in told)
    enough = {key for key, told in named.items() if all(counts[text] == 1 for text in told)}
    return {key: "" if key in enough else f"{short_key(key, keys)} " for key in making_lines}


def _distinct(points: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    return list({canonical(point.get(key), key): point.get(key) for point in points}.values())


def _numbers(values: Sequence[Any], key: str) -> tuple[list[float], Quantity] | None:
    """The values as numbers of one quantity; ``None`` if there are fewer than two, or they are
    not.
    """
    found = [number(value, key) for value in values]
    quantities = {each[1] for each in found if each}
    if len(values) < 2 or None in found or len(quantities) > 1:
        return None
    return [each[0] for each in found if each], quantities.pop()


def line_parts(values: Mapping[str, Any], across: Across) -> list[str]:
    """The parts of a line's label: the point's values of the keys that make lines."""
    return [
        called + across.value(key, values) for key, called in across.called.items() if key in values
    ]


def line_labels(points: Sequence[Mapping[str, Any]], across: Across) -> list[str]:
    """For each point, the label of its line; different lines have different labels."""
    lines = [tuple(canonical(point.get(key), key) for key in across.called) for point in points]
    labels = {
        line: ", ".join(line_parts(point, across))
        for line, point in zip(lines, points, strict=True)
    }
    distinct = dict(zip(labels, told_apart(list(labels.values())), strict=True))
    return [distinct[line] for line in lines]


def short_key(key: str, among: Sequence[str]) -> str:
    """The short name of a key: the fewest last parts that no other key has and that do not begin
    with a number. A single part is written with blanks for underscores.
    """
    parts = key.split(".")
    for place in reversed(range(len(parts))):
        last = ".".join(parts[place:])
        alone = sum(f".{each}".endswith(f".{last}") for each in among) < 2
        if alone and not parts[place].isdecimal():
            return last if "." in last else last.replace("_", " ")
    return key
