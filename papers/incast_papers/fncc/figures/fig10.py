"""Figure 10 (a–b): which algorithm slows down first, how long the queue gets, and when rates are
fair.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incast.measure.statistics import Average
from incast.papers import panels
from incast.papers.claim import Claim, Measured, Values
from incast.papers.explanation import Text
from incast.papers.figure import RunPlan, Runs
from incast.papers.restyled import second_dashed
from incast.papers.seeds import average
from incast.papers.tolerances import Condition, both
from incast.papers.variations import Variation, varied
from incast.present.units import rate_text, seconds_text

from incast_papers.fncc.algorithms import (
    DCQCN,
    FNCC,
    FNCC_TABLE,
    HPCC,
    RIVALS,
    ROCC,
    Reading,
    markings,
)
from incast_papers.fncc.metrics import (
    FIRST_CUT,
    converged_after,
    each,
    each_time,
    jitter,
    mean_rate,
    paper_claims,
    paper_panels,
    rate_steps,
    reaction,
    reactions_of,
    shortest_queue,
    with_variations,
)
from incast_papers.fncc.networks import (
    CLOSE_UP,
    JOIN,
    SHOWN,
    any_start,
    at,
    at_any_start,
    chosen,
    elephants,
    elephants_at,
    elephants_at_any_start,
    under_readings,
)
from incast_papers.fncc.words import WORDS

_CLAIMED = {FNCC: 0.0, HPCC: 30e-6, DCQCN: 46e-6, ROCC: 70e-6}
"""Claimed reaction times, in seconds after the second elephant's start."""
_LONGER = "RoCC, 10 ms"
_HALF = "DCQCN ±"


def _of_starts(runs: Runs, share: float = 0.9) -> Average:
    """Seconds until a sender slows down under DCQCN, averaged over start times."""
    return average(runs, any_start(at(DCQCN, 100)), lambda run: reaction(run, share))


def _runs() -> dict[str, RunPlan]:
    return (
        under_readings(
            lambda reading: {
                **elephants_at([100], (*RIVALS, FNCC_TABLE), reading),
                **elephants_at_any_start([100], (*RIVALS, FNCC_TABLE), reading),
                **at_any_start(
                    _LONGER, lambda late: elephants(ROCC, reading=reading, stop=10e-3, late=late)
                ),
            }
        )
        | _marked_otherwise()
    )


def _marked_otherwise() -> dict[str, RunPlan]:
    """Runs of DCQCN's first decrease with other markings."""
    found: dict[str, RunPlan] = {}
    for reading in Reading:
        for choice in markings(reading):
            for label, planned in elephants_at_any_start([100], (DCQCN,), reading).items():
                found[reading.of(label.replace(DCQCN, choice.of(DCQCN), 1))] = chosen(
                    planned, choice
                )
    return found


def _marked(reading: Reading) -> list[Variation]:
    return [varied(choice.name, (DCQCN,)) for choice in markings(reading)]


def _reactions(runs: Runs, share: float) -> Measured:
    return {
        label: average(runs, any_start(at(label, 100)), lambda run: reaction(run, share))
        for label in RIVALS
    }


def reactions(runs: Runs) -> Measured:
    """Time until a sender slows down under each algorithm, at 100 Gb/s; means over all start
    times.
    """
    return _reactions(runs, 0.9)


def reactions_with_interval(runs: Runs) -> Measured:
    """The reaction times, and half of the 95 % interval of DCQCN's."""
    return {**reactions(runs), _HALF: _of_starts(runs).half_width}


def first_cuts(runs: Runs) -> Measured:
    """Time of each algorithm's first decrease, of any size."""
    return _reactions(runs, FIRST_CUT)


def in_order(values: Values) -> bool:
    """Whether algorithms slow down in the claimed order."""
    return values[FNCC] < values[HPCC] < values[DCQCN] < values[ROCC]


def _in_place(label: str) -> Callable[[Values], bool]:
    """A condition: the algorithm is slower than all before it in the claimed order, and faster than
    all after it.
    """
    place = RIVALS.index(label)
    return lambda values: (
        all(values[other] < values[label] for other in RIVALS[:place])
        and all(values[other] > values[label] for other in RIVALS[place + 1 :])
    )


def _reacts(
    number: str,
    label: str,
    *,
    holds: Condition | None = None,
) -> Claim:
    claimed = _CLAIMED[label]
    return WORDS.claim(
        number,
        measure=reactions if holds is None else reactions_with_interval,
        holds=holds or (lambda values: abs(values[label] - claimed) <= max(claimed / 4, 5e-6)),
        trend=_in_place(label),
        show=seconds_text,
        values=_VALUES,
        distance=lambda values: abs(values[label] - claimed),
    )


def _within_interval(values: Values) -> bool:
    """Whether DCQCN's mean with its whole interval is within the tolerance."""
    claimed = _CLAIMED[DCQCN]
    return abs(values[DCQCN] - claimed) + values[_HALF] <= claimed / 4


def _first_cuts() -> list[Claim]:
    """Claims under the other reading of slowing down, the first decrease. It decides between DCQCN
    and RoCC.
    """
    return [
        WORDS.claim(
            "F01-order-first",
            measure=first_cuts,
            holds=in_order,
            show=seconds_text,
            values=_VALUES,
        ),
        WORDS.claim(
            "F04-first",
            measure=first_cuts,
            holds=lambda values: abs(values[ROCC] - _CLAIMED[ROCC]) <= _CLAIMED[ROCC] / 4,
            trend=_in_place(ROCC),
            show=seconds_text,
            values=_VALUES,
        ),
    ]


def _converging() -> list[Claim]:
    fncc, hpcc = at(FNCC, 100), at(HPCC, 100)
    table = at(FNCC_TABLE, 100)
    return [
        WORDS.claim(
            "F05-sooner",
            measure=each_time(converged_after, fncc, hpcc, table),
            holds=lambda values: values[fncc] <= 0.8 * values[hpcc],
            trend=lambda values: values[fncc] < values[hpcc],
            show=seconds_text,
            values=_VALUES,
        ),
        WORDS.claim(
            "F05-smoother",
            measure=each(jitter, fncc, hpcc, table),
            holds=lambda values: values[fncc] <= 0.8 * values[hpcc],
            trend=lambda values: values[fncc] < values[hpcc],
            show=rate_text,
        ),
    ]


def _slow_rivals() -> list[Claim]:
    fncc, _, dcqcn, rocc = (at(label, 100) for label in RIVALS)
    return [
        WORDS.claim(
            "F05-dcqcn",
            measure=each_time(converged_after, fncc, dcqcn),
            holds=lambda values: values[dcqcn] >= 2 * values[fncc],
            show=seconds_text,
        ),
        WORDS.claim(
            "F05-rocc",
            measure=each_time(converged_after, fncc, rocc),
            holds=both(
                lambda values: values[rocc] >= 0.5e-3,
                lambda values: values[rocc] > values[fncc],
            ),
            show=seconds_text,
        ),
        WORDS.claim(
            "F27",
            measure=each_time(converged_after, _LONGER),
            holds=lambda values: 0.5e-3 <= values[_LONGER] < 10e-3,
            trend=lambda values: values[_LONGER] >= 0.1e-3,
            show=seconds_text,
        ),
    ]


def _steps_of_rocc(runs: Runs) -> list[tuple[float, float]]:
    """RoCC's first changes of rate: times in seconds, and new rates in bit/s."""
    return rate_steps(runs[at(ROCC, 100)])[:2]


def _interval(runs: Runs) -> str:
    mean = _of_starts(runs, FIRST_CUT)
    low, high = (_us(mean.mean + sign * mean.half_width) for sign in (-1, 1))
    return f"{low} to {high}"


def _apart(label: str) -> Text:
    """The time between the reactions of the two senders."""

    def told(runs: Runs) -> str:
        first, second = reactions_of(runs[at(label, 100)])
        return _us(abs(second - first))

    return told


def _soon_after(flow: int) -> Text:
    """A sender's rate 100 µs after the second elephant's start."""
    return lambda runs: _gbps(mean_rate(runs[at(FNCC, 100)], f"flow {flow}", 90e-6, 110e-6))


def _until(share: float) -> Text:
    """The time at which a sender's rate has fallen to this share, under HPCC."""
    return lambda runs: _us(JOIN + reaction(runs[at(HPCC, 100)], share))


def _after_that(runs: Runs) -> str:
    """Time from a sender's first possible knowledge of congestion until it is a tenth slower."""
    return _us(average(runs, any_start(at(FNCC, 100)), reaction).mean - 3.1e-6)


def _gbps(rate: float) -> str:
    return f"{rate / 1e9:.3g} Gb/s"


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} µs"


_VALUES: Mapping[str, Text] = {
    "first_time": lambda runs: _us(_steps_of_rocc(runs)[0][0]),
    "first_rate": lambda runs: _gbps(_steps_of_rocc(runs)[0][1]),
    "second_time": lambda runs: _us(_steps_of_rocc(runs)[1][0]),
    "second_rate": lambda runs: _gbps(_steps_of_rocc(runs)[1][1]),
    "interval": _interval,
    "half_width": lambda runs: _us(_of_starts(runs).half_width),
    "later": _apart(FNCC),
    "apart": _apart(HPCC),
    "rate_of_first": _soon_after(0),
    "rate_of_second": _soon_after(1),
    "at_a_hundredth": _until(FIRST_CUT),
    "at_a_tenth": _until(0.9),
    "at_a_half": _until(0.55),
    "after_that": _after_that,
}
"""Numbers in remarks."""


def _claims() -> list[Claim]:
    """The claims that are judged in both settings."""
    return [
        _reacts("F01", FNCC),
        WORDS.claim(
            "F01-order",
            measure=reactions,
            holds=in_order,
            show=seconds_text,
        ),
        _reacts("F02", HPCC),
        _reacts("F03", DCQCN, holds=_within_interval),
        _reacts("F04", ROCC),
        *_converging(),
        *_slow_rivals(),
        shortest_queue("F06", 100),
    ]


def _panels(names: Mapping[str, str], close: str = "") -> dict[str, panels.Panel]:
    """Panels of queue and rates. The close-up leaves out algorithms whose curves would compress the
    others.
    """
    between = CLOSE_UP if close else SHOWN
    return {
        "a-queue-100": panels.port_queue(f"(a) Queue at 100 Gb/s{close}", names, between=between),
        "b-rates-100": second_dashed(
            panels.sender_rates(f"(b) Rates at 100 Gb/s{close}", names, between=between)
        ),
    }


_ALL = _panels({at(label, 100): label for label in RIVALS})
_CLOSE = _panels({at(label, 100): label for label in (FNCC, HPCC)}, ", FNCC and HPCC only")

FIGURE = WORDS.figure(
    "fig10",
    runs=lambda scale: _runs(),
    charts={
        **_ALL,
        **{f"{name}-close": panel for name, panel in _CLOSE.items()},
        **paper_panels(_ALL),
    },
    claims=[
        *with_variations(_claims(), {"F03": _marked(Reading.OURS)}),
        *_first_cuts(),
        *paper_claims(
            _claims(),
            _VALUES,
            {"F03": _marked(Reading.PAPER)},
        ),
    ],
)
