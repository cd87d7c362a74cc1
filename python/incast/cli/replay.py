"""`incast replay`: a short window of a small network as a page that plays it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import incast
from incast.cli.options import path, whole_number
from incast.cli.running_again import running_again
from incast.cli.streams import shown
from incast.files import is_stream
from incast.present.units import bytes_text

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_replay)
    parser.add_argument("folder", type=path, metavar="DIR", help="a results folder")
    parser.add_argument(
        "--from",
        dest="begin",
        metavar="TIME",
        help="where the window begins, as in 10us; default: ten base RTTs before the longest queue",
    )
    parser.add_argument(
        "--to",
        dest="end",
        metavar="TIME",
        help="where it ends; default: 15 base RTTs after the longest queue, or 25 after --from; "
        "less if there are more packets than a page can play",
    )
    parser.add_argument(
        "--flow",
        type=_flow,
        metavar="N",
        help="follow this flow at first, by its `flow_id`; others are grey",
    )
    parser.add_argument(
        "-o", "--out", type=path, metavar="FILE", help="default: replay.html in this folder"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _replay(arguments: argparse.Namespace) -> int:
    from incast.replay import page

    results = incast.load(arguments.folder)
    with running_again(results, quiet=arguments.quiet) as again:
        file = page.write(
            results,
            arguments.out or Path("replay.html"),
            again,
            begin=arguments.begin,
            end=arguments.end,
            flow=arguments.flow,
        )
    if is_stream(file):
        # Standard output has the page, so the message goes to standard error.
        print(shown(file), file=sys.stderr)
    else:
        print(f"{shown(file)}  {bytes_text(file.stat().st_size)}")
    return 0


def _flow(text: str) -> int:
    return whole_number(text, "a flow", 0, 2**32 - 1)
