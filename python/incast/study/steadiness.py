"""What can be said against FCTs of runs with open-loop traffic: for points of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from incast.present.key_figures import steadiness
from incast.present.units import count_text, percent_text, plural, time_text

__all__ = ["STEADY", "Steadiness", "notes", "steadiness_of"]

_DURATION = "unsteady: duration_ps"
_LATE = "late: share"
"""What is kept of a run beside its measures: the duration that would do, if it was not steady, and
the share of the counted flows that ended after the arrivals.
"""
_COUNTED = "counted flows"
"""How many flows FCTs are of, where they are not of all."""
_MARK = " °"
_TOLD_LATE = 0.001
"""From this share on percentiles may be left out."""


@dataclass(frozen=True)
class Steadiness:
    """Of some runs together."""

    unsteady: int = 0
    """Runs whose FCTs depend on how long flows arrived."""
    duration_ps: float = 0.0
    """The longest duration that any of them needs, at least."""
    late: float = 0.0
    """The largest share of counted flows that ended after the arrivals."""
    counted: tuple[float, ...] = ()
    """How many flows FCTs of the runs are of, where they are not of all."""

    @classmethod
    def of(cls, kept: Sequence[Mapping[str, float]]) -> Steadiness:
        """Of what :func:`steadiness_of` kept of runs."""
        durations = [each[_DURATION] for each in kept if _DURATION in each]
        late = max((each.get(_LATE, 0.0) for each in kept), default=0.0)
        counted = tuple(each[_COUNTED] for each in kept if _COUNTED in each)
        return cls(len(durations), max(durations, default=0.0), late, counted)

    @property
    def is_unsteady(self) -> bool:
        """Whether any run is."""
        return self.unsteady > 0

    @property
    def mark(self) -> str:
        """A sign at the numbers of runs that are not steady."""
        return _MARK if self.is_unsteady else ""

    def to_dict(self) -> dict[str, Any]:
        """For programs: empty if there is nothing to say."""
        if not self.unsteady and not self.late:
            return {}
        told: dict[str, Any] = {"unsteady_runs": self.unsteady, "late_share": self.late}
        return told | ({"steady_duration_ps": self.duration_ps} if self.unsteady else {})


STEADY = Steadiness()
"""Nothing can be said."""


def steadiness_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """What is kept of a run."""
    entries = summary.get("counted_flows", ())
    durations = [each["steady_duration_ps"] for each in entries if not each["steady"]]
    late = [each["late"] / each["flows"] for each in entries if each["late"] and each["flows"]]
    kept = {_DURATION: float(max(durations))} if durations else {}
    if "all_flows" in summary:
        kept[_COUNTED] = float(summary["fct_slowdown"]["all"]["count"])
    return kept | ({_LATE: max(late)} if late else {})


def notes(points: Sequence[Steadiness]) -> list[str]:
    """Which flows FCTs are of, which points are not steady, and why some have no percentile."""
    found = []
    counted = [number for each in points for number in each.counted]
    if counted:
        least, most = count_text(min(counted)), count_text(max(counted))
        number = least if least == most else f"{least} to {most}"
        found.append(
            f"FCTs are of {number} flows a run, those that start in the window of counted flows."
        )
    unsteady = [each for each in points if each.is_unsteady]
    if unsteady:
        longest = steadiness.rounded_up(max(each.duration_ps for each in unsteady))
        which = "All points are" if len(unsteady) == len(points) else f"{len(unsteady)} of"
        rest = "" if len(unsteady) == len(points) else f" {plural(len(points), 'point')} are"
        found.append(
            f"Not steady: {which}{rest} marked (hollow,{_MARK}), for their FCTs still depend on "
            f"`duration`; {time_text(longest)} would do for all of them, at least."
        )
    late = max((each.late for each in points), default=0.0)
    if late >= _TOLD_LATE:
        found.append(
            f"Cut: up to {percent_text(late)} of the counted flows ended after arrivals did; "
            'percentiles that they could move are left out. { of = "slowdown.p99", flows = "all" }'
            " has those of all flows, as they were."
        )
    return found
