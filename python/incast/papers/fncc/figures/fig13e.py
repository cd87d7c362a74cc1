"""Figure 13 (e): flows that join and leave."""

from __future__ import annotations

from incast.papers.fncc.algorithms import FNCC, HPCC
from incast.papers.fncc.metrics import (
    mean_share,
    settling,
)
from incast.papers.fncc.networks import STEPS_SCALED, joining
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim
from incast.papers.framework.paper import Figure
from incast.papers.framework.restyled import from_low, one_colour_each
from incast.present.units import percent_text, ratio_text

FIGURE = Figure(
    id="fig13e",
    title="Four flows that join and leave",
    where="Fig. 13e",
    setup="Four senders at the first of three switches; one starts every 100 ms, and they leave in "
    "the same order. A flow has as many bytes as it can send in its time if all share alike.",
    scaled=STEPS_SCALED,
    runs=lambda scale: {label: joining(label, scale) for label in (FNCC, HPCC)},
    charts={
        "e-rates": one_colour_each(panels.throughputs("(e) Throughput of each flow, FNCC", FNCC)),
        "e-jain": from_low(panels.jain("(e) Jain's index"), 0.8),
    },
    claims=[
        Claim(
            "F11",
            "flows that join and leave share fairly under FNCC",
            claimed="good fairness",
            measure=lambda runs: {label: mean_share(runs[label]) for label in (FNCC, HPCC)},
            holds=lambda values: values[FNCC] >= 0.95,
            tolerance="mean Jain's index at least 0.95 while two or more are there, the bound used "
            "throughout; of what is acknowledged in each hundredth of a step",
            metric="Jain's index",
            full_only=True,
            show=ratio_text,
        ),
        Claim(
            "F11-short",
            "they share fairly soon after each of them joins",
            claimed="even in a short time scale",
            measure=lambda runs: {label: settling(runs[label]) for label in (FNCC, HPCC)},
            holds=lambda values: values[FNCC] <= 0.1,
            tolerance="Jain's index stays at 0.95 within a tenth of a step of 100 ms after every "
            "joining; shown as a share of the step, the slowest of them",
            metric="time until shares are fair",
            full_only=True,
            show=percent_text,
        ),
    ],
)
