"""`incast plot`: charts as files, for papers."""

from __future__ import annotations

import argparse
from pathlib import Path

import incast
from incast.cli.options import add_format_option, path
from incast.cli.streams import shown
from incast.comparison import labelled

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds its arguments."""
    parser.set_defaults(execute=_plot)
    parser.add_argument("folders", nargs="+", type=path, metavar="DIR", help="results folders")
    parser.add_argument(
        "-o",
        "--out",
        type=path,
        metavar="DIR",
        help="default: figures in the results folder, or in this one if there are several",
    )
    add_format_option(parser)


def _plot(arguments: argparse.Namespace) -> int:
    from incast.present import matplotlib

    runs = labelled([incast.load(folder) for folder in arguments.folders])
    folder = arguments.folders[0] if len(runs) == 1 else Path()
    files = matplotlib.save_all(runs, arguments.out or folder / "figures", arguments.format)
    for file in files:
        print(shown(file))
    if not files:
        print("nothing to draw: no flow has finished, and nothing was sampled")
    return 0
