"""Metrics of attackers and victims, with intervals over the time of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from incast.measure.run import Run, Runs
from incast.measure.series import Array, by_size, curves, percentile
from incast.measure.statistics import Average, over_time
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.table import Table
from incast.time_units import PICOSECOND

from incast_papers.isolation.networks import of

__all__ = [
    "ATTACKER",
    "VICTIM",
    "Groups",
    "attackers_goodput",
    "attackers_share",
    "goodput_between",
    "goodput_of_victim",
    "is_role",
    "max_min_rates",
    "message_fct",
    "of_run",
    "over_size",
    "victims_goodput",
    "victims_percentile",
]

_BLOCK = 5e-3
"""Length of a bootstrap block in seconds, for runs of 50 ms: longer than the FCTs measured in
it.
"""
ATTACKER, VICTIM = "attacker", "victim"


def is_role(run: Run, role: str) -> Array:
    """For each flow, whether it is of this role: attacker or victim."""
    return _of_role(run.completed, role)


def _of_role(table: Table, role: str) -> Array:
    """For each row, whether it is of this role: attacker or victim."""
    return table.categories("role").are(role)


def victims_percentile(
    run: Run, share: float, *, above: float = 0, up_to: float = float("inf")
) -> float:
    """A percentile of FCT slowdown among the victims' flows larger than `above` bytes and at most
    `up_to`.
    """
    sizes = run.completed.numbers("size_bytes")
    chosen = is_role(run, VICTIM) & (sizes > above) & (sizes <= up_to)
    return percentile(run.completed.numbers("slowdown")[chosen], share)


def _acked_between(run: Run, begin: float, end: float) -> dict[str, float]:
    """For each entity of the series, bytes acknowledged from `begin` to `end`, in seconds."""
    found = {}
    for entity, (times, acked) in curves(run.series, "acked_bytes").items():
        moments = [begin / PICOSECOND, end / PICOSECOND]
        first, last = np.interp(moments, times.astype(float), acked.astype(float))
        found[entity] = float(last - first)
    return found


def attackers_share(run: Run, qps: int, begin: float, end: float) -> float:
    """The attacker's share of the bytes acknowledged between two times in seconds. The first `qps`
    flows are the attacker's.
    """
    acked = _acked_between(run, begin, end)
    own = sum(acked[f"flow {number}"] for number in range(qps))
    return own / sum(acked.values())


def goodput_between(run: Run, flow: int, begin: float, end: float) -> float:
    """Goodput of a flow between two times in seconds, in bit/s."""
    return _acked_between(run, begin, end)[f"flow {flow}"] * 8 / (end - begin)


def attackers_goodput(run: Run, begin: float) -> float:
    """Goodput of the attacker's flows in bit/s, from `begin`, in seconds, to their last finish."""
    chosen = is_role(run, ATTACKER)
    flows = run.completed
    ends = (flows.numbers("start_ps") + flows.numbers("fct_ps"))[chosen]
    return float(flows.numbers("size_bytes")[chosen].sum() * 8 / (ends.max() * PICOSECOND - begin))


def goodput_of_victim(run: Run) -> float:
    """Goodput of the victim's long flow, which is flow 0, in the second half of the run, in
    bit/s.
    """
    end = float(run.summary["simulated_ps"]) * PICOSECOND
    return goodput_between(run, 0, end / 2, end)


def message_fct(run: Run, role: str) -> Array:
    """For each complete message of a role, seconds from its start to the finish of its last
    piece.
    """
    messages = run.messages
    return messages.numbers("fct_ps")[_of_role(messages, role)] * PICOSECOND


def victims_goodput(run: Run) -> float:
    """Mean over the victims' flows of size divided by FCT, in bit/s."""
    flows = run.completed
    chosen = is_role(run, VICTIM)
    rates = flows.numbers("size_bytes")[chosen] * 8 / (flows.numbers("fct_ps")[chosen] * PICOSECOND)
    return float(rates.mean())


def max_min_rates(pairs: Sequence[tuple[int, int]], capacity: float) -> list[float]:
    """Max-min fair rates on a star whose links have this capacity, by progressive filling."""
    links = [{("up", source), ("down", destination)} for source, destination in pairs]
    left = {link: capacity for of_flow in links for link in of_flow}
    rates: dict[int, float] = {}
    while len(rates) < len(pairs):
        waiting = {number: links[number] for number in range(len(pairs)) if number not in rates}
        share = {
            link: left[link] / sum(link in of_flow for of_flow in waiting.values())
            for link in left
            if any(link in of_flow for of_flow in waiting.values())
        }
        full = min(share, key=lambda link: share[link])
        for number in [number for number, of_flow in waiting.items() if full in of_flow]:
            rates[number] = share[full]
            for link in links[number]:
                left[link] -= share[full]
    return [rates[number] for number in range(len(pairs))]


def of_run(
    run: Run,
    values: Array,
    share: float,
    sizes: tuple[float, float] = (0, float("inf")),
    *,
    role: str | None = None,
    block: float = _BLOCK,
) -> Average:
    """A percentile of a value over the flows of a long run within these sizes, both ends included.
    Its interval is over time, in blocks of `block` seconds. `role` restricts it to attackers' or
    victims' flows.
    """
    size, starts = run.completed.numbers("size_bytes"), run.completed.numbers("start_ps")
    chosen = (size >= sizes[0]) & (size <= sizes[1])
    if role is not None:
        chosen &= is_role(run, role)
    values = values[chosen]
    return over_time(
        starts[chosen], lambda drawn: percentile(values[drawn], share), block=block / PICOSECOND
    )


@dataclass(frozen=True)
class Groups:
    """A percentile of a value over the flows of a long run, in groups of equal count by size.
    Groups are formed over all flows, and those whose largest size is within `sizes` are kept.
    """

    starts: Array
    values: Array
    group: Array
    """The group of each flow."""
    share: float

    @staticmethod
    def of(run: Run, values: Array, share: float, sizes: tuple[float, float]) -> Groups:
        """The groups of a run."""
        size, starts = run.completed.numbers("size_bytes"), run.completed.numbers("start_ps")
        ends = by_size(size, values, [share]).largest_bytes
        group = np.searchsorted(ends, size)
        inside = np.isin(group, np.flatnonzero((ends >= sizes[0]) & (ends <= sizes[1])))
        # In order of arrival, because the order of completion differs between runs.
        order = np.argsort(run.completed.numbers("flow_id"))
        chosen = order[inside[order]]
        return Groups(starts[chosen], values[chosen], group[chosen], share)

    def each(self, drawn: Array) -> list[float]:
        """The percentile in each group, over the flows at these indices."""
        values, group = self.values[drawn], self.group[drawn]
        return [percentile(values[group == each], self.share) for each in np.unique(group)]

    def highest(self) -> Average:
        """The largest value over the groups, with its interval over time in blocks of 5 ms."""
        return self._over_time(lambda drawn: max(self.each(drawn)))

    def lowest(self) -> Average:
        """The smallest value over the groups, with its interval over time."""
        return self._over_time(lambda drawn: min(self.each(drawn)))

    def highest_over(self, other: Groups) -> Average:
        """The ratio of the largest value to that of another run with the same flows, with its
        interval over time.
        """
        assert np.array_equal(self.starts, other.starts), "runs with the same flows"
        return self._over_time(lambda drawn: max(self.each(drawn)) / max(other.each(drawn)))

    def _over_time(self, statistic: Callable[[Array], float]) -> Average:
        return over_time(self.starts, statistic, block=_BLOCK / PICOSECOND)


def over_size(
    title: str,
    names: Mapping[str, str],
    share: float,
    *,
    value: Callable[[Run], Array] | None = None,
    role: str | None = None,
    colours: Mapping[str, int] | None = None,
    up_to: float = float("inf"),
) -> Callable[[Runs], Chart]:
    """A panel: a percentile over flow size.

    Args:
        title: The title of the panel.
        names: The name in the legend for each label; the seeds of a label are pooled.
        share: The percentile.
        value: Gives the value of each flow; by default, its FCT slowdown.
        role: The role whose flows are taken; by default, all flows.
        colours: The palette index of each label; by default, in order.
        up_to: The largest flow size, in bytes.
    """

    def draw(runs: Runs) -> Chart:
        drawn = []
        for place, (label, name) in enumerate(names.items()):
            sizes, values = [], []
            for run in of(runs, label):
                size = run.completed.numbers("size_bytes")
                chosen = size <= up_to
                if role is not None:
                    chosen = chosen & is_role(run, role)
                found = run.completed.numbers("slowdown") if value is None else value(run)
                sizes.append(size[chosen])
                values.append(found[chosen])
            groups = by_size(np.concatenate(sizes), np.concatenate(values), [share])
            colour = (colours or {}).get(label, place)
            drawn.append(
                Curve(name, groups.largest_bytes, groups.percentiles[share], colour, group=name)
            )
        shown = "median" if share == 50 else f"p{share:g}"
        what = "FCT slowdown" if value is None else "slowdown x weight"
        return Chart(
            title,
            title,
            Axis("flow size", Quantity.SIZE, log=True),
            Axis(f"{what}, {shown}", Quantity.RATIO, log=True, lower=1),
            drawn,
            note="Flows of all seeds in order of size, in a hundred groups of equal count; each "
            "point stands at the largest size of its group.",
        )

    return draw
