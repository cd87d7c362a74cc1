"""`incast import astra-sim`: experiments of ASTRA-sim."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import incast
from incast.cli.commands import add_command
from incast.cli.import_graphs import add_outputs
from incast.cli.options import Once, path

__all__ = ["add", "add_options", "imported"]

_FILES = {
    "system": "the system file: algorithms of collectives, the peak rate of an NPU",
    "workload": "the traces, without .0.et; default: an all-reduce of 1 MB",
    "groups": "the file of their process groups, comm_group.json",
}


def add(formats: Any, write: Callable[..., int]) -> None:
    """Adds this command to the formats of `incast import`."""

    def execute(arguments: argparse.Namespace) -> int:
        return write(imported(arguments), arguments.out, force=arguments.force)

    astra = add_command(
        formats,
        "astra-sim",
        execute,
        "Read an experiment of ASTRA-sim: the network of its analytical backend, system, traces. "
        "Writes the network beside the scenario.",
    )
    astra.add_argument("file", type=path, metavar="NETWORK", help="the network.yml")
    add_options(astra)
    astra.add_argument(
        "--cc", action=Once, metavar="NAME", help="the congestion control; default: none"
    )
    add_outputs(astra)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds options for further files of an experiment."""
    for name, about in _FILES.items():
        parser.add_argument(f"--{name}", type=path, action=Once, metavar="FILE", help=about)


def imported(arguments: argparse.Namespace) -> incast.Imported:
    """Imports the experiment that the arguments name."""
    return incast.import_astra_sim(
        arguments.file,
        **{name: getattr(arguments, name) for name in _FILES},
        algorithm="none" if arguments.cc is None else arguments.cc,
    )
