"""The estimate of a run in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from incast.pace import PACES
from incast.present.units import bytes_text, count_text, plural, seconds_text, time_text

__all__ = ["effort", "fewer_rows", "thinning"]


def effort(estimate: Mapping[str, Any]) -> str:
    """Packet-hops (flit-hops of a fabric), their time on one core, and memory."""
    fabric = "flit_hops" in estimate
    unit, pace = ("flit-hops", PACES["fabric"]) if fabric else ("packet-hops", PACES["network"])
    hops = round(estimate[unit.replace("-", "_")])
    more = " and what is sent again" if estimate.get("may_drop") else ""
    least, most = hops / pace.fast, hops / pace.slow
    time = "under 1 s" if most < 1 else f"{seconds_text(least)} to {seconds_text(most)}"
    paces = f"{count_text(pace.slow)} to {count_text(pace.fast)} a second"
    memory = bytes_text(estimate["memory_bytes"])
    return f"about {count_text(hops)} {unit}{more}: {time} at {paces}; {memory} of memory"


def thinning(estimate: Mapping[str, Any]) -> list[str]:
    """A sentence for each series of which not all samples will be kept."""
    text: Callable[[float], str]
    if "flit_hops" in estimate:
        series = {"the fabric": estimate["samples"]}
        unit, text = "cycles", _cycles
    else:
        series = {"queues": estimate["queues"], "flows": estimate["flow_series"]}
        unit, text = "ps", time_text
    every, kept_every = f"every_{unit}", f"kept_every_{unit}"
    return [
        f"samples of {name} every {text(found[every])} would make about "
        f"{count_text(found['rows'])} rows: to keep to measure.rows, the results will have those "
        f"every {text(found[kept_every])} or so"
        for name, found in series.items()
        if found and found[kept_every] > found[every]
    ]


def fewer_rows(estimate: Mapping[str, Any]) -> list[str]:
    """A sentence if rows of all flows would not fit into memory."""
    if estimate.get("rows_fit", True):
        return []
    return [
        "rows of all flows would not fit into memory: the results will have those of the slowest "
        "flows (measure.flows.rows), and statistics of all"
    ]


def _cycles(count: float) -> str:
    return plural(round(count), "cycle")
