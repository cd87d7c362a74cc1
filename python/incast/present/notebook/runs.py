"""Results of one run, or of several side by side, in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from incast.errors import ResultsError
from incast.measure.run import Runs, are_fabrics
from incast.present import causes, key_figures, what_ran
from incast.present.charts import Chart, chart as chart_named
from incast.present.html import parts
from incast.present.notebook.box import box
from incast.present.notebook.images import Drawn, drawn

__all__ = ["html"]

_MAIN = ("slowdown", "rates", "queue", "goodput")
_MAIN_OF_FABRICS = ("latency", "bandwidth", "channels")
_MOST_CHARTS = 2


def html(found: Runs, baseline: str | None = None) -> str:
    """Key figures and the main charts of one run, or of several side by side; with a baseline, also
    ratios to it.
    """
    first = next(iter(found.values()))
    alone = len(found) == 1
    names = dict.fromkeys(run.name for run in found.values())
    # Base RTT and BDP differ between algorithms; for several runs they are in the table.
    network = key_figures.network if alone else key_figures.size
    networks = dict.fromkeys(network(run.summary) for run in found.values())
    settings = [key_figures.settings(first.summary)] if alone else []
    charts, unreadable = _images(found)
    # If the tables cannot be read, the charts already say so.
    held_up = causes.of_run(first) if alone and not unreadable else causes.NONE
    slow = parts.slowest(held_up.slowest)
    beside = [] if alone else [parts.side_by_side(found)]
    against = [] if alone or baseline is None else [parts.differences(found, baseline)]
    return box(
        "runs.html",
        title=", ".join(names),
        lines=[*settings, *networks, *what_ran.of_runs(found)],
        warnings=[*parts.warnings(found), *unreadable],
        listings=[
            parts.statistics(found),
            *parts.parties(found),
            *([slow] if slow.rows else []),
            *beside,
            *against,
        ],
        cards=parts.cards(first, held_up) if alone else [],
        charts=charts,
    )


def _images(found: Runs) -> tuple[list[Drawn], list[str]]:
    """The main charts, or the reason why tables cannot be read, as for a run in another process."""
    try:
        return drawn(_main(found)), []
    except ResultsError as error:
        return [], [str(error)]


def _main(found: Runs) -> Sequence[Chart]:
    """The first charts that have something to show."""
    names = _MAIN_OF_FABRICS if are_fabrics(found) else _MAIN
    every = (chart_named(name, found) for name in names)
    telling = (chart for chart in every if not chart.empty and _tells_more_than_a_point(chart))
    return [chart for chart, _ in zip(telling, range(_MOST_CHARTS), strict=False)]


def _tells_more_than_a_point(chart: Chart) -> bool:
    """Whether a chart has more than one x value. With flows of a single size, the table says as
    much.
    """
    return len({float(x) for curve in chart.curves for x in curve.x}) > 1
