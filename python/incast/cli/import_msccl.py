"""`incast import msccl`: algorithms of MSCCL."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import incast
from incast.cli.commands import add_command
from incast.cli.options import Once, path

__all__ = ["add", "add_options", "imported"]


def add(formats: Any, write: Callable[..., int]) -> argparse.ArgumentParser:
    """Adds this command to the formats of `incast import`."""

    def execute(arguments: argparse.Namespace) -> int:
        return write(imported(arguments), arguments.out, force=arguments.force)

    msccl = add_command(
        formats,
        "msccl",
        execute,
        "Read an algorithm of MSCCL, an XML file: its steps as tasks of hosts at one switch.",
    )
    msccl.add_argument("file", type=path, metavar="FILE", help="the XML file")
    add_options(msccl)
    msccl.add_argument(
        "--cc", action=Once, metavar="NAME", help="the congestion control; default: hpcc"
    )
    return msccl


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds options of `import msccl` alone."""
    parser.add_argument(
        "--data",
        action=Once,
        metavar="SIZE",
        help="size of the buffers, as in nccl-tests; a multiple of the algorithm's chunks",
    )


def imported(arguments: argparse.Namespace) -> incast.Imported:
    """Imports the algorithm that the arguments name."""
    algorithm = "hpcc" if arguments.cc is None else arguments.cc
    return incast.import_msccl(arguments.file, data=arguments.data, algorithm=algorithm)
