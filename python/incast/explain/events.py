"""Events of the packets of a flow, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from incast.measure.series import Array
from incast.table import Table

__all__ = ["Event", "FlowEvents", "Place", "is_text", "whole"]

_ENTROPIES = 2**16 + 1
"""Entropies, and none."""
Place = tuple[int, int]
"""A node, and a port of it."""


class Event(NamedTuple):
    """What happened to a packet of a flow."""

    time: int
    node: int
    port: int
    event: str
    kind: str
    sequence: int
    wire: int
    marked: bool
    queue: int
    """Bytes that wait at the port beside it."""
    entropy: int
    """−1 where all packets of a flow have one."""

    @property
    def place(self) -> Place:
        """Where."""
        return self.node, self.port


class FlowEvents(Sequence[Event]):
    """Those of one flow, in order.

    Args:
        table: The packet trace.
        rows: Of the flow.
    """

    def __init__(self, table: Table, rows: Array) -> None:
        names = ("time_ps", "node", "port", "sequence", "wire_bytes", "marked", "queue_bytes")
        columns = [whole(table.numbers(name)[rows]) for name in names]
        self.time, self.node, self.port, self.sequence, self.wire, self.marked, self.queue = columns
        self.entropy = (
            whole(table.numbers("source_port")[rows])
            if "source_port" in table
            else np.full(len(rows), -1)
        )
        self.event, self._events = _codes(table, "event", rows)
        self.kind, self._kinds = _codes(table, "kind", rows)

    def __len__(self) -> int:
        return len(self.time)

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        time, node, port, sequence, wire, marked, queue, entropy = (
            int(column[index])
            for column in (
                *(self.time, self.node, self.port, self.sequence),
                *(self.wire, self.marked, self.queue, self.entropy),
            )
        )
        event, kind = self._events[self.event[index]], self._kinds[self.kind[index]]
        return Event(time, node, port, event, kind, sequence, wire, bool(marked), queue, entropy)

    def are(self, event: str) -> Array:
        """Which are of this sort."""
        return _equal(self.event, self._events, event)

    def are_of(self, kind: str) -> Array:
        """Which are of packets of this kind."""
        return _equal(self.kind, self._kinds, kind)

    @property
    def source(self) -> int:
        """The node of its sender, at which all begins."""
        return int(self.node[0])

    @cached_property
    def ends(self) -> frozenset[int]:
        """The nodes of its sender and its receiver, at which packets begin: the receiver is where
        the first answer to data begins.
        """
        forward = self.are_of("data") | self.are_of("trimmed")
        answers = self.are("enqueue") & ~forward & (self.node != self.source)
        came = np.flatnonzero(self.are("receive"))
        for index in np.flatnonzero(answers).tolist():
            # At a switch the same packet has come before.
            before = came[came < index]
            own = self.node[before] == self.node[index]
            alike = own & (self.kind[before] == self.kind[index])
            if own.any() and not alike.any():
                return frozenset((self.source, int(self.node[index])))
        return frozenset((self.source,))

    def sorts(self) -> list[str]:
        """What each is."""
        return [self._events[code] for code in self.event.tolist()]

    def kinds(self) -> list[str]:
        """The kind of packet of each."""
        return [self._kinds[code] for code in self.kind.tolist()]

    @cached_property
    def packets(self) -> Array:
        """Numbers that tell packets of the flow apart which are on their way: those with another
        kind, sequence number or entropy have another one.
        """
        sorts = self.kind * _ENTROPIES + self.entropy + 1
        _, sequences = np.unique(self.sequence, return_inverse=True)
        _, numbers = np.unique(
            sequences * (len(self._kinds) * _ENTROPIES) + sorts, return_inverse=True
        )
        found: Array = numbers
        return found


def whole(values: Array) -> Array:
    """Numbers as integers; −1 where there are none."""
    if values.dtype.kind == "f":
        values = np.nan_to_num(values, nan=-1.0)
    found: Array = values.astype(np.int64)
    return found


def is_text(table: Table, column: str, text: str) -> Array:
    """Where a column of a table has a text."""
    found = table.categories(column)
    return _equal(found.indices, found.texts, text)


def _codes(table: Table, column: str, rows: Array) -> tuple[Array, list[str]]:
    found = table.categories(column)
    return found.indices[rows].astype(np.int64), found.texts


def _equal(codes: Array, texts: list[str], text: str) -> Array:
    if text not in texts:
        return np.zeros(len(codes), dtype=bool)
    found: Array = codes == texts.index(text)
    return found
