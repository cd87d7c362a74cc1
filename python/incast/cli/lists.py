"""`incast list`: names that scenarios and studies may use, and the charts of results."""

from __future__ import annotations

import argparse
import shutil
import textwrap

import incast
from incast.cli.options import Commands, add_command, add_json_option, json_text

__all__ = ["add"]

_KINDS = {
    "algorithms": incast.algorithms,
    "parts": incast.parts,
    "topologies": incast.topologies,
    "workloads": incast.workloads,
    "profiles": incast.profiles,
    "charts": incast.charts,
    "measures": incast.measures,
}


def add(commands: Commands) -> None:
    """Describes the command."""
    parser = add_command(
        commands,
        "list",
        _list,
        "List what scenarios may name, the charts of results, and what studies can measure, each "
        "with a line on what it is.",
    )
    parser.add_argument("kind", nargs="?", choices=_KINDS, help="default: all of them")
    add_json_option(parser)


def _list(arguments: argparse.Namespace) -> int:
    if arguments.json:
        kinds = [arguments.kind] if arguments.kind else _KINDS
        print(json_text({kind: _KINDS[kind]() for kind in kinds}))
        return 0
    if arguments.kind:
        print(_names(_KINDS[arguments.kind]()))
        return 0
    print("\n\n".join(f"{kind}\n{_names(names(), indent='  ')}" for kind, names in _KINDS.items()))
    return 0


def _names(names: dict[str, str], indent: str = "") -> str:
    width = max(map(len, names), default=0)
    columns = shutil.get_terminal_size((100, 24)).columns
    return "\n".join(
        textwrap.fill(
            summary,
            max(columns, width + 40),
            initial_indent=f"{indent}{name:<{width}}  ",
            subsequent_indent=f"{indent}{'':<{width}}  ",
        )
        for name, summary in names.items()
    )
