"""The measures of a study: numbers of a run, by name."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from incast.errors import StudyError, exception_text
from incast.measure.run import Run
from incast.names import hint
from incast.present.charts.chart import Quantity
from incast.study.of_flows import FLOW_QUANTITIES, OfFlows, reach as reach_of, statistic_of
from incast.study.selection import Selection
from incast.time_units import PICOSECOND

__all__ = ["Measure", "Selection", "measure_named", "measures", "own_measure"]

_MISSING = float("nan")
_UNITS = {
    Quantity.TIME: ("_ps", 1 / PICOSECOND),
    Quantity.SIZE: ("_bytes", 1.0),
    Quantity.RATE: ("_bps", 1.0),
}
"""Units of columns in results: the suffix, and the number of such units in a base unit."""


@dataclass(frozen=True)
class Measure:
    """A number of a run that a study can ask for."""

    name: str
    label: str
    """The label on axes."""
    quantity: Quantity
    kind: str
    """The kind of runs that have the measure: ``network`` or ``fabric``."""
    value: Callable[[Run, Selection], float]
    """The value in the column's unit, so that integers stay exact; NaN if the run lacks it."""
    lower: float = 0.0
    """The smallest value of the measure; under faults, slowdowns may be smaller."""
    selects: bool = False
    """Whether the measure is a statistic of flows, so that it can be restricted to some flows."""
    selection: Selection = dataclasses.field(default_factory=Selection)
    reach: Callable[[Run, Selection], tuple[float, float] | None] | None = None
    """The range over which late flows could move the value; ``None`` if they could not."""

    @property
    def column(self) -> str:
        """The name of the column in the dataset, which ends in its unit."""
        return self.name + _UNITS.get(self.quantity, ("", 1.0))[0]

    @property
    def names(self) -> set[str]:
        """The names by which a study may ask for it."""
        return {self.name, self.column}

    @property
    def scale(self) -> float:
        """The number of the column's units in a base unit."""
        return _UNITS.get(self.quantity, ("", 1.0))[1]

    def of(self, run: Run) -> float:
        """The value in the column's unit; missing (NaN) if the run lacks it."""
        return self.value(run, self.selection)

    def ends(self, run: Run) -> tuple[float, float] | None:
        """The range over which late flows could move the value; ``None`` if they could not."""
        return None if self.reach is None else self.reach(run, self.selection)

    def named(self, name: str) -> Measure:
        """The measure under another name; the axis label also keeps its meaning."""
        return dataclasses.replace(self, name=name, label=f"{self.label} ({name})")

    def of_flows(self, selection: Selection, name: str = "") -> Measure:
        """The measure restricted to some flows."""
        named = name or f"{self.name} ({selection})"
        label = f"{self.label} ({name or selection})"
        return dataclasses.replace(self, name=named, label=label, selection=selection)


class _OfSummary(NamedTuple):
    """A number of ``summary.json``."""

    path: str
    """Keys joined by dots."""
    label: str
    quantity: Quantity
    summary: str
    kind: str = "network"


_RATIO, _TIME, _SIZE, _RATE, _COUNT = (
    Quantity.RATIO,
    Quantity.TIME,
    Quantity.SIZE,
    Quantity.RATE,
    Quantity.COUNT,
)

_SUMMARY_NUMBERS = {
    "goodput.total": _OfSummary(
        "goodput_bps.total", "goodput", _RATE, "goodput of the network, in the measuring window"
    ),
    "goodput.per-flow": _OfSummary(
        "goodput_bps.mean_per_flow", "goodput per flow", _RATE, "mean over completed flows"
    ),
    "jain.mean": _OfSummary(
        "jain_index.mean", "Jain's index, mean", _RATIO, "Jain's index in the measuring window"
    ),
    "jain.min": _OfSummary("jain_index.min", "Jain's index, lowest", _RATIO, "its lowest"),
    "jain.final": _OfSummary("jain_index.final", "Jain's index, at the end", _RATIO, "its last"),
    "jain.settled": _OfSummary(
        "jain_index.time_to_095_ps",
        "time to fairness",
        _TIME,
        "time from the last arrival until Jain's index stays at 0.95",
    ),
    "queue.peak": _OfSummary("queue_bytes.peak", "longest queue", _SIZE, "the longest queue"),
    "queue.mean": _OfSummary("queue_bytes.mean", "queue, mean", _SIZE, "mean of sampled queues"),
    "queue.p50": _OfSummary("queue_bytes.p50", "queue, p50", _SIZE, "median of sampled queues"),
    "queue.p95": _OfSummary("queue_bytes.p95", "queue, p95", _SIZE, "their 95th percentile"),
    "queue.p99": _OfSummary("queue_bytes.p99", "queue, p99", _SIZE, "their 99th percentile"),
    "queue.p99.9": _OfSummary("queue_bytes.p999", "queue, p99.9", _SIZE, "their 99.9th"),
    "pauses.count": _OfSummary("pfc.pauses", "PFC pauses", _COUNT, "pause frames of PFC"),
    "pauses.time": _OfSummary(
        "pfc.paused_ps", "paused time", _TIME, "time for which ports were paused, in all"
    ),
    "pauses.ports": _OfSummary("pfc.ports_paused", "paused ports", _COUNT, "ports ever paused"),
    "packets.data": _OfSummary("packets.data", "data packets", _COUNT, "data packets"),
    "packets.control": _OfSummary("packets.control", "control packets", _COUNT, "ACKs and others"),
    "packets.dropped": _OfSummary("packets.dropped", "dropped packets", _COUNT, "packets dropped"),
    "packets.trimmed": _OfSummary(
        "packets.trimming.trimmed", "trimmed packets", _COUNT, "packets that switches trimmed"
    ),
    "packets.marked": _OfSummary(
        "packets.marked", "CE marks", _COUNT, "CE marks that switches gave"
    ),
    "packets.retransmitted": _OfSummary(
        "packets.retransmitted", "retransmitted packets", _COUNT, "packets sent again"
    ),
    "timeouts": _OfSummary("recovery.timeouts", "timeouts", _COUNT, "retransmission timeouts"),
    "timeouts.flows": _OfSummary(
        "recovery.flows_timed_out", "flows with timeouts", _COUNT, "flows that had a timeout"
    ),
    "timeouts.share": _OfSummary(
        "recovery.timeout_wait_share",
        "time lost to timeouts",
        _RATIO,
        "part of the time of all flows for which they waited for timeouts",
    ),
    "retransmitted.bytes": _OfSummary(
        "recovery.retransmitted_bytes", "retransmitted", _SIZE, "payload sent again"
    ),
    "retransmitted.by_timeout": _OfSummary(
        "recovery.timeout_retransmitted_bytes",
        "retransmitted after timeouts",
        _SIZE,
        "payload sent again because a timeout expired",
    ),
    "packets.duplicate": _OfSummary(
        "recovery.duplicate_packets",
        "duplicate packets",
        _COUNT,
        "packets that were sent again in vain",
    ),
    "load.drawn": _OfSummary(
        "loads.entries.0.drawn", "load drawn", _RATIO, "load that the seed drew, of the first entry"
    ),
    "load.wire": _OfSummary(
        "loads.wire.load", "load on the wire", _RATIO, "load of the busiest links, with headers"
    ),
    "flows.unsteady": _OfSummary(
        "counted_flows.0.older_than_warm_up",
        "flow time older than the warm-up",
        _RATIO,
        "share of flow time older than the warm-up, of the first entry: up to 0.03 is steady",
    ),
    "utilisation.max": _OfSummary(
        "utilisation.max", "highest utilisation", _RATIO, "utilisation of the busiest port"
    ),
    "utilisation.mean": _OfSummary(
        "utilisation.mean_host_links", "utilisation", _RATIO, "mean over links of hosts"
    ),
    "link-shares.largest": _OfSummary(
        "equal_links.largest_over_mean",
        "busiest link over mean",
        _RATIO,
        "bytes of the busiest of a switch's links upwards over their mean",
    ),
    "link-shares.jain": _OfSummary(
        "equal_links.jain", "Jain's index of links", _RATIO, "how equally these links are used"
    ),
    "reordering.share": _OfSummary(
        "reordering.out_of_order_share",
        "packets out of order",
        _RATIO,
        "part of the data packets that arrived after one with a higher number",
    ),
    "reordering.mean": _OfSummary(
        "reordering.distance.mean",
        "reordering distance, mean (packets)",
        _RATIO,
        "how many numbers these packets were behind the highest before them",
    ),
    "reordering.p99": _OfSummary(
        "reordering.distance.p99",
        "reordering distance, p99 (packets)",
        _COUNT,
        "its 99th percentile",
    ),
    "reordering.max": _OfSummary(
        "reordering.distance.max", "reordering distance, largest (packets)", _COUNT, "its largest"
    ),
    "reordering.buffer": _OfSummary(
        "reordering.buffer_bytes",
        "reordering buffer",
        _SIZE,
        "most payload that waited at a receiver for packets before it",
    ),
    "flows.started": _OfSummary("flows.started", "flows", _COUNT, "flows that started"),
    "flows.finished": _OfSummary("flows.finished", "completed flows", _COUNT, "flows completed"),
    "duration": _OfSummary("simulated_ps", "simulated time", _TIME, "simulated time"),
    "packet-hops": _OfSummary("packet_hops", "packet-hops", _COUNT, "packet-hops of the run"),
    "latency.mean": _OfSummary(
        "latency.mean_cycles",
        "latency in cycles",
        _RATIO,
        "of a fabric's operations",
        "fabric",
    ),
    "latency.p50": _OfSummary(
        "latency.median_cycles", "latency in cycles, p50", _RATIO, "its median", "fabric"
    ),
    "latency.p99": _OfSummary(
        "latency.p99_cycles", "latency in cycles, p99", _RATIO, "its percentile", "fabric"
    ),
    "latency.max": _OfSummary(
        "latency.max_cycles", "latency in cycles, longest", _RATIO, "its longest", "fabric"
    ),
    "bandwidth": _OfSummary(
        "effective_bandwidth",
        "effective bandwidth (flits per cycle and endpoint)",
        _RATIO,
        "effective bandwidth of a fabric, in flits per cycle and endpoint",
        "fabric",
    ),
    "cycles": _OfSummary("cycles", "cycles", _COUNT, "cycles of a fabric's run", "fabric"),
    "flit-hops": _OfSummary("flit_hops", "flit-hops", _COUNT, "flit-hops", "fabric"),
}

_PERCENTILE = re.compile(r"p[0-9]{1,2}(\.[0-9]+)?")
_ANY = "mean, min, max, p50, p99, p99.9 …"


def measures() -> dict[str, str]:
    """Numbers of runs that a study can measure, each with a one-line summary; ``STAT`` stands for
    ``mean``, ``min``, ``max``, or any percentile, such as ``p99.9``.
    """
    flows = {
        f"{name}.STAT": f"{each.summary} of completed flows that count: {_ANY}"
        for name, each in FLOW_QUANTITIES.items()
    }
    return flows | {name: each.summary for name, each in _SUMMARY_NUMBERS.items()}


def measure_named(name: str) -> Measure:
    """The measure of this name.

    Raises:
        KeyError: There is no such measure. The message has a hint.
    """
    if name in _SUMMARY_NUMBERS:
        return _of_summary(name, _SUMMARY_NUMBERS[name])
    quantity, _, statistic = name.partition(".")
    is_statistic = statistic in ("mean", "min", "max") or _PERCENTILE.fullmatch(statistic)
    if quantity in FLOW_QUANTITIES and is_statistic:
        return _of_flows(name, FLOW_QUANTITIES[quantity], statistic)
    raise KeyError(_hint(name, quantity, statistic))


def own_measure(name: str, of: Callable[[Any], float | None], kind: str) -> Measure:
    """A measure that a user's function computes; ``None`` means that the run lacks it.

    Raises:
        StudyError: No column can have this name.
    """
    if name.encode(errors="replace").decode() != name:
        raise StudyError(f"the name of measure `{name}` is not text in UTF-8")

    def value(run: Run, _: Selection) -> float:
        with _failing(f"measure `{name}` of a run"):
            found = of(run)
        return math.nan if found is None else _own_number(name, found)

    return Measure(name, name, _RATIO, kind, value, lower=-math.inf)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    """Any exception of a user's own code in this block becomes a failure of the run. Only Ctrl-C
    passes, as it ends more than the run.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as wrong:
        raised = f"{what} raised {exception_text(wrong)}"
        raise StudyError(raised, hint="return None if the run has no such number") from wrong


def _own_number(name: str, found: Any) -> float:
    with _failing(f"what measure `{name}` of a run returned, as a number,"):
        try:
            return float(found)
        except OverflowError:
            what = f"measure `{name}` of a run is beyond all numbers with a point"
            remedy = "return a smaller number"
        except (TypeError, ValueError):
            what = f"measure `{name}` of a run is of type {type(found).__name__}"
            remedy = "return a number, or None if the run has none"
    raise StudyError(what, hint=remedy)


def _hint(name: str, quantity: str, statistic: str) -> str:
    if quantity in FLOW_QUANTITIES:
        return f"write `{quantity}.` and one of {_ANY}"
    beside = [each for each in _SUMMARY_NUMBERS if each.startswith(f"{quantity}.")]
    if beside:
        peak = f"{quantity}.peak"
        return hint(peak if statistic == "max" and peak in beside else name, beside)
    usual = [f"{each}.{statistic or 'p99'}" for each in FLOW_QUANTITIES]
    said, _, _ = hint(name, [*usual, *_SUMMARY_NUMBERS]).partition(" (available")
    listed = "`incast list measures` has all"
    return f"{said} ({listed})" if said.startswith("did you mean") else listed


def _of_flows(name: str, quantity: OfFlows, statistic: str) -> Measure:
    def value(run: Run, selection: Selection) -> float:
        return statistic_of(statistic, quantity, run, selection)

    def reach(run: Run, selection: Selection) -> tuple[float, float] | None:
        return reach_of(statistic, quantity, run, selection)

    return Measure(
        name,
        f"{quantity.label}, {statistic}",
        quantity.quantity,
        "network",
        value,
        lower=quantity.lower,
        selects=True,
        reach=reach,
    )


def _of_summary(name: str, number: _OfSummary) -> Measure:
    def value(run: Run, _: Selection) -> float:
        return _looked_up(run.summary, number.path)

    return Measure(name, number.label, number.quantity, number.kind, value)


def _looked_up(summary: Mapping[str, Any], path: str) -> float:
    """A number of a summary; missing (NaN) if it is null or absent."""
    found: Any = summary
    for key in path.split("."):
        if isinstance(found, list) and found:
            found = found[int(key)]
            continue
        found = found.get(key) if isinstance(found, Mapping) else None
    return _MISSING if found is None else float(found)
