"""Figure 13 (e): flows that join and leave."""

from __future__ import annotations

from incast.papers import panels
from incast.papers.restyled import from_low, one_colour_each
from incast.present.units import percent_text, ratio_text

from incast_papers.fncc.algorithms import FNCC, HPCC
from incast_papers.fncc.metrics import (
    mean_share,
    settling,
)
from incast_papers.fncc.networks import joining
from incast_papers.fncc.words import WORDS

FIGURE = WORDS.figure(
    "fig13e",
    runs=lambda scale: {label: joining(label, scale) for label in (FNCC, HPCC)},
    charts={
        "e-rates": one_colour_each(panels.throughputs("(e) Throughput of each flow, FNCC", FNCC)),
        "e-jain": from_low(panels.jain("(e) Jain's index"), 0.8),
    },
    claims=[
        WORDS.claim(
            "F11",
            measure=lambda runs: {label: mean_share(runs[label]) for label in (FNCC, HPCC)},
            holds=lambda values: values[FNCC] >= 0.95,
            show=ratio_text,
        ),
        WORDS.claim(
            "F11-short",
            measure=lambda runs: {label: settling(runs[label]) for label in (FNCC, HPCC)},
            holds=lambda values: values[FNCC] <= 0.1,
            show=percent_text,
        ),
    ],
)
