"""Rates and delays in the notations of graph files."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

__all__ = ["distance_km", "number", "rate_bps", "rate_in", "time_in", "time_ps"]

LIGHT_IN_FIBRE_KM_PER_S = 200_000
"""Two thirds of the speed in a vacuum: glass has a refractive index of about 1.5."""
_EARTH_RADIUS_KM = 6371.0

_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_TIMES = {"s": 10**12, "ms": 10**9, "us": 10**6, "µs": 10**6, "ns": 10**3, "ps": 1}
_RATE = re.compile(
    r"(\d{1,18}(?:\.\d{1,9})?) ?([kKMGT]?)(?:b|bit|bits|E|bE)?(?:ps|/s|/sec|/second|persec)?"
)
_CARRIER = re.compile(r"(OC|STM)[- ]?(\d{1,4})[cC]?")
_CARRIERS = {"OC": Fraction("51.84"), "STM": Fraction("155.52")}
"""Base rates of optical carriers in Mb/s: ITU-T G.707, ANSI T1.105."""
_LINES = {
    "T1": Fraction("1.544"),
    "DS1": Fraction("1.544"),
    "E1": Fraction("2.048"),
    "E3": Fraction("34.368"),
    "T3": Fraction("44.736"),
    "DS3": Fraction("44.736"),
}
"""Rates of leased lines in Mb/s: ITU-T G.702."""


def rate_bps(text: str) -> int | None:
    """A rate in bit/s from a text: ``10 Gbps``, ``OC-192``, ``45 Mbps DS-3``, ``2x10G``.

    ``None`` if the text is not a single rate. Rates in bytes are not accepted, as GB may be meant
    as Gb.
    """
    word = text.strip()
    if several := re.fullmatch(r"(\d{1,4}) ?[x*] ?(.+)", word):
        each = _rate(several[2])
        return None if each is None else _whole(each * int(several[1]))
    rate = _rate(word)
    if rate is None and (twice := re.fullmatch(r"(.+?)[ /](\S+)", word)):
        one, other = _rate(twice[1]), _carrier(twice[2])
        agree = one is not None and other is not None and abs(one - other) < other / 20
        rate = one if agree else None
    return None if rate is None else _whole(rate)


def _rate(word: str) -> Fraction | None:
    if (carrier := _carrier(word)) is not None:
        return carrier
    match = _RATE.fullmatch(word)
    if match is None or not re.search("[a-zA-Z]", word):
        return None
    return Fraction(match[1]) * _PREFIXES[match[2].lower()]


def _carrier(word: str) -> Fraction | None:
    if carrier := _CARRIER.fullmatch(word):
        return _CARRIERS[carrier[1]] * int(carrier[2]) * 10**6
    line = _LINES.get(word.replace("-", "").upper())
    return None if line is None else line * 10**6


def rate_in(value: Any, unit: str) -> int | None:
    """A number in this unit, such as ``Mbps``, converted to bit/s."""
    each = rate_bps(f"1{unit}") or _UNITS_OF_SNDLIB.get(unit.upper())
    given = number(value)
    return None if each is None or given is None else _whole(given * each)


_UNITS_OF_SNDLIB = {
    f"{prefix.upper()}{unit}": size
    for prefix, size in _PREFIXES.items()
    for unit in ("BITPERSEC", "BITSPERSEC")
}


def time_ps(text: str) -> int | None:
    """A time in ps from a text; ``None`` if the text is no time."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:[eE]-?\d+)?) ?([a-zµ]+)", text.strip())
    if match is None or match[2] not in _TIMES:
        return None
    given = number(match[1])
    return None if given is None else _whole(given * _TIMES[match[2]])


def time_in(value: Any, unit: str) -> int | None:
    """A number in this unit, such as ``ms``, converted to ps."""
    each, given = _TIMES.get(unit), number(value)
    return None if each is None or given is None else _whole(given * each)


def number(value: Any) -> Fraction | None:
    """A positive number, which may be given as text; ``None`` if the value is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        given = Fraction(value if not isinstance(value, str) else value.strip())
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return given if 0 < given < _LARGEST else None


_LARGEST = 10**30


def _whole(value: Fraction | int) -> int | None:
    """The value rounded to an integer; ``None`` if no link can have it."""
    rounded = round(value)
    return rounded if 0 < rounded < 2**63 else None


def distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The distance along a great circle, from latitudes and longitudes in degrees (haversine
    formula).
    """
    (a, b), (c, d) = (tuple(map(math.radians, place)) for place in (one, other))
    half = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * _EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, half)))
