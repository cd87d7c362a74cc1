"""Distributions that several figures show, over all seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from incast.papers.framework.paper import Runs
from incast.papers.lgc.metrics import queue, rtt_cdf
from incast.papers.lgc.networks import of
from incast.present.charts import Axis, Chart, Curve, Quantity

__all__ = ["queue_distribution", "rtt_distribution"]


def queue_distribution(
    title: str, names: Mapping[str, str], colours: Sequence[int] = (0, 1, 2)
) -> Callable[[Runs], Chart]:
    """The paper's boxes, as the shares of time that the queue is at most so long; of these runs,
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
    """The shares of round trips that are at most so long; of these runs, each under a name."""

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
