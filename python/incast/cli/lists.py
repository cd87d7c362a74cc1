"""`incast list`: names that scenarios and studies may use, and the charts of results."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import incast
from incast import _core
from incast.cli.options import add_json_option, json_text
from incast.errors import printable
from incast.present.columns import aligned, columns
from incast.present.terminal import Ink, filled, paint
from incast.store.folders import stored

__all__ = ["add"]

_KINDS = {
    "algorithms": incast.algorithms,
    "parts": incast.parts,
    "balancers": incast.balancers,
    "topologies": incast.topologies,
    "traffic": incast.traffic_kinds,
    "workloads": incast.workloads,
    "profiles": incast.profiles,
    "charts": incast.charts,
    "measures": incast.measures,
}


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_list)
    parser.add_argument(
        "kind",
        nargs="?",
        choices=_KindsAndFolders(_KINDS),
        metavar="KIND",
        help=f"one of {', '.join(_KINDS)}; default: all. Or a folder, such as results/: the runs "
        "that are stored in it, with what they were",
    )
    add_json_option(parser)


class _KindsAndFolders(list[str]):
    """Kinds, for completion and suggestions. An existing folder, or a path, is accepted, too."""

    def __contains__(self, name: object) -> bool:
        text = str(name)
        return super().__contains__(name) or "/" in text or (bool(text) and Path(text).is_dir())


def _list(arguments: argparse.Namespace) -> int:
    if arguments.kind and arguments.kind not in _KINDS:
        return _list_runs(Path(arguments.kind), as_json=arguments.json)
    if arguments.json:
        kinds = [arguments.kind] if arguments.kind else _KINDS
        print(json_text({kind: _KINDS[kind]() for kind in kinds}))
        return 0
    if arguments.kind:
        print(aligned(list(_KINDS[arguments.kind]().items())))
        return 0
    groups = {kind: aligned(list(each().items()), indent="  ") for kind, each in _KINDS.items()}
    print("\n\n".join(f"{paint(kind, Ink.HEADING)}\n{names}" for kind, names in groups.items()))
    return 0


def _list_runs(folder: Path, *, as_json: bool) -> int:
    runs = list(_runs(folder))
    if as_json:
        print(json_text({"runs": runs}))
    elif runs:
        rows = [[_cell(key, run[key]) for key in _COLUMNS] for run in runs]
        print(columns(_COLUMNS, rows, text=len(_COLUMNS)))
    else:
        print(filled(f"There are no stored runs in {folder}."))
    return 0


_COLUMNS = ["name", "algorithm", "seed", "state", "engine", "folder"]


def _cell(key: str, value: object) -> str:
    if key == "engine" and value == _core.__engine__:
        return "this one"
    return "–" if value is None else printable(str(value))


def _runs(folder: Path) -> Iterator[dict[str, Any]]:
    """Facts of the runs that are stored in a folder."""
    for place, found in stored(folder):
        if isinstance(found, incast.Results):
            facts = found.summary
            yield {
                "name": found.name,
                "algorithm": found.algorithm,
                "seed": facts["seed"],
                "state": _state(found),
                "engine": facts["engine"] or None,
                "folder": str(place),
            }
        else:
            yield {**dict.fromkeys(_COLUMNS), "state": "not readable", "folder": str(place)}


def _state(found: incast.Results) -> str:
    if found.partial:
        return "interrupted"
    return "stalled" if (found.stall or {}).get("ended_run") else "finished"
