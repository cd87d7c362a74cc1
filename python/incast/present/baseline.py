"""Runs beside one of them: how far their key figures lie from its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from incast.present.key_figures import Summary
from incast.present.terminal import Ink, Inked

__all__ = ["header", "ratios", "rows"]

_TELLING = 0.01
"""Relative differences up to this one have no colour."""
_LARGE = 10.0
"""Ratios from here on are given as such, not in percent."""


class _Better(Enum):
    """Which of two numbers is the better one."""

    LOWER = -1
    HIGHER = 1
    NEITHER = 0


class _Number(NamedTuple):
    """A number of a summary."""

    name: str
    path: str
    """Keys, with dots between."""
    better: _Better


_NUMBERS = (
    _Number("FCT slowdown, mean", "fct_slowdown.all.mean", _Better.LOWER),
    _Number("FCT slowdown, p50", "fct_slowdown.all.p50", _Better.LOWER),
    _Number("FCT slowdown, p99", "fct_slowdown.all.p99", _Better.LOWER),
    _Number("FCT slowdown, p99.9", "fct_slowdown.all.p999", _Better.LOWER),
    _Number("goodput", "goodput_bps.total", _Better.HIGHER),
    _Number("Jain's index", "jain_index.mean", _Better.HIGHER),
    _Number("queue peak", "queue_bytes.peak", _Better.LOWER),
    _Number("queue mean", "queue_bytes.mean", _Better.LOWER),
    _Number("queue p99", "queue_bytes.p99", _Better.LOWER),
    _Number("pauses", "pfc.pauses", _Better.LOWER),
    _Number("marked", "packets.marked", _Better.NEITHER),
    _Number("dropped", "packets.dropped", _Better.LOWER),
    _Number("retransmitted", "packets.retransmitted", _Better.LOWER),
    _Number("latency, mean", "latency.mean_cycles", _Better.LOWER),
    _Number("latency, p50", "latency.median_cycles", _Better.LOWER),
    _Number("latency, p99", "latency.p99_cycles", _Better.LOWER),
    _Number("latency, longest", "latency.max_cycles", _Better.LOWER),
    _Number("bandwidth", "effective_bandwidth", _Better.HIGHER),
    _Number("simulated", "simulated_ps", _Better.NEITHER),
)
_PARTIES = ("traffic", "roles", "tenants")


def ratios(runs: Mapping[str, Summary], baseline: str) -> dict[str, dict[str, float | None]]:
    """Of each other run, its numbers over those of the baseline, by name; none where one of both
    has no such number, or the baseline's is 0.
    """
    base = {number.name: value for number, value in _numbers(runs[baseline])}
    return {
        label: {
            number.name: value / base[number.name] if base.get(number.name) else None
            for number, value in _numbers(run)
        }
        for label, run in runs.items()
        if label != baseline
    }


def header(runs: Mapping[str, Summary], baseline: str) -> list[str]:
    """Names of the columns: the other runs."""
    return [f"against {baseline}", *(label for label in runs if label != baseline)]


def rows(runs: Mapping[str, Summary], baseline: str) -> list[list[str]]:
    """A row for each number in which a run differs from the baseline, or which the baseline has."""
    found = []
    others = {label: dict(_numbers(run)) for label, run in runs.items() if label != baseline}
    for number, value in _numbers(runs[baseline]):
        values = [other.get(number) for other in others.values()]
        if value or any(values):
            found.append([number.name, *(_cell(number.better, each, value) for each in values)])
    return found


def _numbers(run: Summary) -> Iterator[tuple[_Number, float]]:
    for number in _NUMBERS:
        value = _looked_up(run, number.path)
        if value is not None:
            yield number, value
    for party in (party for kind in _PARTIES for party in run.get(kind, ())):
        for key, name in {"p50": "p50", "p99": "p99"}.items():
            if (value := party["fct_slowdown"][key]) is not None:
                yield _Number(f"{party['name']}: FCT slowdown, {name}", "", _Better.LOWER), value
        if (value := party["goodput_bps"]) is not None:
            yield _Number(f"{party['name']}: goodput", "", _Better.HIGHER), value


def _looked_up(run: Summary, path: str) -> float | None:
    """A number of a summary; none where it is null, or not there."""
    found: Any = run
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return None if found is None else float(found)


def _cell(better: _Better, value: float | None, base: float) -> str:
    if value is None:
        return "–"
    if value == base:
        return "same"
    if base == 0:
        return "from 0"
    ratio = value / base
    if abs(ratio - 1) <= _TELLING or better is _Better.NEITHER:
        return _text(ratio)
    return Inked(_text(ratio), Ink.GOOD if (ratio > 1) == (better is _Better.HIGHER) else Ink.BAD)


def _text(ratio: float) -> str:
    """``+38 %``, ``−4.2 %``, ``×12``."""
    if ratio >= _LARGE:
        return f"×{ratio:.3g}" if ratio < 1000 else f"×{ratio:.0f}"
    percent = 100 * (ratio - 1)
    decimals = 0 if abs(percent) >= 10 else 1 if abs(percent) >= 1 else 2
    return f"{percent:+.{decimals}f} %".replace("-", "−")
