"""`incast check-algorithm`: checks whether an algorithm does what congestion control has to do."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import incast
from incast.cli.campaign import CampaignLine
from incast.cli.options import (
    add_jobs_option,
    add_json_option,
    add_set_option,
    json_text,
    path,
)
from incast.cli.os_signals import INTERRUPTED
from incast.cli.outputs import check_folder
from incast.cli.streams import place
from incast.files import file_name

__all__ = ["add"]

_FAILS = 1


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_check)
    parser.add_argument(
        "algorithm", help="its Python file, or a name, e.g. mine.py, swift:fairness"
    )
    add_set_option(parser, "a setting of every scenario, e.g. cc.beta=0.25")
    parser.add_argument(
        "--out",
        type=path,
        default=Path("results"),
        metavar="DIR",
        help="where the folder with page and charts goes; default: results",
    )
    add_jobs_option(parser)
    add_json_option(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _check(arguments: argparse.Namespace) -> int:
    from incast import conformance

    check_folder(arguments.out)
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
    if arguments.json:
        print(json_text(found.to_dict()), flush=True)
    else:
        print(found.table(), end="\n\n", flush=True)
    # Standard output is complete even if writing the files fails.
    page = found.save(arguments.out / file_name(f"check-{found.algorithm}"))
    if not arguments.json:
        place("page", page)
    return 0 if found.passed else _FAILS
