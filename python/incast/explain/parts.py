"""Parts of an FCT: sums of spans, and who was behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast.explain.critical_path import Span
from incast.explain.pauses import PauseOrigins
from incast.measure.ports import Place, Port

__all__ = ["AT_PORTS", "Began", "Behind", "Part", "parts_of"]

AT_PORTS = ("queue", "pause", "nic", "idle")
"""Parts that are of a port each."""


@dataclass(frozen=True)
class Behind:
    """A flow whose packets left a port while another flow waited for it."""

    flow: int | None
    """The flow; none for PFC frames."""
    is_data: bool
    """Whether the packets were data; else they were ACKs and the like."""
    ps: int


@dataclass(frozen=True)
class Began:
    """Where pauses began that held a port."""

    port: str
    """The port whose queue had no pause to wait for."""
    flow: int
    """The flow with most of the data there that had come from the paused peer."""
    ps: int


@dataclass(frozen=True)
class Part:
    """A part of an FCT, along the critical path."""

    part: str
    """One of :data:`incast.explain.critical_path.PARTS`."""
    port: str | None
    """The name of the port, of parts that have one."""
    ps: int
    in_window_ps: int
    """How much of it was spent with a full window: not the last packet waited there, but those
    whose ACKs opened the window.
    """
    of_replies: bool
    """Of a queue or a pause: whether its ACKs waited, or other replies; else data."""
    behind: Sequence[Behind]
    """Of a queue and of the NIC: whose packets left, those that took the longest first."""
    began: Sequence[Began]
    """Of a pause: where it began, the longest first."""


def parts_of(
    along: Sequence[Span], ports: Mapping[Place, Port], origins: PauseOrigins
) -> list[Part]:
    """Sums of spans by part and port, the longest first."""
    groups: dict[tuple[str, Place | None, bool], list[Span]] = defaultdict(list)
    for span in along:
        place = span.place if span.part in AT_PORTS else None
        groups[span.part, place, span.of_reply].append(span)
    parts = [
        Part(
            part,
            None if place is None else ports[place].label,
            sum(span.ps for span in own),
            sum(span.ps for span in own if span.in_window),
            of_replies,
            _behind(own) if part in ("queue", "nic") else [],
            _began(own, ports, origins) if part == "pause" else [],
        )
        for (part, place, of_replies), own in groups.items()
    ]
    return sorted(parts, key=lambda each: -each.ps)


def _behind(waiting: Sequence[Span]) -> list[Behind]:
    """The flows whose packets left while a flow waited."""
    behind: dict[tuple[int | None, bool], int] = defaultdict(int)
    for span in waiting:
        behind[span.flow, span.is_data] += span.ps
    ranked = sorted(behind.items(), key=lambda each: -each[1])
    return [Behind(flow, is_data, ps) for (flow, is_data), ps in ranked]


def _began(
    paused: Sequence[Span], ports: Mapping[Place, Port], origins: PauseOrigins
) -> list[Began]:
    """Where the pauses of a port began."""
    began: dict[tuple[str, int], int] = defaultdict(int)
    for span in paused:
        assert span.place is not None
        if (origin := origins.of(span.place, span.start)) is not None:
            began[ports[origin.place].label, origin.flow] += span.ps
    ranked = sorted(began.items(), key=lambda each: -each[1])
    return [Began(port, flow, ps) for (port, flow), ps in ranked]
