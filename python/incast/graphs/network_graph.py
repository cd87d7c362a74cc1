"""A network as nodes and links, between reading a file and writing a scenario."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from incast.errors import printable

__all__ = ["GraphLink", "GraphNode", "NetworkGraph", "as_rate", "as_time", "counted"]


@dataclass(frozen=True)
class GraphNode:
    """A node of the network, as the file has it."""

    name: str
    is_host: bool = False
    place: tuple[float, float] | None = None
    """Latitude and longitude, in degrees."""


@dataclass(frozen=True)
class GraphLink:
    """A link, which carries traffic in both directions."""

    ends: tuple[int, int]
    """The two nodes, by their indices in the list."""
    rate_bps: int | None = None
    delay_ps: int | None = None


@dataclass(frozen=True)
class NetworkGraph:
    """Nodes and links, and notes on what became of the rest of the file."""

    nodes: list[GraphNode]
    links: list[GraphLink]
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    """For each setting of the file: its name, its value, and its outcome."""

    def with_names(self) -> NetworkGraph:
        """The graph with names that a graph file can have. They have no blanks, differ, and cannot
        be read as a number, a range or a keyword of scenarios.
        """
        names = [_name(node.name, index) for index, node in enumerate(self.nodes)]
        taken = Counter(names)
        seen: set[str] = set()
        nodes = []
        for index, (node, name) in enumerate(zip(self.nodes, names, strict=True)):
            given = name if taken[name] == 1 else f"{name}.{index}"
            while given in seen or (given != name and given in taken):
                given += "'"
            seen.add(given)
            nodes.append(replace(node, name=given))
        return replace(self, nodes=nodes)

    def largest_part(self) -> NetworkGraph:
        """The largest connected part of the graph; of equally large parts, the first."""
        part = _parts(len(self.nodes), [link.ends for link in self.links])
        sizes = Counter(part)
        if len(sizes) <= 1:
            return self
        kept = max(sizes, key=lambda each: (sizes[each], -each))
        places = {old: new for new, old in enumerate(n for n, p in enumerate(part) if p == kept)}
        nodes = [self.nodes[old] for old in places]
        links = [
            replace(link, ends=(places[link.ends[0]], places[link.ends[1]]))
            for link in self.links
            if link.ends[0] in places
        ]
        left = [node.name for old, node in enumerate(self.nodes) if old not in places]
        what = "left out: no path leads to the others"
        note = (counted(len(left), "node"), _listed(left), what)
        return NetworkGraph(nodes, links, [*self.notes, note])

    def to_text(self, title: str) -> str:
        """The text of the network's file, in the format `graph`."""
        hosts = [node.name for node in self.nodes if node.is_host]
        switches = [node.name for node in self.nodes if not node.is_host]
        lines = [f"# {title}"]
        for keyword, names in (("hosts", hosts), ("switches", switches)):
            lines += [
                " ".join([keyword, *names[at : at + _NAMES_IN_A_LINE]])
                for at in range(0, len(names), _NAMES_IN_A_LINE)
            ]
        pairs = Counter(frozenset(link.ends) for link in self.links)
        if any(count > 1 for count in pairs.values()):
            lines.append("parallel-links")
        for link in self.links:
            a, b = (self.nodes[end].name for end in link.ends)
            if link.rate_bps is None or link.delay_ps is None:
                raise AssertionError(f"the link from {a} to {b} is not complete")
            lines.append(f"link {a} {b} {as_rate(link.rate_bps)} {as_time(link.delay_ps)}")
        return "\n".join(lines) + "\n"


_NAMES_IN_A_LINE = 16


def as_rate(bps: int) -> str:
    """A rate as scenarios write it."""
    return _with_unit(
        bps, [("Tbps", 10**12), ("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 1000)], "bps"
    )


def as_time(ps: int) -> str:
    """A time as scenarios write it."""
    return _with_unit(ps, [("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 1000)], "ps")


def _with_unit(value: int, units: list[tuple[str, int]], smallest: str) -> str:
    for name, size in units:
        if value >= size and value % size == 0:
            return f"{value // size}{name}"
    return f"{value}{smallest}"


def _name(text: str, index: int) -> str:
    """The name of a node in the file, made into one word."""
    word = re.sub(r"\s+", "_", text.strip())
    word = "".join(letter for letter in word if letter.isprintable())
    if not word:
        return f"n{index}"
    is_taken = re.fullmatch(r"[\d,.-]+", word) or word in ("all", "random") or word[0] in "#,"
    return f"n{word}" if is_taken else word.replace(",", "_")


def _parts(nodes: int, links: list[tuple[int, int]]) -> list[int]:
    """For each node, the smallest node of its connected part."""
    above = list(range(nodes))

    def top(node: int) -> int:
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for a, b in links:
        one, other = sorted((top(a), top(b)))
        above[other] = one
    return [top(node) for node in range(nodes)]


def counted(number: int, what: str, several: str | None = None) -> str:
    """A number with its noun, in words."""
    return f"{number} {what}" if number == 1 else f"{number} {several or what + 's'}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown}, …"


_SHOWN = 4
