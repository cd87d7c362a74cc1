"""Calls functions in processes of their own, as Python threads would share one interpreter.

A worker reads calls from standard input, one after the other, and answers through standard output.
What a call prints goes to standard error. A worker ends with the program that started it.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, TypeVar

from incast.campaign import interpreter
from incast.campaign.memory import SharedMemory
from incast.campaign.threads import Threads
from incast.errors import Error, RunError, traceback_text

__all__ = ["each"]

_PROCESS = 100e6
"""The memory of a worker without calls, in bytes."""
_KEPT = 0.25
"""The fraction of the memory that idle workers may retain from their calls."""
_PATIENCE = 0.5
"""Seconds that workers have to end."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def each(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    workers: int,
    what: str,
    memory: Callable[[Task], float] = lambda _: 0.0,
) -> list[Result]:
    """Calls a function for each task, and gives the results in the order of the tasks.

    With several tasks even a single worker is a process of its own, as this process would retain
    the memory of the calls.

    Args:
        function: The function. A worker has the modules of this process, but not its state. A
            single task is called in this process, and so are tasks if no worker can be started.
        tasks: The argument of each call.
        workers: The most workers.
        what: A description of the workers, for messages.
        memory: Gives the bytes that a call takes. A call waits while others leave it too little
            memory.

    Raises:
        RunError: The process of a worker ended by itself.
    """
    if len(tasks) <= 1:
        return [function(task) for task in tasks]
    count = min(workers, len(tasks))
    shared = SharedMemory.of_machine()
    large = math.inf if shared.available is None else _KEPT * shared.available / count
    with _Workers(what) as started:

        def call(task: Task) -> Result:
            needed = memory(task)
            with shared.taken(_PROCESS + needed):
                return started.call(function, task, is_large=needed > large)

        threads = Threads(count)
        results = [threads.submit(call, task) for task in tasks]
        try:
            return [result.result() for result in results]
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


class _Workers:
    """Workers that are started as needed, and end with the block."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._lock = threading.Lock()
        self._has_ended = False
        self._here = threading.Lock()

    def __enter__(self) -> _Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._has_ended = True
            left = list(self._all)
        _end(left, amid_call=kind is not None)

    def call(self, function: Callable[[Task], Result], task: Task, *, is_large: bool) -> Result:
        """Makes a call in a worker. A call that takes much memory has its own worker, which ends
        afterwards to free the memory; idle workers end to make room.
        """
        try:
            worker = self._taken(alone=is_large)
        except OSError:
            # The system cannot start another process, so calls are made here, one at a time.
            with self._here:
                return function(task)
        try:
            return worker.call(function, task)
        finally:
            self._give_back(worker, ends=is_large)

    def _taken(self, *, alone: bool) -> _Worker:
        with self._lock:
            if self._idle and not alone:
                return self._idle.pop()
            unused, self._idle = self._idle, []
            self._all.difference_update(unused)
        _end(unused, amid_call=False)
        with self._lock:
            if self._has_ended:
                raise CancelledError
            worker = _Worker(self._what)
            self._all.add(worker)
            return worker

    def _give_back(self, worker: _Worker, *, ends: bool) -> None:
        with self._lock:
            if self._has_ended:
                return
            if not ends:
                self._idle.append(worker)
                return
            self._all.discard(worker)
        _end([worker], amid_call=False)


def _end(workers: Sequence[_Worker], *, amid_call: bool) -> None:
    for worker in workers:
        worker.ask_to_end(amid_call=amid_call)
    deadline = time.monotonic() + _PATIENCE
    for worker in workers:
        worker.end_by(deadline)


class _Worker:
    """A process that executes calls."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._process = subprocess.Popen(
            interpreter.command(__name__, runs_code_of_users=False),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C reaches the program only, which then ends its workers.
            start_new_session=True,
        )

    def ask_to_end(self, *, amid_call: bool) -> None:
        """Asks the worker to end. During a call this removes half-written and temporary files."""
        assert self._process.stdin is not None
        if amid_call:
            self._process.terminate()
            return
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def end_by(self, deadline: float) -> None:
        """Ends the worker at this time of the monotonic clock at the latest, by force if
        necessary.
        """
        try:
            self._process.wait(max(deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            self._process.kill()
        # Bytes of a call that were not sent yet are discarded.
        with suppress(BrokenPipeError), self._process:
            pass

    def call(self, function: Callable[[Task], Result], task: Task) -> Result:
        """Makes a call in this worker."""
        # Functions of figures are often lambdas, which `pickle` cannot send.
        import cloudpickle

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            cloudpickle.dump((function, task), self._process.stdin)
            self._process.stdin.flush()
            returned, value = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = self._process.wait()
            killed = code == -signal.SIGKILL
            hint = "if memory was short, let fewer go on at a time, by --jobs" if killed else None
            raise RunError(
                f"a process that {self._what} ended with code {code}", hint=hint
            ) from None
        if returned:
            result: Result = value
            return result
        raise value


def main() -> None:
    """The program of a worker's process."""
    import cloudpickle

    signal.signal(signal.SIGTERM, _leave)
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        while call := _next_call():
            answer: tuple[bool, Any]
            try:
                function, task = call
                answer = True, function(task)
            except SystemExit:
                raise
            except Error as error:
                answer = False, error
            except BaseException as error:
                told = _as_it_can_be_read(error)
                told.add_note(traceback_text(error))
                answer = False, told
            try:
                cloudpickle.dump(answer, answers)
                answers.flush()
            except BrokenPipeError:
                # The program that started this worker was killed.
                os._exit(1)


def _as_it_can_be_read(error: BaseException) -> BaseException:
    """An exception that can be unpickled: the given one, or a substitute with the same message. A
    panic in Rust is no Exception, and its module cannot be imported. Some exceptions do not keep
    their arguments.
    """
    import cloudpickle

    with suppress(Exception):
        if isinstance(pickle.loads(cloudpickle.dumps(error)), Exception):
            return error
    return RuntimeError(f"{type(error).__name__}: {error}")


def _leave(number: int, frame: FrameType | None) -> None:
    """Ends the current call, for SIGTERM."""
    # Further signals are ignored while half-written files are removed.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(128 + number)


def _next_call() -> tuple[Callable[[Any], Any], Any] | None:
    try:
        call: tuple[Callable[[Any], Any], Any] = pickle.load(sys.stdin.buffer)
    except EOFError:
        return None
    return call
