"""Figure 13 (a–d): congestion at the first, the middle and the last hop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from incast.papers.fncc.algorithms import FNCC, FNCC_PLAIN, FNCC_TABLE, HPCC
from incast.papers.fncc.metrics import (
    NUMBER_WHY,
    mean_queue,
    near,
    noisy,
    peak,
    rates,
    utilisation,
)
from incast.papers.fncc.networks import JOIN, SHOWN, STOP, Place, located
from incast.papers.framework import panels
from incast.papers.framework.explanation import Recorded, Text
from incast.papers.framework.paper import Claim, Figure, Kind, RunPlan, Runs, Values
from incast.present.units import bytes_text, percent_text, rate_text

_LABELS = (HPCC, FNCC_PLAIN, FNCC)
_ALL = (*_LABELS, FNCC_TABLE)
_FAIR_TIMES_BETA = 0.9 * 50e9
"""bit/s: β times half the link."""


def _at(label: str, place: Place) -> str:
    return f"{label}, {place.hop} hop"


def _runs() -> dict[str, RunPlan]:
    return {_at(label, place): located(label, place) for place in Place for label in _ALL}


def _names(place: Place, labels: Sequence[str] = _LABELS) -> dict[str, str]:
    return {_at(label, place): label for label in labels}


def change(label: str, place: Place) -> Callable[[Runs], Values]:
    """Difference of the queue's peak and mean from those under HPCC, as shares of these."""

    def measure(runs: Runs) -> Values:
        pair = [runs[_at(each, place)] for each in (label, HPCC)]
        peaks, means = ([measured(run) for run in pair] for measured in (peak, mean_queue))
        return {"": peaks[0] / peaks[1] - 1, "mean queue": means[0] / means[1] - 1}

    return measure


def _shallower(number: str, label: str, place: Place, claimed: float) -> Claim:
    return Claim(
        number,
        f"with congestion at the {place.hop} hop, {label} has a shallower queue than HPCC",
        claimed=f"−{100 * claimed:.1f} %",
        measure=change(label, place),
        holds=near(-claimed),
        trend=lambda values: values[""] < 0,
        tolerance=f"{NUMBER_WHY}; of the peak, which the paper does not say; as a trend, lower",
        explanation=_one_window,
        kind=Kind.NUMBER,
        show=percent_text,
    )


def _one_window(runs: Runs) -> str:
    bdp = runs[_at(HPCC, Place.FIRST)].summary["bdp_bytes"]
    return (
        "Windows hold both down here: flow1 sends its first window, one BDP, before it hears "
        f"anything, and HPCC's queue ends at one BDP, {bytes_text(bdp)}. FNCC can save only what "
        "flow0 sends less in the RTT after its first news."
    )


def _without_speedup(runs: Runs) -> str:
    busy = percent_text(utilisation(runs[_at(FNCC_PLAIN, Place.LAST)]))
    return f"LHCS goes to 0.9 of the fair rate while the queue drains: without it FNCC has {busy}."


_NOISY = {
    Place.FIRST: noisy({_at(FNCC_PLAIN, Place.FIRST): "9a618c7aa8e13411"}),
    Place.MIDDLE: noisy({_at(FNCC_PLAIN, Place.MIDDLE): "84f1557ce7f01ac1"}),
}


def _busier(place: Place, explanation: Text) -> Claim:
    hpcc, fncc, table = (_at(label, place) for label in (HPCC, FNCC, FNCC_TABLE))
    return Claim(
        f"F16-{place.hop}",
        f"with congestion at the {place.hop} hop, FNCC keeps the link at least as busy as HPCC",
        claimed="higher",
        measure=lambda runs: {label: utilisation(runs[label]) for label in (hpcc, fncc, table)},
        holds=lambda values: values[fncc] >= values[hpcc],
        tolerance="none; from the second elephant's start to 1 ms",
        show=percent_text,
        explanation=explanation,
    )


def plateau(runs: Runs) -> Values:
    """Rates of both senders, as medians: while the last hop drains, and at the end of the run."""
    found = rates(runs[_at(FNCC, Place.LAST)])
    phases = {
        "320–450 µs": (JOIN + 20e-6, JOIN + 150e-6),
        "last 100 µs": (STOP - 100e-6, STOP),
    }
    return {
        f"{flow}, {name}": float(np.median(values[(times > begin) & (times <= end)]))
        for name, (begin, end) in phases.items()
        for flow, (times, values) in found.items()
    }


def _at_beta(values: Values) -> bool:
    return all(
        abs(rate - (50e9 if "last" in name else _FAIR_TIMES_BETA)) <= 0.1 * 50e9
        for name, rate in values.items()
    )


def _drains(values: Values) -> bool:
    """Both below their fair share first, both nearer to it in the end."""
    first = [rate for name, rate in values.items() if "last" not in name]
    end = [rate for name, rate in values.items() if "last" in name]
    return max(first) < 50e9 and all(abs(rate - 50e9) <= 0.1 * 50e9 for rate in end)


FIGURE = Figure(
    id="fig13",
    title="Congestion at the first, the middle and the last hop",
    where="Fig. 13a–d",
    setup="Three switches in a row, 100 Gb/s, 1.5 µs a link. The second elephant joins at 300 µs "
    "at the first, the second or the third switch. LHCS is FNCC's last-hop congestion speedup.",
    runs=lambda scale: _runs(),
    charts={
        **{
            f"{letter}-queue-{place.hop}": panels.port_queue(
                f"({letter}) Queue, {place.hop} hop", _names(place), between=SHOWN
            )
            for letter, place in zip("abc", Place, strict=True)
        },
        "d-rates-last": panels.sender_rates(
            "(d) Rates, last hop", _names(Place.LAST), between=SHOWN
        ),
        **{
            f"utilisation-{place.hop}": panels.port_utilisation(
                f"Utilisation, {place.hop} hop", _names(place, _ALL), between=SHOWN
            )
            for place in Place
        },
    },
    claims=[
        _shallower("F12", FNCC, Place.FIRST, 0.375),
        _shallower("F13", FNCC, Place.MIDDLE, 0.295),
        _shallower("F14", FNCC_PLAIN, Place.LAST, 0.084),
        _shallower("F15", FNCC, Place.LAST, 0.385),
        _busier(Place.FIRST, _NOISY[Place.FIRST]),
        _busier(Place.MIDDLE, _NOISY[Place.MIDDLE]),
        _busier(
            Place.LAST,
            _without_speedup,
        ),
        Claim(
            "F17",
            "with LHCS both rates are soon at β times the fair one, later at the fair one",
            claimed="45 Gb/s until 450 µs, then towards 50 Gb/s",
            measure=plateau,
            holds=_at_beta,
            trend=_drains,
            tolerance="a tenth of the fair rate, of the median from 320 to 450 µs ('quickly'), and "
            "of the last 100 µs; as a trend, below the fair rate first and at it in the end",
            kind=Kind.NUMBER,
            show=rate_text,
            note=(
                "'Soon' is generous.",
                Recorded(
                    "Both go down to some 33 Gb/s first; flow 0 is at 45 from 345 µs on, flow 1 at "
                    "36 until 365 µs, then at 42 until 400 µs. Where the algorithm and the text "
                    "differ, this is the algorithm (`last_hop_form`); as in the text, with the "
                    "share as the rate itself, the medians from 320 to 450 µs are 36.0 and 47.2 "
                    "Gb/s, the queue peaks at 97 KB instead of 85, and the link is 92.1 % busy "
                    "instead of 92.9: the algorithm as printed is nearer to the claim.",
                    {_at(FNCC, Place.LAST): "28f7d4309c6148db"},
                ),
            ),
        ),
    ],
)
