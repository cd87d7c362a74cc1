"""The profile `uet-htsim` against the Ultra Ethernet Consortium's simulator."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from statistics import mean, stdev
from typing import Any

from incast.campaign.campaign import Campaign
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.results import Results
from incast.scenario import Scenario
from incast.validate import uet_listing
from incast.validate.uet_recordings import ExactCase, SeededCase, exact_cases, seeded_cases

__all__ = ["SEEDS", "UetValidation", "uet"]

SEEDS = 20
"""Of ours, for each experiment that depends on them."""
_TIMES = ("mean_ps", "tail_ps")
_COUNTS = ("trimmed", "retransmitted", "marked_acks", "acks")
_TIME_TOLERANCE = 0.02
"""Of the mean over the recorded seeds, where ours is not inside their range."""
_COUNT_TOLERANCE = 0.05
_MANY = 1000
"""From so many on counts are compared relatively, else by standard errors."""
_STANDARD_ERRORS = 3


@dataclass(frozen=True)
class ExactOutcome:
    """Cases of one group and mode, flow by flow."""

    group: str
    mode: str
    cases: int
    same: int
    """Cases in which every flow ends at the recorded picosecond."""
    worst_ps: int
    """The largest difference, ours less the recorded."""
    acks: tuple[int, int] | None
    """In how many cases the number of ACKs is the recorded one, of how many that have one."""

    @property
    def passed(self) -> bool:
        """Whether all of it is the same."""
        acks = self.acks is None or self.acks[0] == self.acks[1]
        return self.same == self.cases and acks


@dataclass(frozen=True)
class Quantity:
    """A number over seeds, recorded and ours."""

    name: str
    recorded: list[float]
    """By seed."""
    ours: list[float]

    @property
    def passed(self) -> bool:
        """Times: our mean is inside the recorded range, or near its mean. Counts: near the mean if
        they are many, else no further away than chance takes both.
        """
        theirs, ours = mean(self.recorded), mean(self.ours)
        if self.name in _TIMES:
            inside = min(self.recorded) <= ours <= max(self.recorded)
            return inside or abs(ours - theirs) <= _TIME_TOLERANCE * theirs
        if theirs >= _MANY:
            return abs(ours - theirs) <= _COUNT_TOLERANCE * theirs
        squares = [_variance(each) / len(each) for each in (self.recorded, self.ours)]
        return abs(ours - theirs) <= _STANDARD_ERRORS * sqrt(sum(squares))


@dataclass(frozen=True)
class SeededOutcome:
    """An experiment over seeds."""

    name: str
    quantities: list[Quantity] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all quantities are as recorded."""
        return all(quantity.passed for quantity in self.quantities)


@dataclass(frozen=True)
class UetValidation:
    """All experiments."""

    exact: list[ExactOutcome]
    seeded: list[SeededOutcome]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether all of it is as recorded."""
        return all(outcome.passed for outcome in (*self.exact, *self.seeded))

    def table(self) -> str:
        """As text for a terminal."""
        return uet_listing.validation(self)

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and lists, for JSON."""
        exact = [{**asdict(each), "passed": each.passed} for each in self.exact]
        seeded = [
            {
                "name": each.name,
                "passed": each.passed,
                "quantities": [{**asdict(q), "passed": q.passed} for q in each.quantities],
            }
            for each in self.seeded
        ]
        return {"exact": exact, "seeded": seeded, "seconds": self.seconds, "passed": self.passed}


def uet(
    *, quick: bool = False, only: str = "", seeds: int = SEEDS, watch: Watch | None = None
) -> UetValidation:
    """Runs the recorded experiments of uet-htsim, and compares.

    Args:
        quick: Leave out experiments that depend on a seed.
        only: Leave out experiments whose name does not have this in it.
        seeds: How many seeds of ours, where they matter.
        watch: Gets the progress.
    """
    begin = time.monotonic()
    exact = [case for case in exact_cases() if only in f"{case.group} {case.mode}"]
    seeded = [] if quick else [case for case in seeded_cases() if only in case.name]
    of_exact = [Scenario(dict(case.scenario)) for case in exact]
    of_seeded = [[Scenario(case.scenario(seed)) for seed in range(1, seeds + 1)] for case in seeded]
    todo = [*of_exact, *(each for case in of_seeded for each in case)]
    ended = Campaign(_numbers, None, watch=watch, on_failure="stop").run(map(CheckedRun.of, todo))
    for failure in ended.failures.values():
        raise failure
    kept = ended.kept
    return UetValidation(
        list(_exact(exact, [kept[each.identity] for each in of_exact])),
        [
            _seeded(case, [kept[each.identity] for each in scenarios])
            for case, scenarios in zip(seeded, of_seeded, strict=True)
        ],
        time.monotonic() - begin,
    )


def _exact(cases: Sequence[ExactCase], runs: Sequence[Mapping[str, Any]]) -> Iterator[ExactOutcome]:
    groups = dict.fromkeys((case.group, case.mode) for case in cases)
    for group, mode in groups:
        differences, acks = [], [0, 0]
        for case, run in zip(cases, runs, strict=True):
            if (case.group, case.mode) != (group, mode):
                continue
            pairs = zip(run["finish_ps"], case.finish_ps, strict=True)
            differences.append(max((ours - theirs for ours, theirs in pairs), key=abs))
            if case.acks is not None:
                acks[0] += run["acks"] == case.acks
                acks[1] += 1
        yield ExactOutcome(
            group,
            mode,
            len(differences),
            differences.count(0),
            max(differences, key=abs),
            (acks[0], acks[1]) if acks[1] else None,
        )


def _seeded(case: SeededCase, runs: Sequence[Mapping[str, Any]]) -> SeededOutcome:
    # Pulls are counted with ACKs here, so where there are any ACKs are not compared.
    counts = _COUNTS if case.mode == "nscc" else _COUNTS[:-1]
    quantities = [
        Quantity(
            name,
            [float(recorded[name]) for recorded in case.runs],
            [float(run[name]) for run in runs],
        )
        for name in (*_TIMES, *counts)
    ]
    return SeededOutcome(case.name, quantities)


def _variance(values: Sequence[float]) -> float:
    return stdev(values) ** 2 if len(values) > 1 else 0.0


def _numbers(run: Results) -> dict[str, Any]:
    """What is compared of a run."""
    flows = run.completed
    order = flows.numbers("flow_id").argsort()
    finish = (flows.numbers("start_ps") + flows.numbers("fct_ps"))[order]
    packets = run.summary["packets"]
    trimming = packets.get("trimming") or {"trimmed": 0, "nacks": 0}
    return {
        "finish_ps": [int(each) for each in finish],
        "mean_ps": float(flows.numbers("fct_ps").mean()),
        "tail_ps": float(finish.max()),
        "trimmed": trimming["trimmed"],
        "retransmitted": packets["retransmitted"],
        "marked_acks": int(flows.numbers("marked_acks").sum()),
        "acks": packets["control"] - trimming["nacks"],
    }
