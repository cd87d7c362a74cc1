"""Compares profile `uet-htsim` with the Ultra Ethernet Consortium's simulator."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from incast.campaign.campaign import Campaign
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.results import Results
from incast.scenario import Scenario
from incast.validate.uet_outcome import (
    COUNTS,
    TIMES,
    ExactOutcome,
    Quantity,
    SeededOutcome,
)
from incast.validate.uet_recordings import ExactCase, SeededCase, exact_cases, seeded_cases
from incast.validate.uet_validation import UetValidation

__all__ = ["SEEDS", "uet"]

SEEDS = 20
"""The number of our seeds for each experiment that depends on the seed."""


def uet(
    *, quick: bool = False, only: str = "", seeds: int = SEEDS, watch: Watch | None = None
) -> UetValidation:
    """Runs the recorded experiments of uet-htsim, and compares their results.

    Args:
        quick: Leaves out experiments that depend on the seed.
        only: Leaves out experiments whose name does not contain this text.
        seeds: The number of our seeds, for experiments that depend on the seed.
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
    # Pulls are counted as ACKs here, so ACKs are not compared if there are pulls.
    counts = COUNTS if case.mode == "nscc" else COUNTS[:-1]
    quantities = [
        Quantity(
            name,
            [float(recorded[name]) for recorded in case.runs],
            [float(run[name]) for run in runs],
        )
        for name in (*TIMES, *counts)
    ]
    return SeededOutcome(case.name, quantities)


def _numbers(run: Results) -> dict[str, Any]:
    """The numbers of a run that are compared."""
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
