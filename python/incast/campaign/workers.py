"""Calls in processes of their own: threads of Python would take turns at one interpreter.

A worker reads calls from its standard input, one after the other, and answers through its standard
output; what is printed there goes to its standard error. It ends with the program that started it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeVar

from incast.campaign import interpreter
from incast.campaign.memory import SharedMemory
from incast.campaign.threads import Threads
from incast.errors import Error, RunError, traceback_text

__all__ = ["each"]

_PROCESS = 100e6
"""Bytes of a worker."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def each(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    workers: int,
    what: str,
    memory: Callable[[Task], float] = lambda _: 0.0,
) -> list[Result]:
    """What a function gives for each task, in their order.

    Args:
        function: Called here, or in a worker, where nothing of this process is but its modules.
        tasks: What it is called with.
        workers: How many there are at the most; with one, or where none can be started, all calls
            are made here, one after the other.
        what: What they do, for messages.
        memory: Bytes that a call takes: it waits while those under way leave it too little.

    Raises:
        RunError: The process of a worker ended by itself.
    """
    count = min(workers, len(tasks))
    with ExitStack() as ended:
        idle: SimpleQueue[_Worker] = SimpleQueue()
        with suppress(OSError):
            for _ in range(count if count > 1 else 0):
                idle.put(ended.enter_context(_Worker(what)))
        if idle.empty():
            return [function(task) for task in tasks]

        shared = SharedMemory.of_machine()

        def call(task: Task) -> Result:
            with shared.taken(_PROCESS + memory(task)):
                worker = idle.get()
                try:
                    return worker.call(function, task)
                finally:
                    idle.put(worker)

        threads = Threads(idle.qsize())
        results = [threads.submit(call, task) for task in tasks]
        try:
            return [result.result() for result in results]
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


class _Worker:
    """A process that makes calls, for the length of a block."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._process = subprocess.Popen(
            interpreter.command(__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for the program that started it.
            start_new_session=True,
        )

    def __enter__(self) -> _Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A call that was not sent whole is not sent on.
        with suppress(BrokenPipeError), self._process:
            self._process.kill()

    def call(self, function: Callable[[Task], Result], task: Task) -> Result:
        """Makes a call there."""
        # Functions of a figure are often lambdas, which pickle refuses.
        import cloudpickle

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            cloudpickle.dump((function, task), self._process.stdin)
            self._process.stdin.flush()
            returned, value = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = self._process.wait()
            raise RunError(
                f"a process that {self._what} ended with code {code}",
                hint="let fewer go on at a time, by --jobs",
            ) from None
        if returned:
            result: Result = value
            return result
        raise value


def main() -> None:
    """The process of a worker."""
    import cloudpickle

    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        while call := _next_call():
            answer: tuple[bool, Any]
            try:
                function, task = call
                answer = True, function(task)
            except Exception as error:
                if not isinstance(error, Error):
                    error.add_note(traceback_text(error))
                answer = False, error
            try:
                cloudpickle.dump(answer, answers)
                answers.flush()
            except BrokenPipeError:
                # The program was killed.
                os._exit(1)


def _next_call() -> tuple[Callable[[Any], Any], Any] | None:
    try:
        call: tuple[Callable[[Any], Any], Any] = pickle.load(sys.stdin.buffer)
    except EOFError:
        return None
    return call
