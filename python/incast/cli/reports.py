"""`incast report`: writes one page on any results."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import incast
from incast.cli.options import add_baseline_option, path
from incast.cli.streams import shown
from incast.comparison import Comparison, check_baseline, labelled
from incast.files import is_stream
from incast.results import Results

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_report)
    parser.add_argument("folders", nargs="+", type=path, metavar="DIR", help="results folders")
    parser.add_argument(
        "-o",
        "--out",
        type=path,
        metavar="FILE",
        help="default: report.html in the results folder, or in this one if there are several",
    )
    add_baseline_option(parser)
    parser.add_argument(
        "--separate", action="store_true", help="a section for each run, nothing drawn over"
    )


def _report(arguments: argparse.Namespace) -> int:
    from incast.present import html

    runs = labelled([incast.load(folder) for folder in arguments.folders])
    folder = arguments.folders[0] if len(runs) == 1 else Path()
    file = arguments.out or folder / "report.html"
    if arguments.baseline is not None:
        _check_baseline(arguments, runs)
    if arguments.separate:
        sections = {label: run.runs for label, run in runs.items()}
        html.write_sections(sections, file, title=", ".join(runs))
    else:
        Comparison(runs, baseline=arguments.baseline).report(file)
    # If standard output has the page, the message goes to standard error.
    print(shown(file), file=sys.stderr if is_stream(file) else sys.stdout)
    return 0


def _check_baseline(arguments: argparse.Namespace, runs: Mapping[str, Results]) -> None:
    """Refuses a baseline if there is no run to compare with it."""
    if arguments.separate:
        what = "--separate draws each run by itself, so none is compared with a baseline"
        raise incast.Error(what, hint="leave out --separate, or --baseline")
    check_baseline(arguments.baseline, runs)
