"""`incast list`: names that scenarios and studies may use, and the charts of results."""

from __future__ import annotations

import argparse

import incast
from incast.cli.options import add_json_option, json_text
from incast.present.columns import aligned
from incast.present.terminal import Ink, paint

__all__ = ["add"]

_KINDS = {
    "algorithms": incast.algorithms,
    "parts": incast.parts,
    "topologies": incast.topologies,
    "traffic": incast.traffic_kinds,
    "workloads": incast.workloads,
    "profiles": incast.profiles,
    "charts": incast.charts,
    "measures": incast.measures,
}


def add(parser: argparse.ArgumentParser) -> None:
    """Adds its arguments."""
    parser.set_defaults(execute=_list)
    parser.add_argument(
        "kind",
        nargs="?",
        choices=[*_KINDS],
        metavar="KIND",
        help=f"one of {', '.join(_KINDS)}; default: all",
    )
    add_json_option(parser)


def _list(arguments: argparse.Namespace) -> int:
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
