"""Comparisons: scenarios, each under several algorithms, balancers, attacks, or all of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from incast.campaign.campaign import Campaign, CampaignInterrupted, CampaignResult
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.comparison import Comparison, check_baseline, relabelled
from incast.errors import Error, ScenarioError
from incast.experiment import Interrupted, Memory, Progress, StallError, check_threads
from incast.files import checked_path
from incast.keywords import scenario_for
from incast.late_warnings import late_warnings
from incast.paired_comparison import PairedComparison
from incast.results import Results
from incast.scenario import Scenario, is_in_a_file
from incast.store.place import UnstoredError

__all__ = ["compare"]


_BALANCE = re.compile(r"(network|traffic\[\d+\])\.balance")
"""Keys of load balancing, which does not go together with every algorithm."""
_Source: TypeAlias = "str | Path | Mapping[str, Any] | Scenario"


def compare(
    scenario: _Source | Sequence[_Source],
    cc: str | Sequence[str] | None = None,
    *,
    balance: str | Sequence[str] | None = None,
    attack: str | Sequence[str] | None = None,
    store: str | Path | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Memory = "fit",
    baseline: str | None = None,
    seeds: int | Sequence[int] | None = None,
    difference: float = 0.05,
    labels: Sequence[str] | None = None,
    progress: Callable[[str], Progress | None] | None = None,
    watch: Watch | None = None,
    **overrides: Any,
) -> Comparison:
    """Runs a scenario, or several, under several algorithms, balancers, attacks, or all of these.

    Args:
        scenario: As for :func:`run`, or a list of scenarios. Each is run under every algorithm,
            balancer and attack.
        cc: Names of algorithms in a list, such as ``["hpcc", "none"]``, or in a text with commas,
            ``"hpcc,none"``; by default, the scenario's algorithm. Traffic entries with a ``cc`` of
            their own keep it.
        balance: Names of load balancing, in the same form. The scenario's number of entropies is
            kept. Pairs that do not go together with an algorithm are in ``refused`` of the
            comparison.
        attack: Names of attacks, in the same form, by the scenario's attackers.
        store: As for :func:`run`.
        force: As for :func:`run`.
        threads: The number of cores to use, and of runs at a time; by default, all cores. If there
            are fewer runs, a run may use several.
        memory: As for :func:`run`. A run waits while other runs leave it too little memory.
        baseline: The label of the run with which the others are compared, such as ``"hpcc"``. With
            `seeds`, the default is the first run.
        seeds: The number of seeds, counted up from the scenario's own, or a list of seeds. The
            result is a :class:`PairedComparison`, with intervals if there are five seeds or more.
        difference: With `seeds`, the relative difference that matters. For runs that are not told
            apart, the comparison says how many seeds would detect it.
        labels: Labels in place of the names of algorithms and scenarios: one for each, or some in
            the form ``"hpcc=HPCC"``.
        progress: Takes a run's label, and gives the callback for its progress. Callbacks of
            concurrent runs are called one at a time.
        watch: Gets the progress of all runs together.
        overrides: Settings that replace the scenario's in every run.

    Raises:
        LabelError: The baseline is not one of several runs; or labels do not match the runs.
        ValueError: There is nothing to compare.
        Interrupted: Ctrl-C was pressed. It has the comparison so far; unfinished runs are partial.
        CampaignInterrupted: Ctrl-C was pressed, and no results of the unfinished runs are left.

    Runs that stall are part of the comparison, with a warning. After any other failure no further
    run begins; runs under way end, and are stored if `store` is given. If they cannot be stored, an
    :class:`UnstoredError` has the comparison so far.
    """
    # All scenarios are checked before the first run, so that a misspelt name is found at once.
    asked = _Asked(scenario, _choices(_names(cc), _names(balance), _names(attack)), overrides)
    checked, plan = _planned(asked, labels, baseline, seeds, difference)
    if threads is not None:
        check_threads(threads)
    runs = {
        label: CheckedRun.of(each, progress(label) if progress else None)
        for label, each in checked.items()
    }
    folder = None if store is None else checked_path(store)
    options = {"jobs": threads, "force": force, "memory": memory, "watch": watch}
    return _compared(runs, _campaign(folder, **options), plan)


def _campaign(store: Path | None, **options: Any) -> Campaign[Results]:
    """A campaign that keeps the results of runs as a whole."""
    return Campaign(lambda run: run, store, on_failure="stop", failures="whole", **options)


class _Asked(NamedTuple):
    """The scenarios of a comparison, and the overrides in which its runs differ."""

    scenario: _Source | Sequence[_Source]
    choices: Mapping[str, Mapping[str, Any]]
    overrides: Mapping[str, Any]


def _planned(
    asked: _Asked,
    labels: Sequence[str] | None,
    baseline: str | None,
    seeds: int | Sequence[int] | None,
    difference: float,
) -> tuple[dict[str, Scenario], _Plan]:
    """All scenarios by label, and the plan that turns their results into a comparison."""
    checked, refused = _checked(*asked)
    called = {label: label for label in checked}
    if labels is not None:
        called = relabelled(called, labels)
    if baseline is not None:
        own = _called(baseline)
        given = (new for new, label in called.items() if label == own)
        baseline = baseline if baseline in called else next(given, baseline)
        check_baseline(baseline, called)
    if seeds is None:
        return {new: checked[label] for new, label in called.items()}, _Plan(baseline, refused)
    plan = _PairedPlan(baseline, refused, list(called), _seeds(seeds, checked), difference)
    every = {
        seed: _checked(asked.scenario, asked.choices, {**asked.overrides, "seed": seed})[0]
        for seed in plan.seeds
    }
    runs = {
        _seed_label(new, seed): of_seed[label]
        for seed, of_seed in every.items()
        for new, label in called.items()
    }
    return runs, plan


@dataclass(frozen=True)
class _Plan:
    """Turns the results of runs into a comparison."""

    baseline: str | None
    refused: Mapping[str, str]
    """For each pair that does not go together, the reason, by label."""

    def comparison(self, asked: Iterable[str], runs: Mapping[str, Results]) -> Comparison:
        """The comparison of the runs that have results."""
        absent = [label for label in asked if label not in runs]
        baseline = self.baseline if self.baseline in runs else None
        return Comparison(runs, baseline=baseline, absent=absent, refused=self.refused)


@dataclass(frozen=True)
class _PairedPlan(_Plan):
    """Turns the results of runs with several seeds into a paired comparison."""

    labels: Sequence[str]
    seeds: Sequence[int]
    difference: float

    def comparison(self, asked: Iterable[str], runs: Mapping[str, Results]) -> PairedComparison:
        """The comparison of the runs that have results."""
        found = {
            label: {
                seed: runs[named]
                for seed in self.seeds
                if (named := _seed_label(label, seed)) in runs
            }
            for label in self.labels
        }
        by_seed = {label: of_label for label, of_label in found.items() if of_label}
        return PairedComparison(
            by_seed,
            baseline=self.baseline if self.baseline in by_seed else None,
            absent=[label for label in asked if label not in runs],
            difference=self.difference,
            refused=self.refused,
        )


def _seed_label(label: str, seed: int) -> str:
    return f"{label}, seed {seed}"


def _seeds(given: int | Sequence[int], checked: Mapping[str, Scenario]) -> list[int]:
    """The seeds to run: a number of seeds counted up from the scenario's own, or the list."""
    if isinstance(given, int):
        if given < 1:
            raise ValueError(f"compare: seeds is {given}; give 1 or more, e.g. seeds=5")
        own = int(next(iter(checked.values())).to_dict()["run"]["seed"])
        return list(range(own, own + given))
    if not given or len(set(given)) < len(given):
        raise ValueError("compare: seeds has no seed, or one twice; give e.g. seeds=[1, 2, 3]")
    return list(given)


def _compared(
    runs: Mapping[str, CheckedRun], campaign: Campaign[Results], plan: _Plan
) -> Comparison:
    with late_warnings() as warn:
        try:
            ended = campaign.run(runs.values())
        except CampaignInterrupted as stopped:
            for failure in stopped.ended.failures.values():
                warn(str(failure), 3)
            kept = _with_results(stopped.ended) | stopped.partial
            if stopped.lost and not kept:
                raise
            raise _interrupted(runs, _by_label(runs, kept), plan) from None
        compared = _by_label(runs, _with_results(ended))
        ending = _ending(ended.failures.values())
        for failure in ended.failures.values():
            if failure is not ending:
                warn(str(failure), 3)
        if isinstance(ending, UnstoredError):
            ending.comparison = plan.comparison(runs, compared)
        if ending is not None:
            raise ending
    return plan.comparison(runs, compared)


def _ending(failures: Iterable[Error | Warning]) -> Error | Warning | None:
    """The failure that ends the comparison, preferably one that has results; ``None`` if there is
    none.
    """
    others = [each for each in failures if not isinstance(each, StallError)]
    unstored = [each for each in others if isinstance(each, UnstoredError)]
    return next(iter([*unstored, *others]), None)


def _checked(
    given: _Source | Sequence[_Source],
    choices: Mapping[str, Mapping[str, Any]],
    overrides: Mapping[str, Any],
) -> tuple[dict[str, Scenario], dict[str, str]]:
    """Every scenario under every choice, by label. For load balancing that does not go together
    with an algorithm: the reason, by label.
    """
    if isinstance(given, str | Path | Mapping | Scenario):
        if not any(choices):
            what = "compare: give algorithms, load balancing, or attacks; e.g. cc='hpcc,none'"
            raise ValueError(what)
        several, sources = False, [given]
    else:
        several, sources = len(given) > 1, list(given)
        if not sources:
            raise ValueError("compare: the list of scenarios is empty; give one or more")
    checked: dict[str, Scenario] = {}
    refused: dict[str, ScenarioError] = {}
    for source in sources:
        for label, choice in choices.items():
            try:
                found = scenario_for(compare, source, {**choice, **overrides})
            except ScenarioError as error:
                if len(choices) == 1 or not _BALANCE.fullmatch(error.key or ""):
                    raise
                named = ", ".join(filter(None, (_source_name(source) if several else "", label)))
                refused[_apart(named, refused)] = error
                continue
            named = ", ".join(filter(None, (found.name if several else "", label)))
            checked[_apart(named or found.name, checked)] = found
    if refused and not checked:
        raise next(iter(refused.values()))
    if len({each.kind for each in checked.values()}) > 1:
        what = "a network and a memory fabric have no key figures in common"
        raise ScenarioError(what, hint="compare them apart")
    return checked, {label: f"{error.what}; {error.hint}" for label, error in refused.items()}


def _source_name(source: _Source) -> str:
    """The name, in messages, of a scenario that is not valid."""
    if isinstance(source, Scenario):
        return source.name
    return "scenario" if isinstance(source, Mapping) else Path(source).stem


def _apart(label: str, others: Collection[str]) -> str:
    """A label that differs from all others, with a number if necessary."""
    numbers = count(len(others) + 1)
    labels = chain([label], (f"{label} ({number})" for number in numbers))
    return next(each for each in labels if each not in others)


def _with_results(ended: CampaignResult[Results]) -> dict[str, Results]:
    """The results of all runs, including runs that stalled or could not be stored."""
    failed = {
        key: each.results
        for key, each in ended.failures.items()
        if isinstance(each, StallError | UnstoredError)
    }
    return {**ended.kept, **failed}


def _by_label(runs: Mapping[str, CheckedRun], kept: Mapping[str, Results]) -> dict[str, Results]:
    return {label: kept[run.identity] for label, run in runs.items() if run.identity in kept}


def _interrupted(
    asked: Mapping[str, CheckedRun], runs: dict[str, Results], plan: _Plan
) -> KeyboardInterrupt:
    """The exception for an interrupted comparison. Without any results it has no message."""
    if not runs:
        return KeyboardInterrupt()
    partial = [run for run in runs.values() if run.partial]
    return Interrupted([*runs.values(), *partial][-1], plan.comparison(asked, runs))


def _names(given: str | Sequence[str] | None) -> Sequence[str] | None:
    if not isinstance(given, str):
        return given
    return [name.strip() for name in given.split(",") if name.strip()]


def _choices(
    cc: Sequence[str] | None, balance: Sequence[str] | None, attack: Sequence[str] | None
) -> dict[str, dict[str, Any]]:
    """The overrides of each run, by a label of the choices in which runs differ."""
    asked = {"cc": cc, "balance": balance, "attack": attack}
    given = {key: names for key, names in asked.items() if names}
    differing = [key for key, names in given.items() if len(names) > 1]
    choices: dict[str, dict[str, Any]] = {}
    for names in product(*given.values()):
        choice = dict(zip(given, names, strict=True))
        parts = [choice[key] for key in differing or given]
        called = ", ".join(map(_called, parts))
        # Classes in two files may have the same name.
        choices[called if called not in choices else ", ".join(parts)] = choice
    return choices


def _called(name: str) -> str:
    """The name of an algorithm, or its class if it is in a Python file; the name of a balancer or
    attack.
    """
    if not is_in_a_file(name):
        return name
    from incast.algorithm import class_label

    return class_label(name)
