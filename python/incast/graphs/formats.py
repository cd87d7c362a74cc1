"""The formats of graphs: a table of named entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from incast.errors import ImportFileError
from incast.files import check_readable
from incast.graphs import infragraph, networkx_files, sndlib
from incast.graphs.attributes import Units
from incast.graphs.network_graph import NetworkGraph

__all__ = ["FORMATS", "GraphFormat", "format_of", "read_graph"]


@dataclass(frozen=True)
class GraphFormat:
    """A format of files that hold a graph."""

    name: str
    about: str
    is_such: Callable[[str], bool]
    """Whether a text is a file of this format."""
    read: Callable[[str, Units], NetworkGraph]


FORMATS = {
    each.name: each
    for each in (
        GraphFormat("sndlib-xml", "networks of SNDlib as XML", sndlib.is_xml, sndlib.read_xml),
        GraphFormat(
            "sndlib",
            "networks of SNDlib in its native format",
            sndlib.is_native,
            sndlib.read_native,
        ),
        GraphFormat(
            "graphml",
            "GraphML: Topology Zoo, yEd, networkx, Gephi",
            networkx_files.is_graphml,
            networkx_files.read_graphml,
        ),
        GraphFormat(
            "infragraph",
            "InfraGraph 3 as YAML or JSON",
            infragraph.is_infragraph,
            infragraph.read_infragraph,
        ),
        GraphFormat(
            "node-link",
            "JSON of networkx and D3: nodes and links",
            networkx_files.is_node_link,
            networkx_files.read_node_link,
        ),
        GraphFormat(
            "gml", "GML: Topology Zoo, networkx", networkx_files.is_gml, networkx_files.read_gml
        ),
    )
}
"""Formats by name, in the order in which they are tried on a file."""


def format_of(text: str) -> GraphFormat | None:
    """The format of a text; ``None`` if it is none of these."""
    return next((each for each in FORMATS.values() if each.is_such(text)), None)


def read_graph(file: Path, name: str | None, units: Units) -> NetworkGraph:
    """The graph of a file.

    Raises:
        ImportFileError: There is no such file or format, or the file has another format.
    """
    if name is not None and name not in FORMATS:
        hint = f"give one of {', '.join(FORMATS)}, or leave it out"
        raise ImportFileError(f"there is no format `{name}`", key="format", hint=hint)
    text = text_of(file)
    found = FORMATS[name] if name is not None else format_of(text)
    if found is None:
        hint = f"give its format: {', '.join(FORMATS)}"
        raise ImportFileError("is a graph of no known format", file=str(file), hint=hint)
    try:
        graph = found.read(text, units)
    except ImportFileError as error:
        error.file = str(file)
        raise
    if not graph.links:
        hint = "is it another kind of file?"
        raise ImportFileError("has no link between two nodes", file=str(file), hint=hint)
    return graph


def text_of(file: Path) -> str:
    """The text of a file, in UTF-8 or Latin-1."""
    check_readable(file, ImportFileError, largest=_LARGEST, of="a graph")
    try:
        held = file.read_bytes()
    except OSError as error:
        raise ImportFileError(error.strerror or str(error), file=str(file)) from None
    if b"<!ENTITY" in held:
        hint = "write the file without them"
        raise ImportFileError(
            "has entities of its own, which are not read", file=str(file), hint=hint
        )
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        # SNDlib and Topology Zoo have files in Latin-1, in which every byte is a character.
        return held.decode("latin-1")


_LARGEST = 64 << 20
