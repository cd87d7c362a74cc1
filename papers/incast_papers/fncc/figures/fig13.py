"""Figure 13 (a–d): congestion at the first, the middle and the last hop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.measure.statistics import Average
from incast.papers import panels
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs
from incast.papers.readings import labelled
from incast.papers.restyled import from_low, second_dashed
from incast.papers.seeds import of, seeded
from incast.papers.variations import Variation
from incast.present.units import bytes_text, percent_text, rate_text, seconds_text

from incast_papers.fncc.algorithms import (
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
from incast_papers.fncc.metrics import (
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
from incast_papers.fncc.networks import (
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
from incast_papers.fncc.words import WORDS

_LABELS = (HPCC, FNCC_PLAIN, FNCC)
_ALL = (*_LABELS, FNCC_TABLE)
_OTHER = {Reading.OURS: FNCC_SINGLE, Reading.PAPER: FNCC_PRINTED}
"""FNCC with the average that each reading does not use."""
_FAIR = 50e9
_FAIR_TIMES_BETA = 0.9 * _FAIR
"""Rates in bit/s: half the link, and β times that."""
_NEAR_BETA, _NEAR_FAIR = 2e9, 3e9
"""Tolerances in bit/s, small enough that a rate cannot be near both."""
_DRAINS = (20e-6, 150e-6)
"""Seconds after the second elephant's start: from the paper's 'quickly' until 450 µs, when
congestion at the last hop has ended.
"""


def _at(label: str, place: Place) -> str:
    return f"{label}, {place.hop} hop"


@dataclass(frozen=True)
class _Trial:
    """An alternative, and how far away the second elephant's host is: nearer to the receiver than
    the first one's, or equally far.
    """

    choice: Choice | None
    labels: Sequence[str]
    """Labels of the runs that the trial changes."""
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
    """The trials for a claim on an algorithm and a place."""
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
    """The trial with the other average and without LHCS."""
    return _Trial(_other_average(reading), (FNCC_PLAIN,))


def _variations(reading: Reading) -> dict[str, list[Variation]]:
    """Variations by claim. The other average comes first, as F14 has no runs of it."""
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
    """Relative differences of the queue's peak and mean from those under HPCC, and of the peak
    under FNCC's other average. Runs are paired by start time, and averaged.
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
    return WORDS.claim(
        number,
        measure=change(label, place),
        holds=near(-claimed, "peak"),
        trend=lambda values: values["peak"] < 0,
        distance=off(-claimed, "peak"),
        values=_VALUES,
        show=percent_text,
    )


def _peak_after(label: str) -> Text:
    """The time of the last hop's peak, if no window limits data in flight."""
    return lambda runs: seconds_text(peak_after(runs[_at(label, Place.LAST)]))


def _slower_after(label: str) -> Text:
    return lambda runs: seconds_text(reaction(runs[_at(label, Place.LAST)]))


def _rates_last(runs: Runs, of_sender: Callable[[Array, Array], float]) -> str:
    """A number of each sender's times and rates, in words."""
    found = rates(runs[_at(FNCC, Place.LAST)]).values()
    return " and ".join(rate_text(of_sender(*each)) for each in found)


_VALUES: Mapping[str, Text] = {
    "bdp": lambda runs: bytes_text(runs[_at(HPCC, Place.FIRST)].summary["bdp_bytes"]),
    "utilisation_without": lambda runs: percent_text(
        utilisation(runs[_at(FNCC_PLAIN, Place.LAST)])
    ),
    "lowest_rates": lambda runs: _rates_last(
        runs, lambda times, found: float(found[times > JOIN].min())
    ),
    "last_rates": lambda runs: _rates_last(
        runs, lambda times, found: float(np.median(found[times > STOP - 100e-6]))
    ),
    **{
        f"{what}_under_{name}": of_label(label)
        for name, label in (("hpcc", HPCC), ("fncc", FNCC), ("plain", FNCC_PLAIN))
        for what, of_label in (("peak", _peak_after), ("slower", _slower_after))
    },
}
"""Numbers in remarks."""


def _busier(place: Place) -> Claim:
    hpcc, fncc, table = (_at(label, place) for label in (HPCC, FNCC, FNCC_TABLE))
    return WORDS.claim(
        f"F16-{place.hop}",
        measure=each(utilisation, hpcc, fncc, table),
        holds=lambda values: values[fncc] >= values[hpcc],
        show=percent_text,
        values=_VALUES,
    )


def plateau(runs: Runs) -> Measured:
    """Numbers of the slower and the faster sender, as means over all start times.

    While the last hop drains: the share of time in which the sender's rate is near β times the fair
    rate, and its median rate. In the last 100 µs: its median rate. Rates are relative to the fair
    rate.
    """
    found = [_plateau(run) for run in of(runs, any_start(_at(FNCC, Place.LAST)))]
    return {name: Average.of([values[name] for values in found]) for name in found[0]}


def _plateau(run: Run) -> dict[str, float]:
    """The slower sender differs between start times."""
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
    """Whether both senders are below the fair rate while the last hop drains, and near it at the
    end.
    """
    return _ends_fair(values) and max(_of(values, _MIDDLE)) < 1


def _claims() -> list[Claim]:
    return [
        _shallower("F12", FNCC, Place.FIRST, 0.375),
        _shallower("F13", FNCC, Place.MIDDLE, 0.295),
        _shallower("F14", FNCC_PLAIN, Place.LAST, 0.084),
        _shallower("F15", FNCC, Place.LAST, 0.385),
        _busier(Place.FIRST),
        _busier(Place.MIDDLE),
        _busier(Place.LAST),
        WORDS.claim(
            "F17",
            measure=plateau,
            holds=_at_beta,
            trend=_drains,
            distance=lambda values: 1 - min(_of(values, _AT_BETA)),
            show=percent_text,
            values=_VALUES,
        ),
    ]


def _forms(place: Place) -> Sequence[str]:
    """Except at the last hop LHCS changes nothing, so its curves would cover others."""
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

FIGURE = WORDS.figure(
    "fig13",
    runs=lambda scale: _runs(),
    charts={**_PANELS, **paper_panels(_PANELS)},
    claims=[
        *with_variations(_claims(), _variations(Reading.OURS)),
        *paper_claims(
            _claims(),
            _VALUES,
            _variations(Reading.PAPER),
        ),
    ],
)
