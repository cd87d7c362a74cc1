"""Files of trace events, which Perfetto and chrome://tracing open: Chrome's JSON object format.

Times are microseconds with three decimals: nanoseconds, rounded down.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

__all__ = ["Event", "Track", "Tracks", "lanes", "nanoseconds"]


class Track(NamedTuple):
    """A track of the timeline, which the format calls a thread of a process."""

    process: int
    thread: int


class Event(NamedTuple):
    """An event. At equal times slices come before arrows."""

    time_ns: int
    is_arrow: bool
    text: str

    @classmethod
    def slice(
        cls, track: Track, name: str, kind: str, span: tuple[int, int], facts: dict[str, Any]
    ) -> Event:
        """A slice from begin to end in ns, and the facts shown when it is clicked."""
        begin, end = span
        # Leaves out missing facts: NaN does not equal itself.
        facts = {key: each for key, each in facts.items() if each == each}
        fields = {"ph": "X", "name": name, "cat": kind, "ts": begin / 1000}
        fields["dur"] = (end - begin) / 1000
        return cls._of(begin, track, fields, facts)

    @classmethod
    def value(cls, process: int, name: str, time_ns: int, values: dict[str, float]) -> Event:
        """A sample of a counter."""
        fields = {"ph": "C", "name": name, "ts": time_ns / 1000}
        return cls._of(time_ns, Track(process, 0), fields, values)

    @classmethod
    def arrow_begin(cls, track: Track, number: int, time_ns: int) -> Event:
        """The begin of an arrow, in the slice at that time on the track."""
        return cls._arrow({"ph": "s"}, track, number, time_ns)

    @classmethod
    def arrow_end(cls, track: Track, number: int, time_ns: int) -> Event:
        """The end of an arrow, in the slice at that time on the track."""
        return cls._arrow({"ph": "f", "bp": "e"}, track, number, time_ns)

    @classmethod
    def _arrow(cls, fields: dict[str, Any], track: Track, number: int, time_ns: int) -> Event:
        fields |= {"name": "critical path", "cat": "critical path"}
        fields |= {"id": number, "ts": time_ns / 1000}
        return cls._of(time_ns, track, fields, {})._replace(is_arrow=True)

    @classmethod
    def _of(
        cls, time_ns: int, track: Track, fields: dict[str, Any], facts: dict[str, Any]
    ) -> Event:
        fields |= {"pid": track.process, "tid": track.thread}
        if facts:
            fields["args"] = facts
        return cls(time_ns, False, _text(fields))


class Tracks:
    """Processes and their threads, numbered from 1."""

    def __init__(self) -> None:
        self._processes: dict[int, str] = {}
        self._threads: dict[int, dict[str, int]] = {}

    def process(self, number: int, name: str) -> int:
        """Names the process with this number, which also orders processes; gives the number."""
        self._processes[number] = name
        return number

    def track(self, process: int, name: str) -> Track:
        """The track of a process with this name; tracks are in the order of their first use."""
        threads = self._threads.setdefault(process, {})
        return Track(process, threads.setdefault(name, len(threads) + 1))

    def write(
        self, out: IO[bytes], events: Iterable[Iterator[Event]], facts: dict[str, Any]
    ) -> None:
        """Writes a file with these tracks and events. Each iterator gives events in order of
        time.
        """
        out.write(b'{"traceEvents":[')
        begin = "\n"
        for text in self._metadata():
            out.write(f"{begin}{text}".encode())
            begin = ",\n"
        for event in heapq.merge(*events, key=lambda event: event[:2]):
            out.write(f"{begin}{event.text}".encode())
            begin = ",\n"
        tail = {"displayTimeUnit": "ns", "otherData": facts}
        out.write(f"\n],\n{_text(tail)[1:]}\n".encode())

    def _metadata(self) -> Iterator[str]:
        for number, name in sorted(self._processes.items()):
            for kind, value in (("name", name), ("sort_index", number)):
                fields = {"ph": "M", "name": f"process_{kind}", "pid": number, "tid": 0}
                yield _text(fields | {"args": {kind: value}})
        for process, threads in self._threads.items():
            for name, number in threads.items():
                for kind, value in (("name", name), ("sort_index", number)):
                    fields = {"ph": "M", "name": f"thread_{kind}", "pid": process, "tid": number}
                    yield _text(fields | {"args": {kind: value}})


def lanes(spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """For each span, the first lane that is free at its begin. Spans come in order of their
    begins.
    """
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for begin, end in spans:
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (end, lane))
        yield lane


def nanoseconds(time_ps: float) -> int:
    """A time in whole nanoseconds."""
    return int(time_ps) // 1000


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
