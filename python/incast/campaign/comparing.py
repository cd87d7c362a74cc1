"""Scenarios, each under several algorithms, attacks, or both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeAlias

from incast.campaign.campaign import Campaign, CampaignInterrupted, CampaignResult
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.comparison import Comparison, check_baseline
from incast.errors import Error, ScenarioError
from incast.experiment import Interrupted, Memory, Progress, StallError, check_threads
from incast.files import checked_path
from incast.keywords import scenario_for
from incast.late_warnings import late_warnings
from incast.results import Results
from incast.results_folder import UnstoredError
from incast.scenario import Scenario

__all__ = ["compare"]


_Source: TypeAlias = "str | Path | Mapping[str, Any] | Scenario"


def compare(
    scenario: _Source | Sequence[_Source],
    cc: str | Sequence[str] | None = None,
    *,
    attack: str | Sequence[str] | None = None,
    store: str | Path | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Memory = "fit",
    baseline: str | None = None,
    progress: Callable[[str], Progress | None] | None = None,
    watch: Watch | None = None,
    **overrides: Any,
) -> Comparison:
    """Runs a scenario, or several, under several congestion control algorithms, attacks, or both.

    Args:
        scenario: As for :func:`run`; or a list of such, each of which is run under every algorithm
            and attack.
        cc: Names of algorithms, such as ``["hpcc", "none"]``, or, as after ``--cc``, text with
            commas: ``"hpcc,none"``; by default, the scenario's. Traffic entries with a ``cc`` of
            their own keep it.
        attack: Names of attacks likewise, such as ``["none", "staggered"]``, by the scenario's
            attackers; by default, the scenario's. Each algorithm is run under each attack.
        store: As for :func:`run`.
        force: As for :func:`run`.
        threads: Cores to use, and runs at a time; by default, as many as there are. Where there are
            fewer runs, each may have several.
        memory: As for :func:`run`; a run waits while those beside it leave it too little.
        baseline: The label of a run, such as ``"hpcc"``, that the others are compared with.
        progress: Given a run's label, returns the callback for its run. Callbacks of runs that go
            on side by side are called one at a time.
        watch: Gets the progress of all runs together.
        overrides: Settings that replace the scenario's in every run.

    Raises:
        LabelError: The baseline is none of the runs, or the only one.
        ValueError: There is nothing to compare.
        Interrupted: By Ctrl-C. It has the comparison of what had run; runs that were under way are
            partial.
        CampaignInterrupted: By Ctrl-C, if nothing is left of the runs that were under way.

    Runs that stall are part of the comparison, with a warning. After another failure no run begins
    that had not; those under way end, and are stored, if results are. If they cannot be stored, an
    :class:`UnstoredError` has the comparison of what had run.
    """
    # All scenarios are checked before the first run: a misspelt name must not cost an hour.
    checked = _checked(scenario, _choices(_names(cc), _names(attack)), overrides)
    if baseline is not None:
        check_baseline(baseline, checked)
    if threads is not None:
        check_threads(threads)
    runs = {
        label: CheckedRun.of(each, progress(label) if progress else None)
        for label, each in checked.items()
    }
    campaign = Campaign(
        lambda results: results,
        None if store is None else checked_path(store),
        jobs=threads,
        force=force,
        memory=memory,
        on_failure="stop",
        failures="whole",
        watch=watch,
    )
    return _compared(runs, campaign, baseline)


def _compared(
    runs: Mapping[str, CheckedRun], campaign: Campaign[Results], baseline: str | None
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
            raise _interrupted(runs, _by_label(runs, kept), baseline) from None
        compared = _by_label(runs, _with_results(ended))
        ending = _ending(ended.failures.values())
        for failure in ended.failures.values():
            if failure is not ending:
                warn(str(failure), 3)
        if isinstance(ending, UnstoredError):
            ending.comparison = _so_far(runs, compared, baseline)
        if ending is not None:
            raise ending
    return Comparison(compared, baseline=baseline)


def _ending(failures: Iterable[Error | Warning]) -> Error | Warning | None:
    """The failure that there is no comparison after; one that has results goes first."""
    others = [each for each in failures if not isinstance(each, StallError)]
    unstored = [each for each in others if isinstance(each, UnstoredError)]
    return next(iter([*unstored, *others]), None)


def _checked(
    given: _Source | Sequence[_Source],
    choices: Mapping[str, Mapping[str, Any]],
    overrides: Mapping[str, Any],
) -> dict[str, Scenario]:
    """Every scenario under every choice, by what differs."""
    if isinstance(given, str | Path | Mapping | Scenario):
        if not any(choices):
            raise ValueError("compare: give algorithms, attacks, or both; e.g. cc='hpcc,none'")
        several, sources = False, [given]
    else:
        several, sources = len(given) > 1, list(given)
        if not sources:
            raise ValueError("compare: the list of scenarios is empty; give one or more")
    checked: dict[str, Scenario] = {}
    for source in sources:
        for label, choice in choices.items():
            found = scenario_for(compare, source, {**choice, **overrides})
            named = ", ".join(filter(None, (found.name if several else "", label)))
            checked[_apart(named or found.name, checked)] = found
    if len({each.kind for each in checked.values()}) > 1:
        what = "a network and a memory fabric have no key figures in common"
        raise ScenarioError(what, hint="compare them apart")
    return checked


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
    asked: Mapping[str, CheckedRun], runs: dict[str, Results], baseline: str | None
) -> KeyboardInterrupt:
    """The interrupt of a comparison; if no run had begun, it has nothing to say."""
    if not runs:
        return KeyboardInterrupt()
    partial = [run for run in runs.values() if run.partial]
    return Interrupted([*runs.values(), *partial][-1], _so_far(asked, runs, baseline))


def _so_far(
    asked: Mapping[str, CheckedRun], runs: Mapping[str, Results], baseline: str | None
) -> Comparison:
    """The comparison of some of the runs."""
    return Comparison(
        runs,
        baseline=baseline if baseline in runs else None,
        absent=[label for label in asked if label not in runs],
    )


def _names(given: str | Sequence[str] | None) -> Sequence[str] | None:
    if not isinstance(given, str):
        return given
    return [name.strip() for name in given.split(",") if name.strip()]


def _choices(cc: Sequence[str] | None, attack: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Overrides of each run, by its label: what differs between the runs."""
    algorithms: Sequence[str | None] = cc or [None]
    attacks: Sequence[str | None] = attack or [None]
    choices = {}
    for algorithm in algorithms:
        for name in attacks:
            named = {"cc": algorithm, "attack": name}
            choice = {key: value for key, value in named.items() if value is not None}
            differs = {"cc": len(algorithms) > 1 or not attack, "attack": len(attacks) > 1}
            parts = [value for key, value in choice.items() if differs[key]]
            choices[", ".join(parts or choice.values())] = choice
    return choices
