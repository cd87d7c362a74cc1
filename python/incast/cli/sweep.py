"""`incast sweep`: runs a study on all cores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import incast
from incast.cli.campaign import CampaignLine
from incast.cli.interrupts import RUNS_END, answered, stopped, telling_unwritten
from incast.cli.messages import failed, note
from incast.cli.options import (
    add_difference_option,
    add_figure_options,
    add_format_option,
    add_jobs_option,
    add_json_option,
    add_no_code_option,
    json_text,
    name,
    path,
)
from incast.cli.streams import place
from incast.comparison import labels_by_old
from incast.experiment import cores
from incast.present.charts import find
from incast.present.units import plural, seconds_text

if TYPE_CHECKING:
    from distributed import Client

    from incast.study.study import Study
    from incast.study.sweep import Sweep

__all__ = ["add"]

_RUN_FAILED = 1


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_sweep)
    parser.add_argument("study", type=path, help="a study file (TOML); see docs/sweeps.md")
    parser.add_argument(
        "--out",
        type=path,
        metavar="DIR",
        help="where runs, dataset, page and figures go; default: results/<name of the study>",
    )
    add_jobs_option(parser)
    add_no_code_option(parser)
    parser.add_argument(
        "--memory",
        choices=("fit", "any"),
        default="fit",
        help="whether to run only what should fit into the memory that is available (fit), or "
        "anything; default: fit",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        type=name,
        help="the address of a Dask scheduler, e.g. tcp://10.0.0.1:8786, on whose workers to run",
    )
    parser.add_argument(
        "--list", action="store_true", help="list the runs, and how long they take; run nothing"
    )
    parser.add_argument("--force", action="store_true", help="run even what was run before")
    parser.add_argument(
        "--baseline",
        type=name,
        metavar="VALUE",
        help="compare with the runs of one value of what is varied, paired by seed, e.g. hpcc, or "
        "cc=hpcc",
    )
    add_difference_option(parser)
    add_figure_options(parser, "one of each measure")
    add_format_option(parser)
    add_json_option(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _sweep(arguments: argparse.Namespace) -> int:
    from incast.study.study import Study

    study = Study(arguments.study)
    for each in arguments.chart or ():
        find(each)
    _labels(arguments)
    if arguments.list:
        print("\n".join([*(each.label for each in study.runs), "", _cost(study)]))
        return 0
    if not arguments.quiet:
        print(f"{_cost(study)}; earlier ones are reused", file=sys.stderr)
    with telling_unwritten("dataset, page and figures"):
        try:
            with (
                answered() as requests,
                _client(arguments.dask) as client,
                CampaignLine(quiet=arguments.quiet) as shown,
            ):
                requests.answer_by(RUNS_END)
                swept = incast.sweep(
                    study,
                    store=arguments.out,
                    jobs=arguments.jobs,
                    force=arguments.force,
                    memory=arguments.memory,
                    baseline=arguments.baseline,
                    difference=arguments.difference,
                    watch=shown,
                    client=client,
                )
        except incast.CampaignInterrupted as interrupt:
            return stopped(interrupt)
        return _shown(arguments, swept)


def _shown(arguments: argparse.Namespace, swept: Sweep) -> int:
    """Prints the measured numbers, and writes them to files."""
    if arguments.json:
        print(json_text(swept.to_dict()), flush=True)
    else:
        print(swept.table(), end="\n\n", flush=True)
    for label, failure in swept.failures.items():
        failed(label, failure)
    if swept.reused and not arguments.quiet:
        of = plural(len({row.identity for row in swept.rows}), "run")
        note(f"{swept.reused} of {of} were there already; --force runs them again")
    # Standard output is complete even if writing the files fails.
    page = swept.save(
        formats=arguments.format,
        charts=arguments.chart or (),
        labels=_labels(arguments),
        width=arguments.width,
    )
    if not arguments.json:
        place("dataset", page.parent / "sweep.parquet")
        place("page", page)
        place("figures", page.parent / "figures")
    return _RUN_FAILED if swept.failures else 0


def _labels(arguments: argparse.Namespace) -> dict[str, str]:
    """The new names of `--labels`, by the old ones.

    Raises:
        LabelError: A label has no old name, or an old name occurs twice.
    """
    return labels_by_old(arguments.labels or [])


@contextmanager
def _client(address: str | None) -> Iterator[Client | None]:
    """Connects to a Dask scheduler, if an address is given; closes the connection at the end."""
    if address is None:
        yield None
        return
    from incast.campaign.dask import connected

    with connected(address) as client:
        yield client


def _cost(study: Study) -> str:
    """The number of runs, and an estimate of their time, in words."""
    runs = {each.checked.identity: each.checked for each in study.runs}
    seconds = sum(each.seconds for each in runs.values()) / cores()
    return f"{plural(len(runs), 'run')}, about {seconds_text(max(1, round(seconds)))}"
