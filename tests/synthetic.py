"""Results folders made up from formulas, to test the front without an engine.

Numbers are plausible, not simulated. Both shapes of results are here: a star with few flows, each
sampled, and a fabric with many flows, sampled in total only.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from incast import _core

MICROSECOND = 1_000_000  # in picoseconds
BUCKETS = [0, 1_000, 10_000, 100_000, 1_000_000, None]


def star(folder: Path, *, algorithm: str = "hpcc", partial: bool = False, seed: int = 1) -> Path:
    """Sixteen flows of 1 MB to one host, two starting every 20 µs, sampled every microsecond."""
    rng = np.random.default_rng(seed)
    starts = np.repeat(np.arange(8), 2) * 20 * MICROSECOND
    fct = (1_400 - 40 * np.arange(16)) * MICROSECOND + rng.integers(0, MICROSECOND, 16)
    finished = 6 if partial else 16
    every = flow_table(np.full(16, 1_000_000), starts, fct)
    every = every.take(np.argsort(starts + fct))
    flows = every.slice(0, finished)
    fast = 1.0 if algorithm == "hpcc" else 0.4
    facts = summary("star16", algorithm, flows, started=16, partial=partial, hosts=17)
    facts["rtt_ps"] = [
        {"traffic": 0, "count": 16_000, "mean": 6e6}
        | {"min": 4_000_000, "p1": 4_100_000, "p50": 5_000_000, "p95": 7_000_000}
        | {"p99": 8_000_000, "p999": 8_900_000, "max": 9_000_000}
    ]
    facts["reordering"] = {
        "received_packets": 1_000,
        "out_of_order_packets": 60,
        "out_of_order_share": 0.06,
        "out_of_order_flows": 4,
        "flow_buffer_bytes": 9_000,
        "buffer_bytes": 11_000,
        "buffer_port": "host 16 port 0 → switch 17",
        "distance": {"mean": 2.1, "p50": 1, "p99": 7, "max": 7, "by_doubling": [30, 20, 10]},
    }
    write(
        folder,
        facts,
        with_unfinished(every, finished),
        series_table(_star_series(starts, starts + fct, fast, rng)),
        port_table(17, rng),
    )
    edges = 4_000_000 + 1_000_000 * np.arange(6, dtype=np.uint64)
    packets = np.array([3_000, 8_000, 4_000, 900, 100], dtype=np.uint64)
    trips = {"rtt_from_ps": edges[:-1], "rtt_to_ps": edges[1:], "packets": packets}
    pq.write_table(pa.table(trips), folder / "round_trips.parquet")
    return folder


def fabric(folder: Path, *, algorithm: str = "hpcc", flows: int = 32_921, seed: int = 1) -> Path:
    """Many flows of very different sizes on 320 hosts, sampled in total only."""
    rng = np.random.default_rng(seed)
    sizes = np.clip(10 ** rng.normal(3.3, 1.2, flows), 1, 1e7).astype(int)
    starts = np.sort(rng.integers(0, 2_000 * MICROSECOND, flows))
    slow = 1 + rng.gamma(0.3, 0.8, flows) * (1 + np.log10(sizes) / 3)
    table = flow_table(sizes, starts, (ideal(sizes) * slow).astype(int))
    time = np.arange(0, 2_400) * MICROSECOND
    load = np.clip(np.minimum(time / 4e8, (2.4e9 - time) / 4e8), 0, 1)
    series = {
        ("queue_max_bytes", "network"): (time, 9e5 * load * rng.random(len(time))),
        ("queue_sum_bytes", "network"): (time, 9e6 * load * rng.random(len(time))),
        ("active_flows", "network"): (time, np.floor(900 * load + 30 * rng.random(len(time)))),
        ("goodput_bps", "network"): (time, 1.6e13 * load * (0.9 + 0.1 * rng.random(len(time)))),
        ("jain_index", "network"): (time, 0.3 + 0.2 * rng.random(len(time))),
        ("paused_ports", "network"): (time, (rng.random(len(time)) > 0.99) * 3.0),
    }
    write(
        folder,
        summary("hadoop-320", algorithm, table, started=flows, hosts=320),
        table,
        series_table(series),
        port_table(320, rng),
    )
    return folder


def empty(folder: Path) -> Path:
    """A run that was interrupted before any flow started, and measured nothing."""
    none = np.array([], dtype=int)
    flows = flow_table(none, none, none)
    facts = summary("empty", "none", flows, started=0, partial=True, hosts=2)
    nothing = dict.fromkeys(("peak_port", "mean", "p50", "p95", "p99", "p999"))
    facts |= {"jain_index": None, "queue_bytes": {"peak": 0} | nothing, "simulated_ps": 0}
    write(folder, facts, flows, series_table({}), port_table(0, np.random.default_rng(1)))
    return folder


def ideal(sizes: np.ndarray) -> np.ndarray:
    """Ideal FCT in picoseconds, at 100 Gbps with a base RTT of 4.16 µs."""
    return (4_160_000 + sizes * 80).astype(int)


def flow_table(sizes: np.ndarray, starts: np.ndarray, fct: np.ndarray) -> pa.Table:
    count = len(sizes)
    fct = np.maximum(fct, ideal(sizes))
    return pa.table(
        {
            "flow_id": np.arange(count, dtype="u4"),
            "traffic": np.zeros(count, "u2"),
            "source": np.arange(count, dtype="u4") % 16,
            "destination": np.full(count, 16, "u4"),
            "source_port": np.full(count, 10_000, "u2"),
            "size_bytes": sizes.astype("u8"),
            "start_ps": starts.astype("u8"),
            "fct_ps": fct.astype("u8"),
            "ideal_fct_ps": ideal(sizes).astype("u8"),
            "slowdown": (fct / ideal(sizes)).astype("f8"),
            "retransmitted_packets": np.zeros(count, "u4"),
        }
    )


def with_unfinished(flows: pa.Table, finished: int) -> pa.Table:
    """The table of flows, of which only the first `finished` have completed."""
    for name in ("fct_ps", "ideal_fct_ps", "slowdown"):
        place = flows.schema.get_field_index(name)
        told = flows.column(place).to_pylist()[:finished] + [None] * (len(flows) - finished)
        flows = flows.set_column(place, name, pa.array(told, flows.schema.field(place).type))
    return flows


def series_table(series: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]) -> pa.Table:
    rows = {"time_ps": [], "measure": [], "entity": [], "value": []}
    for (measure, entity), (time, value) in series.items():
        rows["time_ps"].extend(time.tolist())
        rows["measure"].extend([measure] * len(time))
        rows["entity"].extend([entity] * len(time))
        rows["value"].extend(np.asarray(value, float).tolist())
    return pa.table(
        {
            "time_ps": pa.array(rows["time_ps"], pa.uint64()),
            "measure": pa.array(rows["measure"], pa.utf8()).dictionary_encode(),
            "entity": pa.array(rows["entity"], pa.utf8()).dictionary_encode(),
            "value": pa.array(rows["value"], pa.float64()),
        }
    )


def port_table(ports: int, rng: np.random.Generator) -> pa.Table:
    packets = rng.integers(0, 16_000, ports)
    columns = {
        "node": np.full(ports, 17, "u4"),
        "port": np.arange(ports, dtype="u2"),
        "label": pa.array([f"switch 17 port {port} → host {port}" for port in range(ports)]),
        "peer": np.arange(ports, dtype="u4"),
        "rate_bps": np.full(ports, 100_000_000_000, "u8"),
        "data_packets": packets.astype("u8"),
        "data_bytes": (packets * 1_090).astype("u8"),
        "control_packets": packets.astype("u8"),
        "control_bytes": (packets * 88).astype("u8"),
        "marked": np.zeros(ports, "u8"),
        "dropped": np.zeros(ports, "u8"),
        "queue_max_bytes": (packets * 7).astype("u8"),
        "pauses_sent": np.zeros(ports, "u8"),
        "paused_ps": np.zeros(ports, "u8"),
        "utilisation": packets / 16_300,
    }
    return pa.table(columns)


def summary(
    name: str,
    algorithm: str,
    flows: pa.Table,
    *,
    started: int,
    hosts: int,
    partial: bool = False,
) -> dict[str, Any]:
    sizes, slowdowns = flows["size_bytes"].to_numpy(), flows["slowdown"].to_numpy()
    fct = flows["fct_ps"].to_numpy().astype(float)
    return {
        "incast": "0.1.0",
        "engine": _core.__engine__,
        "identity": f"{abs(hash((name, algorithm))):016x}"[:16],
        "fingerprint": "0123456789abcdef",
        "name": name,
        "algorithm": algorithm,
        "profile": "default",
        "clock": "picoseconds",
        "seed": 1,
        "partial": partial,
        "hosts": hosts,
        "switches": 1,
        "links": hosts,
        "base_rtt_ps": 4_160_000,
        "bdp_bytes": 52_000,
        "simulated_ps": 1_538_400_000,
        "wall_seconds": 0.0123,
        "cpu_seconds": 0.0117,
        "threads": 1,
        "packet_hops": 64_000,
        "packet_hops_per_cpu_second": 5.4e6,
        "flows": {"started": started, "finished": len(sizes)},
        "fct_slowdown": {
            "all": statistics(slowdowns),
            "by_size": [
                {"from_bytes": low, "to_bytes": high}
                | statistics(slowdowns[(sizes > low) & (sizes <= (high or 1e30))])
                for low, high in pairwise(BUCKETS)
            ],
        },
        "fct_ps": statistics(fct),
        "measuring_window": None,
        "start_finish_correlation": None,
        "fair_share": None,
        "goodput_bps": {"total": 97.3e9, "mean_per_flow": 6.1e9},
        "jain_index": {
            "mean": 0.931,
            "min": 0.42,
            "final": 0.998,
            "time_to_095_ps": 411 * MICROSECOND if algorithm == "hpcc" else None,
            "after_arrivals": {
                "arrivals": 0,
                "settled": 0,
                "time_to_095_ps": statistics(np.array([])),
            },
        },
        "queue_bytes": {
            "peak": 111_180,
            "peak_port": "switch 17 port 16 → host 16",
            "mean": 1_440.0,
            "p50": 0,
            "p95": 9_000,
            "p99": 45_000,
            "p999": 98_000,
        },
        "pfc": {"pauses": 0, "paused_ps": 0, "ports_paused": 0},
        "packets": {
            "data": 16_000,
            "control": 16_000,
            "dropped": 0,
            "marked": 0,
            "retransmitted": 0,
        },
        "recovery": {
            "timeouts": 0,
            "flows_timed_out": 0,
            "timeout_wait_ps": 0,
            "timeout_wait_share": 0.0,
            "retransmitted_bytes": 0,
            "timeout_retransmitted_bytes": 0,
            "duplicate_packets": 0,
        },
        "utilisation": {
            "max": 0.982,
            "max_port": "switch 17 port 16 → host 16",
            "mean_host_links": 0.059,
        },
    }


def statistics(values: np.ndarray) -> dict[str, float | None]:
    """Statistics by the engine's definition: percentile p is ``sorted[⌊n·p⌋]``."""
    ordered = np.sort(values)
    if not len(ordered):
        names = ("mean", "p50", "p95", "p99", "p999", "max")
        return {"count": 0} | dict.fromkeys(names)
    pick = lambda p: float(ordered[min(int(len(ordered) * p), len(ordered) - 1)])  # noqa: E731
    return {
        "count": len(ordered),
        "mean": float(ordered.mean()),
        "p50": pick(0.5),
        "p95": pick(0.95),
        "p99": pick(0.99),
        "p999": pick(0.999),
        "max": float(ordered[-1]),
    }


SCENARIO = """\
name = "star16"
seed = 1
profile = "default"

[network]
topology = { kind = "star", hosts = 17 } # sixteen senders, one receiver
link_rate = "100Gbps"
link_delay = "1us"

[cc]
algorithm = "hpcc"
eta = 0.95

[[traffic]]
kind = "incast"
sizes = "1MB"
receiver = 16
senders = "all"
start = "0s"
jitter = "0s"
"""


def write(
    folder: Path, facts: dict[str, Any], flows: pa.Table, series: pa.Table, ports: pa.Table
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(flows, folder / "flows.parquet")
    pq.write_table(series, folder / "series.parquet")
    pq.write_table(ports, folder / "ports.parquet")
    (folder / "summary.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")


def _star_series(
    starts: np.ndarray, ends: np.ndarray, fast: float, rng: np.random.Generator
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    time = np.arange(0, int(ends.max()), MICROSECOND)
    active = ((time[:, None] >= starts) & (time[:, None] < ends)).sum(axis=1)
    queue = 1e5 * np.exp(-time / (2e8 / fast)) + 2e3 * rng.random(len(time))
    bottleneck = "switch 17 port 16 → host 16"
    series = {
        ("queue_bytes", bottleneck): (time, queue),
        ("queue_max_bytes", "network"): (time, queue),
        ("queue_sum_bytes", "network"): (time, queue * 1.01),
        ("active_flows", "network"): (time, active),
        ("goodput_bps", "network"): (time, 9.2e10 * (1 - 0.05 * rng.random(len(time)))),
        ("jain_index", "network"): (time, 1 - 0.6 * np.exp(-time / (3e8 / fast))),
        ("paused_ports", "network"): (time, np.zeros(len(time))),
    }
    for flow in range(16):
        alive = (time >= starts[flow]) & (time < ends[flow])
        age = time[alive] - starts[flow]
        fair = 1e11 / np.maximum(active[alive], 1)
        rate = fair + (1e11 - fair) * np.exp(-age / (1.5e7 * (1 + flow / 4)))
        series["rate_bps", f"flow {flow}"] = (time[alive], rate)
        acked = np.cumsum(rate * 0.9) * MICROSECOND * 1e-12 / 8
        series["acked_bytes", f"flow {flow}"] = (time[alive], acked)
        series["window_bytes", f"flow {flow}"] = (time[alive], rate * 4.16e-6 / 8)
    return series
