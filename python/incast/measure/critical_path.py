"""Critical paths: the messages that held up the end of collectives and other task graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from incast.measure.delays import Delay, delays
from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.table import Table

__all__ = ["CriticalPath", "HeldUpBy", "critical_paths"]

_NOTICED = 0.1
"""A message stands out if its FCT exceeds the median of comparable messages by this fraction."""


@dataclass(frozen=True)
class HeldUpBy:
    """The message of a critical path with the largest excess over comparable messages."""

    message: Delay
    usual_ps: float
    """Median FCT of comparable messages: of the same entry, equally large, on equally long
    paths.
    """
    paused_ports: float
    """The largest sampled number of paused ports while the message was under way."""
    longest_queue_bytes: float | None
    """The longest queue of the network sampled while the message was under way; ``None`` if queues
    were not sampled.
    """

    @property
    def extra_ps(self) -> float:
        """The excess of the message's FCT over the median of comparable messages."""
        return self.message.fct_ps - self.usual_ps


@dataclass(frozen=True)
class CriticalPath:
    """The time of a collective, split along its critical path. The parts add up to the time."""

    traffic: int
    messages: int
    time_ps: float
    alone_ps: float
    """Time that the messages would have taken on the empty network."""
    held_up_ps: float
    """Further time of the messages: queues, pauses, congestion control, other flows."""
    timeout_ps: float
    """Time of waiting for retransmission timeouts."""
    computing_ps: float
    """Time in which ranks computed, or waited for a set time."""
    by: HeldUpBy | None
    """The message with the largest excess of FCT; ``None`` if no message stands out."""


def critical_paths(run: Run, from_round: int = 0) -> list[CriticalPath]:
    """The critical paths of a run's completed collectives, by entry. Empty if not all flows have a
    row.

    Args:
        run: A run of a network.
        from_round: The first round that counts.
    """
    if not run.summary.get("collectives") or "flow_rows" in run.summary:
        return []
    path, rounds = run.critical_path, run.collectives
    counted = rounds.numbers("round") >= from_round
    found = []
    for entry in np.unique(path.numbers("traffic")).tolist():
        these = counted & (rounds.numbers("traffic") == entry)
        if not these.any():
            continue
        starts = rounds.numbers("start_ps")[these].astype(float)
        begin, end = starts.min(), (starts + rounds.numbers("time_ps")[these]).max()
        on_path = (path.numbers("traffic") == entry) & (path.numbers("end_ps") > begin)
        if on_path.any():
            found.append(_along(run, entry, on_path, (float(begin), float(end))))
    return found


def _along(run: Run, entry: int, on_path: Array, span: tuple[float, float]) -> CriticalPath:
    path, flows = run.critical_path, run.flows
    ids = flows.numbers("flow_id")
    order = np.argsort(ids)
    wanted = path.numbers("flow_id")
    rows = order[np.searchsorted(ids, wanted, sorter=order).clip(max=len(ids) - 1)]
    path.refuse(ids[rows] != wanted, "flow_id", "there is no such flow")
    rows = rows[on_path]
    begin, end = span
    starts = np.maximum(path.numbers("start_ps")[on_path].astype(float), begin)
    times = path.numbers("end_ps")[on_path] - starts
    waits = np.minimum(flows.numbers("timeout_wait_ps")[rows], times)
    # The FCT of an unfinished message is missing: it counts as not held up.
    beyond = np.nan_to_num(flows.numbers("fct_ps")[rows] - flows.numbers("ideal_fct_ps")[rows])
    held_up = np.clip(beyond - waits, 0.0, times - waits)
    return CriticalPath(
        entry,
        len(rows),
        end - begin,
        float((times - waits - held_up).sum()),
        float(held_up.sum()),
        float(waits.sum()),
        max(0.0, end - begin - float(times.sum())),
        _held_up_by(run, entry, rows),
    )


def _held_up_by(run: Run, entry: int, rows: Array) -> HeldUpBy | None:
    """The message with the largest excess over comparable messages, if it stands out."""
    done = run.completed
    rows = rows[rows < len(done)]
    if not len(rows):
        return None
    usual = _usual(done, entry, rows)
    extra = done.numbers("fct_ps")[rows] - usual
    slowest = int(extra.argmax())
    if extra[slowest] < _NOTICED * usual[slowest]:
        return None
    [message] = delays(run, [rows[slowest]])
    queue = _most(run, "queue_max_bytes", message)
    return HeldUpBy(message, float(usual[slowest]), _paused(run, message), queue)


def _usual(done: Table, entry: int, rows: Array) -> Array:
    """For each message, the median FCT of comparable ones: those of the entry with an equal size
    and an equal ideal FCT, and so an equally long path.
    """
    names = ("size_bytes", "ideal_fct_ps", "fct_ps")
    sizes, ideal, fct = (done.numbers(name) for name in names)
    of_entry = done.numbers("traffic") == entry
    medians: dict[tuple[Any, Any], float] = {}
    kinds = list(zip(sizes[rows].tolist(), ideal[rows].tolist(), strict=True))
    for size, alone in set(kinds):
        alike = of_entry & (sizes == size) & (ideal == alone)
        medians[size, alone] = float(np.median(fct[alike]))
    return np.array([medians[kind] for kind in kinds])


def _paused(run: Run, message: Delay) -> float:
    """The most paused ports while a message was under way. Samples are read only if there were
    pauses.
    """
    return (_most(run, "paused_ports", message) or 0.0) if run.summary["pfc"]["pauses"] else 0.0


def _most(run: Run, measure: str, message: Delay) -> float | None:
    """The largest sample of a measure of the network while a message was under way; ``None`` if it
    was not sampled.
    """
    sampled = curves(run.series, measure, ["network"]).get("network")
    if sampled is None:
        return None
    times, values = sampled
    meanwhile = (times >= message.start_ps) & (times <= message.start_ps + message.fct_ps)
    return float(values[meanwhile].max()) if meanwhile.any() else None
