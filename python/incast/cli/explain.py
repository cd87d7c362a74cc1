"""`incast explain`: explains why flows took as long as they did."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import incast
from incast.cli.options import add_json_option, json_text, name, path, whole_number
from incast.cli.running_again import running_again
from incast.cli.streams import shown
from incast.comparison import labelled
from incast.explain.answers import FlowAnswer
from incast.explain.breakdown import MOST, breakdown, listed, summed
from incast.explain.explanation import CollectiveExplanation, Explanation
from incast.explain.run_again import explain, explain_collective, slowest
from incast.measure.fct_parts import have_parts
from incast.measure.series import ordered_percentile
from incast.names import hint
from incast.present.charts.chart import Quantity
from incast.study import quantities
from incast.study.selection import entries, entry_number

__all__ = ["add"]

_ALL = 0
"""Stands for all flows of results that have summed up the parts of FCTs."""
_SAMPLE = 200


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_explain)
    parser.add_argument(
        "folders",
        nargs="+",
        type=path,
        metavar="DIR",
        help="a results folder; with --breakdown several",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--flow",
        type=_flow,
        action="append",
        metavar="N",
        help="this flow, by its `flow_id`; may be given several times",
    )
    which.add_argument(
        "--slowest",
        type=_count,
        metavar="N",
        help="the N flows with the largest slowdown; the default, with N = 1",
    )
    which.add_argument(
        "--percentile",
        type=_percent,
        metavar="P",
        help="the flow at this percentile of slowdown",
    )
    which.add_argument(
        "--collective",
        type=_flow,
        metavar="N",
        help="the critical path of the collective of this traffic entry",
    )
    parser.add_argument(
        "--breakdown",
        type=_group,
        nargs="?",
        const=_ALL,
        metavar="N",
        help="mean shares of the parts by flow size, of N flows at random and of the slowest "
        "hundredth, N at most; by default 200, or all flows of results with measure.breakdown",
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        metavar="FROM-TO",
        help="of flows of these sizes alone, e.g. 1MB- or 10KB-100KB; with --slowest, --percentile",
    )
    parser.add_argument(
        "--entry",
        type=name,
        metavar="NAME",
        help="of flows of this traffic entry (name or number) alone; with --slowest, --percentile",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=path,
        metavar="FILE",
        help="write a page (HTML), too, with charts over the flows' time",
    )
    add_json_option(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _explain(arguments: argparse.Namespace) -> int:
    runs = labelled([incast.load(folder) for folder in arguments.folders])
    if arguments.breakdown is not None:
        return _break_down(arguments, runs)
    if len(runs) > 1:
        what = f"flows of {len(runs)} runs are to be explained"
        raise incast.Error(what, hint="name one folder, or ask for --breakdown")
    (results,) = runs.values()
    found: Sequence[Explanation | CollectiveExplanation]
    with running_again(results, quiet=arguments.quiet) as again:
        if arguments.collective is not None:
            _refuse_choices(arguments, "--collective")
            found = [explain_collective(results, arguments.collective, again)]
        else:
            found = explain(results, _chosen(arguments, results), again)
    if arguments.out is not None:
        from incast.explain import page

        flows: list[FlowAnswer] = []
        for each in found:
            flows += [each] if isinstance(each, Explanation) else each.messages
        _tell(arguments, page.write(flows, arguments.out))
    if arguments.json:
        print(json_text([each.to_dict() for each in found]))
    else:
        print("\n\n\n".join(map(str, found)))
    return 0


def _break_down(arguments: argparse.Namespace, runs: Mapping[str, incast.Results]) -> int:
    _refuse_choices(arguments, "--breakdown")
    chosen = (arguments.flow, arguments.slowest, arguments.percentile, arguments.collective)
    if any(each is not None for each in chosen):
        what = "--breakdown is of many flows"
        raise incast.Error(what, hint="leave it out, or leave out what names flows")
    found = {}
    for label, results in runs.items():
        if arguments.breakdown == _ALL and have_parts(runs.values()):
            found[label] = summed(results)
            continue
        with running_again(results, quiet=arguments.quiet) as again:
            found[label] = breakdown(results, arguments.breakdown or _SAMPLE, again)
    if arguments.out is not None:
        from incast.explain import breakdown_page

        _tell(arguments, breakdown_page.write(found, arguments.out))
    if arguments.json:
        print(json_text(listed(found)))
    else:
        from incast.present.breakdown import listing

        print(listing(found))
    return 0


def _tell(arguments: argparse.Namespace, file: Path) -> None:
    if not arguments.quiet:
        print(shown(file), file=sys.stderr)


def _chosen(arguments: argparse.Namespace, results: incast.Results) -> list[int]:
    if arguments.flow is not None:
        _refuse_choices(arguments, "--flow")
        return list(dict.fromkeys(arguments.flow))

    table = results.completed
    kept = np.ones(len(table), dtype=bool)
    if arguments.sizes is not None:
        sizes = table.numbers("size_bytes")
        kept &= (sizes >= arguments.sizes[0]) & (sizes <= arguments.sizes[1])
    if arguments.entry is not None:
        kept &= table.numbers("traffic") == _entry(results, arguments.entry)
    among = slowest(results, len(table), kept)
    if not among:
        what = f"{results.name}: no such flow has completed"
        raise incast.Error(what, hint="`incast show DIR` says how many flows there are")
    if arguments.percentile is not None:
        return [int(ordered_percentile(np.array(among[::-1]), arguments.percentile))]
    return among[: arguments.slowest or 1]


def _entry(results: incast.Results, named: str) -> int:
    number = entry_number(results, named)
    names = entries(results)
    if not 0 <= number < len(names):
        what = f"{results.name}: `{named}` is no traffic entry"
        raise incast.Error(what, hint=hint(named, names))
    return number


def _refuse_choices(arguments: argparse.Namespace, option: str) -> None:
    if arguments.sizes is not None or arguments.entry is not None:
        what = f"--sizes and --entry choose among flows, and {option} says which"
        raise incast.Error(what, hint="leave out one or the other")


def _flow(text: str) -> int:
    return whole_number(text, "a flow", 0, 2**32 - 1)


def _count(text: str) -> int:
    return whole_number(text, "a number of flows", 1, 1000)


def _sizes(text: str) -> tuple[float, float]:
    """The smallest and the largest size in bytes; the text may leave out either."""
    ends = [each.strip() for each in text.split("-")]
    if len(ends) == 2 and any(ends):
        smallest = _bytes(ends[0]) if ends[0] else 0.0
        largest = _bytes(ends[1]) if ends[1] else math.inf
        if smallest is not None and largest is not None and smallest <= largest:
            return smallest, largest
    what = f"`{text}` is no range of sizes; write e.g. 10KB-1MB, or 1MB-"
    raise argparse.ArgumentTypeError(what)


def _bytes(text: str) -> float | None:
    found = quantities.number(text)
    return found[0] if found is not None and found[1] is Quantity.SIZE else None


def _group(text: str) -> int:
    return whole_number(text, "a number of flows", 1, MOST)


def _percent(text: str) -> float:
    try:
        percent = float(text)
    except ValueError:
        percent = -1.0
    if not 0 < percent <= 100:
        raise argparse.ArgumentTypeError(f"`{text}` is no percentile; write e.g. 99.9")
    return percent
