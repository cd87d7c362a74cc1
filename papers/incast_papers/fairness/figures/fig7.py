"""Figure 7: the fat tree of the simulations, drawn from the ports of a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from incast.measure.tiers import switches_between, tiers
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import bytes_text, count_text, rate_text
from incast.table import Table

from incast_papers.fairness.algorithms import HPCC
from incast_papers.fairness.networks import one_flow, stars
from incast_papers.fairness.words import WORDS

_TREE, _RACK = "tree", "rack"
_LINE = 100e9
"""Rate of a host's link in bit/s."""
_TIERS = ("hosts", "ToR", "Agg", "spine")


def _chart(runs: Runs) -> Chart:
    ports = runs[_TREE].ports
    placed: dict[int, tuple[float, float]] = {}
    curves = []
    for height, nodes in enumerate(tiers(ports)):
        across = (np.arange(len(nodes)) + 0.5) / len(nodes)
        placed |= {node: (float(x), float(height)) for node, x in zip(nodes, across, strict=True)}
        label = f"{count_text(len(nodes))} {_TIERS[height]}"
        heights = np.full(len(nodes), float(height))
        curves.append(Curve(label, across, heights, height, mark="dots"))
    links = [
        _links(ports, placed, rate, 5 if rate == _LINE else 4)
        for rate in sorted(set(ports.numbers("rate_bps").tolist()))
    ]
    place, tier = Axis("place", Quantity.COUNT), Axis("tier", Quantity.COUNT)
    return Chart("tree", "Fat tree", place, tier, [*links, *curves], frame="none")


def _links(
    ports: Table, placed: Mapping[int, tuple[float, float]], rate: float, colour: int
) -> Curve:
    """The links of one rate, each from its lower to its upper end."""
    ends = zip(ports.numbers("node"), ports.numbers("peer"), ports.numbers("rate_bps"), strict=True)
    chosen = [(placed[int(a)], placed[int(b)]) for a, b, own in ends if a < b and own == rate]
    line = np.array([point for pair in chosen for point in pair])
    label = f"{count_text(len(chosen))} links of {rate_text(rate)}"
    return Curve(label, line[:, 0], line[:, 1], colour, mark="segments")


def _switches(runs: Runs) -> Values:
    return {"": float(switches_between(runs[_TREE].ports))}


def _sizes(runs: Runs) -> Values:
    found = tiers(runs[_TREE].ports)
    return {name: float(len(nodes)) for name, nodes in zip(_TIERS, found, strict=True)}


FIGURE = WORDS.figure(
    "fig7",
    runs=lambda scale: {_TREE: one_flow(), _RACK: stars(HPCC)[HPCC]},
    charts={"tree": _chart},
    claims=[
        WORDS.claim(
            "B29",
            measure=_switches,
            holds=lambda values: values[""] == 5,
            show=count_text,
        ),
        WORDS.claim(
            "B29-sizes",
            measure=_sizes,
            holds=lambda values: list(values.values()) == [320, 20, 20, 16],
            show=count_text,
        ),
        WORDS.claim(
            "B26",
            measure=lambda runs: {
                "BDP between hosts of a switch": float(runs[_RACK].summary["bdp_bytes"]),
                "4 µs of a link": 4e-6 * _LINE / 8,
            },
            holds=lambda values: all(abs(value - 50e3) <= 0.05 * 50e3 for value in values.values()),
            show=bytes_text,
        ),
    ],
)
