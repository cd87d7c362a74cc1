"""Published measurements of machines, from `measured.toml`, and our numbers to compare."""

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
"""Payload of a packet of 4096 B, in the experiments with drops."""


def _measured() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "measured.toml").read_text(encoding="utf-8"))


MEASURED = _measured()
"""The numbers in `measured.toml`."""


def launched(run: Run) -> float:
    """Seconds of an all-reduce, including the launch time that NCCL assumes."""
    base = float(MEASURED["nccl"]["ring_simple_base_us"]) * 1e-6
    return base + float(run.summary["collectives"][0]["time_ps"]) * PICOSECOND


def bus_bandwidth(gpus: int, mebibytes: int, seconds: float) -> float:
    """Bus bandwidth of an all-reduce in GB/s, as nccl-tests defines it."""
    return mebibytes * MIB * 2 * (gpus - 1) / gpus / seconds / 1e9


def geomean(errors: Iterable[float]) -> float:
    """The geometric mean of the errors' absolute values."""
    return math.exp(float(np.mean([math.log(abs(error)) for error in errors])))


def one_way(run: Run) -> float:
    """Goodput of a single flow, in bit/s."""
    flows = run.completed
    (size,), (fct,) = flows.numbers("size_bytes"), flows.numbers("fct_ps")
    return float(size) * 8 / (float(fct) * PICOSECOND)


def goodput_over_time(run: Run, qps: int, begin: float, end: float, parts: int) -> Array:
    """Goodput of each pair of hosts in bit/s, with a row per pair, in equal parts of the time
    between two times in seconds. The QPs of a pair have consecutive numbers.
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
    """Goodput of each pair of hosts between two times in seconds, in bit/s."""
    return goodput_over_time(run, qps, begin, end, 1)[:, 0]


def goodput(run: Run, qps: int, begin: float, end: float) -> float:
    """Goodput of the last pair of hosts."""
    return float(per_pair(run, qps, begin, end)[-1])


def lowest(run: Run, qps: int, begin: float, end: float, parts: int) -> float:
    """Goodput of the last pair of hosts, in the worst part of the time."""
    return float(goodput_over_time(run, qps, begin, end, parts)[-1].min())


def spread_of_losses(run: Run) -> float:
    """Spread of the flows' losses: (largest − smallest) / mean number of retransmitted packets."""
    lost = run.completed.numbers("retransmitted_packets").astype(float)
    return float((lost.max() - lost.min()) / lost.mean())


def together(run: Run) -> float:
    """Total payload over the time until the last flow has ended, in bit/s."""
    flows = run.completed
    ends = flows.numbers("start_ps").astype(float) + flows.numbers("fct_ps").astype(float)
    return float(flows.numbers("size_bytes").sum()) * 8 / (float(ends.max()) * PICOSECOND)


def repeated(run: Run) -> float:
    """The share of retransmissions among all packets sent."""
    flows = run.completed
    again = float(flows.numbers("retransmitted_packets").sum())
    full = np.ceil(flows.numbers("size_bytes").astype(float) / LEAF_PAYLOAD)
    return again / (again + float(full.sum()))
