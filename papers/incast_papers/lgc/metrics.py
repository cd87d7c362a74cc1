"""Metrics of a run, and distributions over all seeds: shares, estimates, queues, throughput,
fairness, RTTs.

"Settled" means the second half of a run, in every figure. The paper does not say which times its
averages leave out; flows have reached their shares by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from incast.measure.run import Run, Runs
from incast.measure.series import Array, Curves, curves
from incast.present.charts import Axis, Box, Chart, Curve, Quantity
from incast.time_units import PICOSECOND

from incast_papers.lgc.networks import PACKET, PAYLOAD, QUEUE_PACKETS, of

__all__ = [
    "boxes",
    "distinct_loads",
    "goodput",
    "jain",
    "load",
    "load_correlation",
    "load_spread",
    "loads",
    "loads_apart",
    "mean_jain",
    "oscillation",
    "probes",
    "queue",
    "queue_median",
    "rates",
    "rtt_cdf",
    "rtt_median",
    "rtt_panels",
    "rtt_percentile",
    "settled",
    "settled_rows",
    "share",
    "share_spread",
]

_K = 10e9
_OUTLIERS = 60


def settled(run: Run) -> float:
    """The time at which the second half of a run begins, in ps."""
    return float(run.summary["simulated_ps"]) / 2


def probes(run: Run, name: str, flows: int | None = None) -> Curves:
    """A probe of LGC over time, for the first `flows` flows, or for all."""
    found = curves(run.series, f"cc_{name}")
    names = list(found)[:flows]
    return {each: found[each] for each in names}


def _late(run: Run, name: str) -> list[Array]:
    return [values[times >= settled(run)] for times, values in probes(run, name).values()]


def settled_rows(run: Run, name: str) -> Array:
    """Settled values by flow (rows), at the last times that all flows have."""
    parts = _late(run, name)
    count = min(len(part) for part in parts)
    return np.array([part[-count:] for part in parts])


# ── Shares ───────────────────────────────────────────────────────────────────────────────────────


def share(run: Run) -> float:
    """Mean of settled x, over flows and time."""
    return float(np.mean([part.mean() for part in _late(run, "share")]))


def share_spread(
    run: Run, *, flows: int | None = None, span: tuple[float, float] | None = None
) -> float:
    """Standard deviation of a flow's x over time, as the mean over the first `flows` flows, or all.
    It is taken over a span in ps, by default over the second half of the run.
    """
    begin, end = span or (settled(run), np.inf)
    found = [
        values[(times >= begin) & (times < end)].std()
        for times, values in probes(run, "share", flows).values()
    ]
    return float(np.mean(found))


def oscillation(rows: Array, step: float) -> tuple[float, float]:
    """Period and amplitude of rates. The period is that of the strongest frequency in the sum of
    rates, from which exchanges between flows cancel out. The amplitude is a flow's standard
    deviation over time, relative to its mean.

    Args:
        rows: Rates over time, with a row for each flow.
        step: The seconds between two rates.
    """
    total = rows.sum(axis=0)
    power = np.abs(np.fft.rfft(total - total.mean()))
    strongest = 1 + int(np.argmax(power[1:]))
    period = rows.shape[1] * step / strongest
    return period, float((rows.std(axis=1) / rows.mean(axis=1)).mean())


def rates(run: Run) -> Array:
    """The settled rate of each LGC flow with headers, in units of K, from acknowledged bytes.
    Background flows have no state, and are left out.
    """
    begin = settled(run)
    own = curves(run.series, "cc_share")
    found = curves(run.series, "acked_bytes", only=own)
    result = []
    for name in own:
        times, acked = found[name]
        late = times >= begin
        span = (times[late][-1] - times[late][0]) * PICOSECOND
        result.append((acked[late][-1] - acked[late][0]) * 8 * PACKET / PAYLOAD / span / _K)
    return np.array(result)


# ── Estimates of load ────────────────────────────────────────────────────────────────────────────


def loads(run: Run, span: tuple[float, float] | None = None) -> Array:
    """Estimates of l, one for each flow and interval, within a span in ps; by default, in the
    second half of the run.
    """
    begin, end = span or (settled(run), np.inf)
    found = probes(run, "load").values()
    return np.concatenate([values[(times >= begin) & (times < end)] for times, values in found])


def load(run: Run) -> float:
    """Mean of settled l, over flows and intervals."""
    return float(loads(run).mean())


def load_spread(run: Run) -> float:
    """Standard deviation of settled l, over flows and intervals."""
    return float(loads(run).std())


def loads_apart(run: Run) -> float:
    """Standard deviation of l between flows at a time, as the mean over the settled time."""
    return float(settled_rows(run, "load").std(axis=0).mean())


def distinct_loads(run: Run) -> float:
    """The number of different values of l of a flow in the settled time, as the mean over flows."""
    return float(np.mean([len(np.unique(part)) for part in _late(run, "load")]))


def load_correlation(run: Run) -> float:
    """Pearson correlation of the settled l of two flows, as the mean over pairs of flows. Flows
    whose l is constant are left out.
    """
    rows = settled_rows(run, "load")
    rows = rows[rows.std(axis=1) > 0]
    return float(np.corrcoef(rows)[np.triu_indices(len(rows), 1)].mean())


# ── Throughput and queues ────────────────────────────────────────────────────────────────────────


def goodput(run: Run) -> float:
    """Settled goodput of all flows, in bit/s."""
    ((times, values),) = curves(run.series, "goodput_bps").values()
    return float(values[times > settled(run)].mean())


def queue(run: Run, span: tuple[float, float] | None = None) -> Array:
    """Samples of the longest queue, in packets, within a span in ps; by default, in the second half
    of the run.
    """
    begin, end = span or (settled(run), np.inf)
    ((times, values),) = curves(run.series, "queue_max_bytes").values()
    chosen: Array = values[(times >= begin) & (times < end)] / PACKET
    return chosen


def queue_median(run: Run) -> float:
    """Median of :func:`queue`."""
    return float(np.median(queue(run)))


def boxes(
    title: str,
    places: Sequence[str],
    rows: Mapping[str, tuple[int, Sequence[str]]],
    *,
    span: tuple[float, float] | None = None,
    note: str = "All seeds, second half of the runs.",
) -> Callable[[Runs], Chart]:
    """A panel of box-and-whisker plots of queues, as in the paper.

    Args:
        title: The title of the panel.
        places: The names below the boxes.
        rows: For each name in the legend, a palette index, and the label of the runs at each place.
        span: The span of time in ps; by default, the second half of the run.
        note: A remark on the contents of the boxes.
    """

    def draw(runs: Runs) -> Chart:
        drawn = []
        for index, (name, (colour, labels)) in enumerate(rows.items()):
            found = [
                Box.of(np.concatenate([queue(run, span) for run in of(runs, label)]), _OUTLIERS)
                for label in labels
            ]
            x = np.arange(len(labels)) + 0.27 * (index - (len(rows) - 1) / 2)
            medians = np.array([box.median for box in found])
            drawn.append(Curve(name, x, medians, colour, mark="boxes", boxes=found))
        return Chart(
            "queue",
            title,
            Axis("", Quantity.COUNT, names=tuple(places)),
            Axis("queue / packet", Quantity.COUNT, lower=0, upper=QUEUE_PACKETS),
            drawn,
            note=f"{note} Boxes span the middle half, whiskers 1.5 times as much beyond it at "
            f"most; of samples beyond, up to {_OUTLIERS} are dots. A queue holds {QUEUE_PACKETS} "
            "packets: what would be longer is cut off there.",
        )

    return draw


# ── Fairness ─────────────────────────────────────────────────────────────────────────────────────


def jain(run: Run, flows: int) -> tuple[Array, Array]:
    """Ends of the sampling intervals in ms, and Jain's index of the bytes that the first `flows`
    flows had acknowledged in each interval.
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
    return times * PICOSECOND * 1e3, index


def mean_jain(runs: Sequence[Run], flows: int) -> tuple[Array, Array, Array]:
    """Times in ms; the mean index over seeds; and the index by seed (rows)."""
    found = [jain(run, flows) for run in runs]
    count = min(len(times) for times, _ in found)
    rows = np.array([index[:count] for _, index in found])
    return found[0][0][:count], rows.mean(axis=0), rows


# ── Round trips ──────────────────────────────────────────────────────────────────────────────────


def rtt_cdf(runs: Sequence[Run]) -> tuple[Array, Array]:
    """Times in seconds, and the share of packets, over all of these runs, whose RTT is at most
    that.
    """
    edges = np.concatenate([run.round_trips.numbers("rtt_to_ps") for run in runs])
    counts = np.concatenate([run.round_trips.numbers("packets") for run in runs])
    bins, place = np.unique(edges, return_inverse=True)
    packets_up_to = np.cumsum(np.bincount(place, counts))
    return bins * PICOSECOND, packets_up_to / packets_up_to[-1]


def rtt_percentile(percent: float) -> Callable[[Run], float]:
    """A percentile of a run's RTTs, in seconds."""
    return lambda run: _percentile([run], percent)


def rtt_median(runs: Sequence[Run]) -> float:
    """The median RTT over all of these runs, in seconds."""
    return _percentile(runs, 50)


def _percentile(runs: Sequence[Run], percent: float) -> float:
    edges, shares_below = rtt_cdf(runs)
    return float(edges[np.searchsorted(shares_below, percent / 100)])


_SHOWN = 0.999
"""The share of RTTs up to which distributions are drawn."""


def rtt_panels(
    titles: Mapping[str, str], names: Mapping[str, Mapping[str, str]]
) -> dict[str, Callable[[Runs], Chart]]:
    """Panels of RTT distributions, by the name of their file, with a common x range.

    Args:
        titles: The titles of the panels.
        names: For each panel, the names of runs in the legend, by label.
    """

    def end_of(runs: Runs, label: str) -> float:
        edges, below = rtt_cdf(of(runs, label))
        return float(edges[np.searchsorted(below, _SHOWN)])

    def panel(file: str) -> Callable[[Runs], Chart]:
        def draw(runs: Runs) -> Chart:
            longest = max(end_of(runs, label) for part in names.values() for label in part)
            drawn = []
            for colour, (label, name) in enumerate(names[file].items()):
                edges, below = rtt_cdf(of(runs, label))
                keep = np.unique(np.searchsorted(below, np.linspace(0, _SHOWN, 400)))
                x = np.concatenate([edges[keep[:1]], edges[keep], [longest]])
                y = np.concatenate([[0.0], below[keep], below[keep[-1:]]])
                drawn.append(Curve(name, x, y, colour))
            return Chart(
                "rtt",
                titles[file],
                Axis("RTT", Quantity.TIME),
                Axis("share of packets", Quantity.RATIO, lower=0, upper=1),
                drawn,
                note="Packets of all seeds whose ACKs arrive in the second half of the runs. The "
                "axis ends at the longest p99.9 of all panels; a queue of "
                f"{QUEUE_PACKETS} packets, where what is more is dropped, would take "
                f"{QUEUE_PACKETS * PACKET * 8 / _K * 1e6:.0f} µs.",
            )

        return draw

    return {file: panel(file) for file in titles}
