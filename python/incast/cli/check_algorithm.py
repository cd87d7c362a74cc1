"""`incast check-algorithm`: whether an algorithm does what one has to do."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import incast
from incast.cli.campaign import CampaignLine
from incast.cli.options import Commands, add_command, jobs, path, setting
from incast.cli.os_signals import INTERRUPTED
from incast.cli.streams import place
from incast.results_folder import file_name

__all__ = ["add"]

_FAILS = 1


def add(commands: Commands) -> None:
    """Describes the command."""
    parser = add_command(
        commands,
        "check-algorithm",
        _check,
        "Check an algorithm of congestion control. Random events, reproducibility, a flow alone, "
        "fairness and convergence of two and sixteen flows, an incast, links from 10 to 800 Gb/s, "
        "losses: each a line with a verdict, and a chart. The exit code is 1 if a check fails.",
    )
    parser.add_argument(
        "algorithm", help="its Python file, or a name, e.g. mine.py, swift:fairness"
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="KEY=VALUE",
        type=setting,
        action="append",
        default=[],
        help="a setting of every scenario, e.g. cc.beta=0.25; may be given several times",
    )
    parser.add_argument(
        "--out",
        type=path,
        default=Path("results"),
        metavar="DIR",
        help="where the folder with page and charts goes; default: results",
    )
    parser.add_argument(
        "--jobs", type=jobs, metavar="N", help="cores to use; default: as many as there are"
    )
    parser.add_argument("--json", action="store_true", help="print numbers instead of a table")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _check(arguments: argparse.Namespace) -> int:
    from incast import conformance

    try:
        with CampaignLine(quiet=arguments.quiet) as shown:
            found = conformance.check(
                arguments.algorithm,
                settings=arguments.settings,
                jobs=arguments.jobs,
                watch=shown,
            )
    except incast.CampaignInterrupted:
        print("interrupted: nothing is kept of checks", file=sys.stderr)
        return INTERRUPTED
    page = found.save(arguments.out / file_name(f"check-{found.algorithm}"))
    if arguments.json:
        print(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        print(found.table(), end="\n\n")
        place("page", page)
    return 0 if found.passed else _FAILS
