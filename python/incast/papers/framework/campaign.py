"""A campaign: the runs of figures, each scenario once, several at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incast.errors import Error, ResultsError
from incast.experiment import cores, run
from incast.papers.framework.paper import RunPlan
from incast.results import Results, load
from incast.results_folder import place
from incast.scenario import Scenario

__all__ = ["Campaign", "CampaignResult", "CheckedRun", "Interrupted", "Watch", "share"]

_CHECK_INTERVAL = 0.2
"""Seconds between two checks for an interrupt."""


class Interrupted(KeyboardInterrupt):
    """A campaign that the user interrupted; finished runs are kept."""

    def __init__(self, done: int, of: int) -> None:
        super().__init__(f"interrupted: {done} of {of} runs are done and kept")
        self.done = done
        self.of = of


class Watch:
    """Gets the progress of a campaign, one call at a time; this one ignores it."""

    def begin(self, runs: int, hops: float) -> None:
        """The number of runs, and their hops in all."""

    def advance(self, hops: float, finished: int) -> None:
        """Hops done in all, and finished runs."""


_HOPS_PER_SECOND = {"network": 8e6, "fabric": 15e6}
"""Packet-hops, or flit-hops, per second of one core, for estimates."""


@dataclass(frozen=True)
class CheckedRun:
    """A planned run whose scenario is valid."""

    scenario: Scenario
    identity: str
    hops: float

    @property
    def seconds(self) -> float:
        """About this many on one core."""
        return self.hops / _HOPS_PER_SECOND[self.scenario.kind]

    @staticmethod
    def of(plan: RunPlan) -> CheckedRun:
        """Checks a scenario, before any is run: a misspelt key must not cost an hour."""
        scenario = Scenario(plan.scenario)
        return CheckedRun(scenario, scenario.identity, plan.hops)


@dataclass
class CampaignResult:
    """Results folders and failures of a campaign, by identity."""

    folders: dict[str, Path] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def results(self, identity: str) -> Results:
        """The results of a run, read from its folder: all runs together do not fit into memory."""
        return load(self.folders[identity])


class Campaign:
    """Runs scenarios into one folder.

    Threads are enough to use all cores, because the engine leaves the interpreter to others. While
    there are enough runs each has one; where there are fewer, or one is as long as all others
    together, it has several.

    Args:
        store: The folder of results folders; a run that is there is not repeated.
        jobs: Cores to use, and runs at a time; by default, as many as there are.
        force: Run even if results are there.
        watch: Gets the progress.
    """

    def __init__(
        self,
        store: Path,
        *,
        jobs: int | None = None,
        force: bool = False,
        watch: Watch | None = None,
    ) -> None:
        self._store = store
        self._jobs = jobs or cores()
        self._force = force
        self._watch = watch or Watch()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._folders: dict[str, Path] = {}
        self._hops: dict[str, float] = {}
        self._finished = 0
        self._left = 0
        self._total = 0.0

    def run(self, todo: Iterable[CheckedRun]) -> CampaignResult:
        """Runs each scenario once: first those whose results are there and are only read, then
        the longest, so that the short ones fill the cores.

        Raises:
            ResultsError: The folder for them cannot be written.
            Interrupted: By Ctrl-C; finished runs are kept.
        """
        _make(self._store)
        in_order = sorted(todo, key=lambda each: (not self._is_there(each), -each.hops))
        distinct = {each.identity: each for each in in_order}
        total = sum(each.hops for each in distinct.values())
        to_run = [each for each in distinct.values() if not self._is_there(each)]
        self._left = len(to_run)
        self._total = sum(each.hops for each in to_run)
        self._watch.begin(len(distinct), total)
        ended = CampaignResult()
        with ThreadPoolExecutor(self._jobs) as pool:
            # An interrupt may come as early as between two submissions.
            try:
                futures = {pool.submit(self._one, each): key for key, each in distinct.items()}
                self._gather(futures, ended)
            except BaseException as error:
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                if isinstance(error, KeyboardInterrupt):
                    raise Interrupted(self._finished, len(distinct)) from None
                raise
        return ended

    def _gather(self, futures: Mapping[Future[Path], str], ended: CampaignResult) -> None:
        open_ones = set(futures)
        while open_ones:
            done, open_ones = wait(open_ones, _CHECK_INTERVAL, FIRST_COMPLETED)
            for future in done:
                try:
                    ended.folders[futures[future]] = future.result()
                except (Error, Warning) as error:
                    # A warning is raised where warnings are errors, when the run is stored.
                    ended.failures[futures[future]] = str(error)

    def _one(self, checked: CheckedRun) -> Path:
        def progress(done: dict[str, Any]) -> None:
            if self._stop.is_set():
                # The engine stops at this exception.
                raise KeyboardInterrupt
            hops = min(float(done["hops"]), checked.hops)
            self._advance(checked.identity, hops)

        if self._stop.is_set():
            raise KeyboardInterrupt
        folder = self._folder(checked)
        was_there = self._is_there(checked)
        with self._lock:
            part = checked.hops / self._total if self._total else 1.0
            threads = share(self._jobs, self._left, part)
        if checked.scenario.single_threaded_because:
            threads = 1
        try:
            options: dict[str, Any] = {"folder": folder, "force": self._force, "threads": threads}
            results = run(checked.scenario, progress=progress, **options)
        finally:
            with self._lock:
                self._left -= not was_there
        self._advance(checked.identity, checked.hops, finished=1)
        # Beside its place if that could not be taken.
        return results.folder or folder

    def _folder(self, checked: CheckedRun) -> Path:
        if checked.identity not in self._folders:
            self._folders[checked.identity] = place(self._store, checked.scenario)
        return self._folders[checked.identity]

    def _is_there(self, checked: CheckedRun) -> bool:
        """Whether results seem to be there; the run itself checks that they are whole."""
        return not self._force and (self._folder(checked) / "summary.json").exists()

    def _advance(self, identity: str, hops: float, finished: int = 0) -> None:
        with self._lock:
            self._hops[identity] = hops
            self._finished += finished
            self._watch.advance(sum(self._hops.values()), self._finished)


def share(cores: int, runs: int, part: float) -> int:
    """Threads for a run.

    Args:
        cores: Cores to use.
        runs: Runs that are not finished, this one among them.
        part: This run's share of all the work.
    """
    return max(1, cores // max(1, runs), round(cores * min(part, 1.0)))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder, error) from None
    if not os.access(folder, os.W_OK):
        raise ResultsError("cannot be written to", file=str(folder))
