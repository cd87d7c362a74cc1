"""Figure 13 (a–d): congestion at the first, the middle and the last hop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from incast.papers.fncc.algorithms import (
    FNCC,
    FNCC_PLAIN,
    FNCC_PRINTED,
    FNCC_SINGLE,
    FNCC_TABLE,
    HPCC,
    Reading,
)
from incast.papers.fncc.metrics import (
    NUMBER_REPLACED,
    NUMBER_WHY,
    mean_queue,
    near,
    paper_claims,
    paper_panels,
    peak,
    peak_after,
    rates,
    reaction,
    utilisation,
)
from incast.papers.fncc.networks import (
    CLOSE_UP,
    JOIN,
    SHOWN,
    STOP,
    Place,
    located,
    under_readings,
)
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.restyled import from_low, second_dashed
from incast.present.units import bytes_text, percent_text, rate_text, seconds_text

_LABELS = (HPCC, FNCC_PLAIN, FNCC)
_ALL = (*_LABELS, FNCC_TABLE)
_OTHER = {Reading.OURS: FNCC_SINGLE, Reading.PAPER: FNCC_PRINTED}
"""FNCC with the average that it does not have."""
_FAIR = 50e9
_FAIR_TIMES_BETA = 0.9 * _FAIR
"""bit/s: half the link, and β times half the link."""
_NEAR_BETA, _NEAR_FAIR = 2e9, 3e9
"""bit/s: so that what is near the one is not near the other."""
_DRAINS = (JOIN + 20e-6, JOIN + 150e-6)
"""Seconds: from 'quickly' to 450 µs, when the last hop's congestion is over."""


def _at(label: str, place: Place) -> str:
    return f"{label}, {place.hop} hop"


def _runs() -> dict[str, RunPlan]:
    return under_readings(
        lambda reading: {
            _at(label, place): located(label, place, reading)
            for place in Place
            for label in (*_ALL, _OTHER[reading])
        }
    )


def _names(place: Place, labels: Sequence[str] = _LABELS) -> dict[str, str]:
    return {_at(label, place): label for label in labels}


def change(label: str, place: Place) -> Callable[[Runs], Values]:
    """Difference of the queue's peak and mean from those under HPCC, as shares of these; and of
    the peak with FNCC's other average.
    """

    def measure(runs: Runs) -> Values:
        hpcc = runs[_at(HPCC, place)]
        values = {
            "peak": peak(runs[_at(label, place)]) / peak(hpcc) - 1,
            "mean queue": mean_queue(runs[_at(label, place)]) / mean_queue(hpcc) - 1,
        }
        for other in (FNCC_SINGLE, FNCC_PRINTED):
            if label == FNCC and (run := runs.get(_at(other, place))):
                values[f"peak, {other}"] = peak(run) / peak(hpcc) - 1
        return values

    return measure


def _shallower(number: str, label: str, place: Place, claimed: float) -> Claim:
    return Claim(
        number,
        f"with congestion at the {place.hop} hop, {label} has a shallower queue than HPCC",
        claimed=f"−{100 * claimed:.1f} %",
        measure=change(label, place),
        holds=near(-claimed, "peak"),
        trend=lambda values: values["peak"] < 0,
        tolerance=f"{NUMBER_WHY}; of the peak, which the paper does not say; as a trend, lower",
        metric="queue, difference from HPCC's",
        explanation=_one_window,
        kind=Kind.NUMBER,
        show=percent_text,
        replaced=NUMBER_REPLACED,
    )


def _one_window(runs: Runs) -> str:
    bdp = runs[_at(HPCC, Place.FIRST)].summary["bdp_bytes"]
    return (
        "Windows hold both down here: flow1 sends its first window, one BDP, before it hears "
        f"anything, and HPCC's queue ends at one BDP, {bytes_text(bdp)}. FNCC can save only what "
        "flow0 sends less in the RTT after its first news."
    )


def _until_slower(label: str) -> Callable[[Runs], str]:
    """Of the last hop, where no window holds packets back."""

    def told(runs: Runs) -> str:
        hpcc, fncc = (runs[_at(name, Place.LAST)] for name in (HPCC, label))
        ours, theirs = (seconds_text(peak_after(run)) for run in (fncc, hpcc))
        sooner, later = (seconds_text(reaction(run)) for run in (fncc, hpcc))
        return (
            "Without windows the queue grows until both rates together are below the link's: "
            f"{theirs} after the second elephant's start under HPCC, {ours} under {label}, whose "
            f"rates are a tenth lower after {sooner} and not {later}. How soon the paper's are, "
            "it does not say."
        )

    return told


def _without_speedup(runs: Runs) -> str:
    busy = percent_text(utilisation(runs[_at(FNCC_PLAIN, Place.LAST)]))
    return f"LHCS goes to 0.9 of the fair rate while the queue drains: without it FNCC has {busy}."


def _busier(place: Place, explanation: Text = "") -> Claim:
    hpcc, fncc, table = (_at(label, place) for label in (HPCC, FNCC, FNCC_TABLE))
    return Claim(
        f"F16-{place.hop}",
        f"with congestion at the {place.hop} hop, FNCC keeps the link at least as busy as HPCC",
        claimed="higher",
        measure=lambda runs: {label: utilisation(runs[label]) for label in (hpcc, fncc, table)},
        holds=lambda values: values[fncc] >= values[hpcc],
        tolerance="none; from the second elephant's start to 1 ms",
        metric="utilisation",
        show=percent_text,
        explanation=explanation,
    )


def plateau(runs: Runs) -> Values:
    """For each sender, the share of the time while the last hop drains at which its rate is near β
    times the fair one, and its median rate in the last 100 µs, as a share of the fair one.
    """
    values = {}
    for flow, (times, found) in rates(runs[_at(FNCC, Place.LAST)]).items():
        begin, end = _DRAINS
        draining = found[(times > begin) & (times <= end)]
        near_beta = np.abs(draining - _FAIR_TIMES_BETA) <= _NEAR_BETA
        values[f"{flow}, {_AT_BETA}"] = float(near_beta.mean())
        values[f"{flow}, {_MIDDLE}"] = float(np.median(draining)) / _FAIR
        values[f"{flow}, {_END}"] = float(np.median(found[times > STOP - 100e-6])) / _FAIR
    return values


_AT_BETA, _MIDDLE, _END = "time at 43–47 Gb/s", "median until 450 µs", "median of the last 100 µs"


def _of(values: Values, what: str) -> list[float]:
    return [value for name, value in values.items() if name.endswith(what)]


def _ends_fair(values: Values) -> bool:
    return all(abs(share - 1) <= _NEAR_FAIR / _FAIR for share in _of(values, _END))


def _at_beta(values: Values) -> bool:
    return _ends_fair(values) and all(share >= 0.5 for share in _of(values, _AT_BETA))


def _drains(values: Values) -> bool:
    """Both below their fair share first, both near it in the end."""
    return _ends_fair(values) and max(_of(values, _MIDDLE)) < 1


def _claims() -> list[Claim]:
    return [
        _shallower("F12", FNCC, Place.FIRST, 0.375),
        _shallower("F13", FNCC, Place.MIDDLE, 0.295),
        _shallower("F14", FNCC_PLAIN, Place.LAST, 0.084),
        _shallower("F15", FNCC, Place.LAST, 0.385),
        _busier(Place.FIRST),
        _busier(Place.MIDDLE),
        _busier(Place.LAST, _without_speedup),
        Claim(
            "F17",
            "with LHCS both rates are soon at β times the fair one, later at the fair one",
            claimed="45 Gb/s until 450 µs, then towards 50 Gb/s",
            measure=plateau,
            holds=_at_beta,
            trend=_drains,
            tolerance="both within 2 Gb/s of 45 for half of the time from 320 µs ('quickly') to "
            "450 µs, and within 3 Gb/s of 50 in the last 100 µs; as a trend, below the fair rate "
            "first and at it in the end",
            metric="rates of the senders, medians over the fair rate",
            kind=Kind.NUMBER,
            show=percent_text,
            explanation=_passes_through,
            replaced="medians within 5 Gb/s of 45 first and of 50 in the end, windows that overlap "
            "by half.",
        ),
    ]


def _passes_through(runs: Runs) -> str:
    drained = rates(runs[_at(FNCC, Place.LAST)]).values()
    lowest = [rate_text(float(found[times > JOIN].min())) for times, found in drained]
    ends = [rate_text(float(np.median(found[times > STOP - 100e-6]))) for times, found in drained]
    return (
        f"Both go down to {' and '.join(lowest)} first, since Algorithm 3 divides W_c by U/η once "
        "more, and come up at different times. What is left to the fair rate takes additive steps "
        f"of 50 Mb/s an RTT, which have brought them to {' and '.join(ends)} when the run ends."
    )


def _forms(place: Place) -> Sequence[str]:
    """Away from the last hop LHCS changes nothing, and curves would hide each other."""
    return _LABELS if place is Place.LAST else (HPCC, FNCC)


def _panels() -> dict[str, panels.Panel]:
    found = {}
    for letter, place in zip("abc", Place, strict=True):
        found[f"{letter}-queue-{place.hop}"] = panels.port_queue(
            f"({letter}) Queue, {place.hop} hop", _names(place, _forms(place)), between=CLOSE_UP
        )
    found["d-rates-last"] = second_dashed(
        panels.sender_rates("(d) Rates, last hop", _names(Place.LAST), between=SHOWN)
    )
    for letter, place in zip("abc", Place, strict=True):
        names = _names(place, (*_forms(place), FNCC_TABLE))
        busy = panels.port_utilisation(
            f"({letter}) Utilisation, {place.hop} hop", names, between=SHOWN
        )
        found[f"{letter}-utilisation-{place.hop}"] = from_low(busy, 0.5)
    return found


_PANELS = _panels()

FIGURE = Figure(
    id="fig13",
    title="Congestion at the first, the middle and the last hop",
    where="Fig. 13a–d",
    setup="Three switches in a row, 100 Gb/s, 1.5 µs a link. The second elephant joins at 300 µs "
    "at the first, the second or the third switch. LHCS is FNCC's last-hop congestion speedup; "
    "away from the last hop it changes nothing.",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **paper_panels(_PANELS)},
    claims=[
        *_claims(),
        *paper_claims(
            _claims(),
            {
                "F14": _until_slower(FNCC_PLAIN),
                "F15": _until_slower(FNCC),
                "F17": _passes_through,
            },
        ),
    ],
)
