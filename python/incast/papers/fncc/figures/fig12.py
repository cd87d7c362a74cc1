"""Figure 12: how old the news of each switch are when the sender has them."""

from __future__ import annotations

import numpy as np

from incast.measure.series import Array
from incast.papers.fncc.algorithms import FNCC, HPCC
from incast.papers.fncc.networks import ages
from incast.papers.fncc.telemetry import acknowledged_bits, measured_ages, theoretical_ages
from incast.papers.framework.paper import Claim, Figure, Kind, Runs, Values
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, seconds_text

_LABELS = (FNCC, HPCC)
_QUIET = (100e-6, 200e-6)
"""Seconds: one flow alone, long after its start."""
_LINK, _RATE = 1.5e-6, 100e9


def _means(runs: Runs, label: str, during: tuple[float, float]) -> Array:
    """Mean age of each switch's telemetry."""
    found = measured_ages(runs[label], *during, on_acks=label == FNCC)
    return np.array([float(each.mean()) for each in found])


def _expected(runs: Runs, label: str) -> Array:
    data_bits, ack_bits = acknowledged_bits(runs[label])
    return np.array(
        theoretical_ages(
            link=_LINK,
            rate=_RATE,
            data_bits=data_bits,
            ack_bits=ack_bits,
            on_acks=label == FNCC,
        )
    )


def gains(runs: Runs) -> Values:
    """How much younger FNCC's news are than HPCC's, by switch."""
    younger = _means(runs, HPCC, _QUIET) - _means(runs, FNCC, _QUIET)
    return {f"sw{place}": float(gain) for place, gain in enumerate(younger, 1)}


def _off_theory(runs: Runs) -> Values:
    return {
        f"{label} sw{place}": float(share)
        for label in _LABELS
        for place, share in enumerate(
            _means(runs, label, _QUIET) / _expected(runs, label) - 1, start=1
        )
    }


def _chart(runs: Runs) -> Chart:
    drawn = []
    for colour, label in enumerate(_LABELS):
        expected, measured = _expected(runs, label), _means(runs, label, _QUIET)
        places = np.arange(1, len(measured) + 1)
        drawn += [
            Curve(f"{label}, theory", places, expected, colour, group=label),
            Curve(f"{label}, measured", places, measured, colour, mark="dots", group=label),
        ]
    return Chart(
        "ages",
        "Age of telemetry when the sender has it",
        Axis("switch, from the sender", Quantity.COUNT),
        Axis("age", Quantity.TIME, lower=0),
        drawn,
        note="Of packets sent from 100 to 200 µs, by one flow.",
    )


FIGURE = Figure(
    id="fig12",
    title="Age of telemetry",
    where="Fig. 12, §5.4.1",
    setup="The network of Fig. 1 at 100 Gb/s, with a trace of every packet of the first elephant. "
    "HPCC reads a port as data leaves it, FNCC as the ACK passes; the age runs until the sender "
    "has the ACK.",
    runs=lambda scale: {label: ages(label) for label in _LABELS},
    charts={"ages": _chart},
    claims=[
        Claim(
            "F26",
            "FNCC gains most where the first switch is congested, then the second, then the third",
            claimed="sw1 > sw2 > sw3",
            measure=gains,
            holds=lambda values: values["sw1"] > values["sw2"] > values["sw3"] > 0,
            tolerance="none: an order; HPCC's age less FNCC's, with one flow on the path",
            kind=Kind.THEORY,
            show=seconds_text,
        ),
        Claim(
            "F26-theory",
            "ages are those of an empty path",
            claimed="t8 − t1 … t8 − t7",
            measure=_off_theory,
            holds=lambda values: all(abs(value) <= 0.02 for value in values.values()),
            tolerance="2 %: one flow at 95 % of the link meets hardly a queue; measured over "
            "theory, less one",
            kind=Kind.THEORY,
            show=percent_text,
        ),
    ],
)
