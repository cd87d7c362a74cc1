"""Measured numbers of machines as they stand in `measured.toml`, and ours beside them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import numpy as np

from incast.measure.run import Run
from incast.measure.series import Array, curves
from incast.time_units import PICOSECOND

__all__ = [
    "LEAF_PAYLOAD",
    "MEASURED",
    "MIB",
    "bus_bandwidth",
    "geomean",
    "goodput",
    "goodput_over_time",
    "launched",
    "lowest",
    "one_way",
    "per_pair",
    "repeated",
    "spread_of_losses",
    "together",
]

MIB = 1 << 20
LEAF_PAYLOAD = 4032
"""Bytes of a packet of 4096 B, where packets are dropped."""


def _measured() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "measured.toml").read_text(encoding="utf-8"))


MEASURED = _measured()
"""`measured.toml`."""


def launched(run: Run) -> float:
    """Seconds of an all-reduce, with what NCCL reckons for its launch."""
    base = float(MEASURED["nccl"]["ring_simple_base_us"]) * 1e-6
    return base + float(run.summary["collectives"][0]["time_ps"]) * PICOSECOND


def bus_bandwidth(gpus: int, mebibytes: int, seconds: float) -> float:
    """GB/s of an all-reduce, as nccl-tests has it."""
    return mebibytes * MIB * 2 * (gpus - 1) / gpus / seconds / 1e9


def geomean(errors: Iterable[float]) -> float:
    """The geometric mean of their absolute values."""
    return math.exp(float(np.mean([math.log(abs(error)) for error in errors])))


def one_way(run: Run) -> float:
    """Payload bits per second of a lone flow."""
    flows = run.completed
    (size,), (fct,) = flows.numbers("size_bytes"), flows.numbers("fct_ps")
    return float(size) * 8 / (float(fct) * PICOSECOND)


def goodput_over_time(run: Run, qps: int, begin: float, end: float, parts: int) -> Array:
    """Bits per second of each pair of hosts, a row each, in equal parts of the time between two
    moments, in seconds: acknowledged bytes of its QPs, which follow each other.
    """
    edges = np.linspace(begin, end, parts + 1) / PICOSECOND
    acked = curves(run.series, "acked_bytes")
    each = [
        np.diff(np.interp(edges, times.astype(float), values.astype(float)))
        for times, values in (acked[f"flow {number}"] for number in range(len(acked)))
    ]
    found: Array = np.array(each).reshape(-1, qps, parts).sum(axis=1)
    return found * 8 * parts / (end - begin)


def per_pair(run: Run, qps: int, begin: float, end: float) -> Array:
    """Bits per second of each pair of hosts between two moments, in seconds."""
    return goodput_over_time(run, qps, begin, end, 1)[:, 0]


def goodput(run: Run, qps: int, begin: float, end: float) -> float:
    """Goodput of the last pair."""
    return float(per_pair(run, qps, begin, end)[-1])


def lowest(run: Run, qps: int, begin: float, end: float, parts: int) -> float:
    """Goodput of the last pair, in the worst of equal parts of the time."""
    return float(goodput_over_time(run, qps, begin, end, parts)[-1].min())


def spread_of_losses(run: Run) -> float:
    """How far apart the flows' losses are: (most - least)/mean of what they sent again."""
    lost = run.completed.numbers("retransmitted_packets").astype(float)
    return float((lost.max() - lost.min()) / lost.mean())


def together(run: Run) -> float:
    """Payload bits per second of all flows until the last of them has ended."""
    flows = run.completed
    ends = flows.numbers("start_ps").astype(float) + flows.numbers("fct_ps").astype(float)
    return float(flows.numbers("size_bytes").sum()) * 8 / (float(ends.max()) * PICOSECOND)


def repeated(run: Run) -> float:
    """Packets that were sent again, of all that were sent."""
    flows = run.completed
    again = float(flows.numbers("retransmitted_packets").sum())
    full = np.ceil(flows.numbers("size_bytes").astype(float) / LEAF_PAYLOAD)
    return again / (again + float(full.sum()))
