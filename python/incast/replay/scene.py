"""The contents of a window of a run: packets, queues, pauses, faults."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incast.measure.pauses import paused_spans
from incast.measure.ports import Place, Port, every_port
from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.replay.hops import Hop, hops_of
from incast.replay.window import Window

__all__ = ["Scene", "Span", "scene_of"]

Span = tuple[int, int]
"""Begin and end, in picoseconds."""


@dataclass(frozen=True)
class Scene:
    """The contents of a window of a run.

    Attributes:
        run: The run with the packet trace.
        window: The span of time.
        hops: Packets at a port or on its link in that time.
        rests: For each port, bytes that were queued before the window and leave after it.
        pauses: For each port, the spans in which PFC paused it.
        faults: For each link, by name, the spans in which it was down.
    """

    run: Run
    window: Window
    hops: Sequence[Hop]
    rests: Mapping[Place, int]
    pauses: Mapping[Place, Sequence[Span]]
    faults: Mapping[str, Sequence[Span]]

    @cached_property
    def ports(self) -> Mapping[Place, Port]:
        """All ports of the network, by node and number."""
        return {port.place: port for port in every_port(self.run)}

    @cached_property
    def queues(self) -> Mapping[Place, tuple[Array, Array]]:
        """For each port with a queue, the times at which the queue changed, and its bytes from then
        on. The first time is the begin of the window, the last time its end.
        """
        changes: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        begin, end = self.window.begin, self.window.end
        for hop in self.hops:
            left = end if hop.leaves is None else hop.leaves
            if hop.is_queued and hop.since != left > begin:
                changes[hop.place].append((max(hop.since or 0, begin), hop.wire))
                if left < end:
                    changes[hop.place].append((left, -hop.wire))
        places = sorted({*changes, *self.rests})
        return {place: self._steps(place, changes[place]) for place in places}

    def _steps(self, place: Place, changes: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
        first, rest = (self.window.begin, 0), self.rests.get(place, 0)
        times, sizes = np.array([first, *changes], dtype=np.int64).T
        order = np.argsort(times, kind="stable")
        totals = rest + np.cumsum(sizes[order])
        moments, firsts = np.unique(times[order], return_index=True)
        # Of several changes at the same time, keep the last.
        last = np.append(firsts[1:], len(order)) - 1
        return np.append(moments, self.window.end), np.append(totals[last], totals[-1])

    @property
    def longest(self) -> tuple[Place, int, int] | None:
        """The port with the longest queue, the time of that queue, and its bytes; ``None`` if no
        packet waited.
        """
        found = [
            (int(sizes.max()), -int(times[sizes.argmax()]), place)
            for place, (times, sizes) in self.queues.items()
        ]
        size, time, place = max(found, default=(0, 0, (0, 0)))
        return (place, -time, size) if size else None

    def lost_at(self, hop: Hop) -> int:
        """The time at which a fault lost a packet: when the link went down. If the link went down
        before the packet left, or was not down, it is the time at which the packet would have
        arrived.
        """
        assert hop.leaves is not None
        assert hop.arrives is not None
        port = self.ports[hop.place]
        far = port.label.split(" → ")[1]
        for name in (f"{port.node_name} – {far}", f"{far} – {port.node_name}"):
            for begin, end in self.faults.get(name, ()):
                if begin < hop.arrives and hop.leaves < end:
                    return max(begin, hop.leaves)
        return hop.arrives


def scene_of(run: Run, window: Window) -> Scene:
    """The scene of a window. Packets must be traced from a base RTT before it to a base RTT after
    it.
    """
    margin = int(run.summary["base_rtt_ps"])
    hops, rests, silent = hops_of(run, window.begin - margin, window.end + margin)
    places = {port.label: port.place for port in every_port(run)}
    return Scene(
        run,
        window,
        [hop for hop in hops if _is_in(hop, window)],
        {**rests, **_sampled(run, silent, window)},
        {places[label]: _within(spans, window) for label, spans in paused_spans(run).items()},
        {link: _within(spans, window) for link, spans in _down(run).items()},
    )


def _is_in(hop: Hop, window: Window) -> bool:
    begins = window.begin if hop.since is None else hop.since
    last = window.end if hop.leaves is None else hop.arrives or hop.leaves
    # An event at the window's end is outside, an event at its begin is inside.
    return begins < window.end and last >= window.begin


def _sampled(run: Run, silent: Sequence[Place], window: Window) -> dict[Place, int]:
    """Sampled queues of ports without an event."""
    labels = {port.label: port.place for port in every_port(run) if port.place in set(silent)}
    found = {}
    for label, (times, values) in curves(run.series, "queue_bytes", labels).items():
        index = bisect_right(times.tolist(), window.begin) - 1
        if index >= 0 and values[index]:
            found[labels[label]] = int(values[index])
    return found


def _down(run: Run) -> dict[str, list[Span]]:
    """For each link, the spans in which it was down."""
    if not run.summary.get("faults"):
        return {}
    table = run.faults
    kinds, links = (table.categories(name) for name in ("kind", "links"))
    ends = table.numbers("until_ps") if "until_ps" in table else np.full(len(table), np.nan)
    found: dict[str, list[Span]] = defaultdict(list)
    rows = zip(kinds.indices, links.indices, table.numbers("from_ps"), ends, strict=True)
    for kind, link, begin, end in rows:
        if kinds.texts[kind] == "down":
            until = run.summary["simulated_ps"] + 1 if end != end else end
            for name in links.texts[link].split(", "):
                found[name].append((int(begin), int(until)))
    return found


def _within(spans: Sequence[Span], window: Window) -> list[Span]:
    return list(_cut(spans, window))


def _cut(spans: Sequence[Span], window: Window) -> Iterator[Span]:
    for begin, end in spans:
        if begin < window.end and end > window.begin:
            yield max(begin, window.begin), min(end, window.end)
