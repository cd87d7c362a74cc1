"""Reads GraphML, GML and node-link JSON with networkx."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from typing import Any

from incast.errors import ImportFileError
from incast.graphs.attributes import Units, graph_of
from incast.graphs.network_graph import NetworkGraph
from incast.graphs.optional import needed

__all__ = [
    "is_gml",
    "is_graphml",
    "is_node_link",
    "read_gml",
    "read_graphml",
    "read_node_link",
]


def is_graphml(text: str) -> bool:
    """Whether a file is GraphML."""
    return "<graphml" in text[:2000]


def is_gml(text: str) -> bool:
    """Whether a file is GML."""
    return re.search(r"^\s*graph\s*\[", text[:20_000], re.MULTILINE) is not None


def is_node_link(text: str) -> bool:
    """Whether a file is JSON with nodes and links, as networkx writes it."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(held.get("nodes"), list) and any(
        isinstance(held.get(name), list) for name in ("links", "edges")
    )


def read_graphml(text: str, units: Units) -> NetworkGraph:
    """The network of a GraphML file."""

    def read(networkx: Any) -> Any:
        # networkx accepts an XML declaration only in bytes, and adds nodes for unknown ends of
        # edges.
        graph = networkx.parse_graphml(text.encode(), force_multigraph=True)
        if len(graph) > len(re.findall(r"<node\b", text)):
            raise ValueError("an edge has an end that is no node")
        return graph

    return _network(_read("GraphML", read), units)


def read_gml(text: str, units: Units) -> NetworkGraph:
    """The network of a GML file."""

    def read(networkx: Any) -> Any:
        try:
            return networkx.parse_gml(text, label="id")
        except networkx.NetworkXError as error:
            # Files of Topology Zoo have parallel links without declaring a multigraph.
            if "duplicated" not in str(error) or re.search(r"^\s*multigraph\s", text, re.MULTILINE):
                raise
            several = re.sub(r"\bgraph\s*\[", "graph [\nmultigraph 1\n", text, count=1)
            return networkx.parse_gml(several, label="id")

    return _network(_read("GML", read), units)


def read_node_link(text: str, units: Units) -> NetworkGraph:
    """The network of a JSON file."""
    try:
        held = json.loads(text)
    except ValueError as error:
        what, line = f"is no JSON: {error}", getattr(error, "lineno", None)
        raise ImportFileError(what, line=line, hint="is the file cut off?") from None
    except RecursionError:
        raise ImportFileError("is nested too deep", hint="write nodes and links") from None
    if not is_node_link(text):
        hint = 'write `{"nodes": [{"id": …}], "links": [{"source": …, "target": …}]}`'
        raise ImportFileError("has no lists of nodes and links", hint=hint)

    def read(networkx: Any) -> Any:
        nodes = [{"id": node.get("name", at), **node} for at, node in enumerate(held["nodes"])]
        ids = [_hashable(node["id"]) for node in nodes]
        if len(set(ids)) < len(ids):
            raise ValueError("two nodes have one id")
        links = _links(held["links" if isinstance(held.get("links"), list) else "edges"], ids)
        several = {**held, "multigraph": True, "nodes": nodes, "edges": links}
        return networkx.node_link_graph(several, edges="edges")

    return _network(_read("node-link JSON", read), units)


def _links(links: list[dict[str, Any]], ids: list[Any]) -> list[dict[str, Any]]:
    """Links without the field `key`, whose ends are ids of nodes. D3 and networkx 1 write indices
    into the list of nodes as ends.
    """
    known, places = set(ids), range(len(ids))
    ends = [(end, _hashable(link[end])) for link in links for end in ("source", "target")]
    unknown = next((each for each in ends if each[1] not in known), None)
    are_places = unknown is not None and all(type(at) is int and at in places for _, at in ends)
    if unknown is not None and not are_places:
        end, node = unknown
        raise ValueError(f"a link has the {end} `{node}`, which is no node")
    named = []
    for link in links:
        plain = {name: value for name, value in link.items() if name != "key"}
        if are_places:
            plain.update({end: ids[link[end]] for end in ("source", "target")})
        named.append(plain)
    return named


def _hashable(node: Any) -> Any:
    return tuple(map(_hashable, node)) if isinstance(node, list) else node


def _read(form: str, read: Callable[[Any], Any]) -> Any:
    """The graph that networkx reads, or an error; networkx raises any exception on damaged
    files.
    """
    networkx = needed("networkx", form)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(networkx)
    except MemoryError:
        raise
    except RecursionError:
        what = f"is no {form}: it is nested too deep"
    except Exception as error:
        told = str(error) or type(error).__name__
        if isinstance(error, KeyError):
            told = f"{error} is missing"
        what = f"is no {form} that networkx reads: {told}"
    raise ImportFileError(what, hint="write it anew, or as another of the formats")


def _network(graph: Any, units: Units) -> NetworkGraph:
    return graph_of(
        graph.nodes(data=True),
        graph.edges(data=True),
        units=units.of_file(graph.graph),
        is_directed=graph.is_directed(),
    )
