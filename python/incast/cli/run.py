"""`incast run`: one scenario, from file to report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import incast
from incast.cli.interrupts import Requests, answered
from incast.cli.messages import note
from incast.cli.options import (
    Once,
    add_json_option,
    add_run_options,
    checked_scenario,
    json_text,
    name,
    path,
    threads,
)
from incast.cli.os_signals import INTERRUPTED
from incast.cli.progress import Progress
from incast.cli.streams import place, shown
from incast.files import is_stream
from incast.present.estimate import effort, fewer_rows, thinning

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_run)
    add_run_options(parser)
    parser.add_argument(
        "--cc",
        action=Once,
        type=name,
        metavar="NAME",
        help="replace the algorithm of [cc], e.g. hpcc+vai+sf or swift:fairness; traffic entries "
        "with a cc of their own keep it; of a memory fabric the scheme, e.g. 3cpo or window:3",
    )
    add_json_option(parser)
    parser.add_argument(
        "--out",
        type=path,
        metavar="DIR",
        help="the results folder; default: results/<name>-<algorithm>-<identity>",
    )


def _run(arguments: argparse.Namespace) -> int:
    overrides = {"cc": arguments.cc} if arguments.cc is not None else {}
    scenario = checked_scenario(arguments, arguments.scenario, **overrides)
    with answered() as requests:
        return _answering(arguments, scenario, requests)


def _answering(arguments: argparse.Namespace, scenario: incast.Scenario, requests: Requests) -> int:
    def on_start(estimate: Mapping[str, Any]) -> None:
        requests.answer_by(*(_WITHOUT_REPORT if arguments.no_report else _WITH_REPORT))
        if not arguments.quiet:
            _announce(estimate)

    code, stalled = 0, None
    with Progress(quiet=arguments.quiet) as line:
        try:
            results = incast.run(
                scenario,
                store="results",
                folder=arguments.out,
                force=arguments.force,
                threads=threads(arguments, scenario),
                memory=arguments.memory,
                on_start=on_start,
                progress=line.of(scenario),
            )
        except incast.Interrupted as stopped:
            results, code = stopped.results, INTERRUPTED
        except incast.StallError as error:
            results, stalled = error.results, error
    if not arguments.json:
        print(results.table(), end="\n\n", flush=True)
    report, unwritten = None, None
    if not arguments.no_report:
        if not code:
            requests.answer_by("no report is written")
        try:
            report = requests.unless_skipped(lambda: up_to_date_report(results))
        except incast.ResultsError as error:
            unwritten = error
    if arguments.json:
        places = {"folder": str(results.folder), "report": str(report) if report else None}
        print(json_text({**places, "reused": results.reused, "summary": results.summary}))
    else:
        place("results", results.folder, _reused(results))
        if report is not None:
            place("report", report)
    if report is None and not arguments.no_report:
        note(f"no report was written; `incast report {shown(results.folder)}` writes one")
    for failure in (unwritten, stalled):
        if failure is not None:
            raise failure
    return INTERRUPTED if requests.count else code


_ENDS = "the run ends, and what it has is stored"
_LAST = "what the run has is being stored, and nothing else is left to skip"
_WITHOUT_REPORT = (_ENDS, _LAST)
_WITH_REPORT = (f"{_ENDS}; Ctrl-C again skips the report", "no report is written", _LAST)


def _announce(estimate: Mapping[str, Any]) -> None:
    """Prints the estimate of a run on a terminal, and notes on what its results will lack."""
    if sys.stderr.isatty():
        print(f"estimate: {effort(estimate)}", file=sys.stderr)
    for sentence in (*thinning(estimate), *fewer_rows(estimate)):
        note(sentence)


def up_to_date_report(results: incast.Results) -> Path:
    """The report in a results folder. It is written if it does not exist or is incomplete."""
    from incast.present.html import is_whole

    assert results.folder is not None
    file = results.folder / "report.html"
    if results.reused and is_whole(file):
        return file
    if is_stream(file):
        # Writing to a pipe without a reader would block forever.
        raise incast.ResultsError("is no regular file", file=str(file), hint="remove it")
    return results.report(file)


def _reused(results: incast.Results) -> str:
    return " (was run before; --force runs it again)" if results.reused else ""
