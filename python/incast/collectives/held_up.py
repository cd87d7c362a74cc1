"""Causes that held up measured operations, in sentences and for programs."""

from __future__ import annotations

from typing import Any

from incast.collectives.rows import BandwidthRow, Bandwidths
from incast.measure.critical_path import CriticalPath
from incast.present.causes import held_up_by, shares

__all__ = ["facts", "heading", "sentences"]

_TOLD = 0.1
"""A row is mentioned if one message's excess takes at least this fraction of its time."""
_MOST = 5


def heading(measured: Bandwidths) -> str:
    """A heading that names the rows of the sentences; empty if there are none."""
    told, shown = len(_told(measured)), len(sentences(measured))
    some = f" (the {shown} rows of {told} that were held up most)" if shown < told else ""
    return f"What held up the end{some}:" if shown else ""


def sentences(measured: Bandwidths) -> list[str]:
    """A sentence for each of the most delayed rows."""
    worst = sorted(_told(measured), key=lambda each: -_share(each[1].path))[:_MOST]
    alone = len(measured.series) == 1
    return [
        f"{row.size_bytes} B{'' if alone else f', {label}'}: {_sentence(row.path)}"
        for label, row in _told(measured)
        if row.path is not None and any(row is each for _, each in worst)
    ]


def facts(path: CriticalPath | None) -> dict[str, Any] | None:
    """A critical path as plain values for programs."""
    if path is None:
        return None
    by = path.by
    return {
        "messages": path.messages,
        "alone_share": path.alone_ps / path.time_ps,
        "held_up_share": path.held_up_ps / path.time_ps,
        "timeout_share": path.timeout_ps / path.time_ps,
        "computing_share": path.computing_ps / path.time_ps,
        "held_up_by": None
        if by is None
        else {
            "flow_id": by.message.flow_id,
            "source": by.message.source,
            "destination": by.message.destination,
            "size_bytes": by.message.size_bytes,
            "fct_us": by.message.fct_ps / 1e6,
            "usual_fct_us": by.usual_ps / 1e6,
            "timeouts": by.message.timeouts,
            "paused_ports": int(by.paused_ports),
            "longest_queue_bytes": by.longest_queue_bytes,
        },
    }


def _told(measured: Bandwidths) -> list[tuple[str, BandwidthRow]]:
    return [
        (label, row)
        for label, rows in measured.series.items()
        for row in rows
        if row.path is not None and (row.path.timeout_ps or _share(row.path) >= _TOLD)
    ]


def _share(path: CriticalPath | None) -> float:
    """The fraction of the time by which one message exceeded comparable ones, or of timeouts if
    that is larger.
    """
    if path is None:
        return 0.0
    longer = path.by.extra_ps if path.by is not None else 0.0
    return max(longer, path.timeout_ps) / path.time_ps


def _sentence(path: CriticalPath) -> str:
    by = path.by
    if by is None:
        return f"{shares(path)}; no message stands out"
    return f"{shares(path)}; {by.message.hosts}, {held_up_by(by)}"
