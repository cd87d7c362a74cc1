"""A PFC deadlock as a drawing: switches on a circle, each waiting for the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from incast.present.units import plural, time_text

__all__ = ["HEADER", "drawing", "rows"]

HEADER = ["switch", "port", "waits for", "paused since", "flows whose packets are first in line"]

_MOST = 16
"""The most switches that fit on the circle with readable names."""
_MOST_FLOWS = 8
_WIDTH, _MARGIN = 760.0, 70.0
_SLOT = 26.0
"""Additional height of the drawing for each switch."""
_BOX = (96.0, 28.0)
_LETTERS = 14
"""The longest name that fits into a box, in characters."""


def rows(circle: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The ports of a deadlock as text, each followed by the port that it waits for."""
    return [
        [
            port["switch"],
            str(port["port"]),
            port["peer"],
            time_text(port["paused_ps"]),
            _flows(port["flows"]),
        ]
        for port in circle
    ]


def _flows(flows: Sequence[int]) -> str:
    shown = ", ".join(str(flow) for flow in flows[:_MOST_FLOWS])
    more = len(flows) - _MOST_FLOWS
    return f"{shown} and {more} more" if more > 0 else shown


def drawing(circle: Sequence[dict[str, Any]]) -> Markup | None:
    """The circle as SVG; ``None`` if there is no circle, or it has too many switches."""
    count = len(circle)
    if not 2 <= count <= _MOST:
        return None
    height = 230.0 + _SLOT * count
    radius = (height - 2 * _MARGIN) / 2
    centre = (_WIDTH / 2, height / 2)
    at = [_point(centre, radius, _angle(index, count)) for index in range(count)]
    arrows = "".join(
        _arrow(centre, radius, index, count) + _label(centre, radius, index, count, port)
        for index, port in enumerate(circle)
    )
    boxes = "".join(_box(place, port["switch"]) for place, port in zip(at, circle, strict=True))
    title = f"Deadlock of PFC: {plural(count, 'switch')}, each waiting for the next"
    return Markup(
        f'<svg class="deadlock" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" '
        f'aria-label="{escape(title)}"><defs><marker id="waits" viewBox="0 0 10 10" refX="9" '
        'refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse">'
        '<path class="head" d="M0 0L10 5L0 10z"/></marker></defs>'
        f'{arrows}{boxes}<text class="middle" x="{centre[0]:g}" y="{centre[1]:g}">'
        "each waits for the next</text></svg>"
    )


_Point = tuple[float, float]


def _angle(index: float, count: int) -> float:
    """The angle of a switch, clockwise from the top."""
    return 2 * math.pi * index / count - math.pi / 2


def _point(centre: _Point, radius: float, angle: float) -> _Point:
    # The circle is wider than high, to have room for names and labels.
    return centre[0] + 1.25 * radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def _arrow(centre: _Point, radius: float, index: int, count: int) -> str:
    """An arrow along the circle from the box of a switch to the box of the next."""
    clear = min(0.3, 60 / (2 * math.pi * radius / count))
    begin, end = (
        _point(centre, radius, _angle(place, count)) for place in (index + clear, index + 1 - clear)
    )
    return (
        f'<path class="waits" marker-end="url(#waits)" d="M{begin[0]:.1f} {begin[1]:.1f}'
        f'A{1.25 * radius:.1f} {radius:.1f} 0 0 1 {end[0]:.1f} {end[1]:.1f}"/>'
    )


def _label(centre: _Point, radius: float, index: int, count: int, port: dict[str, Any]) -> str:
    angle = _angle(index + 0.5, count)
    x, y = _point(centre, radius + 22, angle)
    side = math.cos(angle)
    anchor = "middle" if abs(side) < 0.3 else "start" if side > 0 else "end"
    paused = f"paused since {time_text(port['paused_ps'])}"
    return (
        f'<text class="port" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">port {port["port"]}'
        f'<tspan class="since" x="{x:.1f}" dy="1.2em">{escape(paused)}</tspan></text>'
    )


def _box(place: _Point, name: str) -> str:
    width, height = _BOX
    shown = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return (
        f'<rect x="{place[0] - width / 2:.1f}" y="{place[1] - height / 2:.1f}" rx="6" '
        f'width="{width:g}" height="{height:g}"/>'
        f'<text class="switch" x="{place[0]:.1f}" y="{place[1] + 5:.1f}">{escape(shown)}</text>'
    )
