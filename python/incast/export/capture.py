"""The packet trace of a run as captures for Wireshark: pcapng files of RoCEv2 frames.

The capture at a port has a packet at two times: when its first bit leaves the port, and when its
last bit has arrived. Packets that a port dropped are at a separate interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from incast.errors import ResultsError
from incast.export import pcapng, roce
from incast.export.packets import PacketColumns
from incast.export.place import checked_target, stored
from incast.files import checked_path, distinct_names
from incast.measure.ports import chosen_ports, port_key
from incast.measure.run import Run, is_fabric

__all__ = ["MAX_SNAP_LENGTH", "MIN_SNAP_LENGTH", "write", "write_each"]

MIN_SNAP_LENGTH, MAX_SNAP_LENGTH = 64, 65535
"""Limits of the captured bytes per packet: at least the headers (54 bytes), at most a whole
packet.
"""
_ROWS = 1 << 12
"""The number of packets that are encoded at a time."""


def write(
    run: Run, file: Path, ports: Sequence[str] | None, snap_length: int | None, overwrite: bool
) -> Path:
    """Writes one file with an interface for each port, and gives the file's path."""
    checked_target(file, overwrite=overwrite)
    trace = _Trace(run, ports, snap_length)
    trace.write(file, trace.rows, trace.interfaces)
    return file


def write_each(
    run: Run, folder: Path, ports: Sequence[str] | None, snap_length: int | None, overwrite: bool
) -> list[Path]:
    """Writes a file for each port into a folder, and gives the files' paths."""
    checked_path(folder)
    trace = _Trace(run, ports, snap_length)
    files = [
        folder / f"{name}.pcapng" for name in distinct_names([port.name for port in trace.ports])
    ]
    for file in files:
        checked_target(file, overwrite=overwrite)
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder, error) from None
    try:
        for place, file in enumerate(files):
            own = [each for each in trace.interfaces if each.port == place]
            trace.write(file, trace.rows_by_port[place], own)
    except BaseException:
        # Remove the folders that were made for the first file, which could not be written.
        for each in made:
            with suppress(OSError):
                each.rmdir()
        raise
    return files


class _Interface(NamedTuple):
    """The packets that passed a port, or the packets that it dropped."""

    port: int
    is_dropped: bool


class _Trace:
    """The packets of a trace that the chosen ports sent, received or dropped."""

    def __init__(self, run: Run, ports: Sequence[str] | None, snap_length: int | None) -> None:
        self._run = run
        self._snap_length = _checked(snap_length)
        if is_fabric(run):
            what = f"{run.name}: a memory fabric has no packets"
            raise ResultsError(what, hint="export results of a [network]")
        table = self._table = run.packets
        events = table.categories("event")
        self._is_sent, self._is_dropped = events.are("send"), events.are("drop")
        is_there = self._is_sent | self._is_dropped | events.are("receive")
        keys = port_key(table["node"].astype(np.int64), table["port"])
        present = set(np.unique(keys[is_there]).tolist())
        self.ports = [port for port in chosen_ports(run, ports) if port.key in present]
        if not self.ports:
            raise _nothing_at(run, ports)
        self._port = _places(keys, np.array([port.key for port in self.ports]))
        self.rows = np.flatnonzero(is_there & (self._port >= 0))
        self._packets = PacketColumns(run)
        dropping = set(np.unique(self._port[self._is_dropped]).tolist())
        self.interfaces = [
            _Interface(place, is_dropped)
            for place in range(len(self.ports))
            for is_dropped in ((False, True) if place in dropping else (False,))
        ]

    @cached_property
    def rows_by_port(self) -> list[np.ndarray[Any, Any]]:
        """For each port, the rows of its packets."""
        port = self._port[self.rows]
        ends = np.cumsum(np.bincount(port, minlength=len(self.ports)))
        return np.split(self.rows[np.argsort(port, kind="stable")], ends[:-1])

    def write(self, file: Path, rows: np.ndarray[Any, Any], interfaces: list[_Interface]) -> None:
        """Writes the packets of these rows to a file with these interfaces."""
        number = np.zeros((len(self.ports), 2), dtype=np.int64)
        for place, each in enumerate(interfaces):
            number[each.port, int(each.is_dropped)] = place
        with stored(file) as out:
            described = [self._describe(each) for each in interfaces]
            version = f"incast {self._run.summary['incast']}"
            out.write(pcapng.head(version, self._comment(), described))
            for start in range(0, len(rows), _ROWS):
                out.write(self._blocks(rows[start : start + _ROWS], number).data)

    def _blocks(
        self, rows: np.ndarray[Any, Any], number: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        packets = self._packets.of(rows)
        flags = np.where(self._is_sent[rows], pcapng.OUTBOUND, pcapng.INBOUND)
        flags[self._is_dropped[rows]] = 0
        flags |= np.where(roce.is_pfc(packets.kind), pcapng.MULTICAST, pcapng.UNICAST)
        interface = number[self._port[rows], self._is_dropped[rows].astype(np.int64)]
        groups = roce.frames(packets, self._snap_length)
        return pcapng.enhanced_packets(groups, interface, self._table["time_ps"][rows], flags)

    def _describe(self, interface: _Interface) -> pcapng.Interface:
        port = self.ports[interface.port]
        name, label = port.name, port.label
        if interface.is_dropped:
            name, label = f"{name} dropped", f"packets that had no room at {name}"
        return pcapng.Interface(name, label, port.rate_bps, roce.mac(port.node, port.number))

    def _comment(self) -> str:
        summary = self._run.summary
        cut = summary["packet_trace"]["cut_ps"]
        limit = "" if cut is None else f"; the trace ends at {cut} ps, at its limit"
        name = f"{summary['name']}, {summary['algorithm']}, run {summary['identity']}"
        return f"A simulated run: {name}{limit}"


def _places(values: np.ndarray[Any, Any], among: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The index of each value in ``among``, whose values are distinct; −1 if it is missing."""
    order = np.argsort(among)
    place = order[np.searchsorted(among, values, sorter=order).clip(max=len(among) - 1)]
    return np.where(among[place] == values, place, -1)


def _checked(snap_length: int | None) -> int:
    if snap_length is None:
        return MAX_SNAP_LENGTH
    if not MIN_SNAP_LENGTH <= snap_length <= MAX_SNAP_LENGTH:
        what = f"cannot keep {snap_length} bytes of each packet"
        raise ResultsError(what, hint=f"keep {MIN_SNAP_LENGTH} to {MAX_SNAP_LENGTH}")
    return snap_length


def _nothing_at(run: Run, ports: Sequence[str] | None) -> ResultsError:
    if ports is None:
        what = "no packet was sent, received or dropped in the packet trace"
    else:
        what = f"the packet trace has nothing at {', '.join(ports)}"
    hint = "`measure.packets` of the scenario says what is traced: ports, flows, times"
    return ResultsError(f"{run.name}: {what}", hint=hint)
