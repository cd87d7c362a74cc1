"""A campaign: runs scenarios, each once, several at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, Literal, TypeVar

from incast.campaign.checked_run import CheckedRun, ended_by_algorithm, unchanged
from incast.campaign.cluster import Cluster
from incast.campaign.memory import SharedMemory
from incast.campaign.process import LostRun, can_run, run_in_process
from incast.campaign.threads import Threads
from incast.campaign.watch import Watch
from incast.errors import Error, ResultsError, RunError, let_go
from incast.experiment import (
    Interrupted,
    Memory,
    StallError,
    check_memory_choice,
    check_threads,
    cores,
    run_checked,
)
from incast.results import Results
from incast.scenario import Scenario
from incast.store.folders import Folders, is_whole
from incast.store.place import UnstoredError, is_storing

__all__ = ["Campaign", "CampaignInterrupted", "CampaignResult", "OnFailure", "share"]

_PATIENCE = 0.5
"""Seconds that runs have to end by themselves."""
_LAST = 1.5
"""Seconds after which user code that has not returned is abandoned."""
_CHECK_INTERVAL = 0.2
"""Seconds between two checks for an interrupt."""

OnFailure = Literal["go-on", "stop"]
"""Whether runs that have not begun still run after a failure; a stall is no failure here."""
Order = Literal["longest-first", "given"]
"""The order in which runs begin."""
Failures = Literal["told", "whole"]
"""Whether only the messages of failures are kept, or also their causes and results."""

Kept = TypeVar("Kept")


@dataclass
class CampaignResult(Generic[Kept]):
    """What was kept of each run, and the failures, by identity. A run that could not be stored has
    both.
    """

    kept: dict[str, Kept] = field(default_factory=dict)
    failures: dict[str, Error | Warning] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of runs, kept and failed."""
        return len({*self.kept, *self.failures})

    def add(self, other: CampaignResult[Kept]) -> None:
        """Adds the runs of another result."""
        self.kept |= other.kept
        self.failures |= other.failures


class CampaignInterrupted(KeyboardInterrupt):
    """The user interrupted a campaign; finished runs are kept.

    Attributes:
        ended: The finished runs.
        partial: Results of the runs that were under way, by identity.
        of: The number of all runs.
        lost: The number of runs that did not end when asked, because their algorithm in Python did
            not return, for example from a system call. Their results are not stored.
    """

    def __init__(
        self, ended: CampaignResult[Any], partial: dict[str, Results], of: int, lost: int = 0
    ) -> None:
        sentence = f"interrupted: {ended.count} of {of} runs are done and kept"
        if lost:
            sentence += f"; {lost} did not end, and what they had is lost"
        super().__init__(sentence)
        self.ended = ended
        self.partial = partial
        self.of = of
        self.lost = lost


class Campaign(Generic[Kept]):
    """Runs scenarios, each once.

    Runs use threads, because the engine releases Python's interpreter lock. Runs of algorithms in
    Python need the interpreter, so they have processes of their own. Each run has one thread while
    there are enough runs. If there are fewer runs than cores, or one run is a large share of the
    work, it has several. A run waits while other runs leave it too little memory.

    Args:
        keep: Gives what is kept of a run's results, as all results may not fit into memory. Called
            in the run's thread.
        store: The folder of the results folders. Runs whose results are there are not repeated.
            Without a folder, nothing is stored.
        jobs: The number of cores to use, and of runs at a time; by default, all cores.
        force: Run even if results exist.
        memory: As for :func:`incast.run`.
        on_failure: Whether runs that have not begun still run after a failure.
        failures: Whether failures keep their causes and results, which may not fit into memory for
            many runs.
        order: Whether the longest runs begin first, which uses the cores best, or runs begin in the
            given order, so that an interrupted campaign has the first ones.
        watch: Gets the progress.
        cluster: A cluster to run on, instead of this machine.

    Attributes:
        reused: The number of runs whose results already existed; set by :meth:`run`.
    """

    def __init__(
        self,
        keep: Callable[[Results], Kept],
        store: Path | None,
        *,
        jobs: int | None = None,
        force: bool = False,
        memory: Memory = "fit",
        on_failure: OnFailure = "go-on",
        failures: Failures = "told",
        order: Order = "longest-first",
        watch: Watch | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        if jobs is not None:
            check_threads(jobs, "jobs")
        check_memory_choice(memory)
        self._cluster = cluster
        self._keep = keep
        self._store = store
        self._jobs = jobs or cores()
        self._force = force
        self._memory = memory
        self._on_failure = on_failure
        self._failures = failures
        self._order = order
        self._watch = watch or Watch()
        self._shared = SharedMemory(None)
        self._stop = threading.Event()
        self._has_failed = False
        self._in_python: dict[str, int] = {}
        self._measuring: set[str] = set()
        self._side_by_side = False
        self._lock = threading.Lock()
        self._in_store: Folders | None = None
        self._folders: dict[str, Path] = {}
        self._hops: dict[str, float] = {}
        self._done = 0.0
        self._finished = 0
        self.reused = 0
        self._left = 0
        self._total = 0.0

    def run(self, todo: Iterable[CheckedRun]) -> CampaignResult[Kept]:
        """Runs each scenario once. Scenarios whose results only need to be read come first, then
        the others in their order.

        Raises:
            ResultsError: The folder for new results cannot be written.
            CampaignInterrupted: Ctrl-C was pressed; finished runs are kept.
        """
        if self._store is not None:
            self._in_store = Folders(self._store)
        ordered = list(todo)
        if self._order == "longest-first":
            ordered.sort(key=lambda each: -each.hops)
        distinct = {each.identity: each for each in ordered}
        there = {key for key, each in distinct.items() if self._is_there(each)}
        to_run = [each for each in distinct.values() if each.identity not in there]
        if self._store is not None and to_run:
            _make(self._store)
        self.reused = len(there)
        self._left = len(to_run)
        self._total = sum(each.hops for each in to_run)
        self._side_by_side = self._jobs > 1 and len(to_run) > 1
        here = self._cluster is None
        self._shared = (
            SharedMemory.of_machine() if self._memory == "fit" and here else SharedMemory(None)
        )
        self._watch.begin(len(distinct), self._total)
        ended: CampaignResult[Kept] = CampaignResult()
        futures: dict[Future[CampaignResult[Kept]], str] = {}
        done: SimpleQueue[Future[CampaignResult[Kept]]] = SimpleQueue()
        pool = Threads(self._places(len(to_run)))
        # An interrupt may come between two submissions.
        try:
            for key, each in sorted(distinct.items(), key=lambda pair: pair[0] not in there):
                future = pool.submit(self._one, each, was_there=key in there)
                futures[future] = key
                future.add_done_callback(done.put)
            self._gather(futures, done, ended)
        except BaseException as error:
            self._stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            self._wait_for_end(futures)
            if isinstance(error, KeyboardInterrupt):
                raise self._interrupted(futures, ended, len(distinct)) from None
            raise
        pool.shutdown()
        return ended

    def _gather(
        self,
        futures: MutableMapping[Future[CampaignResult[Kept]], str],
        done: SimpleQueue[Future[CampaignResult[Kept]]],
        ended: CampaignResult[Kept],
    ) -> None:
        while futures:
            with suppress(Empty):
                future = done.get(timeout=_CHECK_INTERVAL)
                with suppress(CancelledError):
                    ended.add(future.result())
                del futures[future]

    def _one(self, checked: CheckedRun, *, was_there: bool) -> CampaignResult[Kept]:
        """Runs one scenario. A failure is returned, not raised, because the frames of a traceback
        keep their variables in memory.
        """
        if self._stop.is_set():
            raise KeyboardInterrupt
        if self._has_failed and self._on_failure == "stop":
            raise CancelledError
        ended: CampaignResult[Kept] = CampaignResult()
        try:
            ended.kept[checked.identity] = self._kept(checked, was_there=was_there)
        except (Error, Warning) as failure:
            # If warnings are errors, storing the run raises them.
            self._has_failed |= not isinstance(failure, StallError)
            if isinstance(failure, UnstoredError) and not failure.results.partial:
                with suppress(Error):
                    ended.kept[checked.identity] = self._measured(checked, failure.results)
            ended.failures[checked.identity] = self._failure(failure)
        return ended

    def _failure(self, failure: Error | Warning) -> Error | Warning:
        """The failure, reduced to what is kept of it."""
        if self._failures == "told":
            let_go(failure)
            if isinstance(failure, StallError | UnstoredError):
                failure.let_go_of_results()
        return failure

    def _kept(self, checked: CheckedRun, *, was_there: bool) -> Kept:
        if was_there:
            kept = self._measured(checked, self._results(checked, threads=self._jobs))
            self._advance(checked.identity, 0.0, finished=1)
            return kept
        needed = self._shared.needed(checked.scenario.estimate())
        with self._shared.taken(needed, self._stop):
            try:
                results = self._results(checked, threads=self._threads(checked))
                kept = self._measured(checked, results)
            finally:
                with self._lock:
                    self._left -= 1
        self._advance(checked.identity, checked.hops, finished=1)
        return kept

    def _results(self, checked: CheckedRun, threads: int) -> Results:
        with self._hearing(ended_by_algorithm(checked.scenario)):
            return self._run(checked, threads)

    def _measured(self, checked: CheckedRun, results: Results) -> Kept:
        """Calls `keep` on a run's results. A KeyboardInterrupt from user code is a failure."""
        if results.folder is not None:
            self._measuring.add(checked.identity)
        what = f"{checked.scenario.name}: a measure of the run raised KeyboardInterrupt"
        with self._interruptible(checked), self._hearing(RunError(what)):
            kept = self._keep(results)
        self._measuring.discard(checked.identity)
        return kept

    @contextmanager
    def _hearing(self, failure: RunError) -> Iterator[None]:
        """If the campaign is to end, an interrupt in this block ends the run. Any other interrupt
        was raised by user code, as Ctrl-C only reaches the main thread, and is a failure.
        """
        try:
            yield
        except KeyboardInterrupt as interrupt:
            if self._stop.is_set():
                raise
            raise failure from interrupt

    def _run(self, checked: CheckedRun, threads: int) -> Results:
        def progress(done: dict[str, Any]) -> None:
            if self._stop.is_set():
                # The engine ends the run at this exception.
                raise KeyboardInterrupt
            try:
                self._tell(checked, done)
            except KeyboardInterrupt:
                self._stop.set()
                raise

        folder = self._folder(checked)
        if self._cluster is not None and folder is not None:
            options: dict[str, Any] = {"force": self._force, "memory": self._memory}
            return self._cluster.run(checked.scenario, folder=folder, progress=progress, **options)
        if folder is not None and self._side_by_side and can_run(checked.scenario):
            options = {"force": self._force, "memory": self._memory, "stop": self._stop}
            try:
                return run_in_process(checked, folder=folder, progress=progress, **options)
            except UnstoredError as error:
                if error.results.partial:
                    raise
                # The tables were in the run's process, which has ended. The run is repeated here to
                # have them.
        scenario = checked.scenario
        with self._interruptible(checked) if scenario.is_in_python else nullcontext():
            if scenario.is_in_python:
                # An algorithm in Python starts afresh with each run, so its file is run again.
                scenario = unchanged(Scenario(scenario), checked.identity)
            return run_checked(
                scenario,
                folder=folder,
                force=self._force,
                threads=1 if scenario.single_threaded_because else threads,
                memory=self._memory,
                progress=progress,
            )

    def _tell(self, checked: CheckedRun, done: dict[str, Any]) -> None:
        self._advance(checked.identity, min(float(done["hops"]), checked.hops))
        if checked.progress is not None:
            with self._lock:
                checked.progress(done)

    @contextmanager
    def _interruptible(self, checked: CheckedRun) -> Iterator[None]:
        """Records the thread in which user code runs, an algorithm or a measure, as it may never
        return.
        """
        self._in_python[checked.identity] = threading.get_ident()
        try:
            yield
        finally:
            del self._in_python[checked.identity]

    def _wait_for_end(self, futures: Mapping[Future[CampaignResult[Kept]], str]) -> None:
        """Waits until all runs have ended and stored their results, except those that do not end. A
        second Ctrl-C changes nothing; a third one ends the waiting.
        """
        begin = time.monotonic()
        try:
            self._end(futures, begin)
        except KeyboardInterrupt:
            self._end(futures, begin)

    def _end(self, futures: Mapping[Future[CampaignResult[Kept]], str], begin: float) -> None:
        late, is_told = set(futures), False
        while late:
            _, late = wait(late, _CHECK_INTERVAL)
            waited = time.monotonic() - begin
            if waited >= _LAST:
                late = {each for each in late if self._in_own_code(futures[each]) is None}
            elif waited >= _PATIENCE and not is_told:
                is_told = True
                self._interrupt(futures[each] for each in late)

    def _interrupt(self, runs: Iterable[str]) -> None:
        """Raises KeyboardInterrupt in user code that is still running. A system call must return
        first.
        """
        import ctypes

        for thread in filter(None, map(self._in_own_code, runs)):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
            )

    def _in_own_code(self, run: str) -> int | None:
        """The thread in which a run waits for user code; ``None`` if there is none, or it is
        storing results.
        """
        thread = self._in_python.get(run)
        return None if thread is None or is_storing(thread) else thread

    def _interrupted(
        self,
        futures: Mapping[Future[CampaignResult[Kept]], str],
        ended: CampaignResult[Kept],
        of: int,
    ) -> CampaignInterrupted:
        """The exception for an interrupted campaign, after its threads have ended or were
        abandoned.
        """
        partial, lost = {}, 0
        for future, key in futures.items():
            if future.cancelled():
                continue
            if not future.done():
                # A run whose measures are being computed is already stored.
                lost += key not in self._measuring
                continue
            error = future.exception()
            if error is None:
                ended.add(future.result())
            elif isinstance(error, Interrupted):
                partial[key] = error.results
            elif isinstance(error, LostRun):
                lost += 1
        return CampaignInterrupted(ended, partial, of, lost)

    def _places(self, to_run: int) -> int:
        """The number of runs at a time."""
        if self._cluster is None or not to_run:
            return self._jobs
        self._cluster.check()
        return self._cluster.places

    def _threads(self, checked: CheckedRun) -> int:
        with self._lock:
            part = checked.hops / self._total if self._total else 1.0
            return share(self._jobs, self._left, part)

    def _folder(self, checked: CheckedRun) -> Path | None:
        if self._in_store is None:
            return None
        if checked.identity not in self._folders:
            self._folders[checked.identity] = self._in_store.of(checked.scenario)
        return self._folders[checked.identity]

    def _is_there(self, checked: CheckedRun) -> bool:
        folder = self._folder(checked)
        return folder is not None and not self._force and is_whole(folder, checked.identity)

    def _advance(self, identity: str, hops: float, finished: int = 0) -> None:
        with self._lock:
            self._done += hops - self._hops.get(identity, 0.0)
            self._hops[identity] = hops
            self._finished += finished
            self._watch.advance(self._done, self._finished)


def share(cores: int, runs: int, part: float) -> int:
    """The number of threads for a run.

    Args:
        cores: The number of cores to use.
        runs: The number of unfinished runs, this run included.
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
