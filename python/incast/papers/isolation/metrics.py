"""Metrics of attackers and victims, and their intervals over the time of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Array, by_size, curves, percentile
from incast.measure.statistics import Average, over_time
from incast.papers.isolation.networks import of
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.table import Table
from incast.time_units import PICOSECOND

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
"""Seconds: a block of the bootstrap of runs of 50 ms, longer than what is measured in it."""
ATTACKER, VICTIM = "attacker", "victim"


def is_role(run: Run, role: str) -> Array:
    """Whether each flow is an attacker's or a victim's."""
    return _of_role(run.completed, role)


def _of_role(table: Table, role: str) -> Array:
    """Whether each row is an attacker's or a victim's."""
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
    """Bytes acknowledged from `begin` to `end`, in seconds, by entity of the series."""
    found = {}
    for entity, (times, acked) in curves(run.series, "acked_bytes").items():
        moments = [begin / PICOSECOND, end / PICOSECOND]
        first, last = np.interp(moments, times.astype(float), acked.astype(float))
        found[entity] = float(last - first)
    return found


def attackers_share(run: Run, qps: int, begin: float, end: float) -> float:
    """The share of the bytes acknowledged between two moments, in seconds, that the attacker's
    flows have: the first so many.
    """
    acked = _acked_between(run, begin, end)
    own = sum(acked[f"flow {number}"] for number in range(qps))
    return own / sum(acked.values())


def goodput_between(run: Run, flow: int, begin: float, end: float) -> float:
    """Bits per second of one flow between two moments, in seconds."""
    return _acked_between(run, begin, end)[f"flow {flow}"] * 8 / (end - begin)


def attackers_goodput(run: Run, begin: float) -> float:
    """Bits per second from `begin`, in seconds, to the last finish of an attacker's flow."""
    chosen = is_role(run, ATTACKER)
    flows = run.completed
    ends = (flows.numbers("start_ps") + flows.numbers("fct_ps"))[chosen]
    return float(flows.numbers("size_bytes")[chosen].sum() * 8 / (ends.max() * PICOSECOND - begin))


def goodput_of_victim(run: Run) -> float:
    """Bits per second of the victim's long flow in the second half of the run: the last flow of the
    first traffic entry.
    """
    end = float(run.summary["simulated_ps"]) * PICOSECOND
    return goodput_between(run, 0, end / 2, end)


def message_fct(run: Run, role: str) -> Array:
    """Seconds from the start of each whole transfer to the finish of its last piece."""
    messages = run.messages
    return messages.numbers("fct_ps")[_of_role(messages, role)] * PICOSECOND


def victims_goodput(run: Run) -> float:
    """Mean over the victims' transfers of size over FCT, in bit/s."""
    flows = run.completed
    chosen = is_role(run, VICTIM)
    rates = flows.numbers("size_bytes")[chosen] * 8 / (flows.numbers("fct_ps")[chosen] * PICOSECOND)
    return float(rates.mean())


def max_min_rates(pairs: Sequence[tuple[int, int]], capacity: float) -> list[float]:
    """Max-min fair rates on a star whose links have this capacity, by filling: the link that
    leaves its flows least is full first.
    """
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
    """A percentile of a value of one long run's flows within these sizes, both ends included, with
    its interval over time by blocks of this many seconds; of everybody's flows, or of a role's.
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
    """A percentile of a value of one long run's flows, in groups of equal count by size: those of
    the whole run whose largest size is within `sizes`.
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
        # In order of arrival: rows are in that of finishes, which differs from run to run.
        order = np.argsort(run.completed.numbers("flow_id"))
        chosen = order[inside[order]]
        return Groups(starts[chosen], values[chosen], group[chosen], share)

    def each(self, drawn: Array) -> list[float]:
        """The percentile in each group, of the flows at these places."""
        values, group = self.values[drawn], self.group[drawn]
        return [percentile(values[group == each], self.share) for each in np.unique(group)]

    def highest(self) -> Average:
        """The highest of the groups, with its interval over time by blocks of 5 ms."""
        return self._over_time(lambda drawn: max(self.each(drawn)))

    def lowest(self) -> Average:
        """The lowest of the groups, likewise."""
        return self._over_time(lambda drawn: min(self.each(drawn)))

    def highest_over(self, other: Groups) -> Average:
        """The highest over that of another run with the same flows, likewise."""
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
        title: Of the panel.
        names: By label, the name in the legend; a label's seeds are taken together.
        share: The percentile.
        value: Value of each flow; by default its FCT slowdown.
        role: Whose flows; by default everybody's.
        colours: By label, a place in the palette; by default in order.
        up_to: The largest flows, in bytes.
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
