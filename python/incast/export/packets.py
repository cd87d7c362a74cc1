"""Packets of a trace in the form that frames need, with facts of their flows."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np

from incast import _core
from incast.export import roce
from incast.measure.ports import ends_of_flows, peers, port_key

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["PacketColumns"]


class PacketColumns:
    """The columns of a packet trace, and of the table of flows, that describe packets."""

    def __init__(self, run: Run) -> None:
        network = tomllib.loads(run.scenario)["network"]
        self._mtu = _core.quantity("size", network["packets"]["mtu"])
        self._acks_each = network["ack_every"] == 1
        self._unmarked = roce.NOT_ECT if network.get("ecn") == "off" else roce.ECT_0
        self._table = table = run.packets
        texts, indices = table.categories("kind")
        is_unknown = np.array([text not in roce.KINDS for text in texts], dtype=bool)
        table.refuse(is_unknown[indices], "kind", "there is no such kind of packet")
        numbers = [(*roce.KINDS, *texts).index(text) for text in texts]
        self._kind = np.array(numbers, dtype=np.int64)[indices]
        texts, indices = table.categories("event")
        self._has_come = np.array([text == "receive" for text in texts], dtype=bool)[indices]
        self._peers = peers(run)
        flows = run.flows
        order = np.argsort(flows["flow_id"])
        self._ids = flows["flow_id"][order]
        columns = (*ends_of_flows(run), flows["source_port"], flows["size_bytes"])
        self._flows = [values[order].astype(np.int64) for values in columns]

    def of(self, rows: np.ndarray[Any, Any]) -> roce.Packets:
        """The packets of these rows."""
        table, kind = self._table, self._kind[rows]
        is_data, is_pfc = kind == roce.DATA, roce.is_pfc(kind)
        flow = self._flow(rows, is_pfc)
        place = self._places(flow, is_pfc)
        source, destination, source_port, size = (
            np.where(is_pfc, 0, values[place]) for values in self._flows
        )
        is_forward = roce.goes_with_data(kind)
        node, port = self._makers(rows, is_pfc)
        sequence = table["sequence"][rows].astype(np.int64)
        is_last = sequence + np.where(is_data, table["payload_bytes"][rows], 0) >= size
        marked = table["marked"][rows] == 1
        return roce.Packets(
            kind=kind,
            wire=table["wire_bytes"][rows].astype(np.int64),
            source=np.where(is_pfc, node, np.where(is_forward, source, destination)),
            destination=np.where(is_forward, destination, source),
            source_port=np.where(is_pfc, port, self._source_ports(rows, source_port)),
            flow=flow,
            psn=self._sequence_numbers(kind, sequence),
            is_first=sequence == 0,
            is_last=is_last,
            requests_ack=is_data & (is_last | self._acks_each),
            ecn=np.where(is_data, np.where(marked, roce.CE, self._unmarked), roce.NOT_ECT),
            echoes_mark=marked & ~is_data,
        )

    def _source_ports(
        self, rows: np.ndarray[Any, Any], of_flows: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """The UDP source port of each packet: the packet's own if flows take several paths, else
        its flow's.
        """
        if "source_port" not in self._table:
            return of_flows
        ports = np.nan_to_num(self._table["source_port"][rows])
        found: np.ndarray[Any, Any] = ports.astype(np.int64)
        return found

    def _flow(
        self, rows: np.ndarray[Any, Any], is_pfc: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """For each packet, the number of its flow; 0 for PFC frames, which have none."""
        return np.where(is_pfc, 0, self._table["flow_id"][rows]).astype(np.int64)

    def _places(
        self, flow: np.ndarray[Any, Any], is_pfc: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """For each packet, the row of its flow in the table of flows."""
        place = np.searchsorted(self._ids, flow).clip(max=len(self._ids) - 1)
        is_wrong = ~is_pfc & (self._ids[place] != flow)
        self._table.refuse(is_wrong, "flow_id", "flows.parquet has no such flow")
        return place

    def _makers(
        self, rows: np.ndarray[Any, Any], is_pfc: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """For each PFC frame, the node and port that sent it: those of its row or, if the row is at
        the receiver, those at the other end of the link.
        """
        node = self._table["node"][rows].astype(np.int64)
        port = self._table["port"][rows].astype(np.int64)
        for each in np.flatnonzero(is_pfc & self._has_come[rows]):
            other = self._peers.get(port_key(int(node[each]), int(port[each])))
            if other is None:
                raise self._table.error(f"node {node[each]} has no port {port[each]}")
            node[each], port[each] = other.node, other.number
        return node, port

    def _sequence_numbers(
        self, kind: np.ndarray[Any, Any], sequence: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """Packet sequence numbers: of data packets their own, of ACKs the last that arrived, of
        NAKs the next that is missing, of CNPs 0.
        """
        last = -(-sequence // self._mtu) - 1
        number = np.where(kind == roce.ACK, last, sequence // self._mtu)
        return np.where(kind == roce.CNP, 0, number)
