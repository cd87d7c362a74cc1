"""Small runs whose packets are traced, and a reader of captures."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

INCAST = {"kind": "incast", "senders": "1-8", "receiver": 0, "sizes": "60500B"}
MEASURE = {"packets": True}
STAR = {"kind": "star", "hosts": 9}

DCQCN = {
    "run": {"name": "dcqcn"},
    "network": {"topology": STAR, "ecn": {"step": "20KB"}},
    "cc": {"algorithm": "dcqcn", "notification": "cnp"},
    "traffic": [INCAST],
    "measure": MEASURE,
}
"""Has CNPs and CE marks."""
LOSSY = {
    "run": {"name": "lossy"},
    "network": {
        "topology": STAR,
        "flow_control": "none",
        "buffer": {"size": "200KB"},
        "recovery": {"kind": "go-back-n", "nack_interval": "5us"},
    },
    "cc": {"algorithm": "hpcc"},
    "traffic": [INCAST],
    "measure": MEASURE,
}
"""Drops packets, asks for them by NACKs, and carries INT."""
PAUSED = {
    "run": {"name": "paused"},
    "network": {
        "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 5},
        "pfc": {"threshold": "20KB"},
    },
    "cc": {"algorithm": "none"},
    "traffic": [INCAST],
    "measure": MEASURE,
}
"""PFC pauses hosts and switches."""
REQUESTS = {
    "run": {"name": "requests"},
    "network": {"topology": {"kind": "star", "hosts": 5}},
    "cc": {"algorithm": "s-perc"},
    "traffic": [{**INCAST, "senders": "1-4"}],
    "measure": MEASURE,
}
"""Has rate requests and replies."""


class Record(NamedTuple):
    """A packet of a capture."""

    interface: int
    time_ps: int
    length: int
    flags: int
    captured: bytes


def read(file: Path) -> tuple[list[dict[int, bytes]], list[Record]]:
    """Gives the options of each interface of a capture, and its packets."""
    whole, interfaces, records, place = file.read_bytes(), [], [], 0
    while place < len(whole):
        kind, size = struct.unpack_from("<II", whole, place)
        block = whole[place + 8 : place + size - 4]
        assert struct.unpack_from("<I", whole, place + size - 4) == (size,), "the length again"
        assert size % 4 == 0
        if kind == 1:
            interfaces.append(_options(block[8:]))
        elif kind == 6:
            interface, high, low, captured, length = struct.unpack_from("<IIIII", block)
            options = _options(block[20 + captured + -captured % 4 :])
            (flags,) = struct.unpack("<I", options[2])
            data = block[20 : 20 + captured]
            records.append(Record(interface, high << 32 | low, length, flags, data))
        place += size
    return interfaces, records


def _options(block: bytes) -> dict[int, bytes]:
    found, place = {}, 0
    while place < len(block):
        code, size = struct.unpack_from("<HH", block, place)
        if code == 0:
            break
        found[code] = block[place + 4 : place + 4 + size]
        place += 4 + size + -size % 4
    return found
