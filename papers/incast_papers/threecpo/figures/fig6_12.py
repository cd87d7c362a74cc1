"""Fig. 6.12: effective bandwidth over the number of transactions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from incast.papers.claim import Measured, Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.panels import averaged
from incast.papers.seeds import average, ratio, seeded
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text

from incast_papers.threecpo.algorithms import BASELINE, PRINTED, REPAIRED, TUNED
from incast_papers.threecpo.metrics import BANDWIDTH, LIMIT, bandwidth
from incast_papers.threecpo.networks import varied, with_seeds
from incast_papers.threecpo.words import WORDS

_COUNTS = (128, 256, 512, 1024)
_SCHEMES = (PRINTED, BASELINE, TUNED, REPAIRED)


def _label(scheme: str, count: int) -> str:
    return f"{scheme}, {count} transactions"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    counts = scale.pick(quick=_COUNTS[:2], full=_COUNTS)
    planned: dict[str, RunPlan] = {}
    for scheme in _SCHEMES:
        for count in counts:
            planned |= with_seeds(scale, _label(scheme, count), varied, scheme, 64, count=count)
    return planned


def _counts(runs: Runs) -> list[int]:
    return [count for count in _COUNTS if seeded(_label(PRINTED, count), 1) in runs]


def _gaps(scheme: str, runs: Runs) -> Measured:
    """The relative reduction of a scheme's effective bandwidth below the tuned window's."""
    found = {}
    for count in _counts(runs):
        share = ratio(runs, _label(scheme, count), _label(TUNED, count), bandwidth)
        found[f"{count} transactions"] = replace(share, mean=1 - share.mean)
    return found


def _shrinks(values: Values) -> bool:
    gaps = list(values.values())
    return gaps == sorted(gaps, reverse=True) and gaps[-1] < gaps[0]


def _draw(runs: Runs) -> Chart:
    counts = _counts(runs)
    x = np.array(counts, dtype=float)
    drawn = [
        averaged(
            scheme,
            x,
            [average(runs, _label(scheme, count), bandwidth) for count in counts],
            colour,
        )
        for colour, scheme in enumerate(_SCHEMES)
    ]
    drawn.append(Curve("limit", x, np.full(len(x), LIMIT), 6, dash="dotted", group="limit"))
    return Chart(
        "bandwidth",
        "Effective bandwidth by transactions",
        Axis("transactions of each initiator", Quantity.COUNT, log=True),
        BANDWIDTH,
        drawn,
    )


FIGURE = WORDS.figure(
    "fig6_12",
    runs=_plan,
    charts={"bandwidth": _draw},
    claims=[
        WORDS.claim(
            "G15",
            measure=lambda runs: _gaps(PRINTED, runs),
            holds=_shrinks,
            show=percent_text,
        ),
        WORDS.claim(
            "T04",
            measure=lambda runs: _gaps(REPAIRED, runs),
            holds=lambda values: values["512 transactions"] <= 0.03,
            show=percent_text,
        ),
    ],
)
