"""Varied values as numbers, for axes, and as text."""

from __future__ import annotations

import decimal
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from incast import toml
from incast.present.charts.chart import Quantity
from incast.study.text_keys import may_be_text

__all__ = [
    "OwnAlgorithm",
    "canonical",
    "canonical_point",
    "number",
    "short_texts",
    "told_apart",
    "value_text",
]

_NUMBER = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([A-Za-z\u00b5\u03bc/]+)\s*")
_PREFIXES = {"": "1", "k": "1e3", "K": "1e3", "M": "1e6", "G": "1e9", "T": "1e12"}
_BINARY = {"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776"}
_SCALES = {
    Quantity.TIME: {"ps": "1e-12", "ns": "1e-9", "us": "1e-6", "ms": "1e-3", "s": "1"}
    # The micro sign, and the Greek letter mu.
    | {"\u00b5s": "1e-6", "\u03bcs": "1e-6"},
    Quantity.RATE: {
        prefix + unit: scale
        for prefix, scale in _PREFIXES.items()
        for unit in ("bps", "b/s", "bit/s")
    },
    Quantity.SIZE: {f"{prefix}B": scale for prefix, scale in (_PREFIXES | _BINARY).items()},
}
_UNITS = {
    unit: (Decimal(scale), quantity)
    for quantity, scales in _SCALES.items()
    for unit, scale in scales.items()
}
"""Scales to base units, as the engine has them. They are exact, so that 0.3 ms equals 300 us."""
_EXACT = decimal.Context(prec=60, traps=[])
"""Arithmetic with more digits than the largest value needs."""


def number(value: object, key: str = "") -> tuple[float, Quantity] | None:
    """A value in its base unit, and its quantity: ``"5us"`` is 5e-6 s. ``None`` if the value is no
    number, such as text under a key that holds names.
    """
    found = _exact(value, key)
    return None if found is None else (float(found[0]), found[1])


def canonical(value: object, key: str = "") -> Hashable:
    """A form that all spellings of a value share: ``"100Gbps"`` and ``"0.1Tbps"``, or 1 and 1.0;
    also inside of tables and lists.
    """
    if isinstance(value, Mapping):
        return canonical_point(value)
    if isinstance(value, list | tuple):
        return tuple(canonical(each, key) for each in value)
    return _exact(value, key) or repr(value)


def canonical_point(values: Mapping[str, Any]) -> Hashable:
    """A form that all spellings of a point's values share."""
    return frozenset((key, canonical(value, key)) for key, value in values.items())


def _exact(value: object, key: str) -> tuple[int | float | Decimal, Quantity] | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, Quantity.RATIO
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[2] not in _UNITS or may_be_text(key):
        return None
    scale, quantity = _UNITS[found[2]]
    return _EXACT.multiply(Decimal(found[1].replace("_", "")), scale), quantity


def value_text(value: object) -> str:
    """A value as text for readers: text unchanged, ``None`` as a dash, other values as TOML."""
    if value is None:
        return "–"
    return value if isinstance(value, str) else toml.inline(value)


_LONGEST = 28
"""The most characters of a table or a list in legends and in columns."""


def short_texts(values: Iterable[object], key: str) -> dict[Hashable, str]:
    """A short text for each value of a key, by the value's canonical form. Tables and lists are
    cut; no two texts are equal.
    """
    found = {canonical(value, key): _short_text(value) for value in values}
    return dict(zip(found, told_apart(list(found.values())), strict=True))


class OwnAlgorithm(str):
    """The file of an algorithm, with the name of its class for labels."""

    label: str

    def __new__(cls, file: str, label: str) -> OwnAlgorithm:
        """Makes the text from the file, and keeps the name of the class."""
        named = super().__new__(cls, file)
        named.label = label
        return named

    def __reduce__(self) -> tuple[type[OwnAlgorithm], tuple[str, str]]:
        """Pickles the algorithm, for other processes."""
        return OwnAlgorithm, (str(self), self.label)


def _short_text(value: object) -> str:
    if isinstance(value, OwnAlgorithm):
        return value.label
    text = value_text(value)
    is_long = len(text) > _LONGEST and not isinstance(value, str)
    return text[: _LONGEST - 1].rstrip() + "…" if is_long else text


def told_apart(texts: Sequence[str]) -> list[str]:
    """The texts; equal ones get a number, so that all differ."""
    counts = Counter(texts)
    taken, numbers, found = set(counts), Counter[str](), []
    for text in texts:
        own = text
        while counts[text] > 1 and own in taken:
            numbers[text] += 1
            own = f"{text} ({numbers[text]})"
        taken.add(own)
        found.append(own)
    return found
