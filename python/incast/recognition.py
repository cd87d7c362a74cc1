"""Recognises files of other programs, and says whether they can be read.

The engine recognises the formats it reads. Formats that are read in Python are a table here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from incast import _core
from incast.errors import ImportFileError
from incast.files import checked_path
from incast.graphs.astra_sim import read_network, read_system
from incast.graphs.attributes import Units
from incast.graphs.formats import FORMATS, read_graph, text_of
from incast.graphs.network_graph import NetworkGraph

__all__ = ["RecognisedFile", "recognise", "recognise_folder"]


class RecognisedFile(NamedTuple):
    """The format of a file, and whether it can be read."""

    file: Path
    format: str
    """The name of the format; empty if it is not known."""
    what: str
    """A file of this format, in words."""
    usage: str
    """How to use the file."""
    is_readable: bool
    contents: str
    """A summary of the contents, or why the file cannot be read."""


def recognise(file: str | Path) -> RecognisedFile:
    """Recognises a file by how it begins, and says whether it can be read.

    Raises:
        ImportFileError: The file cannot be opened.
    """
    path = checked_path(file, ImportFileError)
    found = _core.recognise(str(path))
    if found is None:
        unknown = RecognisedFile(path, "", "", "", is_readable=False, contents="")
        return _of_python(path) or unknown
    names, is_readable, contents = found
    return RecognisedFile(path, *names, is_readable, contents)


def recognise_folder(folder: str | Path) -> list[RecognisedFile]:
    """Recognises the files of a folder and its subfolders, in alphabetical order. Hidden files and
    folders are left out.

    Raises:
        ImportFileError: There is no such folder.
    """
    root = checked_path(folder, ImportFileError)
    if not root.is_dir():
        raise ImportFileError("is no folder", file=str(root), hint="name a folder")
    found = []
    for parent, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(parent, name)
            if not name.startswith(".") and file.is_file():
                found.append(_recognised(file))
    return found


def _recognised(file: Path) -> RecognisedFile:
    try:
        return recognise(file)
    except ImportFileError as error:
        return RecognisedFile(file, "", "", "", is_readable=False, contents=str(error))


@dataclass(frozen=True)
class _Kind:
    """A format that is read in Python."""

    name: str
    what: str
    usage: str
    """How to use the file; `FILE` stands for its name."""
    endings: tuple[str, ...]
    is_such: Callable[[str], bool]
    contents: Callable[[Path], str]


def _counted(graph: NetworkGraph) -> str:
    return f"{len(graph.nodes)} nodes, {len(graph.links)} links"


def _graph_contents(name: str) -> Callable[[Path], str]:
    return lambda file: _counted(read_graph(file, name, Units()))


def _is_astra_network(text: str) -> bool:
    keys = ("topology", "npus_count", "bandwidth", "latency")
    return all(re.search(rf"^{key}\s*:", text, re.MULTILINE) for key in keys)


def _object(text: str) -> dict[str, Any]:
    """The object in a text of JSON; empty if the text holds no object."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _is_astra_system(text: str) -> bool:
    return any(key.endswith("-implementation") for key in _object(text))


def _is_astra_groups(text: str) -> bool:
    groups = _object(text)
    are_numbers = (
        isinstance(ranks, list) and all(type(rank) is int for rank in ranks)
        for ranks in groups.values()
    )
    return bool(groups) and all(name.isdigit() for name in groups) and all(are_numbers)


def _system_contents(file: Path) -> str:
    return f"{read_system(file)} settings"


_ASTRA = "incast import astra-sim"
_KINDS = [
    _Kind(
        "astra-sim network",
        "a network of ASTRA-sim's analytical backend",
        f"{_ASTRA} FILE -o scenario.toml",
        (".yml", ".yaml"),
        _is_astra_network,
        lambda file: _counted(read_network(file)),
    ),
    _Kind(
        "astra-sim system",
        "a system file of ASTRA-sim",
        f"{_ASTRA} NETWORK --system FILE -o scenario.toml",
        (".json",),
        _is_astra_system,
        _system_contents,
    ),
    _Kind(
        "astra-sim groups",
        "process groups of ASTRA-sim's traces",
        f"{_ASTRA} NETWORK --workload NAME --groups FILE -o scenario.toml",
        (".json",),
        _is_astra_groups,
        lambda file: f"{len(_object(text_of(file)))} groups, read with their traces",
    ),
    *(
        _Kind(
            each.name,
            f"a graph in a format of {each.about}",
            "incast import graph FILE -o scenario.toml",
            (".graphml", ".gml", ".json", ".xml", ".txt", ".yml", ".yaml"),
            each.is_such,
            _graph_contents(each.name),
        )
        for each in FORMATS.values()
    ),
]
"""Formats that are read in Python, in the order in which they are tried on a file."""


def _of_python(file: Path) -> RecognisedFile | None:
    """Recognises a file of a format that is read in Python."""
    kinds = [each for each in _KINDS if file.suffix.lower() in each.endings]
    if not kinds:
        return None
    try:
        text = text_of(file)
    except ImportFileError:
        return None
    kind = next((each for each in kinds if each.is_such(text)), None)
    if kind is None:
        return None
    try:
        contents, is_readable = kind.contents(file), True
    except ImportFileError as error:
        contents, is_readable = str(error), False
    return RecognisedFile(file, kind.name, kind.what, kind.usage, is_readable, contents)
