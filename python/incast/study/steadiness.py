"""Caveats about FCTs under open-loop traffic, for the points of a sweep."""

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
"""Keys of facts that are kept of a run, beside its measures. For an unsteady run, the duration that
would suffice. The share of counted flows that are late. The load on the wire, if congestion control
can hardly carry more.
"""
_FOREIGN = "foreign target: base RTTs"
"""A target delay meant for another network, in base RTTs."""
_LEAST, _MOST = "least: ", "most: "
"""Prefixes of a column: the range over which late flows could move its value."""
_COUNTED = "counted flows"
"""The number of counted flows, if not all flows count."""
_MARK = " °"


@dataclass(frozen=True)
class Steadiness:
    """Caveats of several runs together."""

    unsteady: int = 0
    """Number of runs whose FCTs depend on how long flows arrived."""
    duration_ps: float = 0.0
    """The longest duration that any of them needs, as a lower bound."""
    late: float = 0.0
    """The largest share of late flows among the counted flows of a run."""
    near: float = 0.0
    """The largest load on the wire of a run near capacity; 0 if no run is."""
    counted: tuple[float, ...] = ()
    """The number of counted flows of each run in which not all flows count."""
    foreign: float = 0.0
    """The largest target delay meant for another network, in base RTTs; 0 if there is none."""

    @classmethod
    def of(cls, kept: Sequence[Mapping[str, float]]) -> Steadiness:
        """The caveats from the facts that :func:`steadiness_of` kept of runs."""
        durations = [each[_DURATION] for each in kept if _DURATION in each]
        late = max((each.get(_LATE, 0.0) for each in kept), default=0.0)
        near = max((each.get(_NEAR, 0.0) for each in kept), default=0.0)
        counted = tuple(each[_COUNTED] for each in kept if _COUNTED in each)
        foreign = max((each.get(_FOREIGN, 0.0) for each in kept), default=0.0)
        return cls(len(durations), max(durations, default=0.0), late, near, counted, foreign)

    @property
    def is_unsteady(self) -> bool:
        """Whether any run is unsteady."""
        return self.unsteady > 0

    @property
    def mark(self) -> str:
        """A sign beside the numbers of unsteady runs."""
        return _MARK if self.is_unsteady else ""

    def to_dict(self) -> dict[str, Any]:
        """The caveats for programs; empty if there are none."""
        if not (self.unsteady or self.late or self.near):
            return {}
        told: dict[str, Any] = {"unsteady_runs": self.unsteady, "late_share": self.late}
        if self.near:
            return told | {"load_near_capacity": self.near}
        # Near capacity, possibly no duration suffices.
        return told | ({"steady_duration_ps": self.duration_ps} if self.unsteady else {})


STEADY = Steadiness()
"""Steadiness of runs without any caveat."""


def steadiness_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """The facts that are kept of a run."""
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
    """The target delay of a run, if it is meant for another network."""
    found = multiple_of_base_rtt(run)
    return {_FOREIGN: found} if found else {}


def ends_of(run: Run, measures: Sequence[Measure]) -> dict[str, float]:
    """The range over which late flows could move each measure of a run."""
    found = {each.column: ends for each in measures if (ends := each.ends(run)) is not None}
    return {
        key + column: end
        for column, ends in found.items()
        for key, end in zip((_LEAST, _MOST), ends, strict=True)
    }


def paired_ratio(
    own: Sequence[Mapping[str, float]], bases: Sequence[Mapping[str, float]], measure: Measure
) -> PairedRatio:
    """The ratio of a measure to the baseline's, paired by seed. It is cut if late flows could undo
    a difference. It is also cut if they hide the number with some seeds, as the remaining seeds are
    then no random choice.
    """
    column, missing = measure.column, float("nan")

    def ratio(key: str, of_base: str, *, cut: bool = False) -> PairedRatio:
        values, others = (
            [each.get(begin + column, each.get(column, missing)) for each in of]
            for begin, of in ((key, own), (of_base, bases))
        )
        return PairedRatio.of(values, others, cut=cut)

    # Nothing is kept of a failed run.
    hidden = any(
        math.isnan(each.get(column, missing)) and _MOST + column in each for each in (*own, *bases)
    )
    endless = any(math.isinf(each.get(_MOST + column, 0.0)) for each in (*own, *bases))
    found = ratio("", "", cut=hidden or endless)
    return found.between(ratio(_LEAST, _MOST), ratio(_MOST, _LEAST))


def notes(points: Sequence[Steadiness]) -> list[str]:
    """Notes on the counted flows, on unsteady points, and on percentiles that are missing."""
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
    """A note on points whose algorithm has a target delay meant for another network."""
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
    """The longest duration that a point needs; empty if all points are near capacity."""
    durations = [each.duration_ps for each in unsteady if not each.near]
    if not durations:
        return ""
    whose = "all of them" if len(durations) == len(unsteady) else "those not near capacity"
    return f"; {time_text(steadiness.rounded_up(max(durations)))} would do for {whose}, at least"
