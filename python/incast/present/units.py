"""Numbers for readers: three significant digits, with a unit.

Spelling follows scenarios: KB is 1000 bytes, Gbps is 10^9 bit/s. The largest units of scenarios are
TB and Tbps.
"""

from __future__ import annotations

import math

from incast.time_units import PICOSECOND

__all__ = ["bytes_text", "count_text", "percent_text", "rate_text", "ratio_text", "time_text"]

_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (PICOSECOND, "ps"))
_BYTE_UNITS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B"))
_RATE_UNITS = (
    (1e15, "Pbps"),
    (1e12, "Tbps"),
    (1e9, "Gbps"),
    (1e6, "Mbps"),
    (1e3, "kbps"),
    (1.0, "bps"),
)
_COUNT_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def time_text(picoseconds: float | None) -> str:
    """``4160000`` is ``4.16 µs``."""
    if picoseconds is None:
        return "–"
    return _with_unit(picoseconds * PICOSECOND, _TIME_UNITS)


def seconds_text(seconds: float) -> str:
    """``0.0123`` is ``12.3 ms``; from a minute on, minutes and seconds."""
    if seconds < 60:
        return _with_unit(seconds, _TIME_UNITS)
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"


def bytes_text(count: float | None) -> str:
    """``52000`` is ``52 KB``."""
    return "–" if count is None else _with_unit(count, _BYTE_UNITS)


def rate_text(bits_per_second: float | None) -> str:
    """``97.3e9`` is ``97.3 Gbps``."""
    return "–" if bits_per_second is None else _with_unit(bits_per_second, _RATE_UNITS)


def count_text(count: float | None) -> str:
    """Counts below a million in full, with thin spaces; above, ``12.3 M``."""
    if count is None:
        return "–"
    if abs(count) < 1e6:
        return f"{count:,.0f}".replace(",", "\N{THIN SPACE}")
    return _with_unit(count, _COUNT_UNITS)


def per_second_text(count: float | None) -> str:
    """``5.1e6`` is ``5.1 M/s``."""
    return "–" if count is None else _with_unit(count, _COUNT_UNITS) + "/s"


def ratio_text(ratio: float | None) -> str:
    """A dimensionless number such as a slowdown: ``1.02``, ``45.7``, ``312``."""
    if ratio is None or math.isnan(ratio):
        return "–"
    decimals = 2 if abs(ratio) < 10 else 1 if abs(ratio) < 100 else 0
    return f"{ratio:.{decimals}f}"


def percent_text(fraction: float | None) -> str:
    """``0.982`` is ``98.2 %``."""
    return "–" if fraction is None else f"{_digits(100 * fraction)} %"


def plural(count: int, noun: str) -> str:
    """``1 host``, ``17 hosts``, ``16 switches``."""
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "ch", "sh", "x")) else "s"
    return f"{count_text(count)} {noun}{ending}"


def size_range_text(from_bytes: float, to_bytes: float | None) -> str:
    """A bucket of flow sizes: ``≤ 1 KB``, ``1 KB – 10 KB``, ``> 1 MB``."""
    if to_bytes is None:
        return f"> {bytes_text(from_bytes)}" if from_bytes else "all sizes"
    if not from_bytes:
        return f"≤ {bytes_text(to_bytes)}"
    return f"{bytes_text(from_bytes)} – {bytes_text(to_bytes)}"


def common_unit(quantity: str, largest: float) -> tuple[float, str]:
    """The unit in which numbers up to this one are best read, and its size: ``(1e-6, "µs")``.

    Args:
        quantity: The base unit: ``s``, ``B``, ``bps``, or anything else for plain numbers.
        largest: The largest number, in the base unit.
    """
    units = {"s": _TIME_UNITS, "B": _BYTE_UNITS, "bps": _RATE_UNITS}.get(quantity)
    if units is None:
        return 1.0, ""
    return next(((scale, unit) for scale, unit in units if largest >= scale), (1.0, quantity))


def _with_unit(value: float, units: tuple[tuple[float, str], ...]) -> str:
    if value == 0:
        return f"0 {_unit_of_one(units)}".rstrip()
    # 999.7 of a unit would print as 1000, so the next unit is taken.
    scale, unit = next(
        ((scale, unit) for scale, unit in units if abs(value) >= 0.9995 * scale), units[-1]
    )
    return f"{_digits(value / scale)} {unit}".rstrip()


def _unit_of_one(units: tuple[tuple[float, str], ...]) -> str:
    return next(unit for scale, unit in units if scale == 1)


def _digits(value: float) -> str:
    """A number with three significant digits, without trailing zeros and exponent."""
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(decimals, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
