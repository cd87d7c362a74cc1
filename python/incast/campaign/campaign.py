"""A campaign: scenarios, each run once, several at a time."""

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
"""Seconds after which code of the user's own that has not returned is left alone."""
_CHECK_INTERVAL = 0.2
"""Seconds between two checks for an interrupt."""

OnFailure = Literal["go-on", "stop"]
"""What a run that fails, other than by a stall, means for those that have not begun."""
Order = Literal["longest-first", "given"]
"""Which runs begin first."""
Failures = Literal["told", "whole"]
"""Whether failures are kept for their sentences alone, or with their causes and results."""

Kept = TypeVar("Kept")


@dataclass
class CampaignResult(Generic[Kept]):
    """What was kept of each run, and failures, by identity. A run that could be stored nowhere has
    both.
    """

    kept: dict[str, Kept] = field(default_factory=dict)
    failures: dict[str, Error | Warning] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Of runs."""
        return len({*self.kept, *self.failures})

    def add(self, other: CampaignResult[Kept]) -> None:
        """Takes in further runs."""
        self.kept |= other.kept
        self.failures |= other.failures


class CampaignInterrupted(KeyboardInterrupt):
    """A campaign that the user interrupted; finished runs are kept.

    Attributes:
        ended: Runs that are finished.
        partial: Results of those that were under way, by identity.
        of: The number of all runs.
        lost: The number of those that did not end when they were to, because their algorithm in
            Python did not return, as from a system call: what they had is not stored.
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

    Threads are enough to use all cores, because the engine leaves the interpreter to others; runs
    of algorithms in Python, which need it, have processes of their own. While there are enough runs
    each has one thread; where there are fewer, or one is as long as all others together, it has
    several. A run waits while those under way leave it too little memory.

    Args:
        keep: What is kept of a run's results; called in the thread of the run. All results together
            may not fit into memory.
        store: The folder of results folders; a run that is there is not repeated. Without one,
            nothing is stored.
        jobs: Cores to use, and runs at a time; by default, as many as there are.
        force: Run even if results are there.
        memory: As for :func:`incast.run`.
        on_failure: Whether runs that have not begun go on after one that failed.
        failures: Whether failures are kept as they were raised, with their causes and the results
            that they have: those of many runs may not fit into memory.
        order: Whether the longest runs begin first, so that the short ones fill the cores, or those
            that are given first, which are done then if the campaign is interrupted.
        watch: Gets the progress.
        cluster: Runs on its machines instead of this one's cores.

    Attributes:
        reused: How many runs were there already, once :meth:`run` has begun.
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
        """Runs each scenario once: first those whose results are there and are only read, then
        the others in their order.

        Raises:
            ResultsError: The folder for results that are not there yet cannot be written.
            CampaignInterrupted: By Ctrl-C; finished runs are kept.
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
        # An interrupt may come as early as between two submissions.
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
        """A run, or its failure; not raised, for exceptions hold what their frames work with."""
        if self._stop.is_set():
            raise KeyboardInterrupt
        if self._has_failed and self._on_failure == "stop":
            raise CancelledError
        ended: CampaignResult[Kept] = CampaignResult()
        try:
            ended.kept[checked.identity] = self._kept(checked, was_there=was_there)
        except (Error, Warning) as failure:
            # A warning is raised where warnings are errors, when the run is stored.
            self._has_failed |= not isinstance(failure, StallError)
            if isinstance(failure, UnstoredError) and not failure.results.partial:
                with suppress(Error):
                    ended.kept[checked.identity] = self._measured(checked, failure.results)
            ended.failures[checked.identity] = self._failure(failure)
        return ended

    def _failure(self, failure: Error | Warning) -> Error | Warning:
        """What is kept of a failure."""
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
        """What is kept of a run."""
        if results.folder is not None:
            self._measuring.add(checked.identity)
        what = f"{checked.scenario.name}: a measure of the run raised KeyboardInterrupt"
        with self._interruptible(checked), self._hearing(RunError(what)):
            kept = self._keep(results)
        self._measuring.discard(checked.identity)
        return kept

    @contextmanager
    def _hearing(self, failure: RunError) -> Iterator[None]:
        """A block of a run that ends by an interrupt if the campaign shall end. Ctrl-C is for the
        main thread alone: any other interrupt is the own one of what runs here, and a failure.
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
                # The engine stops at this exception.
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
                # Its tables went with its process. The same run has them once more, here.
        scenario = checked.scenario
        with self._interruptible(checked) if scenario.is_in_python else nullcontext():
            if scenario.is_in_python:
                # An algorithm in Python begins anew with each run: its file is run once more.
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
        """Notes the thread in which code of the user's own is at work, an algorithm or a measure:
        it may not return by itself.
        """
        self._in_python[checked.identity] = threading.get_ident()
        try:
            yield
        finally:
            del self._in_python[checked.identity]

    def _wait_for_end(self, futures: Mapping[Future[CampaignResult[Kept]], str]) -> None:
        """Waits until all runs have ended, and stored what they have, but for those that will not
        end. One more Ctrl-C changes nothing; with a third, nothing is waited for.
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
        """Ends own code that works on; what is in a system call hears it when that returns."""
        import ctypes

        for thread in filter(None, map(self._in_own_code, runs)):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
            )

    def _in_own_code(self, run: str) -> int | None:
        """The thread of a run that waits for code of the user's own."""
        thread = self._in_python.get(run)
        return None if thread is None or is_storing(thread) else thread

    def _interrupted(
        self,
        futures: Mapping[Future[CampaignResult[Kept]], str],
        ended: CampaignResult[Kept],
        of: int,
    ) -> CampaignInterrupted:
        """The interrupt of a campaign whose threads have ended, but for those that will not."""
        partial, lost = {}, 0
        for future, key in futures.items():
            if future.cancelled():
                continue
            if not future.done():
                # A run that is being measured is stored.
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
        """Runs at a time."""
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
