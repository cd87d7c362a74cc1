"""Events of a flow's packets, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from incast.measure.ports import Place
from incast.measure.series import Array, whole
from incast.table import Categories, Table

__all__ = ["Event", "FlowEvents"]

_ENTROPIES = 2**16 + 1
"""The number of possible entropies, and one for none."""


class Event(NamedTuple):
    """One event of a packet of the flow."""

    time: int
    node: int
    port: int
    event: str
    kind: str
    sequence: int
    wire: int
    marked: bool
    queue: int
    """Bytes that wait at the port, without this packet."""
    entropy: int
    """The packet's entropy; −1 if all packets of the flow have the same."""

    @property
    def place(self) -> Place:
        """The port of the event, as node and number."""
        return self.node, self.port


class FlowEvents(Sequence[Event]):
    """The events of one flow, in order.

    Args:
        table: The packet trace.
        rows: The rows of the flow in the trace.
        source: The node of its sender.
        destination: The node of its receiver.
    """

    def __init__(self, table: Table, rows: Array, source: int, destination: int) -> None:
        self.source = source
        self.destination = destination
        names = ("time_ps", "node", "port", "sequence", "wire_bytes", "marked", "queue_bytes")
        columns = [whole(table.numbers(name)[rows]) for name in names]
        self.time, self.node, self.port, self.sequence, self.wire, self.marked, self.queue = columns
        self.entropy = (
            whole(table.numbers("source_port")[rows])
            if "source_port" in table
            else np.full(len(rows), -1)
        )
        self._event, self._kind = (
            Categories(found.texts, found.indices[rows])
            for found in (table.categories("event"), table.categories("kind"))
        )

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
        event, kind = (found.texts[found.indices[index]] for found in (self._event, self._kind))
        return Event(time, node, port, event, kind, sequence, wire, bool(marked), queue, entropy)

    def are(self, event: str) -> Array:
        """For each event, whether it is of the kind `event`, such as `send`."""
        return self._event.are(event)

    def are_of(self, kind: str) -> Array:
        """For each event, whether it is of a packet of this kind."""
        return self._kind.are(kind)

    @cached_property
    def departures(self) -> Array:
        """Indices of the events at which the flow's data leave its sender."""
        leaves = self.are("send") & self.are_of("data")
        return np.flatnonzero(leaves & (self.node == self.source))

    @cached_property
    def replies(self) -> Array:
        """Indices of the events at which replies reach the flow's sender."""
        return np.flatnonzero(self.are("receive") & (self.node == self.source))

    def sorts(self) -> list[str]:
        """For each event, its kind, such as `send`."""
        return [self._event.texts[code] for code in self._event.indices.tolist()]

    def kinds(self) -> list[str]:
        """For each event, the kind of its packet."""
        return [self._kind.texts[code] for code in self._kind.indices.tolist()]

    @cached_property
    def packets(self) -> Array:
        """For each event, a number of its packet. Packets in flight at the same time have different
        numbers if their kind, sequence number or entropy differs.
        """
        sorts = self._kind.indices.astype(np.int64) * _ENTROPIES + self.entropy + 1
        _, sequences = np.unique(self.sequence, return_inverse=True)
        _, numbers = np.unique(
            sequences * (len(self._kind.texts) * _ENTROPIES) + sorts, return_inverse=True
        )
        found: Array = numbers
        return found
