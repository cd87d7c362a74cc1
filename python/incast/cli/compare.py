"""`incast compare`: scenarios, algorithms, load balancing and attacks side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import incast
from incast.cli.campaign import CampaignLine
from incast.cli.interrupts import RUNS_END, Requests, answered, stopped
from incast.cli.messages import note
from incast.cli.options import (
    Several,
    add_baseline_option,
    add_difference_option,
    add_figure_options,
    add_format_option,
    add_json_option,
    add_run_options,
    checked_scenario,
    json_text,
    names,
    path,
    threads,
    whole_number,
)
from incast.cli.os_signals import INTERRUPTED
from incast.cli.outputs import Outputs
from incast.cli.streams import place, shown
from incast.files import file_name
from incast.measure.paired import MOST_SEEDS
from incast.paired_comparison import PairedComparison
from incast.present.charts import find
from incast.present.units import plural
from incast.scenario import segments

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_compare)
    add_run_options(parser, scenarios="+")
    parser.add_argument(
        "--cc",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help="the algorithms, with parts and sets of parameters, e.g. "
        "hpcc,hpcc+vai+sf,swift:fairness, or schemes of a fabric, e.g. none,window:3,3cpo; "
        "traffic entries with a cc of their own keep it; default: the scenario's",
    )
    parser.add_argument(
        "--balance",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help="load balancing of flows, e.g. flow,oblivious,reps (`incast list balancers`), with as "
        "many entropies as the scenario says; default: the scenario's. What does not go together "
        "with an algorithm is a row that says why",
    )
    parser.add_argument(
        "--attack",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help="attacks by the attackers that the scenario's [attack] section names: of none, "
        "parallel, staggered, shuffled; default: the scenario's",
    )
    add_baseline_option(parser)
    parser.add_argument(
        "--seeds",
        type=_seeds,
        metavar="N",
        help="run each with N seeds, from the scenario's own on, and compare them paired by seed, "
        "with 95 %% intervals of 5 or more; the baseline is the first, unless one is named",
    )
    add_difference_option(parser)
    add_figure_options(parser, "none, as the report has all")
    add_format_option(parser)
    add_json_option(parser)
    parser.add_argument(
        "--out",
        type=path,
        default=Path("results"),
        metavar="DIR",
        help="where results folders and the report go; default: results",
    )


def _compare(arguments: argparse.Namespace) -> int:
    files = arguments.scenario
    if len(files) == 1 and not (arguments.cc or arguments.balance or arguments.attack):
        hint = "give --cc hpcc,dcqcn, --balance flow,reps or --attack none,staggered, or another "
        hint += "scenario"
        raise incast.Error("compare what?", hint=hint)
    for each in arguments.chart or ():
        find(each)
    first = _first_attack(arguments)
    of_all, of_each = _by_section(arguments)
    arguments.settings = of_all
    scenarios = [checked_scenario(arguments, file, **first) for file in files]
    arguments.settings += of_each
    with answered() as requests:
        return _answering(arguments, scenarios, of_each, requests)


def _answering(
    arguments: argparse.Namespace,
    scenarios: Sequence[incast.Scenario],
    settings: Sequence[tuple[str, str]],
    requests: Requests,
) -> int:
    name = scenarios[0].name if len(scenarios) == 1 else "comparison"
    code = 0
    skips = () if arguments.no_report else (f"{RUNS_END}; Ctrl-C again skips the report",)
    requests.answer_by(*skips, RUNS_END)
    with CampaignLine(quiet=arguments.quiet) as line:
        try:
            comparison = incast.compare(
                scenarios,
                arguments.cc,
                balance=arguments.balance,
                attack=arguments.attack,
                store=arguments.out,
                force=arguments.force,
                threads=threads(arguments, scenarios[0]),
                memory=arguments.memory,
                baseline=arguments.baseline,
                seeds=arguments.seeds,
                difference=arguments.difference,
                labels=arguments.labels,
                watch=line,
                settings=settings,
            )
        except incast.Interrupted as interrupt:
            comparison, code = interrupt.comparison, INTERRUPTED
        except incast.CampaignInterrupted as interrupt:
            return stopped(interrupt)
    if not arguments.json:
        print(comparison.table(), end="\n\n", flush=True)
    report, outputs = None, Outputs()
    labels = getattr(comparison, "by_seed", comparison)
    name = file_name(f"{name}-{'-vs-'.join(labels)}")
    figures = outputs.write(lambda: _figures(arguments, comparison, name)) or []
    if not arguments.no_report:
        requests.answer_by("no report is written")
        file = arguments.out / f"{name}.html"
        report = outputs.write(lambda: requests.unless_skipped(lambda: comparison.report(file)))
    if arguments.json:
        runs = {
            label: {"folder": _folder(run), "reused": run.reused, "summary": run.summary}
            for label, run in comparison.items()
        }
        told: dict[str, object] = {"report": str(report) if report else None, "runs": runs}
        if arguments.balance:
            told["refused"] = dict(comparison.refused)
        print(json_text({**told, **comparison.compared()}))
    else:
        _print_places(comparison, report)
        if figures:
            place("figures", figures[0].parent)
    if report is None and not arguments.no_report:
        folders = " ".join(shown(run.folder) for run in comparison.values() if run.folder)
        note(f"no report was written; `incast report {folders}` writes one")
    stalled = any(results.stall and results.stall["ended_run"] for results in comparison.values())
    return INTERRUPTED if requests.count else code or int(stalled) or outputs.code


def _figures(arguments: argparse.Namespace, comparison: incast.Comparison, name: str) -> list[Path]:
    """Writes the charts of `--chart` to files, and gives their paths."""
    if not arguments.chart:
        return []
    from incast.present import matplotlib

    return matplotlib.save_all(
        comparison.runs,
        arguments.out / f"figures-{name}",
        arguments.format,
        names=arguments.chart,
        width=arguments.width or matplotlib.COLUMN_INCHES[0],
    )


def _seeds(text: str) -> int:
    return whole_number(text, "a number of seeds", 1, MOST_SEEDS)


def _folder(run: incast.Results) -> str | None:
    return str(run.folder) if run.folder else None


def _print_places(comparison: incast.Comparison, report: Path | None) -> None:
    if isinstance(comparison, PairedComparison):
        _print_folder(comparison)
    else:
        _print_folders(comparison)
    if report is not None:
        place("report", report)


def _print_folder(comparison: PairedComparison) -> None:
    """Prints the folder that contains the results of many runs."""
    stored = [run for run in comparison.values() if run.folder is not None]
    if stored and stored[0].folder is not None:
        before = sum(run.reused for run in stored)
        reused = f", {before} of them run before; --force runs them again" if before else ""
        place("results", stored[0].folder.parent, f" ({plural(len(stored), 'run')}{reused})")


def _print_folders(comparison: incast.Comparison) -> None:
    for label, results in comparison.items():
        if results.folder is None:
            # A warning has already said that these results were not stored.
            continue
        before = " (was run before; --force runs it again)" if results.reused else ""
        place("results", results.folder, f"{before} [{label}]")


def _by_section(
    arguments: argparse.Namespace,
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Splits settings into those of the scenarios, and those of the algorithms that `--cc` names.
    The latter are applied after the name, because a new name drops earlier parameters.
    """
    of_each = [
        pair
        for pair in arguments.settings
        if arguments.cc and segments(pair[0])[:1] in (["cc"], ["control"])
    ]
    return [pair for pair in arguments.settings if pair not in of_each], of_each


def _first_attack(arguments: argparse.Namespace) -> dict[str, str]:
    """The first attack, as a setting: a scenario may list attackers without naming an attack."""
    return {"attack": arguments.attack[0]} if arguments.attack else {}
