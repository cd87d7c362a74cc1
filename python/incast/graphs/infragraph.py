"""Reads infrastructures of InfraGraph 3 (Keysight/infragraph), as YAML or JSON.

Devices have components. An instance is a number of equal devices. Edges join components of
instances, chosen by slices, either one to one or each with each. Here each device of an instance
becomes a node: a host if it contains NICs or XPUs, also in devices inside of it; otherwise a
switch. Each edge becomes a link, which has its own NIC at a host. Links inside of a device are
ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Any

from incast.errors import ImportFileError
from incast.graphs.attributes import Units, graph_of
from incast.graphs.network_graph import NetworkGraph
from incast.graphs.optional import read_yaml

__all__ = ["is_infragraph", "read_infragraph"]

_UNITS = {"gigabits_per_second": ("Gbps", 1), "gigabytes_per_second": ("Gbps", 8)}
_MAX_NODES, _MAX_LINKS = 1 << 20, 1 << 22
"""The limits of the engine."""


def is_infragraph(text: str) -> bool:
    """Whether a text has instances of devices."""
    lists = ("instances", "devices")
    return all(
        re.search(rf'(?:^|[{{,])\s*"?{name}"?\s*:', text, re.MULTILINE) for name in lists
    ) and (re.search(r'\bep1"?\s*:|"?connections"?\s*:', text) is not None)


def read_infragraph(text: str, units: Units) -> NetworkGraph:
    """The network between the instances of a file."""
    held = _loaded(text)
    infrastructure = held.get("infrastructure", held)
    if "edges" not in infrastructure and "connections" in infrastructure:
        what = "has `connections`, which InfraGraph had before version 3"
        raise ImportFileError(what, key="connections", hint="write them as `edges`")
    devices = {_word(each, "devices", "name"): each for each in _list(infrastructure, "devices")}
    instances = _instances(_list(infrastructure, "instances"), devices)
    links = {_word(each, "links", "name"): each for each in _list(infrastructure, "links")}
    numbered: dict[tuple[str, int], int] = {}
    nodes: list[tuple[int, dict[str, Any]]] = []
    for instance in instances.values():
        for index in range(instance.count):
            numbered[instance.name, index] = len(nodes)
            kind = "host" if _is_host(instance.device, devices, set()) else "switch"
            nodes.append((len(nodes), {"name": f"{instance.name}{index}", "type": kind}))
    joined: list[tuple[int, int, dict[str, Any]]] = []
    for at, edge in enumerate(_list(infrastructure, "edges")):
        place = f"edges[{at}]"
        attributes = _attributes(links, _word(edge, place, "link"), place)
        sides = [_endpoint(edge, place, end, instances, devices) for end in ("ep1", "ep2")]
        for one, other in _pairs(edge, place, sides, _MAX_LINKS - len(joined)):
            joined.append((numbered[one], numbered[other], attributes))
    graph = graph_of(nodes, joined, units=units, is_directed=False)
    inside = sum(len(_list(device, "edges")) for device in devices.values())
    if inside:
        what = "not used: the network begins at the components that edges between instances join"
        graph.notes.append(("edges inside of devices", str(inside), what))
    return graph


def _loaded(text: str) -> dict[str, Any]:
    held = read_yaml(text, "InfraGraph", "neither YAML nor JSON")
    if not isinstance(held, dict) or not isinstance(held.get("infrastructure", held), dict):
        hint = "write `devices`, `links`, `instances` and `edges`"
        raise ImportFileError("is no infrastructure", hint=hint)
    return held


@dataclass(frozen=True)
class _Instance:
    name: str
    device: str
    count: int


def _instances(listed: list[dict[str, Any]], devices: dict[str, Any]) -> dict[str, _Instance]:
    instances: dict[str, _Instance] = {}
    left = _MAX_NODES
    for at, each in enumerate(listed):
        place = f"instances[{at}]"
        name, device = _word(each, place, "name"), _word(each, place, "device")
        if device not in devices:
            hint = f"there are {', '.join(devices) or 'none'}"
            raise ImportFileError(
                f"there is no device `{device}`", key=f"{place}.device", hint=hint
            )
        if name in instances:
            raise ImportFileError(f"`{name}` stands there twice", key=place, hint="leave one")
        count = _count(each, place)
        left -= count
        if left < 0:
            what = f"there are more than {_MAX_NODES} instances"
            raise ImportFileError(what, key=place, hint="give fewer")
        instances[name] = _Instance(name, device, count)
    return instances


def _count(each: dict[str, Any], place: str) -> int:
    count = each.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        hint = "give a whole number from 1 on"
        raise ImportFileError(f"`{count}` is no number of them", key=f"{place}.count", hint=hint)
    return count


def _is_host(device: str, devices: dict[str, Any], seen: set[str]) -> bool:
    if device in seen or device not in devices:
        return False
    seen.add(device)
    for component in _list(devices[device], "components"):
        choice = component.get("choice", component.get("type"))
        if choice in ("nic", "xpu"):
            return True
        if choice == "device" and _is_host(str(component.get("name")), devices, seen):
            return True
    return False


_Place = tuple[str, int]


def _endpoint(
    edge: dict[str, Any],
    place: str,
    end: str,
    instances: dict[str, _Instance],
    devices: dict[str, Any],
) -> tuple[list[_Place], int]:
    """The nodes of one side of an edge, in order, and the number of components of each."""
    held = edge.get(end)
    key = f"{place}.{end}"
    if not isinstance(held, dict):
        hint = 'write e.g. `{instance: "host[0]", component: "nic[0]"}`'
        raise ImportFileError("is no instance with a component", key=key, hint=hint)
    name, indices = _sliced(_word(held, key, "instance"), f"{key}.instance")
    if name not in instances:
        hint = f"there are {', '.join(instances) or 'none'}"
        raise ImportFileError(f"there is no instance `{name}`", key=f"{key}.instance", hint=hint)
    instance = instances[name]
    chosen = _range(indices, instance.count, f"{key}.instance")
    device, components = instance.device, 1
    for word in _word(held, key, "component").split("."):
        component, indices = _sliced(word, f"{key}.component")
        counts = {
            str(each.get("name")): _count(each, f"devices.{device}.components")
            for each in _list(devices.get(device, {}), "components")
        }
        if component not in counts:
            hint = f"device `{device}` has {', '.join(counts) or 'none'}"
            what = f"there is no component `{component}`"
            raise ImportFileError(what, key=f"{key}.component", hint=hint)
        components *= len(_range(indices, counts[component], f"{key}.component"))
        device = component
    return [(name, index) for index in chosen], components


def _pairs(
    edge: dict[str, Any], place: str, sides: list[tuple[list[_Place], int]], room: int
) -> list[tuple[_Place, _Place]]:
    """The pairs of nodes that the links of an edge join."""
    (ones, of_one), (others, of_other) = sides
    scheme = edge.get("scheme")
    counts = len(ones) * of_one, len(others) * of_other
    if scheme not in ("one2one", "many2many"):
        what = f"the scheme `{scheme}` is not known" if scheme != "ring" else "a ring is not read"
        hint = "write `one2one` or `many2many`"
        raise ImportFileError(what, key=f"{place}.scheme", hint=hint)
    if (counts[0] * counts[1] if scheme == "many2many" else max(counts)) > room:
        what = f"there are more than {_MAX_LINKS} links"
        raise ImportFileError(what, key=place, hint="give fewer")
    one, other = ([each for each in each_side for _ in range(times)] for each_side, times in sides)
    joined = product(one, other) if scheme == "many2many" else zip(one, other, strict=False)
    return [(a, b) for a, b in joined if a != b]


_SLICE = re.compile(r"([^\[\]]+?)(?:\[(\d*)(:?)(\d*)(?::(\d*))?\])?")


def _sliced(word: str, key: str) -> tuple[str, tuple[str, ...] | None]:
    match = _SLICE.fullmatch(word.strip())
    if match is None:
        hint = "write a slice of Python, e.g. `host[0:2]`"
        raise ImportFileError(f"`{word}` is no name with numbers", key=key, hint=hint)
    name, start, colon, stop, step = match.groups()
    return name, None if start is None else (start, colon, stop, step or "")


def _range(indices: tuple[str, ...] | None, count: int, key: str) -> range:
    if indices is None:
        return range(count)
    start, colon, stop, step = (each[:12] for each in indices)
    first = int(start or 0)
    last = int(stop or count) if colon else first + 1
    chosen = range(first, last, int(step or 1) or 1)
    if not chosen or max(chosen) >= count:
        what = f"[{start}{colon}{stop}] goes beyond them"
        raise ImportFileError(what, key=key, hint=f"there are {count}, counted from 0")
    return chosen


def _attributes(links: dict[str, Any], name: str, place: str) -> dict[str, Any]:
    """Rate and delay of a link, as text with units."""
    if name not in links:
        hint = f"there are {', '.join(links) or 'none'}"
        raise ImportFileError(f"there is no link `{name}`", key=f"{place}.link", hint=hint)
    physical = links[name].get("physical") or {}
    told: dict[str, Any] = {}
    if not isinstance(physical, dict):
        return told
    bandwidth, latency = physical.get("bandwidth"), physical.get("latency")
    if isinstance(bandwidth, dict):
        choice = next((unit for unit in _UNITS if unit in bandwidth), None)
        if choice is not None and isinstance(bandwidth[choice], (int, float)):
            unit, times = _UNITS[choice]
            told["bandwidth"] = f"{bandwidth[choice] * times}{unit}"
        else:
            told["bandwidth"] = ", ".join(map(str, bandwidth))
    if isinstance(latency, dict):
        choice = next((unit for unit in ("ms", "us", "ns") if unit in latency), None)
        if choice is not None:
            told["latency"] = f"{latency[choice]}{choice}"
    return told


def _list(held: dict[str, Any], name: str) -> list[dict[str, Any]]:
    listed = held.get(name) or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise ImportFileError(
            "is no list of objects", key=name, hint="write it as InfraGraph 3 does"
        )
    return listed


def _word(held: dict[str, Any], place: str, name: str) -> str:
    value = held.get(name)
    if not isinstance(value, str) or not value:
        raise ImportFileError("is missing, or no text", key=f"{place}.{name}", hint="give it")
    return value
