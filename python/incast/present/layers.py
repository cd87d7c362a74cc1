"""A network in layers as text: nodes from the farthest tier down to hosts, with links between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from incast.measure.layers import Bundle, Layer, Layers
from incast.present.columns import aligned
from incast.present.units import count_text, plural, rate_text

__all__ = ["drawing", "names_text"]

_FEW = 2
_NUMBERED = re.compile(r"(.*?) ?(\d+)")


def drawing(found: Layers, indent: str = "") -> str:
    """Lines for a terminal, hosts last, each with `indent` before it.

    For example::

        2 switches  switch 36, switch 37
          │         8 links at 100 Gbps: 4 for each above, 2 for each below
        4 switches  switch 32 to 35, each 800 Gbps down and 200 Gbps up, 4 : 1
          │         32 links at 100 Gbps: 8 for each above, 1 for each below
        32 hosts    host 0 to 31
    """
    rows: list[list[str]] = []
    for layer in reversed(found.layers):
        rows.append([_counted(layer), _nodes(layer)])
        below = [each for each in found.bundles if each.above == layer.distance]
        rows += [["  │", _links(each, layer.distance)] for each in reversed(below)]
    return aligned(rows, indent=indent)


def _counted(layer: Layer) -> str:
    is_nic = any(" NIC " in name for name in layer.names)
    return plural(len(layer.names), "switch" if layer.distance else "NIC" if is_nic else "host")


def _nodes(layer: Layer) -> str:
    rates = _rates(layer)
    return ", ".join(filter(None, [names_text(layer.names), rates]))


def names_text(names: Sequence[str]) -> str:
    """Names in short: ``switch 32 to 35`` for consecutive numbers; otherwise the first and the last
    name.
    """
    if len(names) <= _FEW:
        return ", ".join(names)
    found = [_NUMBERED.fullmatch(name) for name in names]
    words = {each[1] for each in found if each}
    numbers = [int(each[2]) for each in found if each]
    follow = numbers == list(range(numbers[0], numbers[0] + len(names))) if numbers else False
    if follow and len(words) == 1:
        return f"{names[0]} to {numbers[-1]}"
    return f"{names[0]} … {names[-1]}"


def _rates(layer: Layer) -> str:
    """The total rates of a switch's links down and up, if it has both."""
    (down, most_down), (up, most_up) = layer.down_bps, layer.up_bps
    if not layer.distance or not (down and up) or (down, up) != (most_down, most_up):
        return ""
    begin = "each " if len(layer.names) > 1 else ""
    share = f"{down / up:.3g} : 1" if down >= up else f"1 : {up / down:.3g}"
    return f"{begin}{rate_text(down)} down and {rate_text(up)} up, {share}"


def _links(found: Bundle, distance: int) -> str:
    of = [
        f"{plural(links, 'link') if place == 0 else count_text(links)} at {rate_text(rate)}"
        for place, (rate, links) in enumerate(found.rates.items())
    ]
    within = " among them" if found.below == distance else ""
    return f"{', '.join(of)}{within}: {', '.join(_each(found))}"


def _each(found: Bundle) -> Iterator[str]:
    if found.below == found.above:
        yield f"{_count(found.each_below)} for each"
        return
    yield f"{_count(found.each_above)} for each above"
    where = (
        "below" if found.above - found.below == 1 else f"{found.above - found.below} layers below"
    )
    yield f"{_count(found.each_below)} for each {where}"


def _count(span: tuple[int, int]) -> str:
    least, most = span
    return count_text(least) if least == most else f"{count_text(least)} to {count_text(most)}"
