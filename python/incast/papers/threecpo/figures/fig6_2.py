"""Fig. 6.2: effective bandwidth of an all-reduce without control, with windows, with AIMD."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Kind, Measured
from incast.papers.framework.paper import Figure, Runs
from incast.papers.framework.seeds import ratio
from incast.papers.framework.tolerances import close_to
from incast.papers.threecpo.algorithms import AIMD, BASELINE, STATIC_64, TUNED
from incast.papers.threecpo.metrics import (
    BANDWIDTH,
    LIMIT,
    bandwidth,
    over_initiators,
    values,
)
from incast.papers.threecpo.networks import INITIATORS, point, varied_initiators

_SCHEMES = (BASELINE, TUNED, STATIC_64, AIMD)
_FEWER = tuple(n for n in INITIATORS if n <= 16)


def _of(scheme: str, initiators: int) -> dict[str, str]:
    return {"": point(scheme, initiators)}


def _static_over_tuned(runs: Runs) -> Measured:
    return {
        f"{n} initiators": ratio(runs, point(STATIC_64, n), point(TUNED, n), bandwidth)
        for n in INITIATORS
    }


def _aimd_over_none(runs: Runs) -> Measured:
    return {
        f"{n} initiators": ratio(runs, point(AIMD, n), point(BASELINE, n), bandwidth)
        for n in INITIATORS
    }


FIGURE = Figure(
    id="fig6_2",
    title="Effective bandwidth of an all-reduce, by initiators",
    where="Dissertation, Fig. 6.2, §6.1.4",
    setup="64 endpoints in one group; n of them do 128 transactions each, a read reduction and "
    "then a multicast write, all from cycle 0. Windows as in Table 6.1.",
    scaled="1 seed instead of 3",
    runs=varied_initiators,
    charts={
        "bandwidth": over_initiators(
            "Effective bandwidth", _SCHEMES, BANDWIDTH, {"": bandwidth}, limit=LIMIT
        )
    },
    claims=[
        Claim(
            "G03",
            "with 64 initiators and a tuned window effective bandwidth is nearly two",
            claimed="nearly 2",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: values(runs, _of(TUNED, 64), bandwidth),
            holds=lambda values: values[""] >= 0.95 * LIMIT,
            tolerance="95 % of 1.8, which the wires allow: of 10 flits each way 9 are data. The 2 "
            "of the text counts 1-flit packets as free",
            kind=Kind.NUMBER,
        ),
        Claim(
            "G04",
            "without control it drops to about one",
            claimed="about 1",
            metric="effective bandwidth, flits per cycle and endpoint",
            measure=lambda runs: values(runs, _of(BASELINE, 64), bandwidth),
            holds=close_to(1.0, 0.1),
            tolerance="10 % either way",
            kind=Kind.NUMBER,
            note="Tree saturation, in this reading: an endpoint owes at most 512 flits of "
            "responses and queues are finite, so that reads fill the request channel and writes "
            "stand behind them. Without either bound nothing is lost.",
        ),
        Claim(
            "G10",
            "the window for 64 initiators is far too small for fewer",
            claimed="drops precipitously",
            metric="effective bandwidth, window for 64 initiators over the tuned one",
            measure=_static_over_tuned,
            holds=lambda values: all(values[f"{n} initiators"] <= 0.5 for n in _FEWER),
            tolerance="at most half of the tuned window's from 16 initiators down",
        ),
        Claim(
            "G08",
            "AIMD is as no control: the run ends before it has reacted",
            where="Dissertation, Figs. 6.2 and 6.3",
            claimed="not effective",
            metric="effective bandwidth under AIMD over that without control",
            measure=_aimd_over_none,
            holds=close_to(1.0, 0.05),
            tolerance="within 5 % of no control for each number of initiators",
        ),
    ],
)
