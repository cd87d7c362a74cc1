"""Metrics over all seeds: shares, estimates, queues, throughput, fairness, round trips.

"Settled" is the second half of a run, for every figure alike: the paper does not say which times
its averages leave out, and flows have found their shares by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from incast.measure.run import Run, Runs
from incast.measure.series import Array, Curves, curves
from incast.papers.lgc.networks import PACKET, PAYLOAD, of
from incast.present.charts import Axis, Chart, Curve, Quantity

__all__ = [
    "goodput",
    "jain",
    "load_correlation",
    "loads",
    "mean_jain",
    "probes",
    "queue",
    "queue_distribution",
    "queue_percentiles",
    "rates",
    "rtt_cdf",
    "rtt_distribution",
    "rtt_percentile",
    "settled",
    "share_spread",
    "shares",
]

_PS = 1e-12
_K = 10e9


def settled(run: Run) -> float:
    """When the second half of a run begins, in ps."""
    return float(run.summary["simulated_ps"]) / 2


def probes(run: Run, name: str, flows: int | None = None) -> Curves:
    """A probe of LGC's first flows, or of all, over time."""
    found = curves(run.series, f"cc_{name}")
    names = list(found)[:flows]
    return {each: found[each] for each in names}


def _late(run: Run, name: str, *, whole: bool = False) -> list[Array]:
    begin = 0 if whole else settled(run)
    return [values[times >= begin] for times, values in probes(run, name).values()]


def shares(runs: Sequence[Run]) -> float:
    """Mean settled x over flows, time and seeds."""
    return float(np.mean([np.mean(part) for run in runs for part in _late(run, "share")]))


def share_spread(
    runs: Sequence[Run], *, flows: int | None = None, span: tuple[float, float] | None = None
) -> float:
    """Settled deviation of a flow's x over time, mean over flows (the first `flows`) and seeds;
    within a span of ps, by default the second half.
    """
    found = []
    for run in runs:
        begin, end = span or (settled(run), np.inf)
        for times, values in probes(run, "share", flows).values():
            found.append(values[(times >= begin) & (times < end)].std())
    return float(np.mean(found))


def load_correlation(runs: Sequence[Run]) -> float:
    """Correlation of the settled l of two flows (Pearson's), mean
    over pairs of flows and seeds. A flow whose l never changes takes no part.
    """
    found = []
    for run in runs:
        parts = _late(run, "load")
        count = min(len(part) for part in parts)
        rows = np.array([part[-count:] for part in parts])
        rows = rows[rows.std(axis=1) > 0]
        pairs = np.corrcoef(rows)[np.triu_indices(len(rows), 1)]
        found.append(pairs.mean())
    return float(np.mean(found))


def loads(runs: Sequence[Run], *, whole: bool = False) -> Array:
    """All settled estimates l, one for each flow and interval; or those of whole runs."""
    return np.concatenate([part for run in runs for part in _late(run, "load", whole=whole)])


def rates(run: Run) -> Array:
    """The settled rate of each of LGC's flows, headers included, in units of K: from acknowledged
    bytes. Background has no state to show, and is left out.
    """
    begin = settled(run)
    found = curves(run.series, "acked_bytes")
    result = []
    for name in curves(run.series, "cc_share"):
        times, acked = found[name]
        late = times >= begin
        span = (times[late][-1] - times[late][0]) * _PS
        result.append((acked[late][-1] - acked[late][0]) * 8 * PACKET / PAYLOAD / span / _K)
    return np.array(result)


def goodput(runs: Sequence[Run]) -> float:
    """Settled payload of all flows, in bit/s."""
    found = []
    for run in runs:
        ((times, values),) = curves(run.series, "goodput_bps").values()
        found.append(values[times > settled(run)].mean())
    return float(np.mean(found))


def queue(runs: Sequence[Run], span: tuple[float, float] | None = None) -> Array:
    """All samples of the longest queue, in packets, within a span of ps; by default the second
    half.
    """
    found = []
    for run in runs:
        begin, end = span or (settled(run), np.inf)
        ((times, values),) = curves(run.series, "queue_max_bytes").values()
        found.append(values[(times >= begin) & (times < end)] / PACKET)
    return np.concatenate(found)


def queue_percentiles(
    runs: Sequence[Run], *percents: float, span: tuple[float, float] | None = None
) -> list[float]:
    """Percentiles of :func:`queue`."""
    return [float(value) for value in np.percentile(queue(runs, span), percents)]


def jain(run: Run, flows: int) -> tuple[Array, Array]:
    """Ends of the samples' intervals in ms, and Jain's index of what the first flows had
    acknowledged in each, the first one included.
    """
    found = curves(run.series, "acked_bytes")
    times = found["flow 0"][0]
    acked = np.zeros((flows, len(times)))
    for number in range(flows):
        own, values = found[f"flow {number}"]
        acked[number, np.isin(times, own)] = values
    got = np.diff(acked, axis=1, prepend=0.0)
    squares = flows * (got**2).sum(axis=0)
    index = np.divide(got.sum(axis=0) ** 2, squares, out=np.ones_like(squares), where=squares > 0)
    return times * _PS * 1e3, index


def mean_jain(runs: Sequence[Run], flows: int) -> tuple[Array, Array, Array]:
    """Times in ms; the mean index of the seeds; a row for each seed."""
    found = [jain(run, flows) for run in runs]
    count = min(len(times) for times, _ in found)
    rows = np.array([index[:count] for _, index in found])
    return found[0][0][:count], rows.mean(axis=0), rows


def _histogram(runs: Sequence[Run]) -> tuple[Array, Array]:
    """Upper edges of bins in seconds, and how many round trips they have."""
    edges = np.concatenate([run.round_trips.numbers("rtt_to_ps") for run in runs])
    counts = np.concatenate([run.round_trips.numbers("packets") for run in runs])
    bins, place = np.unique(edges, return_inverse=True)
    return bins * _PS, np.bincount(place, counts)


def rtt_cdf(runs: Sequence[Run]) -> tuple[Array, Array]:
    """The share of packets whose round trip took up to each time, in seconds."""
    edges, counts = _histogram(runs)
    return edges, np.cumsum(counts) / counts.sum()


def rtt_percentile(runs: Sequence[Run], percent: float) -> float:
    """A percentile of the round trips of all seeds, in seconds."""
    edges, shares_below = rtt_cdf(runs)
    return float(edges[np.searchsorted(shares_below, percent / 100)])


def queue_distribution(
    title: str, names: Mapping[str, str], colours: Sequence[int] = (0, 1, 2)
) -> Callable[[Runs], Chart]:
    """The paper's boxes, as the shares of time that the queue is at most this long; of these runs,
    each under a name.
    """

    def draw(runs: Runs) -> Chart:
        percents = np.linspace(0, 100, 201)
        drawn = [
            Curve(name, np.percentile(queue(of(runs, label)), percents), percents / 100, colour)
            for (label, name), colour in zip(names.items(), colours, strict=True)
        ]
        return Chart(
            "queue",
            title,
            Axis("queue / packet", Quantity.COUNT, lower=0),
            Axis("share of time", Quantity.RATIO, lower=0, upper=1),
            drawn,
            note="All seeds, second half of the runs.",
        )

    return draw


def rtt_distribution(title: str, names: Mapping[str, str]) -> Callable[[Runs], Chart]:
    """The shares of round trips that are at most this long; of these runs, each under a name."""

    def draw(runs: Runs) -> Chart:
        drawn = []
        for colour, (label, name) in enumerate(names.items()):
            edges, below = rtt_cdf(of(runs, label))
            keep = np.unique(np.searchsorted(below, np.linspace(0, 0.999, 400)))
            drawn.append(Curve(name, edges[keep], below[keep], colour))
        return Chart(
            "rtt",
            title,
            Axis("RTT", Quantity.TIME),
            Axis("share of packets", Quantity.RATIO, lower=0, upper=1),
            drawn,
            note="All packets of all seeds, up to p99.9.",
        )

    return draw
