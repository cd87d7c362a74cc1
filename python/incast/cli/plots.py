"""`incast plot`: charts as files, for papers."""

from __future__ import annotations

import argparse
from pathlib import Path

import incast
from incast.cli.options import Commands, add_command, path
from incast.cli.streams import shown
from incast.comparison import labelled

__all__ = ["add"]

_FORMATS = ("png", "svg", "pdf")


def add(commands: Commands) -> None:
    """Describes the command."""
    parser = add_command(
        commands,
        "plot",
        _plot,
        "Draw charts of results for a paper. They are a column wide; several runs are drawn over "
        "each other.",
    )
    parser.add_argument("folders", nargs="+", type=path, metavar="DIR", help="results folders")
    parser.add_argument(
        "-o",
        "--out",
        type=path,
        metavar="DIR",
        help="default: figures in the results folder, or in this one if there are several",
    )
    parser.add_argument(
        "--format",
        type=_formats,
        default=["png", "svg"],
        metavar="NAME,NAME",
        help=f"of {', '.join(_FORMATS)}; default: png,svg",
    )


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


def _formats(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in _FORMATS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"unknown format `{', '.join(unknown)}` (available: {', '.join(_FORMATS)})"
        )
    return names
