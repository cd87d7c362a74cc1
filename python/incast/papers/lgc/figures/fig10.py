"""Figure 10 and the rest of Table II: large networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

import numpy as np

from incast.fluid.lgc import poisson_equilibrium
from incast.measure.run import Run
from incast.measure.statistics import Average, Median
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.framework.seeds import average, of, pairs
from incast.papers.lgc.algorithms import DCTCP, LGC, LGC_TWO
from incast.papers.lgc.figures import table2
from incast.papers.lgc.figures.fig7 import TWO_WAITING
from incast.papers.lgc.figures.fig9 import medians, not_longer, of_distribution
from incast.papers.lgc.metrics import goodput, rtt_median, rtt_panels
from incast.papers.lgc.networks import (
    COUNTS,
    FULL_LINK,
    incast_name,
    incasts,
    seeded,
    uniform,
)
from incast.present.units import seconds_text

TOPOLOGIES = {"Clos": "clos-64", "leaf-spine": "leaf-spine-144"}
_LABELS = (LGC, DCTCP, LGC_TWO)


def named(topology: str, label: str) -> str:
    """The label of runs on a network under an algorithm."""
    return f"{topology}, {label}"


def _paths(topology: str) -> str:
    return f"{topology}, paths"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    stop_ms = scale.pick(quick=40, full=100)
    planned = dict(incasts(COUNTS, LGC, DCTCP)(scale))
    for topology, preset in TOPOLOGIES.items():
        for label in _LABELS:
            make = partial(uniform, label, preset, stop_ms=stop_ms)
            planned |= seeded(scale, named(topology, label), make)
        # Every flow sends a packet in the first 0.2 ms, and keeps its path.
        make = partial(uniform, LGC, preset, stop_ms=1, traced=True)
        planned |= seeded(scale, _paths(topology), make)
    return planned


def _per_receiver(run: Run) -> float:
    """Settled payload over receivers in use."""
    return goodput(run) / receivers(run)


def receivers(run: Run) -> int:
    """Hosts that data is sent to: those that have sent a control packet."""
    ports = run.ports
    names = ports.categories("label")
    hosts = np.array([text.startswith("host ") for text in names.texts])[names.indices]
    return int((hosts & (ports.numbers("control_packets") > 0)).sum())


def competing(run: Run) -> float:
    """Flows on the busiest link of a flow's path, itself among them, mean over flows."""
    packets = run.packets
    kinds, events = packets.categories("kind"), packets.categories("event")
    chosen = (kinds.indices == kinds.texts.index("data")) & (
        events.indices == events.texts.index("send")
    )
    columns = [packets.numbers(name)[chosen] for name in ("node", "port", "flow_id")]
    crossed = np.unique(np.stack(columns, axis=1), axis=0)
    _, link, flows = np.unique(crossed[:, :2], axis=0, return_inverse=True, return_counts=True)
    busiest: dict[int, int] = {}
    for flow, count in zip(crossed[:, 2], flows[link.ravel()], strict=True):
        busiest[flow] = max(busiest.get(flow, 0), count)
    return float(np.mean(list(busiest.values())))


def _l31(number: str, own: str, kind: Kind) -> Claim:
    names = [(named(topology, own), named(topology, DCTCP)) for topology in TOPOLOGIES]

    def shorter(values: Values, factor: float) -> bool:
        found = medians(values)
        return all(found[name] <= factor * found[rival] for name, rival in names)

    return Claim(
        number,
        f"round trips under {own} are significantly shorter than DCTCP's on both networks",
        claimed="significantly lower",
        metric="percentiles of RTTs in the second half",
        measure=of_distribution(*(name for pair in names for name in pair)),
        holds=lambda values: (
            shorter(values, 0.9) and all(not_longer(values, *pair) for pair in names)
        ),
        trend=lambda values: shorter(values, 1.0),
        tolerance="medians at least 10 % lower, p90 and p95 not higher; as a trend, medians lower",
        kind=kind,
        show=seconds_text,
        explanation="The distributions cross: LGC's RTTs spread, where DCTCP's hang at its "
        "threshold.",
    )


def _competition(runs: Runs) -> Measured:
    found: dict[str, Average | Median] = {
        f"flows, {topology}": average(runs, _paths(topology), competing) for topology in TOPOLOGIES
    }
    # The base RTT of the Clos network is that of the rack.
    for label in (LGC, DCTCP):
        racks = zip(*(of(runs, incast_name(flows, label)) for flows in COUNTS), strict=True)
        pooled = [rtt_median(rack) for rack in racks]
        own = [rtt_median([run]) for run in of(runs, named("Clos", label))]
        ratios = [each / rack for each, rack in zip(own, pooled, strict=True)]
        found[f"RTT, {label}"] = Median.of(ratios)
    return found


def _eight_meet(_: Runs) -> str:
    full = 8 * poisson_equilibrium(8).share
    return (
        "Random arrivals are marked before the link is full. With 8 flows on it the closed "
        f"equation of Poisson arrivals gives {full:.3f} of it, {full * FULL_LINK / 1e9:.2f} Gb/s "
        "of payload, and less where fewer meet; the paper's numbers are what it gives for some 20."
    )


def _row(topology: str) -> table2.Row:
    def throughput(runs: Runs, label: str) -> Measured:
        return {"": average(runs, named(topology, label), _per_receiver)}

    def ratio(runs: Runs, label: str) -> Measured:
        names = (named(topology, label), named(topology, DCTCP))
        found = [own / other for own, other in pairs(runs, *names, _per_receiver)]
        return {"": Average.of(found)}

    return table2.Row(
        traffic=f"the {topology} network",
        where="Table II",
        metric="payload over receivers that any flow goes to",
        throughput_of=throughput,
        ratio_of=ratio,
        explanation=_eight_meet,
    )


def _table(topology: str, number: str, dctcp: float, lgc: float) -> list[Claim]:
    row = _row(topology)
    replaced = (
        "the rule for a trend was 10 % (ratio: 0.05), which made L23-lgc, L23-ratio and "
        "L24-ratio trends; it became that of the first row."
    )
    rival, own, over = (
        row.throughput(f"{number}-dctcp", DCTCP, dctcp),
        row.throughput(f"{number}-lgc", LGC, lgc),
        row.ratio(f"{number}-ratio", LGC, lgc / dctcp),
    )
    return [
        rival,
        *(dataclasses.replace(claim, replaced=replaced) for claim in (own, over)),
        row.throughput(f"{number}-lgc-two", LGC_TWO, lgc, Kind.READING, TWO_WAITING),
        row.ratio(f"{number}-ratio-two", LGC_TWO, lgc / dctcp, Kind.READING, TWO_WAITING),
    ]


def _l32(values: Values, near: Callable[[float], bool]) -> bool:
    return all(near(value) for name, value in values.items() if name.startswith("flows"))


FIGURE = Figure(
    id="fig10",
    title="Round trips and throughput of large networks",
    where="Fig. 10, Table II, §VI-B",
    setup="Clos: 64 hosts, half of a fat tree of 8-port switches, 10 Gb/s; leaf-spine: 144 hosts, "
    "9 leaves, 4 spines, 10 and 40 Gb/s. Every host sends to one of an eighth of the hosts, drawn "
    "among those with the longest path. Ten seeds, 100 ms.",
    scaled="three seeds, 40 ms",
    runs=_plan,
    charts=rtt_panels(
        {"a-clos": "Round trips, Clos", "b-leaf-spine": "Round trips, leaf-spine"},
        {
            file: {named(topology, label): label for label in _LABELS}
            for file, topology in zip(("a-clos", "b-leaf-spine"), TOPOLOGIES, strict=True)
        },
    ),
    claims=[
        dataclasses.replace(
            _l31("L31", LGC, Kind.FIGURE),
            replaced="medians of whole runs, at least 10 % lower: they held.",
        ),
        dataclasses.replace(_l31("L31-two", LGC_TWO, Kind.READING), note=TWO_WAITING),
        Claim(
            "L32",
            "some 8 flows compete, and round trips are shorter than in the incasts",
            claimed="≈ 8; shorter",
            metric="flows on the busiest link of a flow's path; median RTT of Clos over that of "
            "all incasts together",
            measure=_competition,
            holds=lambda values: (
                _l32(values, lambda flows: abs(flows - 8) <= 1)
                and all(value < 1 for name, value in values.items() if name.startswith("RTT"))
            ),
            trend=lambda values: _l32(values, lambda flows: 6 <= flows <= 10),
            tolerance="8 ± 1 flows, and shorter RTTs; as a trend, 6 to 10 flows",
            kind=Kind.NUMBER,
            explanation="DCTCP's queue hangs at its threshold, so its round trips are the same "
            "with 8 flows as with 5, 20 and 40.",
            replaced="flows over receivers, which is 8 by design, since every eighth host is a "
            "receiver, and RTTs of whole runs: a trend.",
        ),
        *_table("Clos", "L23", 9.56, 9.45),
        *_table("leaf-spine", "L24", 9.51, 9.41),
    ],
)
