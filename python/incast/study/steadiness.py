"""What can be said against FCTs of runs with open-loop traffic: for points of a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incast.measure.paired import PairedRatio
from incast.present.delay_targets import multiple_of_base_rtt
from incast.present.key_figures import steadiness
from incast.present.units import count_text, percent_text, plural, ratio_text, time_text

if TYPE_CHECKING:
    from incast.measure.run import Run
    from incast.study.measures import Measure

__all__ = [
    "STEADY",
    "Steadiness",
    "ends_of",
    "foreign_target_of",
    "foreign_targets",
    "notes",
    "paired_ratio",
    "steadiness_of",
]

_DURATION = "unsteady: duration_ps"
_LATE = "late: share"
_NEAR = "near capacity: load"
"""What is kept of a run beside its measures. If it was not steady: the duration that would do. The
share of the counted flows that ended after the arrivals. The load on the wire, if congestion
control aims at hardly more.
"""
_FOREIGN = "foreign target: base RTTs"
"""A target delay that is of another network, in base RTTs."""
_LEAST, _MOST = "least: ", "most: "
"""Before a column: between which values flows at the end of the arrivals could move it."""
_COUNTED = "counted flows"
"""How many flows FCTs are of, where they are not of all."""
_MARK = " °"


@dataclass(frozen=True)
class Steadiness:
    """The steadiness of some runs together."""

    unsteady: int = 0
    """Runs whose FCTs depend on how long flows arrived."""
    duration_ps: float = 0.0
    """The longest duration that any of them needs, at least."""
    late: float = 0.0
    """The largest share of counted flows that ended after the arrivals."""
    near: float = 0.0
    """The largest load on the wire of runs near capacity, if any is."""
    counted: tuple[float, ...] = ()
    """How many flows FCTs of the runs are of, where they are not of all."""
    foreign: float = 0.0
    """The largest target delay that is of another network, in base RTTs; 0 if there is none."""

    @classmethod
    def of(cls, kept: Sequence[Mapping[str, float]]) -> Steadiness:
        """The steadiness from what :func:`steadiness_of` kept of runs."""
        durations = [each[_DURATION] for each in kept if _DURATION in each]
        late = max((each.get(_LATE, 0.0) for each in kept), default=0.0)
        near = max((each.get(_NEAR, 0.0) for each in kept), default=0.0)
        counted = tuple(each[_COUNTED] for each in kept if _COUNTED in each)
        foreign = max((each.get(_FOREIGN, 0.0) for each in kept), default=0.0)
        return cls(len(durations), max(durations, default=0.0), late, near, counted, foreign)

    @property
    def is_unsteady(self) -> bool:
        """Whether any run is."""
        return self.unsteady > 0

    @property
    def mark(self) -> str:
        """A sign at the numbers of runs that are not steady."""
        return _MARK if self.is_unsteady else ""

    def to_dict(self) -> dict[str, Any]:
        """The steadiness for programs: empty if there is nothing to say."""
        if not (self.unsteady or self.late or self.near):
            return {}
        told: dict[str, Any] = {"unsteady_runs": self.unsteady, "late_share": self.late}
        if self.near:
            return told | {"load_near_capacity": self.near}
        # Near capacity no duration may do.
        return told | ({"steady_duration_ps": self.duration_ps} if self.unsteady else {})


STEADY = Steadiness()
"""The steadiness of runs of which nothing can be said."""


def steadiness_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """What is kept of a run."""
    entries = summary.get("counted_flows", ())
    durations = [each["steady_duration_ps"] for each in entries if steadiness.is_unsteady(each)]
    late = [each["late"] / each["flows"] for each in entries if each["late"] and each["flows"]]
    kept = {_DURATION: float(max(durations))} if durations else {}
    if "all_flows" in summary:
        kept[_COUNTED] = float(summary["fct_slowdown"]["all"]["count"])
    if steadiness.is_near_capacity(summary):
        kept[_NEAR] = float(summary["loads"]["wire"]["at_asked"])
    return kept | ({_LATE: max(late)} if late else {})


def foreign_target_of(run: Run) -> dict[str, float]:
    """What is kept of a run whose target delay is of another network."""
    found = multiple_of_base_rtt(run)
    return {_FOREIGN: found} if found else {}


def ends_of(run: Run, measures: Sequence[Measure]) -> dict[str, float]:
    """What is kept of a run's measures that flows at the end of the arrivals could move."""
    found = {each.column: ends for each in measures if (ends := each.ends(run)) is not None}
    return {
        key + column: end
        for column, ends in found.items()
        for key, end in zip((_LEAST, _MOST), ends, strict=True)
    }


def paired_ratio(
    own: Sequence[Mapping[str, float]], bases: Sequence[Mapping[str, float]], measure: Measure
) -> PairedRatio:
    """The ratio of a measure, of what was kept of runs seed by seed. It is cut where flows at the
    end of the arrivals could undo a difference, or hide the number with some seeds: what is left is
    no random choice of them.
    """
    column, missing = measure.column, float("nan")

    def ratio(key: str, of_base: str, *, cut: bool = False) -> PairedRatio:
        values, others = (
            [each.get(begin + column, each.get(column, missing)) for each in of]
            for begin, of in ((key, own), (of_base, bases))
        )
        return PairedRatio.of(values, others, cut=cut)

    # A failed run has kept nothing.
    hidden = any(
        math.isnan(each.get(column, missing)) and _MOST + column in each for each in (*own, *bases)
    )
    endless = any(math.isinf(each.get(_MOST + column, 0.0)) for each in (*own, *bases))
    found = ratio("", "", cut=hidden or endless)
    return found.between(ratio(_LEAST, _MOST), ratio(_MOST, _LEAST))


def notes(points: Sequence[Steadiness]) -> list[str]:
    """Which flows FCTs are of, which points are not steady, and why some have no percentile."""
    found = []
    counted = [number for each in points for number in each.counted]
    if counted:
        least, most = count_text(min(counted)), count_text(max(counted))
        number = least if least == most else f"{least} to {most}"
        found.append(
            f"FCTs are of {number} flows a run: of open-loop traffic, those that start in the "
            "window of counted flows."
        )
    unsteady = [each for each in points if each.is_unsteady]
    if unsteady:
        found.append(
            f"Not steady: {_which(unsteady, points)} marked (hollow,{_MARK}), for their FCTs still "
            f"depend on how long flows arrive{_would_do(unsteady)}."
        )
    near = [each for each in points if each.near]
    if near:
        load = ratio_text(max(each.near for each in near))
        found.append(
            f"Near capacity: {_which(near, points)} at a load on the wire, of up to {load}, that "
            "is 90 % or more of what the congestion control aims at. There FCTs may grow for as "
            "long as flows arrive, and no longer run may do."
        )
    late = max((each.late for each in points), default=0.0)
    if late >= steadiness.TOLD_LATE:
        found.append(
            f"Cut: up to {percent_text(late)} of the counted flows of a traffic entry ended after "
            "arrivals did, or had not when the run ended; percentiles that they could move are "
            'left out. { of = "slowdown.p99", flows = "all" } has those of all flows, as they were.'
        )
    return found


def foreign_targets(points: Sequence[Steadiness]) -> list[str]:
    """Points whose algorithm lets queues grow up to a target that is of another network."""
    foreign = [each for each in points if each.foreign]
    if not foreign:
        return []
    most = ratio_text(max(each.foreign for each in foreign))
    return [
        f"Of another network: {_which(foreign, points)} run with a target delay (`cc.base_target` "
        f"of swift, `cc.low_threshold` of timely) of up to {most} base RTTs. Queues grow up to it. "
        "Set it, or take a set of parameters for this network."
    ]


def _which(some: Sequence[Steadiness], points: Sequence[Steadiness]) -> str:
    """``2 of 6 points are``."""
    if len(some) == len(points):
        return "All points are"
    return f"{len(some)} of {plural(len(points), 'point')} {'is' if len(some) == 1 else 'are'}"


def _would_do(unsteady: Sequence[Steadiness]) -> str:
    """The longest duration that a point needs; none near capacity."""
    durations = [each.duration_ps for each in unsteady if not each.near]
    if not durations:
        return ""
    whose = "all of them" if len(durations) == len(unsteady) else "those not near capacity"
    return f"; {time_text(steadiness.rounded_up(max(durations)))} would do for {whose}, at least"
