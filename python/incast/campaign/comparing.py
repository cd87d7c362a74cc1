"""Scenarios, each under several algorithms, balancers, attacks, or all of these."""

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
"""Keys of choices that may not go together with an algorithm."""
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
        scenario: As for :func:`run`; or a list of such, each of which is run under every algorithm
            and attack.
        cc: Names of algorithms, such as ``["hpcc", "none"]``, or, as after ``--cc``, text with
            commas: ``"hpcc,none"``; by default, the scenario's. Traffic entries with a ``cc`` of
            their own keep it.
        balance: Names of load balancing likewise, with as many entropies as the scenario says. What
            does not go together with an algorithm is in ``refused`` of the comparison.
        attack: Names of attacks likewise, by the scenario's attackers.
        store: As for :func:`run`.
        force: As for :func:`run`.
        threads: Cores to use, and runs at a time; by default, as many as there are. Where there are
            fewer runs, each may have several.
        memory: As for :func:`run`; a run waits while those beside it leave it too little.
        baseline: The label of a run, such as ``"hpcc"``, that the others are compared with; with
            `seeds`, by default, the first.
        seeds: How many seeds each is run with, from the scenario's own on; or a list of seeds. The
            result is a :class:`PairedComparison`, with intervals of five seeds or more.
        difference: With `seeds`, the relative difference that matters: where two runs are not told
            apart, the comparison says how many seeds would find it.
        labels: Other labels than the names of algorithms and scenarios: one for each, or some as
            ``"hpcc=HPCC"``.
        progress: Given a run's label, returns the callback for its run. Callbacks of runs that go
            on side by side are called one at a time.
        watch: Gets the progress of all runs together.
        overrides: Settings that replace the scenario's in every run.

    Raises:
        LabelError: The baseline is none of the runs, or the only one; or labels do not fit.
        ValueError: There is nothing to compare.
        Interrupted: By Ctrl-C. It has the comparison of what had run; runs that were under way are
            partial.
        CampaignInterrupted: By Ctrl-C, if nothing is left of the runs that were under way.

    Runs that stall are part of the comparison, with a warning. After another failure no run begins
    that had not; those under way end, and are stored, if results are. If they cannot be stored, an
    :class:`UnstoredError` has the comparison of what had run.
    """
    # All scenarios are checked before the first run: a misspelt name must not cost an hour.
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
    """Runs whose results are kept whole."""
    return Campaign(lambda run: run, store, on_failure="stop", failures="whole", **options)


class _Asked(NamedTuple):
    """Scenarios, and what differs between their runs."""

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
    """All scenarios by label, and the plan of their runs."""
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
    """What becomes of results: a comparison of runs."""

    baseline: str | None
    refused: Mapping[str, str]
    """Why pairs do not go together, by label."""

    def comparison(self, asked: Iterable[str], runs: Mapping[str, Results]) -> Comparison:
        """The comparison of those that there are."""
        absent = [label for label in asked if label not in runs]
        baseline = self.baseline if self.baseline in runs else None
        return Comparison(runs, baseline=baseline, absent=absent, refused=self.refused)


@dataclass(frozen=True)
class _PairedPlan(_Plan):
    """A comparison over seeds."""

    labels: Sequence[str]
    seeds: Sequence[int]
    difference: float

    def comparison(self, asked: Iterable[str], runs: Mapping[str, Results]) -> PairedComparison:
        """The comparison of those that there are."""
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
    """The seeds to run: so many from the scenario's own on, or those of a list."""
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
    """The failure that there is no comparison after; one that has results goes first."""
    others = [each for each in failures if not isinstance(each, StallError)]
    unstored = [each for each in others if isinstance(each, UnstoredError)]
    return next(iter([*unstored, *others]), None)


def _checked(
    given: _Source | Sequence[_Source],
    choices: Mapping[str, Mapping[str, Any]],
    overrides: Mapping[str, Any],
) -> tuple[dict[str, Scenario], dict[str, str]]:
    """Every scenario under every choice, by what differs. Where load balancing does not go together
    with an algorithm: the reason, also by what differs.
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
    """What messages call a scenario that could not be made."""
    if isinstance(source, Scenario):
        return source.name
    return "scenario" if isinstance(source, Mapping) else Path(source).stem


def _apart(label: str, others: Collection[str]) -> str:
    """A label that no other run has: with a number, if need be."""
    numbers = count(len(others) + 1)
    labels = chain([label], (f"{label} ({number})" for number in numbers))
    return next(each for each in labels if each not in others)


def _with_results(ended: CampaignResult[Results]) -> dict[str, Results]:
    """All that has run, also what stalled or could not be stored."""
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
    """The interrupt of a comparison; if no run had begun, it has nothing to say."""
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
    """Overrides of each run, by its label: what differs between the runs."""
    asked = {"cc": cc, "balance": balance, "attack": attack}
    given = {key: names for key, names in asked.items() if names}
    differing = [key for key, names in given.items() if len(names) > 1]
    choices: dict[str, dict[str, Any]] = {}
    for names in product(*given.values()):
        choice = dict(zip(given, names, strict=True))
        parts = [choice[key] for key in differing or given]
        called = ", ".join(map(_called, parts))
        # Two files may have classes of one name.
        choices[called if called not in choices else ", ".join(parts)] = choice
    return choices


def _called(name: str) -> str:
    """An algorithm's name, or its class if it is in a Python file; a balancer's, an attack's."""
    if not is_in_a_file(name):
        return name
    from incast.algorithm import class_label

    return class_label(name)
