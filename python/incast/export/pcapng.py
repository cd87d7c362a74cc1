"""Blocks of pcapng files (draft-ietf-opsawg-pcapng), little-endian."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from incast.export.roce import Frames

__all__ = ["INBOUND", "MULTICAST", "OUTBOUND", "UNICAST", "Interface", "enhanced_packets", "head"]

_SECTION, _INTERFACE, _ENHANCED_PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER = 0x1A2B3C4D
_UNKNOWN_LENGTH = -1
_ETHERNET = 1
_COMMENT, _END = 1, 0
_APPLICATION = 4
_NAME, _DESCRIPTION, _MAC, _SPEED, _RESOLUTION, _FCS_LENGTH = 2, 3, 6, 8, 9, 13
_PICOSECONDS = 12
_FLAGS = 2
INBOUND, OUTBOUND = 1, 2
"""Flags of a packet: it arrived at the interface, or left by it."""
UNICAST, MULTICAST = 1 << 2, 2 << 2


class Interface(NamedTuple):
    """A port at which packets were captured."""

    name: str
    description: str
    rate_bps: int
    mac: bytes


def head(application: str, comment: str, interfaces: list[Interface]) -> bytes:
    """The blocks at the beginning of a file."""
    options = [(_COMMENT, comment.encode()), (_APPLICATION, application.encode())]
    fixed = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, _UNKNOWN_LENGTH)
    blocks = [_block(_SECTION, fixed, options)]
    for each in interfaces:
        options = [
            (_NAME, each.name.encode()),
            (_DESCRIPTION, each.description.encode()),
            (_MAC, each.mac),
            (_SPEED, struct.pack("<Q", each.rate_bps)),
            (_RESOLUTION, bytes([_PICOSECONDS])),
            (_FCS_LENGTH, bytes([0])),
        ]
        blocks.append(_block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, 0), options))
    return b"".join(blocks)


def _block(kind: int, fixed: bytes, options: list[tuple[int, bytes]]) -> bytes:
    body = fixed + b"".join(map(_option, *zip(*options, strict=True))) + struct.pack("<HH", _END, 0)
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


_MAX_OPTION = 65535 - 3


def _option(code: int, value: bytes) -> bytes:
    if len(value) > _MAX_OPTION:
        # Characters stay whole.
        value = value[:_MAX_OPTION].decode(errors="ignore").encode()
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


_HEAD = np.dtype(
    [(name, "<u4") for name in ("kind", "block", "interface", "high", "low", "captured", "length")]
)
_TAIL = np.dtype(
    [("code", "<u2"), ("size", "<u2"), ("flags", "<u4"), ("end", "<u4"), ("block", "<u4")]
)


def enhanced_packets(
    groups: list[Frames],
    interface: np.ndarray[Any, Any],
    time: np.ndarray[Any, Any],
    flags: np.ndarray[Any, Any],
) -> np.ndarray[Any, Any]:
    """The blocks of packets, in their order.

    Args:
        groups: The frames, in groups.
        interface: For each packet, the number of its interface.
        time: For each packet, its time in ps.
        flags: For each packet, inbound or outbound, and whether it is multicast.
    """
    sizes = np.zeros(len(time), dtype=np.int64)
    for group in groups:
        sizes[group.rows] = _block_size(group)
    ends = sizes.cumsum()
    out = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    for group in groups:
        rows = group.rows
        records = _records(group, interface[rows], time[rows], flags[rows])
        starts = ends[rows] - sizes[rows]
        out[starts[:, None] + np.arange(records.shape[1])] = records
    return out


def _block_size(group: Frames) -> int:
    captured: int = group.captured.shape[1]
    return _HEAD.itemsize + captured + -captured % 4 + _TAIL.itemsize


def _records(group: Frames, interface: Any, time: Any, flags: Any) -> np.ndarray[Any, Any]:
    rows, captured = group.captured.shape
    size = _block_size(group)
    heads = np.zeros(rows, dtype=_HEAD)
    heads["kind"], heads["block"], heads["interface"] = _ENHANCED_PACKET, size, interface
    heads["high"], heads["low"] = time >> np.uint64(32), time & np.uint64(0xFFFFFFFF)
    heads["captured"], heads["length"] = captured, group.lengths
    tails = np.zeros(rows, dtype=_TAIL)
    tails["code"], tails["size"], tails["block"] = _FLAGS, 4, size
    tails["flags"] = flags
    padding = np.zeros((rows, -captured % 4), dtype=np.uint8)
    return np.hstack([_bytes(heads), group.captured, padding, _bytes(tails)])


def _bytes(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return records.view(np.uint8).reshape(len(records), -1)
