"""Whether chance alone could put a row of `incast validate uet` beyond its tolerance.

A permutation test of the difference of means, five recorded seeds against ours; and experiments
that change one choice of ours.

.venv/bin/python benches/uet_chance.py              # rows that are beyond, with 20 seeds
.venv/bin/python benches/uet_chance.py --only "slow" --seeds 60 --all  # also those that are not
.venv/bin/python benches/uet_chance.py --experiments
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

import incast
import numpy as np
from incast.validate.uet_recordings import SeededCase, seeded_cases
from scipy import stats

Json = dict[str, Any]


def chance(recorded: Sequence[float], ours: Sequence[float]) -> float:
    """The part of random splits of all values whose means differ at least as much."""
    found = stats.permutation_test(
        (np.asarray(recorded, float), np.asarray(ours, float)),
        lambda one, other, axis: np.mean(one, axis=axis) - np.mean(other, axis=axis),
        vectorized=True,
        n_resamples=9_999,
        batch=1_000,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def told(name: str, quantity: str, recorded: Sequence[float], ours: Sequence[float]) -> str:
    """A line: both means and how likely their difference is."""
    p = chance(recorded, ours)
    both = f"{mean(recorded):>14.6g} {mean(ours):>14.6g}"
    return f"{name:52} {quantity:14} {both}  p = {p:.3f}"


def rows(only: str, seeds: int, *, every: bool) -> None:
    """Prints the numbers that are beyond, or all."""
    for outcome in incast.validate.uet(only=only, seeds=seeds).seeded:
        for each in outcome.quantities:
            if every or not each.passed:
                print(told(outcome.name, each.name, each.recorded, each.ours), flush=True)


def one_path(seeds: int) -> None:
    """Over one path the balancers with a fixed entropy take the same paths with a seed, and others
    those of entropy 0: three draws of five seeds.
    """
    kinds = ("oblivious", "reps", "reps-legacy")
    for mode in ("nscc", "rccc"):
        of = [case for case in seeded_cases() if case.mode == mode and case.entropies == 1]
        runs = [run for case in of if case.balance in kinds for run in case.runs]
        ours = measured(of[0], None, seeds)
        for quantity, values in ours.items():
            recorded = [float(run[quantity]) for run in runs]
            print(told(f"one path, {mode}, fifteen seeds", quantity, recorded, values), flush=True)


def measured(
    case: SeededCase, change: Callable[[Json], object] | None, seeds: int
) -> dict[str, list[float]]:
    """Numbers of an experiment with a choice changed, by seed."""
    found: dict[str, list[float]] = {"mean_ps": [], "tail_ps": [], "retransmitted": []}
    for seed in range(1, seeds + 1):
        scenario = case.scenario(seed)
        if change:
            change(scenario["network"])
        summary = incast.run(incast.Scenario(scenario)).summary
        found["mean_ps"].append(summary["fct_ps"]["mean"])
        found["tail_ps"].append(summary["fct_ps"]["max"])
        found["retransmitted"].append(summary["packets"]["retransmitted"])
    return found


def shorter_queues(network: Json) -> None:
    """37 packets in place of 43, so that 9 wait before a link at a quarter of its rate."""
    scale = (37 - 1.5) / (43 - 1.5)
    for key in ("queue_limit", "last_hop_queue_limit"):
        network["drop"][key] = f"{float(network['drop'][key].removesuffix('bdp')) * scale:.6f}bdp"


def early_count(**keys: Any) -> Callable[[Json], object]:
    """SLEEK without probes, and with other keys."""

    def change(network: Json) -> None:
        network["recovery"]["loss_detection"] = {"kind": "early-count", **keys}

    return change


def ack_for_each(network: Json) -> None:
    """The sender knows of each packet that came early."""
    early_count()(network)
    network["ack_every"] = "4150B"


def late_timeouts(network: Json) -> None:
    """Nothing times out."""
    early_count()(network)
    network["recovery"]["timeout"] = "3ms"


SLOW = "permutation-3MB-slow-2 nscc reps 64"
NO_LOSS = "permutation-3MB-400G nscc oblivious 4 drop_5bdp+sleek"
TRIMS = "permutation-3MB-400G nscc oblivious 4 trim+sleek"
EXPERIMENTS: list[tuple[str, str, Callable[[Json], object] | None]] = [
    (SLOW, "9 packets before the slow link", shorter_queues),
    (NO_LOSS, "without probes", early_count()),
    (NO_LOSS, "an ACK for each packet", ack_for_each),
    (NO_LOSS, "0.9 windows", early_count(window=0.9)),
    (NO_LOSS, "0.8 windows", early_count(window=0.8)),
    (TRIMS, "without probes", early_count()),
    (TRIMS, "timeouts of 3 ms", late_timeouts),
]
"""The row, what is changed, and how."""


def experiments(seeds: int) -> None:
    """Prints what each changes."""
    cases = {case.name: case for case in seeded_cases()}
    for name, label, change in EXPERIMENTS:
        case = cases[name]
        print(name)
        for quantity, values in measured(case, change, seeds).items():
            recorded = [float(run[quantity]) for run in case.runs]
            print(told(f"  {label}", quantity, recorded, values), flush=True)
    one_path(seeds)


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--experiments", action="store_true")
    arguments = parser.parse_args()
    if arguments.experiments:
        experiments(arguments.seeds)
    else:
        rows(arguments.only, arguments.seeds, every=arguments.all)


if __name__ == "__main__":
    main()
