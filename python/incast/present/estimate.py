"""What a run will take, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incast.present.units import bytes_text, count_text, seconds_text, time_text

__all__ = ["effort", "thinning"]


def effort(estimate: Mapping[str, Any]) -> str:
    """Packet-hops, time and memory."""
    hops = count_text(round(estimate["packet_hops"]))
    seconds = estimate["cpu_seconds"]
    time = seconds_text(seconds) if seconds >= 1 else "under 1 s"
    return f"about {hops} packet-hops, {time}, {bytes_text(estimate['memory_bytes'])} of memory"


def thinning(estimate: Mapping[str, Any]) -> list[str]:
    """One sentence for each series of which not all samples will be kept."""
    series = {"queues": estimate["queues"], "flows": estimate["flow_series"]}
    return [
        f"samples of {name} every {time_text(found['every_ps'])} would make about "
        f"{count_text(found['rows'])} rows: to keep to measure.rows, the results will have those "
        f"every {time_text(found['kept_every_ps'])} or so"
        for name, found in series.items()
        if found and found["kept_every_ps"] > found["every_ps"]
    ]
