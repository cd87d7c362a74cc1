"""Ratios of key figures of several runs to those of a baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from incast.present.key_figures import Summary, parties, percentile_text, steadiness
from incast.present.terminal import Ink, Inked
from incast.present.units import bytes_text, count_text, rate_text, ratio_text, time_text

__all__ = [
    "CUT",
    "ONE_SEED",
    "Better",
    "Number",
    "Value",
    "difference_text",
    "header",
    "ink_of",
    "numbers",
    "ratios",
    "rows",
]

CUT = "cut"
"""Shown in place of a number that late flows could move without limit; a note has more."""
ONE_SEED = (
    "One seed: these differences have no interval, and another seed has others; "
    "`compare --seeds 5` pairs five."
)
_TELLING = 0.01
"""Relative differences up to this one are not coloured."""
_LARGE = 10.0
"""Larger ratios are shown as ratios, not in percent."""


class Better(Enum):
    """Whether the lower or the higher of two numbers is better."""

    LOWER = -1
    HIGHER = 1
    NEITHER = 0


class Number(NamedTuple):
    """A number of a summary that is compared between runs."""

    name: str
    path: str
    """Keys joined by dots."""
    better: Better
    permille: int | None = None
    """The percentile in permille, for percentiles that are marked if they are of too few values;
    otherwise ``None``.
    """
    text: Callable[[float], str] = ratio_text
    """Formats a value of the number."""


_NUMBERS = (
    Number("FCT slowdown, mean", "fct_slowdown.all.mean", Better.LOWER),
    Number("FCT slowdown, p50", "fct_slowdown.all.p50", Better.LOWER, 500),
    Number("FCT slowdown, p99", "fct_slowdown.all.p99", Better.LOWER, 990),
    Number("FCT slowdown, p99.9", "fct_slowdown.all.p999", Better.LOWER, 999),
    Number("goodput", "goodput_bps.total", Better.HIGHER, text=rate_text),
    Number("Jain's index", "jain_index.mean", Better.HIGHER),
    Number("queue peak", "queue_bytes.peak", Better.LOWER, text=bytes_text),
    Number("queue mean", "queue_bytes.mean", Better.LOWER, text=bytes_text),
    Number("queue p99", "queue_bytes.p99", Better.LOWER, text=bytes_text),
    Number("pauses", "pfc.pauses", Better.LOWER, text=count_text),
    Number("marked", "packets.marked", Better.NEITHER, text=count_text),
    Number("dropped", "packets.dropped", Better.LOWER, text=count_text),
    Number("retransmitted", "packets.retransmitted", Better.LOWER, text=count_text),
    Number("timeouts", "recovery.timeouts", Better.LOWER, text=count_text),
    Number("latency, mean", "latency.mean_cycles", Better.LOWER),
    Number("latency, p50", "latency.median_cycles", Better.LOWER, 500),
    Number("latency, p99", "latency.p99_cycles", Better.LOWER, 990),
    Number("latency, longest", "latency.max_cycles", Better.LOWER),
    Number("bandwidth", "effective_bandwidth", Better.HIGHER),
    Number("simulated", "simulated_ps", Better.NEITHER, text=time_text),
)
_OF_PARTIES = (
    Number("FCT slowdown, p50", "fct_slowdown.p50", Better.LOWER, 500),
    Number("FCT slowdown, p99", "fct_slowdown.p99", Better.LOWER, 990),
    Number("goodput", "goodput_bps", Better.HIGHER, text=rate_text),
)


class Value(NamedTuple):
    """A number of one run, and its range."""

    number: float
    """The number; missing (NaN) for a percentile that late flows could move without limit."""
    of_values: int = 0
    """The number of values of which it is a percentile."""
    is_cut: bool = False
    """Whether late flows could move the number without limit."""
    ends: tuple[float, float] | None = None
    """The range over which late flows could move the number, if it is limited."""

    @property
    def least(self) -> float:
        """The lower end of the range."""
        return self.number if self.ends is None else self.ends[0]

    @property
    def most(self) -> float:
        """The upper end of the range."""
        return self.number if self.ends is None else self.ends[1]

    @property
    def is_known(self) -> bool:
        """Whether the number is present."""
        return self.number == self.number


def ratios(runs: Mapping[str, Summary], baseline: str) -> dict[str, dict[str, float | None]]:
    """For each other run, the ratios of its numbers to the baseline's, by name. A ratio is ``None``
    if the run lacks the number, or the baseline's is 0.
    """
    base, others = _apart(runs, baseline)
    return {
        label: {number.name: _ratio(found.get(number), of) for number, of in base.items()}
        for label, found in others.items()
    }


def header(runs: Mapping[str, Summary], baseline: str) -> list[str]:
    """Names of the columns: the labels of the other runs."""
    return [f"against {baseline}", *(label for label in runs if label != baseline)]


def rows(runs: Mapping[str, Summary], baseline: str) -> list[list[str]]:
    """A row for each number of the baseline, unless it is 0 in every run. Percentiles of too few
    values are in parentheses, as in other listings.
    """
    base, others = _apart(runs, baseline)
    found = []
    for number, value in base.items():
        values = [other.get(number) for other in others.values()]
        if value.number or any(each.number for each in values if each):
            found.append([number.name, *(_cell(number, each, value) for each in values)])
    return found


_Numbers: TypeAlias = "dict[Number, Value]"


def _apart(runs: Mapping[str, Summary], baseline: str) -> tuple[_Numbers, dict[str, _Numbers]]:
    """The numbers of the baseline, and the numbers of the other runs."""
    found = numbers(runs)
    return found.pop(baseline), found


def numbers(runs: Mapping[str, Summary]) -> dict[str, dict[Number, Value]]:
    """For each run, the numbers that are compared, including those of parties."""
    found = {label: _numbers(run, _NUMBERS) for label, run in runs.items()}
    for name, by_run in parties(runs).items():
        of_party = [each._replace(name=f"{name}: {each.name}") for each in _OF_PARTIES]
        for label, party in by_run.items():
            found[label] |= _numbers(party, of_party)
    return found


def _numbers(facts: Mapping[str, Any], numbers: Iterable[Number]) -> _Numbers:
    """The numbers that are present: some are not measured, or have no value."""
    found = {}
    for number in numbers:
        value: Any = facts
        beside: Mapping[str, Any] = {}
        for key in number.path.split("."):
            beside = value if isinstance(value, Mapping) else {}
            value = beside.get(key)
        is_cut = steadiness.is_cut(beside, key)
        if value is not None or is_cut:
            count = beside.get("count", beside.get("operations", 0))
            known = float("nan") if value is None else float(value)
            ends = steadiness.ends(beside, key)
            found[number] = Value(known, count if number.permille else 0, is_cut, ends)
    return found


def _ratio(value: Value | None, base: Value) -> float | None:
    if value is None or not (value.is_known and base.is_known and base.number):
        return None
    return value.number / base.number


def _cell(number: Number, value: Value | None, base: Value) -> str:
    if value is None:
        return "–"
    if not (value.is_known and base.is_known):
        return CUT
    text = _difference(number.better, value.number, base.number)
    few = min(value.of_values, base.of_values)
    shown = percentile_text(text, number.permille or 0, few)
    return Inked(shown, text.ink) if isinstance(text, Inked) else shown


def _difference(better: Better, value: float, base: float) -> str:
    if value == base:
        return "same"
    if base == 0:
        return "from 0"
    ratio = value / base
    ink = None if abs(ratio - 1) <= _TELLING else ink_of(better, ratio)
    return difference_text(ratio) if ink is None else Inked(difference_text(ratio), ink)


def ink_of(better: Better, ratio: float) -> Ink | None:
    """The colour of a ratio; ``None`` if neither lower nor higher is better."""
    if better is Better.NEITHER:
        return None
    return Ink.GOOD if (ratio > 1) == (better is Better.HIGHER) else Ink.BAD


def difference_text(ratio: float) -> str:
    """A relative difference as text: ``+38 %``, ``−4.2 %``, ``×12``."""
    if ratio >= _LARGE:
        return f"×{ratio:.3g}" if ratio < 1000 else f"×{ratio:.0f}"
    percent = 100 * (ratio - 1)
    decimals = 0 if abs(percent) >= 10 else 1 if abs(percent) >= 1 else 2
    return f"{percent:+.{decimals}f} %".replace("-", "−")
