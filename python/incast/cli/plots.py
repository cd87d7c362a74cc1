"""`incast plot`: writes charts to files, for papers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import incast
from incast.cli.messages import note
from incast.cli.options import add_figure_options, add_format_option, path
from incast.cli.streams import shown
from incast.comparison import labelled, relabelled
from incast.measure.pools import pools
from incast.present.charts.looks import MOST_LOOKS
from incast.present.units import plural

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_plot)
    parser.add_argument("folders", nargs="+", type=path, metavar="DIR", help="results folders")
    parser.add_argument(
        "-o",
        "--out",
        type=path,
        metavar="DIR",
        help="default: figures in the results folder, or in this one if there are several",
    )
    add_figure_options(parser, "all that have data")
    add_format_option(parser)


def _plot(arguments: argparse.Namespace) -> int:
    from incast.present import matplotlib

    runs: Mapping[str, incast.Results] = labelled(
        [incast.load(folder) for folder in arguments.folders]
    )
    folder = arguments.folders[0] if len(runs) == 1 else Path()
    if arguments.labels:
        runs = _named(runs, arguments.labels)
    files = matplotlib.save_all(
        runs,
        arguments.out or folder / "figures",
        arguments.format,
        names=arguments.chart or (),
        width=arguments.width or matplotlib.COLUMN_INCHES[0],
    )
    for file in files:
        print(shown(file))
    if len(runs) > MOST_LOOKS:
        note(f"there are {len(runs)} runs and {MOST_LOOKS} looks of curves, so some look alike")
    if not files and not arguments.chart:
        note("no chart is drawn: no flow has finished, and nothing was sampled")
    return 0


def _named(runs: Mapping[str, incast.Results], labels: list[str]) -> dict[str, incast.Results]:
    """Runs under new labels: one label for each run, or one for all runs that differ only in their
    seeds.
    """
    pooled = pools(runs)
    if len(labels) == len(runs) or len(pooled) == len(runs):
        return relabelled(runs, labels)
    if again := len(runs) - sum(map(len, pooled.values())):
        note(f"left out: {plural(again, 'run')} of seeds that are there already")
    found = {}
    for label, several in relabelled(pooled, labels).items():
        for run in several:
            found[f"{label}, seed {run.summary['seed']}" if len(several) > 1 else label] = run
    return found
