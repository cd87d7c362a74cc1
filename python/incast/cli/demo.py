"""`incast demo`: runs the scenarios that come with incast."""

from __future__ import annotations

import argparse
from pathlib import Path

import incast
from incast.cli.interrupts import RUNS_END, Requests, answered
from incast.cli.options import add_output_options, path
from incast.cli.os_signals import INTERRUPTED
from incast.cli.progress import Progress
from incast.cli.streams import place

__all__ = ["add"]

_FOLDER = Path("results") / "demo"
_SCENARIOS = ("star16", "hadoop-320")


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_demo)
    add_output_options(parser)
    parser.add_argument(
        "--out", type=path, default=_FOLDER, metavar="DIR", help=f"default: {_FOLDER}"
    )


def _demo(arguments: argparse.Namespace) -> int:
    with answered() as requests:
        return _answering(arguments, requests)


def _answering(arguments: argparse.Namespace, requests: Requests) -> int:
    done: list[incast.Results] = []
    code = 0
    requests.answer_by(RUNS_END)
    for name in _SCENARIOS:
        scenario = incast.Scenario(incast.shipped()[name])
        with Progress(quiet=arguments.quiet) as shown:
            try:
                results = incast.run(
                    scenario,
                    store=arguments.out,
                    force=arguments.force,
                    progress=shown.of(scenario, name),
                )
            except incast.Interrupted as stopped:
                results, code = stopped.results, INTERRUPTED
        done.append(results)
        print(results.table(), end="\n\n")
        place("results", results.folder, "\n")
        if code:
            break
    if not arguments.no_report:
        requests.answer_by("no report is written")
        file = arguments.out / "report.html"
        report = requests.unless_skipped(lambda: _report(done, file))
        if report is not None:
            place("report", report)
    return INTERRUPTED if requests.count else code


def _report(done: list[incast.Results], file: Path) -> Path:
    from incast.present import html

    sections = {results.name: results.runs for results in done}
    return html.write_sections(sections, file, title="incast demo")
