"""Reads networks of SNDlib, as XML and in its native format.

Orlowski, Wessäly, Pióro and Tomaszewski, "SNDlib 1.0 – Survivable Network Design Library", Networks
55(3), 2010. The pre-installed capacity of a link is its rate. Modules that could be installed,
costs and demands are not used. Coordinates are used if they are geographical.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

from incast.errors import ImportFileError
from incast.graphs.attributes import Units, graph_of
from incast.graphs.network_graph import NetworkGraph

__all__ = ["is_native", "is_xml", "read_native", "read_xml"]

_NAMESPACE = "{http://sndlib.zib.de/network}"
_MARK = re.compile(r"\s*\?SNDlib native format(?!.*type: model)")
"""The first words of a network file; SNDlib's models begin similarly."""


def is_xml(text: str) -> bool:
    """Whether a file is a network of SNDlib as XML."""
    return "sndlib.zib.de/network" in text[:2000]


def is_native(text: str) -> bool:
    """Whether a file is a network of SNDlib in its native format."""
    return _MARK.match(text) is not None


def read_xml(text: str, units: Units) -> NetworkGraph:
    """The network of an XML file."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        what = f"is no XML: {error.msg}"
        raise ImportFileError(what, line=error.position[0], hint="is the file cut off?") from None
    structure = _child(root, "networkStructure")
    listed = _child(structure, "nodes")
    is_geographical = listed.get("coordinatesType") == "geographical"
    nodes = []
    for node in listed.findall(f"{_NAMESPACE}node"):
        name = _attribute(node, "id")
        x, y = (node.findtext(f"{_NAMESPACE}coordinates/{_NAMESPACE}{axis}") for axis in "xy")
        place = {"Longitude": x, "Latitude": y} if is_geographical else {}
        nodes.append((name, place))
    links = []
    for link in _child(structure, "links").findall(f"{_NAMESPACE}link"):
        installed = f"{_NAMESPACE}preInstalledModule/{_NAMESPACE}capacity"
        ends = (_text(_child(link, "source")), _text(_child(link, "target")))
        links.append((_attribute(link, "id"), *ends, link.findtext(installed)))
    unit = root.findtext(f"{_NAMESPACE}meta/{_NAMESPACE}unit")
    demands = len(root.findall(f"{_NAMESPACE}demands/{_NAMESPACE}demand"))
    return _network(nodes, links, unit, demands, units)


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element:
    found = element.find(_NAMESPACE + name)
    if found is None:
        tag = element.tag.removeprefix(_NAMESPACE)
        hint = "write it as SNDlib 1.0 does, in its namespace"
        raise ImportFileError(f"`{tag}` has no `{name}`", hint=hint)
    return found


def _attribute(element: ElementTree.Element, name: str) -> str:
    value = element.get(name)
    if not value:
        tag = element.tag.removeprefix(_NAMESPACE)
        raise ImportFileError(f"a `{tag}` has no `{name}`", hint="give it one")
    return value


def _text(element: ElementTree.Element) -> str:
    return (element.text or "").strip()


_NODE = re.compile(r"(\S+)(?:\s+\(\s*(\S+)\s+(\S+)\s*\))?")
_LINK = re.compile(r"(\S+)\s+\(\s*(\S+)\s+(\S+)\s*\)\s+(\S+)\s.*")
_UNIT = re.compile(r"unit\s*=\s*(\S+)")


def read_native(text: str, units: Units) -> NetworkGraph:
    """The network of a file in the native format."""
    nodes: list[tuple[str, dict[str, Any]]] = []
    links: list[tuple[str, str, str, str | None]] = []
    unit, demands = None, 0
    for number, section, line in _lines(text):
        if section == "META" and (told := _UNIT.fullmatch(line)):
            unit = told[1]
        elif section == "NODES":
            match = _matched(_NODE, line, number, "NODE ( LONGITUDE LATITUDE )")
            nodes.append((match[1], {"Longitude": match[2], "Latitude": match[3]}))
        elif section == "LINKS":
            match = _matched(_LINK, line, number, "LINK ( SOURCE TARGET ) CAPACITY COST … ( … )")
            links.append((match[1], match[2], match[3], match[4]))
        elif section == "DEMANDS":
            demands += 1
    if not _are_places(nodes):
        nodes = [(name, {}) for name, _ in nodes]
    return _network(nodes, links, unit, demands, units)


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """The lines of all sections: number, section, content."""
    section, depth, number = None, 0, 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith(("#", "?")):
            continue
        begin = re.fullmatch(r"(\S+)\s*\(", line)
        if section is None:
            if begin is None:
                hint = "a section begins with its name, e.g. `NODES (`"
                raise ImportFileError("this belongs to no section", line=number, hint=hint)
            section, depth = begin[1], 1
        elif begin is not None:
            # Skips the paths of a demand.
            depth += 1
        elif line == ")":
            depth -= 1
            section = section if depth else None
        elif depth == 1:
            yield number, section, line
    if section is not None:
        what = f"the section `{section}` does not end"
        raise ImportFileError(what, line=number, hint="is the file cut off?")


def _matched(pattern: re.Pattern[str], line: str, number: int, form: str) -> re.Match[str]:
    match = pattern.fullmatch(line)
    if match is None:
        raise ImportFileError("the line is not of its section", line=number, hint=f"write `{form}`")
    return match


def _are_places(nodes: list[tuple[str, dict[str, Any]]]) -> bool:
    """Whether coordinates are geographical. They may be pixels of a drawing, and the native format
    does not tell which.
    """
    try:
        places = [(float(place["Longitude"]), float(place["Latitude"])) for _, place in nodes]
    except (TypeError, ValueError):
        return False
    return all(abs(longitude) <= 180 and abs(latitude) <= 90 for longitude, latitude in places)


def _network(
    nodes: list[tuple[str, dict[str, Any]]],
    links: list[tuple[str, str, str, str | None]],
    unit: str | None,
    demands: int,
    units: Units,
) -> NetworkGraph:
    known = {name for name, _ in nodes}
    if len(known) < len(nodes):
        names = [name for name, _ in nodes]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ImportFileError(f"node `{twice}` stands there twice", hint="leave one")
    for link, *ends, _ in links:
        if missing := [end for end in ends if end not in known]:
            what = f"link `{link}` has the end `{missing[0]}`, which is no node"
            raise ImportFileError(what, hint="add it to the nodes")
    told = Units(units.rate or unit, units.delay)
    installed = (
        (a, b, {"capacity": capacity} if _is_installed(capacity) else {})
        for _, a, b, capacity in links
    )
    graph = graph_of(nodes, installed, units=told, is_directed=False)
    if demands:
        graph.notes.append(("demands", str(demands), "not used: traffic is given by the scenario"))
    return graph


def _is_installed(capacity: str | None) -> bool:
    try:
        return capacity is not None and float(capacity) != 0
    except ValueError:
        return True
