"""Packets of the model as RoCEv2 frames: headers byte by byte, for many packets at a time.

```text
data   Ethernet 14  IPv4 20  UDP 8  BTH 12  payload   ICRC 4
ACK    Ethernet 14  IPv4 20  UDP 8  BTH 12  AETH  4   what the model adds   ICRC 4
CNP    Ethernet 14  IPv4 20  UDP 8  BTH 12  zeros 16  ICRC 4
rate   Ethernet 14  IPv4 20  UDP 8  zeros
PFC    Ethernet 14  MAC control 20  zeros
```

A frame is as long as the packet on the model's wire, unless its headers need more.

InfiniBand Architecture Specification, volume 1, chapter 9 (BTH, AETH), annex A17 (RoCEv2, CNP);
IEEE 802.1Q, clause 36 (PFC).
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np

from incast import _core

__all__ = [
    "ACK",
    "CE",
    "CNP",
    "DATA",
    "ECT_0",
    "KINDS",
    "NOT_ECT",
    "PORT",
    "Frames",
    "Packets",
    "frames",
    "goes_with_data",
    "is_pfc",
    "mac",
    "queue_pair",
]

_KINDS = _core.packet_kinds()
KINDS = tuple(name for name, _, _ in _KINDS)
"""Kinds of packets; `Packets.kind` has their indices."""
DATA, ACK, NACK, CNP = (KINDS.index(name) for name in ("data", "ack", "nack", "cnp"))
PAUSE, RESUME = KINDS.index("pause"), KINDS.index("resume")

PORT = 4791
"""UDP destination port of RoCEv2."""
RATE_PORT = 1021
"""UDP port of rate requests, which RoCEv2 does not have: a port for experiments, by RFC 4727."""

_SEND_FIRST, _SEND_MIDDLE, _SEND_LAST, _SEND_ONLY = 0, 1, 2, 4
_ACKNOWLEDGE, _CNP_OPCODE = 0x11, 0x81
_SYNDROME_ACK = 0x1F
"""AETH syndrome of an ACK without credits."""
_SYNDROME_NAK = 0x60
"""AETH syndrome of a NAK for a PSN sequence error."""
_BECN = 0x40
_DSCP_DATA, _DSCP_CNP = 26, 48
NOT_ECT, ECT_0, CE = 0, 2, 3
_TIME_TO_LIVE = 64

_PFC_ADDRESS = bytes.fromhex("0180c2000001")
_PFC_CLASS = 3
"""The priority class of data: RoCE's by convention, and that of DSCP 26."""

_ETHERNET, _IPV4, _UDP, _BTH, _AETH, _ICRC = 14, 20, 8, 12, 4, 4
_IP, _TRANSPORT = _ETHERNET, _ETHERNET + _IPV4
_BASE = _TRANSPORT + _UDP
_PAYLOAD = _BASE + _BTH
_LEAST = {
    DATA: _PAYLOAD + _ICRC,
    ACK: _PAYLOAD + _AETH + _ICRC,
    NACK: _PAYLOAD + _AETH + _ICRC,
    CNP: _PAYLOAD + 16 + _ICRC,
}
_SHORTEST = 60
"""The shortest frame in bytes, by kind; `_SHORTEST` for other kinds."""

_FIRST_QUEUE_PAIR = 256
"""Queue pairs 0 and 1 are for management, so small numbers would be misleading."""
_QUEUE_PAIRS = (1 << 24) - 2 * _FIRST_QUEUE_PAIR


class Packets(NamedTuple):
    """Packets in columns: one packet per index of each array."""

    kind: np.ndarray[Any, Any]
    """For each packet, the index of the packet's kind in `KINDS`."""
    wire: np.ndarray[Any, Any]
    """Bytes of the packet on the model's wire."""
    source: np.ndarray[Any, Any]
    """The host that sent the packet; for a PFC frame, the sending node."""
    destination: np.ndarray[Any, Any]
    source_port: np.ndarray[Any, Any]
    """The UDP source port; for a PFC frame, the number of the sending port."""
    flow: np.ndarray[Any, Any]
    psn: np.ndarray[Any, Any]
    is_first: np.ndarray[Any, Any]
    """Whether the packet has the first payload of its flow."""
    is_last: np.ndarray[Any, Any]
    """Whether the packet has the last payload of its flow, or acknowledges that payload."""
    requests_ack: np.ndarray[Any, Any]
    ecn: np.ndarray[Any, Any]
    """The ECN field of IP: `NOT_ECT`, `ECT_0` or `CE`."""
    echoes_mark: np.ndarray[Any, Any]

    def only(self, rows: np.ndarray[Any, Any]) -> Packets:
        """The packets at these indices."""
        return Packets(*(each[rows] for each in self))


class Frames(NamedTuple):
    """Frames with equal captured lengths."""

    rows: np.ndarray[Any, Any]
    """The indices of the frames' packets."""
    captured: np.ndarray[Any, Any]
    """The captured bytes, with a row for each frame."""
    lengths: np.ndarray[Any, Any]
    """The full length of each frame in bytes, captured or not."""


def is_pfc(kind: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each packet, whether it is a PFC frame."""
    found: np.ndarray[Any, Any] = np.array([is_pfc for _, _, is_pfc in _KINDS])[kind]
    return found


def goes_with_data(kind: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each packet, whether it goes from the source of its flow to the destination."""
    found: np.ndarray[Any, Any] = np.array([forward for _, forward, _ in _KINDS])[kind]
    return found


def queue_pair(flow: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The queue pair numbers of flows, equal at both ends: 256 plus the number of the flow."""
    return _FIRST_QUEUE_PAIR + flow % _QUEUE_PAIRS


def mac(node: int, port: int) -> bytes:
    """The locally administered MAC address of a port: 02, the node in 3 bytes, the port in 2."""
    return bytes([2]) + node.to_bytes(3, "big") + port.to_bytes(2, "big")


def frames(packets: Packets, snap_length: int) -> list[Frames]:
    """The frames of packets, with at most `snap_length` bytes of each."""
    least = np.array([_LEAST.get(kind, _SHORTEST) for kind in range(len(KINDS))])
    lengths = np.maximum(packets.wire, least[packets.kind])
    captured = np.minimum(lengths, snap_length)
    # The ICRC is at the end, so whole frames and cut frames are in different groups.
    group = (packets.kind * (snap_length + 1) + captured) * 2 + (lengths > captured)
    found = []
    for each in np.unique(group):
        rows = np.flatnonzero(group == each)
        own = packets.only(rows)
        kind, width = int(own.kind[0]), int(captured[rows[0]])
        is_cut = bool(each % 2)
        room = max(width, _LEAST.get(kind, _SHORTEST))
        matrix = np.zeros((len(rows), room), dtype=np.uint8)
        _fill(matrix, kind, own, lengths[rows])
        if _has_icrc(kind) and not is_cut:
            matrix[:, -_ICRC:] = _icrc(matrix[:, :-_ICRC])
        found.append(Frames(rows, matrix[:, :width], lengths[rows]))
    return found


def _has_icrc(kind: int) -> bool:
    return kind in (DATA, ACK, NACK, CNP)


def _fill(matrix: np.ndarray[Any, Any], kind: int, packets: Packets, lengths: Any) -> None:
    if kind in (PAUSE, RESUME):
        _pfc(matrix, kind, packets)
        return
    _ethernet_and_ip(matrix, kind, packets, lengths)
    is_rate = kind not in _LEAST
    _put(matrix, _TRANSPORT, 2, packets.source_port)
    _put(matrix, _TRANSPORT + 2, 2, RATE_PORT if is_rate else PORT)
    _put(matrix, _TRANSPORT + 4, 2, lengths - _TRANSPORT)
    if is_rate:
        return
    _bth(matrix, kind, packets)
    if kind in (ACK, NACK):
        matrix[:, _PAYLOAD] = _SYNDROME_ACK if kind == ACK else _SYNDROME_NAK
        # The message sequence number: the number of complete messages; a flow is one message.
        _put(matrix, _PAYLOAD + 1, 3, packets.is_last)


def _ethernet_and_ip(
    matrix: np.ndarray[Any, Any], kind: int, packets: Packets, lengths: Any
) -> None:
    for start, host in ((0, packets.destination), (6, packets.source)):
        matrix[:, start] = 2
        _put(matrix, start + 1, 3, host)
    _put(matrix, 12, 2, 0x0800)
    matrix[:, _IP] = 0x45
    dscp = _DSCP_CNP if kind == CNP else _DSCP_DATA
    _put(matrix, _IP + 1, 1, dscp << 2 | packets.ecn)
    _put(matrix, _IP + 2, 2, lengths - _ETHERNET)
    matrix[:, _IP + 6] = 0x40  # Don't fragment.
    matrix[:, _IP + 8] = _TIME_TO_LIVE
    matrix[:, _IP + 9] = 17  # UDP
    for start, host in ((12, packets.source), (16, packets.destination)):
        matrix[:, _IP + start] = 10
        _put(matrix, _IP + start + 1, 3, host)
    words = matrix[:, _IP:_TRANSPORT].astype(np.uint32)
    total = (words[:, 0::2] * 256 + words[:, 1::2]).sum(axis=1)
    for _ in range(2):
        total = (total & 0xFFFF) + (total >> 16)
    _put(matrix, _IP + 10, 2, 0xFFFF - total)


def _bth(matrix: np.ndarray[Any, Any], kind: int, packets: Packets) -> None:
    if kind == DATA:
        choices = [packets.is_first & packets.is_last, packets.is_first, packets.is_last]
        opcodes = [_SEND_ONLY, _SEND_FIRST, _SEND_LAST]
        matrix[:, _BASE] = np.select(choices, opcodes, _SEND_MIDDLE)
    else:
        matrix[:, _BASE] = _CNP_OPCODE if kind == CNP else _ACKNOWLEDGE
        echoes_mark = packets.echoes_mark | (kind == CNP)
        matrix[:, _BASE + 4] = np.where(echoes_mark, _BECN, 0)
    _put(matrix, _BASE + 2, 2, 0xFFFF)
    _put(matrix, _BASE + 5, 3, queue_pair(packets.flow))
    matrix[:, _BASE + 8] = np.where(packets.requests_ack, 0x80, 0)
    _put(matrix, _BASE + 9, 3, packets.psn)


def _pfc(matrix: np.ndarray[Any, Any], kind: int, packets: Packets) -> None:
    matrix[:, :6] = np.frombuffer(_PFC_ADDRESS, dtype=np.uint8)
    matrix[:, 6] = 2
    _put(matrix, 7, 3, packets.source)
    _put(matrix, 10, 2, packets.source_port)
    _put(matrix, 12, 2, 0x8808)
    _put(matrix, 14, 2, 0x0101)
    _put(matrix, 16, 2, 1 << _PFC_CLASS)
    _put(matrix, 18 + 2 * _PFC_CLASS, 2, 0xFFFF if kind == PAUSE else 0)


def _put(matrix: np.ndarray[Any, Any], start: int, size: int, value: Any) -> None:
    """Writes numbers in network byte order; of larger numbers only the last bytes."""
    for place in range(size):
        byte = np.asarray(value) >> (8 * (size - 1 - place)) & 0xFF
        matrix[:, start + place] = byte.astype(np.uint8)


_TABLE = np.array([zlib.crc32(bytes([0xFF ^ n])) ^ 0xFF000000 for n in range(256)], dtype=np.uint32)
"""The table of the CRC for each byte value; zlib inverts the CRC before and after."""


def _icrc(whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The invariant CRC of frames: Ethernet's CRC over eight bytes of ones and the frame from the
    IP header on. Fields that routers and switches may change are replaced by ones.
    """
    masked = whole[:, _IP:].copy()
    for place in (1, 8, 10, 11, 26, 27, 32):
        # Type of service, time to live, both checksums, and FECN and BECN with their reserved bits.
        masked[:, place] = 0xFF
    crc = np.full(len(whole), zlib.crc32(b"\xff" * 8) ^ 0xFFFFFFFF, dtype=np.uint32)
    for place in range(masked.shape[1]):
        crc = _TABLE[(crc ^ masked[:, place]) & 0xFF] ^ (crc >> np.uint32(8))
    return (crc ^ np.uint32(0xFFFFFFFF)).astype("<u4").view(np.uint8).reshape(-1, 4)
