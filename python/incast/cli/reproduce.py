"""`incast reproduce`: redraws a paper's figures, and judges its claims."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import incast
from incast import papers
from incast.cli import messages
from incast.cli.campaign import CampaignLine
from incast.cli.commands import BAD_INPUT
from incast.cli.interrupts import RUNS_END, answered, stopped, telling_unwritten
from incast.cli.options import (
    Several,
    add_jobs_option,
    add_json_option,
    json_text,
    names,
    path,
)
from incast.cli.streams import place
from incast.papers.installed import misnamed, none_installed
from incast.present.units import plural, seconds_text

if TYPE_CHECKING:
    from incast.papers.reproduction import Reproduction

__all__ = ["add"]

_RUN_FAILED = 1


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_reproduce)
    parser.add_argument(
        "paper", nargs="?", help=f"installed: {', '.join(papers.names()) or 'none'}"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="shorter and smaller runs: about a minute in all"
    )
    size.add_argument("--full", action="store_true", help="the paper's own size; the default")
    parser.add_argument(
        "--list", action="store_true", help="list papers, figures, claims, and how long they take"
    )
    parser.add_argument(
        "--only",
        action=Several,
        type=names,
        default=[],
        metavar="FIGURE,FIGURE",
        help="only these figures; --list names them",
    )
    parser.add_argument(
        "--out",
        type=path,
        default=papers.STORE,
        metavar="DIR",
        help=f"where runs, figures and pages go; default: {papers.STORE}",
    )
    add_jobs_option(parser)
    parser.add_argument("--force", action="store_true", help="run even what was run before")
    add_json_option(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _reproduce(arguments: argparse.Namespace) -> int:
    if arguments.list or arguments.paper is None:
        return _list(arguments.paper)
    _announce(arguments)
    with telling_unwritten("page and figures"):
        try:
            with answered() as requests, CampaignLine(quiet=arguments.quiet) as shown:
                requests.answer_by(RUNS_END)
                done = papers.reproduce(
                    arguments.paper,
                    quick=arguments.quick,
                    only=arguments.only,
                    store=arguments.out,
                    jobs=arguments.jobs,
                    force=arguments.force,
                    watch=shown,
                )
        except incast.CampaignInterrupted as interrupt:
            return stopped(interrupt)
        return _shown(arguments, done)


def _shown(arguments: argparse.Namespace, done: Reproduction) -> int:
    """Prints the findings, and writes them to files."""
    if arguments.json:
        print(json_text(done.to_dict()), flush=True)
    else:
        print(done.table(), end="\n\n", flush=True)
    # Standard output is complete even if writing the files fails.
    page = done.save(arguments.out / f"{arguments.paper}{'-quick' if arguments.quick else ''}")
    if not arguments.json:
        place("page", page)
        place("figures", page.parent / "figures")
    return _RUN_FAILED if done.failures else 0


def _announce(arguments: argparse.Namespace) -> None:
    """Prints an estimate of the time of all runs."""
    runs = papers.outline(arguments.paper, quick=arguments.quick, only=arguments.only)
    estimate = runs.estimate()
    if not arguments.quiet and estimate.runs:
        seconds = seconds_text(max(1, round(estimate.seconds)))
        print(
            f"{plural(estimate.runs, 'run')}, about {seconds}; earlier ones are reused",
            file=sys.stderr,
        )


def _list(name: str | None) -> int:
    """Prints a paper, or all of them; those that are refused are reported at the end."""
    chosen, failures = ([name], []) if name else (papers.names(), misnamed())
    if not chosen and not failures:
        raise none_installed()
    texts = []
    for each in chosen:
        try:
            texts.append(_listing(each))
        except incast.PaperError as error:
            failures.append(error)
    if texts:
        print("\n\n".join(texts), flush=True)
    for failure in failures:
        messages.refuse(failure, str(failure))
    return BAD_INPUT if failures else 0


def _listing(name: str) -> str:
    from incast.papers import listing, outlines

    found = papers.paper(name)
    quick, full = (
        outlines.outline(found, scale, ()) for scale in (papers.Scale.QUICK, papers.Scale.FULL)
    )
    return listing.listing(found, quick, full)
