"""How the points of a sweep are laid out: one key across, a line for everything else."""

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
"""Keys whose values say what they are."""
_AXES = {"cc": "algorithm"}
"""What axes say of keys that are short for what they name."""
_ONE = "all runs"


@dataclass(frozen=True)
class Across:
    """The key that goes across, and its axis."""

    key: str | None
    axis: Axis
    names: Sequence[str] = ()
    """Names of places, where values are no numbers."""
    texts: Mapping[str, Mapping[Hashable, str]] = field(default_factory=dict)
    """Texts of all values, by key and canonical value."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Keys that make lines, each with what stands before its values: nothing if these say enough.
    """

    def text(self, values: Mapping[str, Any]) -> str:
        """A point's value of the key."""
        return _ONE if self.key is None else self.value(self.key, values)

    def value(self, key: str, values: Mapping[str, Any]) -> str:
        """A point's value of any key, as legends and listings have it."""
        return self.texts[key][canonical(values.get(key), key)]

    def place(self, values: Mapping[str, Any]) -> float:
        """Where a point stands on the axis, in base units."""
        if self.key is None:
            return 0.0
        value = values.get(self.key)
        if self.names:
            return float(self.names.index(self.value(self.key, values)))
        found = number(value, self.key)
        assert found is not None
        return found[0]


def across_of(points: Sequence[Mapping[str, Any]]) -> Across:
    """The key of numbers that takes most values; without one, the key that takes most."""
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
    """The keys whose values do not follow from that of the key that goes across."""

    def follows(key: str) -> bool:
        pairs = {tuple(canonical(each.get(of), of) for of in (across, key)) for each in points}
        return len(pairs) == len({value for value, _ in pairs})

    return [key for key in keys if key != across and not follows(key)]


def _called(
    making_lines: Sequence[str],
    keys: Sequence[str],
    texts: Mapping[str, Mapping[Hashable, str]],
) -> dict[str, str]:
    """Values that two keys have in common do not say of which they are."""
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
    """Several numbers of one quantity."""
    found = [number(value, key) for value in values]
    quantities = {each[1] for each in found if each}
    if len(values) < 2 or None in found or len(quantities) > 1:
        return None
    return [each[0] for each in found if each], quantities.pop()


def line_parts(values: Mapping[str, Any], across: Across) -> list[str]:
    """What tells a point's line from others: its values of the other keys, in words."""
    return [
        called + across.value(key, values) for key, called in across.called.items() if key in values
    ]


def line_labels(points: Sequence[Mapping[str, Any]], across: Across) -> list[str]:
    """The name of each point's line; no two lines have the same."""
    lines = [tuple(canonical(point.get(key), key) for key in across.called) for point in points]
    labels = {
        line: ", ".join(line_parts(point, across))
        for line, point in zip(lines, points, strict=True)
    }
    distinct = dict(zip(labels, told_apart(list(labels.values())), strict=True))
    return [distinct[line] for line in lines]


def short_key(key: str, among: Sequence[str]) -> str:
    """What a key is called: its last parts that no other key has, the first of them no number; one
    in words.
    """
    parts = key.split(".")
    for place in reversed(range(len(parts))):
        last = ".".join(parts[place:])
        alone = sum(f".{each}".endswith(f".{last}") for each in among) < 2
        if alone and not parts[place].isdecimal():
            return last if "." in last else last.replace("_", " ")
    return key
