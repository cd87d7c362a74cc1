"""Metrics of a run, one number each: of fairness, of queues, of the tail of FCT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from incast.measure import series
from incast.measure.counted import is_counted
from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.time_units import PICOSECOND

__all__ = [
    "fair_after",
    "finish_slope",
    "finish_spread",
    "first_fair",
    "flow_share",
    "goodput_between",
    "last_arrival",
    "last_finish",
    "mean_jain",
    "port_utilisation",
    "queue_deviation",
    "queue_low",
    "queue_mean",
    "queue_oscillation",
    "settled_queue",
    "slowdown_percentile",
    "unfairness",
]

_SETTLED_AFTER = 100e-6
"""Seconds from the last arrival until sharing has settled: some tens of RTTs in a rack."""
_SWINGS_WITHIN = 100e-6
"""The longest swing of a queue, in seconds; longer variations are trends."""
_FAIR = 0.95
"""Jain's index from which sharing counts as fair."""


def finish_slope(run: Run) -> float:
    """Slope of finish times over start times of flows, by least squares. Negative if late starters
    finish first; 0 if all finish together.
    """
    starts, finishes = _starts_and_finishes(run)
    if len(starts) < 2 or starts.min() == starts.max():
        return float("nan")
    return float(np.polyfit(starts, finishes, 1)[0])


def finish_spread(run: Run) -> float:
    """Seconds from the first flow's finish to the last one's."""
    _, finishes = _starts_and_finishes(run)
    return float(finishes.max() - finishes.min()) if len(finishes) else float("nan")


def last_finish(run: Run) -> float:
    """Seconds from the start of the run until all flows have finished."""
    _, finishes = _starts_and_finishes(run)
    return float(finishes.max()) if len(finishes) else float("nan")


def fair_after(run: Run) -> float:
    """Seconds from the last arrival until Jain's index stays at 0.95 or more. Infinite if it never
    does; missing (NaN) if no two flows overlapped.
    """
    jain = run.summary.get("jain_index")
    if jain is None:
        return float("nan")
    time = jain["time_to_095_ps"]
    return float("inf") if time is None else float(time) * PICOSECOND


def first_fair(run: Run) -> float:
    """Seconds from the last arrival until Jain's index first reaches 0.95, even if it falls again.
    Infinite if it never does; missing (NaN) if no two flows overlapped.
    """
    times, index, arrived = _jain(run)
    if not (times > arrived).any():
        return float("nan")
    fair = times[(index >= _FAIR) & (times > arrived)]
    return float(fair[0] - arrived) if len(fair) else float("inf")


def unfairness(run: Run, *, since: float = 0.0) -> float:
    """Seconds lost to unfairness: the integral of 1 − Jain's index over time, from `since` to the
    end of the run. While one of N flows has the whole link, it grows by 1 − 1/N per second; while
    they share equally, it does not grow.
    """
    times, index, _ = _jain(run)
    if len(times) < 2:
        return float("nan")
    widths = np.diff(times, prepend=2 * times[0] - times[1])
    return float(((1 - index) * widths)[times > since].sum())


def last_arrival(run: Run) -> float:
    """Seconds from the start of the run until the last flow starts."""
    starts, _ = _starts_and_finishes(run)
    return float(starts.max()) if len(starts) else float("nan")


def mean_jain(run: Run) -> float:
    """Mean of Jain's index from the last arrival to the first finish, while all flows are
    active.
    """
    times, index, arrived = _jain(run)
    _, finishes = _starts_and_finishes(run)
    if not len(finishes):
        return float("nan")
    return _reduced(index[(times > arrived) & (times <= finishes.min())], np.mean)


def settled_queue(run: Run) -> Array:
    """Samples, in bytes, of the longest queue of the network while all flows are active: from 100
    µs after the last arrival to the first finish. Empty if a flow finishes earlier.
    """
    return _settled(run)[1]


def goodput_between(run: Run, begin: float, end: float) -> float:
    """Mean goodput of the network between two times in seconds, in bit/s."""
    found = curves(run.series, "goodput_bps")
    if not found:
        return float("nan")
    times, values = next(iter(found.values()))
    seconds = times * PICOSECOND
    chosen = values[(seconds > begin) & (seconds <= end)]
    return float(chosen.mean()) if len(chosen) else float("nan")


def queue_mean(run: Run) -> float:
    """Mean of :func:`settled_queue`, in bytes."""
    return _reduced(settled_queue(run), np.mean)


def queue_oscillation(run: Run) -> float:
    """Size of the queue's swings, in bytes: the standard deviation of :func:`settled_queue` about
    its mean in each 100 µs. A long queue that drains steadily does not swing.
    """
    times, samples = _settled(run)
    if not len(samples):
        return float("nan")
    _, place, counts = np.unique(
        np.floor(times / _SWINGS_WITHIN), return_inverse=True, return_counts=True
    )
    means = np.bincount(place, samples) / counts
    return float(np.sqrt(np.mean((samples - means[place]) ** 2)))


def queue_deviation(run: Run) -> float:
    """Standard deviation of :func:`settled_queue`, in bytes: of swings and trends together."""
    return _reduced(settled_queue(run), np.std)


def queue_low(run: Run) -> float:
    """The 5th percentile of :func:`settled_queue`, in bytes."""
    return _reduced(settled_queue(run), lambda samples: series.percentile(samples, 5))


def slowdown_percentile(
    run: Run, percentile: float, *, above: float = 0, up_to: float = float("inf")
) -> float:
    """A percentile of FCT slowdown among the flows larger than `above` bytes and at most `up_to`:
    of n sorted values the one at ⌊n·p⌋. Missing (NaN) if there is no such flow. Only counted flows
    are taken.
    """
    sizes = run.completed.numbers("size_bytes")
    chosen = (sizes > above) & (sizes <= up_to) & is_counted(run)
    return series.percentile(run.completed.numbers("slowdown")[chosen], percentile)


def flow_share(
    run: Run, *, above: float = 0, up_to: float = float("inf"), traffic: int | None = None
) -> float:
    """The share of flows, by number, that are larger than `above` bytes and at most `up_to`; of all
    flows, or of one entry of the scenario's traffic.
    """
    sizes = run.completed.numbers("size_bytes")
    if traffic is not None:
        sizes = sizes[run.completed.numbers("traffic") == traffic]
    return float(((sizes > above) & (sizes <= up_to)).mean()) if len(sizes) else float("nan")


def port_utilisation(run: Run, width: float = 10e-6) -> tuple[Array, Array]:
    """Utilisation of the traced port in intervals of `width` seconds: the middle of each interval,
    in seconds, and its utilisation. A packet counts in the interval in which its first bit leaves.
    The last interval may be incomplete, and is left out.

    The run must have traced the packets of exactly one port.
    """
    packets = run.packets
    events = packets.categories("event")
    sent = events.indices == events.texts.index("send")
    ports = run.ports
    ((node, port),) = set(zip(packets.numbers("node"), packets.numbers("port"), strict=True))
    row = (ports.numbers("node") == node) & (ports.numbers("port") == port)
    rate = float(ports.numbers("rate_bps")[row][0])
    times = packets.numbers("time_ps")[sent] * PICOSECOND
    slots = np.floor(times / width + 1e-9).astype(int)
    bits = np.bincount(slots, packets.numbers("wire_bytes")[sent] * 8.0)[:-1]
    return (np.arange(len(bits)) + 0.5) * width, bits / (rate * width)


def _jain(run: Run) -> tuple[Array, Array, float]:
    """Ends of the sampling intervals, in seconds; Jain's index in each; and the start of the last
    flow, in seconds.
    """
    starts, _ = _starts_and_finishes(run)
    found = curves(run.series, "jain_index")
    if not len(starts) or not found:
        return np.array([]), np.array([]), float("nan")
    times, index = next(iter(found.values()))
    return times * PICOSECOND, index, float(starts.max())


def _settled(run: Run) -> tuple[Array, Array]:
    """Sample times of :func:`settled_queue`, in seconds, and its samples."""
    starts, finishes = _starts_and_finishes(run)
    found = curves(run.series, "queue_max_bytes")
    if not len(starts) or not found:
        return np.array([]), np.array([])
    times, values = next(iter(found.values()))
    seconds = times * PICOSECOND
    settled = (seconds >= starts.max() + _SETTLED_AFTER) & (seconds <= finishes.min())
    return seconds[settled], values[settled]


def _reduced(samples: Array, reduction: Callable[[Array], Any]) -> float:
    return float(reduction(samples)) if len(samples) else float("nan")


def _starts_and_finishes(run: Run) -> tuple[Array, Array]:
    """Starts and finishes in seconds, in order of completion."""
    starts = run.completed.numbers("start_ps")
    return starts * PICOSECOND, (starts + run.completed.numbers("fct_ps")) * PICOSECOND
