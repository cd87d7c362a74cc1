"""Figure 13 (a–d): congestion at the first, the middle and the last hop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from incast.measure.run import Run
from incast.measure.statistics import Average
from incast.papers.fncc.algorithms import (
    AS_PRINTED,
    FNCC,
    FNCC_PLAIN,
    FNCC_PRINTED,
    FNCC_SINGLE,
    FNCC_TABLE,
    HPCC,
    LHCS_FORMS,
    LONGER_RTT,
    ONCE_PER_ACK,
    OTHER_AVERAGE,
    PATH_RTT,
    Choice,
    Reading,
)
from incast.papers.fncc.metrics import (
    NUMBER_REPLACED,
    NUMBER_WHY,
    each,
    joined,
    mean_queue,
    near,
    off,
    paper_claims,
    paper_panels,
    peak,
    peak_after,
    rates,
    reaction,
    relative,
    utilisation,
    with_variations,
)
from incast.papers.fncc.networks import (
    ANY_START,
    CLOSE_UP,
    JOIN,
    SHOWN,
    STOP,
    Place,
    any_start,
    at_any_start,
    chosen,
    far,
    located,
    under_readings,
)
from incast.papers.framework import panels
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.explanation import Text
from incast.papers.framework.paper import Figure, RunPlan, Runs
from incast.papers.framework.readings import labelled
from incast.papers.framework.restyled import from_low, second_dashed
from incast.papers.framework.seeds import of, seeded
from incast.papers.framework.variations import Variation
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
_DRAINS = (20e-6, 150e-6)
"""Seconds after the second elephant's start: from 'quickly' to 450 µs, when the last hop's
congestion is over.
"""


def _at(label: str, place: Place) -> str:
    return f"{label}, {place.hop} hop"


@dataclass(frozen=True)
class _Trial:
    """A choice, and where the second elephant joins: nearer to the receiver where it meets the
    first one later, or as far as the first.
    """

    choice: Choice | None
    labels: Sequence[str]
    """Whose runs it changes."""
    far: bool = False

    @property
    def name(self) -> str:
        parts = ["both equally far"] if self.far else []
        return ", ".join([*parts, *([self.choice.name] if self.choice else [])])

    def runs(self, place: Place, reading: Reading) -> dict[str, RunPlan]:
        found: dict[str, RunPlan] = {}
        for label in self.labels:
            named = _at(labelled(label, self.name), place)
            found |= at_any_start(named, self._make(label, place, reading))
        return found

    def _make(self, label: str, place: Place, reading: Reading) -> Callable[[float], RunPlan]:
        plan = far if self.far else located

        def make(late: float) -> RunPlan:
            planned = plan(label, place, reading, late=late)
            return chosen(planned, self.choice) if self.choice else planned

        return make

    def variation(self) -> Variation:
        swaps = {label: labelled(label, self.name) for label in self.labels}
        return Variation(self.name, swaps, hides=OTHER_AVERAGE)


_BOTH_LHCS = LHCS_FORMS[-1]


def _trials(claim: str, label: str, place: Place) -> list[_Trial]:
    """What is tried for a claim about an algorithm at a place."""
    both_labels = (HPCC, label)
    found = [_Trial(PATH_RTT, both_labels)] if place is not Place.FIRST else []
    if place is not Place.FIRST:
        found += [
            _Trial(None, both_labels, far=True),
            _Trial(LONGER_RTT, both_labels, far=True),
        ]
    if claim in ("F15", "F17"):
        found += [_Trial(form, (FNCC,)) for form in LHCS_FORMS]
        found += [
            _Trial(_BOTH_LHCS, both_labels, far=True),
            _Trial(LONGER_RTT + _BOTH_LHCS, both_labels, far=True),
        ]
    return found


_TRIED = {
    "F12": (FNCC, Place.FIRST),
    "F13": (FNCC, Place.MIDDLE),
    "F14": (FNCC_PLAIN, Place.LAST),
    "F15": (FNCC, Place.LAST),
    "F17": (FNCC, Place.LAST),
}


def _other_average(reading: Reading) -> Choice:
    return ONCE_PER_ACK if reading is Reading.OURS else AS_PRINTED


def _plain(reading: Reading) -> _Trial:
    """The other average, without LHCS."""
    return _Trial(_other_average(reading), (FNCC_PLAIN,))


def _variations(reading: Reading) -> dict[str, list[Variation]]:
    """By claim: the other average first, which F14 has no runs of."""
    other = _other_average(reading)
    average = Variation(other.name, {FNCC: _OTHER[reading]}, hides=OTHER_AVERAGE)
    plain = _plain(reading).variation()
    return {
        claim: [
            plain if label == FNCC_PLAIN else average,
            *(trial.variation() for trial in _trials(claim, label, place)),
        ]
        for claim, (label, place) in _TRIED.items()
    }


def _runs() -> dict[str, RunPlan]:
    return under_readings(lambda reading: {**_of_rows(reading), **_of_variations(reading)})


def _of_rows(reading: Reading) -> dict[str, RunPlan]:
    found: dict[str, RunPlan] = {}
    for place in Place:
        for label in (*_ALL, _OTHER[reading]):
            found[_at(label, place)] = located(label, place, reading)
            found |= at_any_start(_at(label, place), _located(label, place, reading))
    return found


def _located(label: str, place: Place, reading: Reading) -> Callable[[float], RunPlan]:
    return lambda late: located(label, place, reading, late=late)


def _of_variations(reading: Reading) -> dict[str, RunPlan]:
    found = _plain(reading).runs(Place.LAST, reading)
    for claim, (label, place) in _TRIED.items():
        for trial in _trials(claim, label, place):
            found |= trial.runs(place, reading)
    return found


def _names(place: Place, labels: Sequence[str] = _LABELS) -> dict[str, str]:
    return {_at(label, place): label for label in labels}


def change(label: str, place: Place) -> Callable[[Runs], Measured]:
    """Difference of the queue's peak and mean from those under HPCC, as shares of these; and of
    the peak with FNCC's other average. Means over all starts, start by start.
    """
    hpcc = any_start(_at(HPCC, place))

    def measure(runs: Runs) -> Measured:
        def less(other: str, metric: Callable[[Run], float]) -> Average:
            return relative(runs, any_start(_at(other, place)), hpcc, metric)

        values = {"peak": less(label, peak), "mean queue": less(label, mean_queue)}
        for other in OTHER_AVERAGE:
            if label == FNCC and seeded(any_start(_at(other, place)), 1) in runs:
                values[f"peak, {other}"] = less(other, peak)
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
        distance=off(-claimed, "peak"),
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
        measure=each(utilisation, hpcc, fncc, table),
        holds=lambda values: values[fncc] >= values[hpcc],
        tolerance="none; from the second elephant's start to 1 ms",
        metric="utilisation",
        show=percent_text,
        explanation=explanation,
    )


def plateau(runs: Runs) -> Measured:
    """Of the slower and the faster sender in the last 100 µs; means over all starts.

    The share of the time while the last hop drains at which its rate is near β times the fair one,
    and its median rate then and in the last 100 µs, as shares of the fair one.
    """
    found = [_plateau(run) for run in of(runs, any_start(_at(FNCC, Place.LAST)))]
    return {name: Average.of([values[name] for values in found]) for name in found[0]}


def _plateau(run: Run) -> dict[str, float]:
    """Which sender is the slower one changes from start to start."""
    start = joined(run)
    senders = []
    for times, found in rates(run).values():
        begin, end = (start + after for after in _DRAINS)
        draining = found[(times > begin) & (times <= end)]
        near_beta = np.abs(draining - _FAIR_TIMES_BETA) <= _NEAR_BETA
        values = {
            _AT_BETA: float(near_beta.mean()),
            _MIDDLE: float(np.median(draining)) / _FAIR,
            _END: float(np.median(found[times > STOP - 100e-6])) / _FAIR,
        }
        senders.append(values)
    slower, faster = sorted(senders, key=lambda values: values[_END])
    named = {"slower": slower, "faster": faster}
    return {f"{name}, {what}": values[what] for name, values in named.items() for what in values}


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
            distance=lambda values: 1 - min(_of(values, _AT_BETA)),
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
        f"From 300 µs both go down to {' and '.join(lowest)} first, since Algorithm 3 divides W_c "
        "by U/η once more, and come up at different times. With LHCS's share as the rate itself, "
        "as the text has it, the plateau is there, and the fair end is not (variations; their "
        "price stands at F20). In the "
        f"end they have {' and '.join(ends)}: not on the way to the fair rate, but locked there by "
        "their phases, since nothing in the run is random (P01, P02)."
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
    f"away from the last hop it changes nothing. {ANY_START} The base RTT by which windows and "
    "averages go is the network's, and the second elephant is nearer to the receiver at the middle "
    "and the last switch, where Fig. 11 is not in the text: variations have the pair's own, and "
    "both equally far.",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **paper_panels(_PANELS)},
    claims=[
        *with_variations(_claims(), _variations(Reading.OURS)),
        *paper_claims(
            _claims(),
            {
                "F14": _until_slower(FNCC_PLAIN),
                "F15": _until_slower(FNCC),
                "F17": _passes_through,
            },
            _variations(Reading.PAPER),
        ),
    ],
)
