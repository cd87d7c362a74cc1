"""Figure 10 and the other rows of Table II: large networks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from incast.fluid.lgc import poisson_equilibrium
from incast.measure.run import Run
from incast.measure.statistics import Average, Median
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.seeds import average, of, pairs
from incast.present.units import seconds_text

from incast_papers.lgc.algorithms import DCTCP, LGC, LGC_TWO
from incast_papers.lgc.figures import table2
from incast_papers.lgc.figures.fig9 import medians, not_longer, of_distribution
from incast_papers.lgc.metrics import goodput, rtt_median, rtt_panels
from incast_papers.lgc.networks import (
    COUNTS,
    FULL_LINK,
    incast_name,
    incasts,
    seeded,
    uniform,
)
from incast_papers.lgc.words import WORDS

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
        # Within the first 0.2 ms every flow sends a packet, and flows keep their paths.
        make = partial(uniform, LGC, preset, stop_ms=1, traced=True)
        planned |= seeded(scale, _paths(topology), make)
    return planned


def _per_receiver(run: Run) -> float:
    """Settled goodput per receiver in use."""
    return goodput(run) / receivers(run)


def receivers(run: Run) -> int:
    """The number of hosts that receive data, identified by the control packets they have sent."""
    ports = run.ports
    names = ports.categories("label")
    hosts = np.array([text.startswith("host ") for text in names.texts])[names.indices]
    return int((hosts & (ports.numbers("control_packets") > 0)).sum())


def competing(run: Run) -> float:
    """The number of flows on the busiest link of a flow's path, itself included; mean over
    flows.
    """
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


def _l31(number: str, own: str) -> Claim:
    names = [(named(topology, own), named(topology, DCTCP)) for topology in TOPOLOGIES]

    def shorter(values: Values, factor: float) -> bool:
        found = medians(values)
        return all(found[name] <= factor * found[rival] for name, rival in names)

    return WORDS.claim(
        number,
        measure=of_distribution(*(name for pair in names for name in pair)),
        holds=lambda values: (
            shorter(values, 0.9) and all(not_longer(values, *pair) for pair in names)
        ),
        trend=lambda values: shorter(values, 1.0),
        show=seconds_text,
    )


def _competition(runs: Runs) -> Measured:
    found: dict[str, Average | Median] = {
        f"flows, {topology}": average(runs, _paths(topology), competing) for topology in TOPOLOGIES
    }
    # The base RTT of the Clos network equals that of the rack.
    for label in (LGC, DCTCP):
        racks = zip(*(of(runs, incast_name(flows, label)) for flows in COUNTS), strict=True)
        pooled = [rtt_median(rack) for rack in racks]
        own = [rtt_median([run]) for run in of(runs, named("Clos", label))]
        ratios = [each / rack for each, rack in zip(own, pooled, strict=True)]
        found[f"RTT, {label}"] = Median.of(ratios)
    return found


def _row(topology: str) -> table2.Row:
    def throughput(runs: Runs, label: str) -> Measured:
        return {"": average(runs, named(topology, label), _per_receiver)}

    def ratio(runs: Runs, label: str) -> Measured:
        names = (named(topology, label), named(topology, DCTCP))
        found = [own / other for own, other in pairs(runs, *names, _per_receiver)]
        return {"": Average.of(found)}

    return table2.Row(
        throughput,
        ratio,
        {
            "share": lambda _: f"{_share_of_eight():.3f}",
            "payload_of_eight": lambda _: f"{_share_of_eight() * FULL_LINK / 1e9:.2f} Gb/s",
        },
    )


def _share_of_eight() -> float:
    """The total share of a link that eight Poisson flows use."""
    return 8 * poisson_equilibrium(8).share


def _table(topology: str, number: str, dctcp: float, lgc: float) -> list[Claim]:
    row = _row(topology)
    return [
        row.throughput(f"{number}-dctcp", DCTCP, dctcp),
        row.throughput(f"{number}-lgc", LGC, lgc),
        row.ratio(f"{number}-ratio", LGC, lgc / dctcp),
        row.throughput(f"{number}-lgc-two", LGC_TWO, lgc),
        row.ratio(f"{number}-ratio-two", LGC_TWO, lgc / dctcp),
    ]


def _l32(values: Values, near: Callable[[float], bool]) -> bool:
    return all(near(value) for name, value in values.items() if name.startswith("flows"))


FIGURE = WORDS.figure(
    "fig10",
    runs=_plan,
    charts=rtt_panels(
        {"a-clos": "Round trips, Clos", "b-leaf-spine": "Round trips, leaf-spine"},
        {
            file: {named(topology, label): label for label in _LABELS}
            for file, topology in zip(("a-clos", "b-leaf-spine"), TOPOLOGIES, strict=True)
        },
    ),
    claims=[
        _l31("L31", LGC),
        _l31("L31-two", LGC_TWO),
        WORDS.claim(
            "L32",
            measure=_competition,
            holds=lambda values: (
                _l32(values, lambda flows: abs(flows - 8) <= 1)
                and all(value < 1 for name, value in values.items() if name.startswith("RTT"))
            ),
            trend=lambda values: _l32(values, lambda flows: 6 <= flows <= 10),
        ),
        *_table("Clos", "L23", 9.56, 9.45),
        *_table("leaf-spine", "L24", 9.51, 9.41),
    ],
)
