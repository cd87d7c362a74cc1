"""Running a scenario, and keeping its results."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from incast import _core
from incast.comparison import Comparison
from incast.errors import RunError
from incast.files import checked_path
from incast.keywords import scenario_for
from incast.late_warnings import late_warnings
from incast.machine import fitting
from incast.results import Results, from_core
from incast.scenario import Scenario
from incast.store.ending import until_kept
from incast.store.folders import Folders
from incast.store.place import Place

__all__ = [
    "MAX_THREADS",
    "Interrupted",
    "Memory",
    "Progress",
    "StallError",
    "check_memory_choice",
    "check_threads",
    "cores",
    "run",
    "run_checked",
    "unless_stalled",
]

MAX_THREADS = 4096
"""Most threads that a run may be given, far more than it gains from."""

Memory = Literal["fit", "any"]
"""The memory that a run may take: what is available (`fit`), or more (`any`)."""

Progress = Callable[[dict[str, Any]], None]
"""A callback that gets the progress of a run, about every tenth of a second."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. Flows that had finished are stored, if the run stores its results.

    Attributes:
        results: Results of the run, with ``results.partial`` set unless the run had just ended.
        comparison: The runs so far, this one included.
    """

    def __init__(self, results: Results, comparison: Comparison | None = None) -> None:
        super().__init__("interrupted")
        self.results = results
        self.comparison = comparison or Comparison({results.name: results})

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Results, Comparison]]:
        """Pickles the exception, for other processes."""
        return type(self), (self.results, self.comparison)


class StallError(RunError):
    """A run that ended because its flows stalled: in a deadlock of PFC, or without progress. Flows
    that had finished are stored, if the run stores its results.

    Attributes:
        results: Results of the run; :attr:`Results.stall` describes the stall.
    """

    def __init__(self, results: Results) -> None:
        assert results.stall is not None
        name = f"{results.name} (seed {results.summary['seed']}, run {results.identity})"
        super().__init__(f"{name}: {results.stall['message']}")
        self.results = results

    def let_go_of_results(self) -> None:
        """Frees the memory of the results; the message stays."""
        del self.results


def run(
    scenario: str | Path | Mapping[str, Any] | Scenario,
    *,
    store: str | Path | None = None,
    folder: str | Path | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Memory = "fit",
    on_start: Callable[[Mapping[str, Any]], None] | None = None,
    progress: Progress | None = None,
    **overrides: Any,
) -> Results:
    """Runs a scenario, of a network or of a memory fabric, and gives its results.

    Args:
        scenario: A TOML file, a dict of the same shape, or a :class:`Scenario`.
        store: A folder. Results are kept in its subfolder ``<name>-<algorithm>-<identity>``, and
            are reused if they are already there.
        folder: As ``store``, but results are kept in exactly this folder.
        force: Run even if results are already there, and replace those of another run.
        threads: The most threads that the run may use; by default, as many as there are cores.
            Results do not depend on it. Some scenarios are single-threaded: see
            :attr:`Scenario.single_threaded_because`.
        memory: Whether the run has to ``"fit"`` into the memory that is available, by
            :meth:`Scenario.estimate`, or may take ``"any"``.
        on_start: Called with that estimate when a run begins; not if results are reused.
        progress: Called every tenth of a second or so. If it raises an exception, the run ends as
            by Ctrl-C: what had finished is stored, then the exception is raised.
        overrides: Settings that replace the scenario's; see :class:`Scenario`.

    Results of a run are never thrown away. If their folder has been taken meanwhile, they are
    stored beside it, and a warning says where. (If warnings are errors, it is raised after they are
    stored.) The same call finds them there. Before the run, a folder that cannot be written is
    refused, and so is one with whole results of another scenario, seed or version.

    Raises:
        Interrupted: Ctrl-C was pressed. The exception has the results so far, with
            ``results.partial`` set.
        ScenarioError: The scenario is not valid.
        StallError: The flows stalled, and the scenario does not ask to go on. The exception has the
            results so far.
        RunError: The run violated an invariant of the model, or a fabric deadlocked.
        ResultsError: The results cannot be written. After the run it is an :class:`UnstoredError`,
            which has the results.
    """
    check_memory_choice(memory)
    return run_checked(
        scenario_for(run, scenario, overrides),
        folder=folder,
        store=store,
        force=force,
        threads=threads,
        memory=memory,
        on_start=on_start,
        progress=progress,
    )


def run_checked(
    checked: Scenario,
    *,
    folder: str | Path | None = None,
    store: str | Path | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Memory = "fit",
    on_start: Callable[[Mapping[str, Any]], None] | None = None,
    progress: Progress | None = None,
) -> Results:
    """As :func:`run`, for a scenario that was checked just now."""
    if threads is not None:
        check_threads(threads)
        if threads > 1 and (reason := checked.single_threaded_because):
            warnings.warn(f"{checked.name} runs on one thread: {reason}", stacklevel=3)
    place = _place(checked, folder, store, force)
    if place is not None and (found := place.earlier()) is not None:
        return unless_stalled(found)
    estimate: Mapping[str, Any] = checked.estimate()
    if memory == "fit":
        estimate = fitting(estimate)
    if place is not None:
        place.claim()
    if on_start is not None:
        on_start(estimate)
    rows_fit = estimate.get("rows_fit", True)
    run = _Run(checked, threads or cores(), rows_fit, None if place is None else place.beside)
    return unless_stalled(_run_and_keep(run, place, progress))


def _place(
    checked: Scenario, folder: str | Path | None, store: str | Path | None, force: bool
) -> Place | None:
    """The folder of the results; ``None`` if they are not stored."""
    if folder is not None:
        own = checked_path(folder)
    elif store is not None:
        own = Folders(checked_path(store)).of(checked)
    else:
        return None
    return Place(own, checked.identity, force=force)


class _Run(NamedTuple):
    """A scenario that is about to run."""

    scenario: Scenario
    threads: int
    rows_fit: bool
    """Whether rows of all flows fit into memory."""
    beside: Path | None
    """Folder for rows of flows that are not kept in memory during the run; by default, temporary.
    """

    def run(self, progress: Callable[[dict[str, Any]], None]) -> Results:
        """Runs the scenario, and gives the results in memory."""
        core = self.scenario._core
        if isinstance(core, _core.Scenario):
            beside = None if self.beside is None else str(self.beside)
            return from_core(core.run(progress, self.threads, self.rows_fit, beside))
        return from_core(core.run(progress, self.threads))


def _run_and_keep(run: _Run, place: Place | None, progress: Progress | None) -> Results:
    with late_warnings() as warn:
        with until_kept() as ending:
            results = run.run(ending.watch(progress))
            _check_files(results, run.scenario)
            interrupted = results.partial
            if place is not None:
                results = place.keep(results, warn, ending)
        if ending.failure is not None:
            raise ending.failure
        if interrupted or ending.wanted:
            raise Interrupted(results)
    return results


def _check_files(results: Results, checked: Scenario) -> None:
    if results.identity != checked.identity:
        what = f"{checked.name}: a file of the scenario changed between its check and the run"
        raise RunError(f"{what}; run again")


def unless_stalled(results: Results) -> Results:
    """Gives the results, unless a stall ended the run.

    Raises:
        StallError: A stall ended the run.
    """
    if results.stall is not None and results.stall["ended_run"]:
        raise StallError(results)
    return results


def check_memory_choice(memory: object) -> None:
    """Checks what memory a run may take.

    Raises:
        ValueError: The choice is neither ``"fit"`` nor ``"any"``.
    """
    if memory not in ("fit", "any"):
        raise ValueError(f'memory: `{memory}` is neither "fit" nor "any"')


def check_threads(threads: object, argument: str = "threads") -> None:
    """Checks a number of threads, or of runs side by side.

    Raises:
        ValueError: The number is not from 1 to the most threads.
    """
    if not (isinstance(threads, numbers.Integral) and 1 <= int(threads) <= MAX_THREADS):
        raise ValueError(f"{argument}: `{threads}` is not a number of {argument}; e.g. 2 is")


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
