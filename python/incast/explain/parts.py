"""Parts of an FCT: sums of spans, with the flows that caused them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast.explain.critical_path import Span
from incast.explain.pauses import PauseOrigins
from incast.measure.ports import Place, Port

__all__ = ["AT_PORTS", "Began", "Behind", "Part", "parts_of"]

AT_PORTS = ("queue", "pause", "nic", "idle")
"""Parts that belong to a port."""


@dataclass(frozen=True)
class Behind:
    """A flow whose packets left a port while another flow waited for it."""

    flow: int | None
    """The number of the flow; ``None`` for PFC frames."""
    is_data: bool
    """Whether the packets that left were data; otherwise they were ACKs or other replies."""
    ps: int


@dataclass(frozen=True)
class Began:
    """The origin of pauses that held a port."""

    port: str
    """The first port whose queue was itself not held by a pause; after a fault, the paused port."""
    flow: int | None
    """The flow with most of the data that waited there and had come from the paused peer. ``None``
    after a fault: the link was back or at full rate, and no frame had told yet whether its peer
    pauses.
    """
    ps: int


@dataclass(frozen=True)
class Part:
    """A part of an FCT, along the critical path."""

    part: str
    """One of :data:`incast.explain.critical_path.PARTS`."""
    port: str | None
    """The name of the port, if the part belongs to a port."""
    ps: int
    in_window_ps: int
    """Time of the part that belongs to a full window: not the flow's last packet waited there, but
    packets whose ACKs opened the window.
    """
    of_replies: bool
    """For a queue or a pause: whether ACKs or other replies waited; otherwise data waited."""
    behind: Sequence[Behind]
    """For a queue or the NIC: the flows whose packets left, the longest time first."""
    began: Sequence[Began]
    """For a pause: its origins, the longest time first."""


def parts_of(
    along: Sequence[Span], ports: Mapping[Place, Port], origins: PauseOrigins
) -> list[Part]:
    """Sums of spans by part and port, the largest first."""
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
    """The flows whose packets left during these spans of waiting."""
    behind: dict[tuple[int | None, bool], int] = defaultdict(int)
    for span in waiting:
        behind[span.flow, span.is_data] += span.ps
    ranked = sorted(behind.items(), key=lambda each: -each[1])
    return [Behind(flow, is_data, ps) for (flow, is_data), ps in ranked]


def _began(
    paused: Sequence[Span], ports: Mapping[Place, Port], origins: PauseOrigins
) -> list[Began]:
    """The origins of the pauses in these spans."""
    began: dict[tuple[str, int | None], int] = defaultdict(int)
    for span in paused:
        assert span.place is not None
        origin = origins.of(span.place, span.start)
        place, flow = (span.place, None) if origin is None else origin
        began[ports[place].label, flow] += span.ps
    ranked = sorted(began.items(), key=lambda each: -each[1])
    return [Began(port, flow, ps) for (port, flow), ps in ranked]
