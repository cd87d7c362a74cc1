"""Trials for claims, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incast.papers.tried import Change, Distance, Trial, setting

from incast_papers.lgc.algorithms import (
    DCTCP,
    EXPONENTIAL_01,
    EXPONENTIAL_03,
    LGC,
    LGC_WINDOW,
    NO_EXP,
    REGULAR_01,
    REGULAR_03,
)
from incast_papers.lgc.figures import fig8, fig10, sec4e
from incast_papers.lgc.networks import COUNTS, incast_name

__all__ = ["DISTANCES", "TRIALS"]

_TWO = "two packets wait"
_MARKED_LATER = {_TWO: [setting(network={"ecn": {"step": "2 packets"}})]}
_POISSON = {"delays of a Poisson process": [setting(cc={"pacing": "poisson"})]}
_REGULAR = {"no random delays": [setting(cc={"pacing": "regular"})]}
_EXPONENTIAL = {"exponential delays": [setting(cc={"pacing": "exponential"})]}
_AT_DEQUEUE = setting(network={"ecn": {"at": "dequeue"}})
_SMALL_WINDOW = setting(cc={"initial_window": "2 packets"})
_GENTLER: Mapping[str, Sequence[Change]] = {
    "marked as packets leave": [_AT_DEQUEUE],
    "windows of 2 packets at first": [_SMALL_WINDOW],
    "both": [_AT_DEQUEUE, _SMALL_WINDOW],
}
"""Changes of DCTCP."""
_AS_DCTCP = {"windows of 10 packets at first": [setting(cc={"initial_window": "10 packets"})]}
_OTHER_DELAYS = {**_MARKED_LATER, **_POISSON, **_REGULAR}
_SEEDS = 3


def _trials(
    choices: Mapping[str, Sequence[Change]], claims: Sequence[str], labels: Sequence[str]
) -> list[Trial]:
    return [Trial(name, changes, claims, labels, seeds=_SEEDS) for name, changes in choices.items()]


def _incasts(counts: Sequence[int], *labels: str) -> list[str]:
    return [incast_name(flows, label) for flows in counts for label in labels]


_FEW = (5, 20)
_FIXED = (REGULAR_01, REGULAR_03)

TRIALS: Mapping[str, Sequence[Trial]] = {
    "fig3": _trials(
        {**_MARKED_LATER, **_EXPONENTIAL},
        ["L04-rates", "L04-queue", "L05-sd", "L06", "L06-sd"],
        _incasts(_FEW, *_FIXED),
    ),
    "fig4": _trials(
        _MARKED_LATER,
        ["L14", "L14-alike"],
        _incasts(_FEW, *_FIXED, EXPONENTIAL_01, EXPONENTIAL_03),
    )
    + _trials(_POISSON, ["L14", "L14-alike"], _incasts(_FEW, EXPONENTIAL_01, EXPONENTIAL_03)),
    "sec4e": [
        trial
        for ratio in sec4e.RATIOS
        for trial in _trials(
            {**_MARKED_LATER, **_EXPONENTIAL},
            [f"L07-k{ratio}"],
            [sec4e.named(ratio, REGULAR_01, sec4e.BACKGROUND)],
        )
    ],
    "sec3c": _trials({**_POISSON, **_REGULAR, **_MARKED_LATER}, ["L35"], [LGC]),
    "fig7": _trials(_OTHER_DELAYS, ["L17"], _incasts(COUNTS, LGC))
    + _trials(_MARKED_LATER, ["L18"], _incasts(COUNTS, LGC, NO_EXP))
    + _trials(_MARKED_LATER, ["L19"], _incasts(COUNTS, NO_EXP)),
    "table2": _trials(_OTHER_DELAYS, ["L21", "L21-ratio"], _incasts(COUNTS, LGC)),
    "fig9": _trials(_OTHER_DELAYS, ["L30"], _incasts(COUNTS, LGC)),
    "fig10": [
        *_trials(
            _OTHER_DELAYS,
            ["L23-lgc", "L23-ratio", "L24-lgc", "L24-ratio", "L31"],
            [fig10.named(topology, LGC) for topology in fig10.TOPOLOGIES],
        ),
        *_trials(
            {"marked as packets leave": [_AT_DEQUEUE]},
            ["L32"],
            [fig10.named("Clos", DCTCP), *_incasts(COUNTS, DCTCP)],
        ),
    ],
    "fig8": [
        *_trials(
            {**_AS_DCTCP, **_MARKED_LATER, **_REGULAR}, ["L25"], [fig8.named(LGC, unequal=False)]
        ),
        *_trials(_GENTLER, ["L26"], [fig8.named(DCTCP, unequal=False)]),
        *_trials(_GENTLER, ["L27-acked"], [fig8.named(DCTCP, unequal=True)]),
        *_trials(_REGULAR, ["L27-acked"], [fig8.named(LGC_WINDOW, unequal=True)]),
        *_trials(
            {**_AS_DCTCP, **_MARKED_LATER, **_REGULAR}, ["L28"], [fig8.named(LGC, unequal=True)]
        ),
    ],
}
"""Trials by figure."""


def _near(claimed: float, label: str = "") -> Distance:
    """The distance of the first value, or of a label's value, from the claimed one."""
    return lambda values: abs((values[label] if label else next(iter(values.values()))) - claimed)


def _nearest(claimed: float) -> Distance:
    """The smallest distance of any value, as the paper does not name the growth rate."""
    return lambda values: min(abs(value - claimed) for value in values.values())


def _farthest(claimed: float) -> Distance:
    return lambda values: max(abs(value - claimed) for value in values.values())


def _over(own: str, rival: str) -> Distance:
    """The largest ratio of `own` to `rival`, over the values that both have."""
    return lambda values: max(
        value / values[label.replace(own, rival)] for label, value in values.items() if own in label
    )


DISTANCES: Mapping[str, Distance] = {
    **dict.fromkeys(("L04-rates", "L04-queue"), _farthest(1)),
    "L05-sd": _nearest(0.124),
    "L06": _nearest(0.937),
    "L06-sd": _nearest(0.113),
    **{f"L07-k{ratio}": _near(ratio / 10, "mean") for ratio in sec4e.RATIOS},
    "L14": lambda values: max(values.values()),
    **dict.fromkeys(("L17", "L30", "L31"), _over(LGC, DCTCP)),
    "L18": lambda values: values[f"20 flows, {LGC}"] / values[f"20 flows, {NO_EXP}"],
    "L19": lambda values: -values["correlation, 40 flows"],
    "L21": _near(9.50e9),
    "L21-ratio": _near(9.50 / 9.64),
    "L23-lgc": _near(9.45e9),
    "L23-ratio": _near(9.45 / 9.56),
    "L24-lgc": _near(9.41e9),
    "L24-ratio": _near(9.41 / 9.51),
    "L25": lambda values: -values["lowest"],
    "L26": lambda values: -values["lowest of the second half"],
    "L27-acked": _farthest(0.96),
    "L28": lambda values: values["first ms with 0.99"],
    "L32": lambda values: values[f"RTT, {DCTCP}"],
    "L35": _near(0.5, "x"),
}
"""For claims without a distance of their own, the distance of values from the claim."""
