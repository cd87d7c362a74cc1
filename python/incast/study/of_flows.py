"""Statistics of a run's flows: a quantity, a statistic of it, and the flows it covers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from incast.measure.run import Run
from incast.present.charts.chart import Quantity
from incast.present.key_figures.steadiness import TOLD_LATE
from incast.study.of_summary import reach_by_summary, value_by_summary
from incast.study.selection import Selection, entry_number

if TYPE_CHECKING:
    from incast.measure.counted import Counted
    from incast.measure.series import Array
    from incast.table import Table

__all__ = ["FLOW_QUANTITIES", "OfFlows", "reach", "statistic_of"]

_MISSING = float("nan")


class OfFlows(NamedTuple):
    """A quantity that every completed flow has."""

    label: str
    quantity: Quantity
    values: Callable[[Run], Array]
    summary: str
    lower: float = 0.0
    key: str = ""
    """The key of its distribution over counted flows in the summary; empty if there is none."""


def _slowdowns(run: Run) -> Array:
    return run.completed.numbers("slowdown")


def _fcts(run: Run) -> Array:
    return run.completed.numbers("fct_ps")


def _goodputs(run: Run) -> Array:
    return run.completed.numbers("size_bytes") * 8e12 / _fcts(run)


def _entropies(run: Run) -> Array:
    """Entropies of each completed flow; missing (NaN) if they were not counted."""
    import numpy as np

    if "entropies" in run.completed.columns:
        return run.completed.numbers("entropies")
    return np.full(len(run.completed), _MISSING)


FLOW_QUANTITIES = {
    "slowdown": OfFlows(
        "FCT slowdown", Quantity.RATIO, _slowdowns, "FCT slowdown", 1.0, "fct_slowdown"
    ),
    "fct": OfFlows("FCT", Quantity.TIME, _fcts, "FCT", key="fct_ps"),
    "flow-goodput": OfFlows("goodput of flows", Quantity.RATE, _goodputs, "size over FCT"),
    "entropies": OfFlows(
        "entropies in use", Quantity.COUNT, _entropies, "entropies in use, where they are counted"
    ),
}


def reach(
    statistic: str, quantity: OfFlows, run: Run, selection: Selection
) -> tuple[float, float] | None:
    """The range over which late flows could move a statistic; ``None`` if they could not."""
    if "flow_rows" in run.summary:
        return reach_by_summary(statistic, quantity.key, run, selection)
    found = _counted(quantity, run, selection)
    if not found.late_share or not len(found.values):
        return None
    if statistic not in ("mean", "min", "max"):
        return found.ends(float(statistic[1:]))
    longest = "max" if found.limit else "min"
    if statistic != longest and not (statistic == "mean" and found.late_share > TOLD_LATE):
        return None
    value = float(getattr(found.values, statistic)())
    return min(value, found.limit), max(value, found.limit)


def _counted(quantity: OfFlows, run: Run, selection: Selection) -> Counted:
    """The values of the selected flows."""
    import numpy as np

    from incast.measure.counted import Counted, counted, share_by_then

    values = quantity.values(run)
    limit = 0.0 if quantity.quantity is Quantity.RATE else math.inf
    done = len(run.completed)
    if selection.all_flows:
        chosen = _chosen(run.completed, run, selection)
        return Counted(values[chosen], np.zeros(chosen.sum(), dtype=bool))
    chosen = _chosen(run.flows, run, selection)
    found = counted(run, values, chosen[:done], chosen[done:])._replace(limit=limit)
    if not found.late_share:
        return found
    share = counted(run, share_by_then(run), chosen[:done], chosen[done:]).values
    if not limit:
        with np.errstate(divide="ignore"):
            return found._replace(by_then=found.values / share, unfinished_by_then=math.inf)
    # No flow has a smaller value than a lone flow, except under faults.
    least = np.minimum(found.values, quantity.lower)
    by_then = np.maximum(found.values * share, least)
    return found._replace(by_then=by_then, unfinished_by_then=quantity.lower)


def statistic_of(statistic: str, quantity: OfFlows, run: Run, selection: Selection) -> float:
    """A statistic of a quantity over selected flows. Missing (NaN) if there are none, or if late
    flows could move a percentile without limit.
    """
    if "flow_rows" in run.summary:
        return value_by_summary(statistic, quantity.key, run, selection)
    found = _counted(quantity, run, selection)
    if not len(found.values):
        return _MISSING
    if statistic in ("mean", "min", "max"):
        return float(getattr(found.values, statistic)())
    return found.percentile(float(statistic[1:]))


def _chosen(flows: Table, run: Run, selection: Selection) -> Array:
    """For each flow, whether it is selected."""
    import numpy as np

    chosen = np.ones(len(flows), dtype=bool)
    sizes = flows.numbers("size_bytes")
    if selection.larger_than is not None:
        chosen &= sizes > selection.larger_than
    if selection.up_to is not None:
        chosen &= sizes <= selection.up_to
    if selection.traffic:
        chosen &= _entry(flows, run, selection.traffic)
    return chosen


def _entry(flows: Table, run: Run, traffic: str) -> Array:
    """For each flow, whether it is of the traffic entry."""
    import numpy as np

    return np.asarray(flows.numbers("traffic") == entry_number(run, traffic))
