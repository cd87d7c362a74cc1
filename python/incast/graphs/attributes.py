"""The meaning of attributes of nodes and links: kinds, places, rates, delays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from incast.graphs.network_graph import GraphLink, GraphNode, NetworkGraph
from incast.graphs.quantities import (
    LIGHT_IN_FIBRE_KM_PER_S,
    distance_km,
    number,
    rate_bps,
    rate_in,
    time_in,
    time_ps,
)

__all__ = ["Attributes", "Units", "graph_of"]

Attributes = Mapping[Any, Any]

_RATES = ("rate", "bandwidth", "capacity", "speed", "bw", "link_rate", "data_rate")
_DELAYS = ("delay", "latency", "link_delay", "propagation_delay")
_PLACES = (("Latitude", "Longitude"), ("latitude", "longitude"), ("lat", "lon"), ("lat", "lng"))
_NAMES = ("label", "name")
_KINDS = ("type", "kind", "role", "node_type")
_HOSTS = {"host", "server", "endhost", "end-host", "compute", "gpu", "npu", "xpu"}


@dataclass(frozen=True)
class Units:
    """Units of numbers without a unit; ``None`` if the unit is unknown."""

    rate: str | None = None
    delay: str | None = None

    def of_file(self, attributes: Attributes) -> Units:
        """These units, completed by units that the graph itself states, as FNSS does."""
        told = {str(key).lower(): value for key, value in attributes.items()}
        rate = self.rate or told.get("capacity_unit") or told.get("bandwidth_unit")
        delay = self.delay or told.get("delay_unit") or told.get("latency_unit")
        return Units(*(str(unit) if unit else None for unit in (rate, delay)))


def graph_of(
    nodes: Iterable[tuple[Any, Attributes]],
    links: Iterable[tuple[Any, Any, Attributes]],
    *,
    units: Units,
    is_directed: bool,
    edge_labels_are_rates: bool = True,
) -> NetworkGraph:
    """The network of these nodes and links."""
    listed = list(nodes)
    places = {node: index for index, (node, _) in enumerate(listed)}
    account = _Account()
    made = [_node(node, attributes) for node, attributes in listed]
    found = []
    for a, b, attributes in links:
        ends = (places[a], places[b])
        if a == b:
            account.count("a link from a node to itself", made[ends[0]].name, "left out")
            continue
        rate = _rate(attributes, units, account, labels=edge_labels_are_rates)
        delay = _delay(attributes, units, account)
        if delay is None:
            delay = _delay_of_distance(made[ends[0]], made[ends[1]], account)
        found.append(GraphLink(ends, rate, delay))
    if is_directed:
        found = _both_ways(found, account)
    return NetworkGraph(made, found, account.notes())


def _node(node: Any, attributes: Attributes) -> GraphNode:
    names = (attributes.get(key) for key in _NAMES)
    name = next((str(each) for each in names if each not in (None, "")), str(node))
    kinds = {str(attributes.get(key, "")).lower() for key in _KINDS}
    return GraphNode(name, bool(kinds & _HOSTS), _place(attributes))


def _place(attributes: Attributes) -> tuple[float, float] | None:
    for keys in _PLACES:
        try:
            latitude, longitude = (float(attributes[key]) for key in keys)
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if abs(latitude) <= 90 and abs(longitude) <= 360:
            return latitude, longitude
    return None


class _Account:
    """Counts how many attributes had the same outcome, and keeps the first value."""

    def __init__(self) -> None:
        self._counted: dict[tuple[str, str], tuple[int, str]] = {}

    def count(self, what: str, value: str, outcome: str) -> None:
        times, first = self._counted.get((what, outcome), (0, value))
        self._counted[what, outcome] = (times + 1, first)

    def notes(self) -> list[tuple[str, str, str]]:
        return [
            (what, first if times == 1 else f"{first} and {times - 1} more", outcome)
            for (what, outcome), (times, first) in self._counted.items()
        ]


def _rate(attributes: Attributes, units: Units, account: _Account, *, labels: bool) -> int | None:
    """The rate of a link: from Topology Zoo's attribute, else from attributes with common names,
    else from a label.
    """
    raw = number(attributes.get("LinkSpeedRaw"))
    if raw is not None:
        account.count("LinkSpeedRaw", str(attributes["LinkSpeedRaw"]), "used: rate, in bit/s")
        return round(raw) or None
    speed, prefix = attributes.get("LinkSpeed"), str(attributes.get("LinkSpeedUnits", ""))
    if speed is not None and prefix:
        rate = rate_bps(f"{speed}{prefix}")
        if rate is not None:
            account.count("LinkSpeed", f"{speed} {prefix}", "used: rate")
            return rate
    rate = _quantity(attributes, _RATES, (rate_bps, rate_in), units.rate, account)
    if rate is not None or not labels:
        return rate
    for key in ("LinkLabel", "label"):
        text = str(attributes.get(key) or "")
        rate = rate_bps(text)
        if rate is not None:
            account.count(key, text, "used: rate")
            return rate
        if text:
            account.count(key, text, "not used: no single rate")
    return None


def _delay(attributes: Attributes, units: Units, account: _Account) -> int | None:
    return _quantity(attributes, _DELAYS, (time_ps, time_in), units.delay, account)


def _quantity(
    attributes: Attributes,
    keys: tuple[str, ...],
    read: tuple[Callable[[str], int | None], Callable[[Any, str], int | None]],
    unit: str | None,
    account: _Account,
) -> int | None:
    of_text, of_number = read
    for key in keys:
        if (value := attributes.get(key)) in (None, ""):
            continue
        found = of_text(value) if isinstance(value, str) else None
        if found is None and unit is not None:
            found = of_number(value, unit)
        if found is not None:
            told = f"used, in {unit}" if number(value) is not None else "used"
            account.count(key, str(value), told)
            return found
        if number(value) is None:
            account.count(key, str(value), "not used: no positive number with a unit")
        else:
            account.count(key, str(value), "not used: it has no unit")
    return None


def _delay_of_distance(one: GraphNode, other: GraphNode, account: _Account) -> int | None:
    if one.place is None or other.place is None:
        return None
    km = max(distance_km(one.place, other.place), _SHORTEST_KM)
    account.count("coordinates", f"{one.name} to {other.name}", "used: delay, 5 us for each km")
    # Rounded to the ns, as coordinates are no more precise.
    return round(Fraction(km) * 10**9 / LIGHT_IN_FIBRE_KM_PER_S) * 1000


_SHORTEST_KM = 1.0
"""The length of a link between two places with the same coordinates, in the same town."""


def _both_ways(links: list[GraphLink], account: _Account) -> list[GraphLink]:
    """Links made from arcs: two opposite arcs become one link, and so does an arc without an
    opposite.
    """
    waiting: dict[tuple[int, int], list[int]] = {}
    paired: list[GraphLink] = []
    for link in links:
        back = waiting.get((link.ends[1], link.ends[0]))
        if not back:
            waiting.setdefault(link.ends, []).append(len(paired))
            paired.append(link)
            continue
        at = back.pop(0)
        if (paired[at].rate_bps, paired[at].delay_ps) != (link.rate_bps, link.delay_ps):
            account.count(
                "a direction of a link",
                f"{link.ends[0]} to {link.ends[1]}",
                "not used: its rate or delay differs from that of the way back",
            )
    single = sum(map(len, waiting.values()))
    if single:
        outcome = "used: a link here goes both ways"
        account.count("links of one direction", str(single), outcome)
    return paired
