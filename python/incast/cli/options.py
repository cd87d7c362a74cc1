"""Options that several commands share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import incast
from incast.cli.messages import note
from incast.experiment import MAX_THREADS
from incast.present.formats import FORMATS

__all__ = [
    "Once",
    "Several",
    "add_baseline_option",
    "add_difference_option",
    "add_figure_options",
    "add_format_option",
    "add_jobs_option",
    "add_json_option",
    "add_progress_options",
    "add_run_options",
    "add_scenario_options",
    "add_set_option",
    "checked_scenario",
    "json_text",
    "name",
    "names",
    "path",
    "threads",
    "whole_number",
]


class Once(argparse.Action):
    """The action of an option that takes one value. A second value is refused; it does not replace
    the first.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Stores the value, or refuses a second one."""
        before = getattr(namespace, self.dest)
        if before is not None:
            what = f"is given twice: `{before}` and `{values}`; leave one out"
            raise argparse.ArgumentError(self, what)
        setattr(namespace, self.dest, values)


class Several(argparse.Action):
    """The action of an option that takes several names, and may be repeated: collects all names,
    each once.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Adds the names to the earlier ones."""
        before = getattr(namespace, self.dest) or []
        setattr(namespace, self.dest, list(dict.fromkeys([*before, *(values or [])])))


def add_run_options(parser: argparse.ArgumentParser, scenarios: str | None = None) -> None:
    """Adds the arguments of every command that runs scenarios and writes a report.

    Args:
        parser: The parser of the command.
        scenarios: The number of scenarios, as argparse's ``nargs``; by default, one.
    """
    add_scenario_options(parser, scenarios)
    add_output_options(parser)


def add_scenario_options(parser: argparse.ArgumentParser, scenarios: str | None = None) -> None:
    """Adds the arguments of every command that runs scenarios.

    Args:
        parser: The parser of the command.
        scenarios: The number of scenarios, as argparse's ``nargs``; by default, one.
    """
    parser.add_argument(
        "scenario",
        type=path,
        nargs=scenarios,
        help="a scenario file (TOML)",
    )
    add_set_option(parser, "replace a setting, e.g. traffic.0.load=0.7")
    parser.add_argument(
        "--threads",
        type=_count,
        metavar="N",
        help="threads that a run may use; default: as many as there are cores. Results do not "
        "depend on it",
    )
    parser.add_argument(
        "--memory",
        choices=("fit", "any"),
        default="fit",
        help="whether to run only what should fit into the memory that is available (fit), or "
        "anything; default: fit",
    )
    add_no_code_option(parser)
    parser.add_argument(
        "--seed", action=Once, type=_seed, metavar="N", help="replace the scenario's seed"
    )


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for reports and progress."""
    parser.add_argument("--no-report", action="store_true", help="write no HTML report")
    add_progress_options(parser)


def add_progress_options(parser: argparse.ArgumentParser) -> None:
    """Adds `--force` and `--quiet`."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="run even what was run before, and replace another run where results go",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def add_set_option(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Adds `--set`, with its meaning and an example."""
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="KEY=VALUE",
        type=_setting,
        action="append",
        default=[],
        help=f"{meaning}; may be given several times",
    )


def add_no_code_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--no-code`."""
    parser.add_argument(
        "--no-code",
        action="store_true",
        help="refuse a scenario whose algorithm is in a Python file, which a run executes",
    )


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--jobs`."""
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="cores to use, and runs at a time; default: as many as there are",
    )


def add_baseline_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--baseline`."""
    parser.add_argument(
        "--baseline",
        type=name,
        metavar="RUN",
        help="compare with one of the runs: how far the others lie from it, e.g. hpcc",
    )


def add_difference_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--difference`."""
    parser.add_argument(
        "--difference",
        type=_percent,
        default=0.05,
        metavar="PERCENT",
        help="the difference that matters: where runs are not told apart, the table says how many "
        "seeds would find it; default: 5%%",
    )


def _percent(text: str) -> float:
    """A percentage as a fraction; the text may have the sign `%`."""
    try:
        share = float(text.strip().removesuffix("%")) / 100
    except ValueError:
        share = float("nan")
    if not 0 < share <= _LARGEST_DIFFERENCE:
        raise argparse.ArgumentTypeError(f"`{text}` is no difference in percent; write e.g. 5%")
    return share


_LARGEST_DIFFERENCE = 10.0


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def json_text(value: object) -> str:
    """The output of `--json`."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def checked_scenario(
    arguments: argparse.Namespace, file: Path, **overrides: Any
) -> incast.Scenario:
    """Checks a scenario with the settings of :func:`add_run_options`."""
    if arguments.seed is not None:
        overrides["seed"] = arguments.seed
    return incast.Scenario(file, settings=arguments.settings, **overrides)


def threads(arguments: argparse.Namespace, scenario: incast.Scenario) -> int | None:
    """The number of `--threads`. ``None`` for a single-threaded scenario, with a note on the
    reason.
    """
    wanted: int | None = arguments.threads
    if wanted is not None and wanted > 1 and scenario.single_threaded_because:
        note(f"the scenario runs on one thread: {scenario.single_threaded_because}")
        return None
    return wanted


def _count(text: str) -> int:
    return whole_number(text, "a number of threads", 1, MAX_THREADS)


def _jobs(text: str) -> int:
    """The number of `--jobs`."""
    return whole_number(text, "a number of cores", 1, MAX_THREADS)


def _seed(text: str) -> int:
    return whole_number(text, "a seed", 0, _LARGEST_SEED)


_LARGEST_SEED = 2**63 - 1
"""TOML's largest number."""
_DIGITS = 20
"""More digits than any bound has are refused before conversion."""


def whole_number(text: str, noun: str, least: int, most: int) -> int:
    """Checks and converts an integer for argparse."""
    if text.isdecimal() and len(text) <= _DIGITS and least <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is not {noun}; write e.g. 2, {most} at most")


_NOTHING = "names nothing"


def name(text: str) -> str:
    """Checks a name for argparse. It may not be empty, as an unset shell variable is."""
    if not text.strip():
        raise argparse.ArgumentTypeError(_NOTHING)
    return text


def names(text: str) -> list[str]:
    """Checks and splits a list of names for argparse; each name is kept once."""
    found = [each.strip() for each in text.split(",") if each.strip()]
    if not found:
        raise argparse.ArgumentTypeError(_NOTHING)
    return list(dict.fromkeys(found))


def path(text: str) -> Path:
    """Checks a path for argparse."""
    return Path(name(text))


def _setting(text: str) -> tuple[str, str]:
    """Splits the argument of `--set` into key and value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"`{text}` is not KEY=VALUE")
    return key.strip(), value.strip()


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--format`, the formats of figures."""
    parser.add_argument(
        "--format",
        type=_formats,
        default=["png", "svg"],
        metavar="NAME,NAME",
        help=f"of figures: of {', '.join(FORMATS)}; default: png,svg",
    )


def add_figure_options(parser: argparse.ArgumentParser, charts: str) -> None:
    """Adds `--chart`, `--labels` and `--width`.

    Args:
        parser: The parser of the command.
        charts: The charts that are drawn by default, in words.
    """
    parser.add_argument(
        "--chart",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help=f"charts to draw, e.g. slowdown-p99,queue (`incast list charts`); default: {charts}",
    )
    parser.add_argument(
        "--labels",
        type=lambda text: [each.strip() for each in text.split(",")],
        metavar="TEXT,TEXT",
        help="names of the curves, in their order, or some of them: hpcc=HPCC,mine.py=Ours",
    )
    parser.add_argument(
        "--width",
        type=_width,
        metavar="INCHES",
        help="of figures, e.g. 7 for both columns of a paper; default: 3.4",
    )


def _width(text: str) -> float:
    try:
        inches = float(text)
    except ValueError:
        inches = float("nan")
    if not _NARROWEST <= inches <= _WIDEST:
        what = f"`{text}` is no width from {_NARROWEST} to {_WIDEST} inches; write e.g. 3.4"
        raise argparse.ArgumentTypeError(what)
    return inches


_NARROWEST, _WIDEST = 2, 20


def _formats(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"unknown format `{', '.join(unknown)}` (available: {', '.join(FORMATS)})"
        )
    return list(dict.fromkeys(names))
