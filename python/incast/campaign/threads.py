"""Threads that do not keep the program from ending. The threads of ThreadPoolExecutor do, and a
thread in a system call of an algorithm may never return.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

__all__ = ["Threads"]

Returned = TypeVar("Returned")
Arguments = ParamSpec("Arguments")


class Threads(Executor):
    """Runs calls in threads, in the order in which they are submitted."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def submit(
        self,
        fn: Callable[Arguments, Returned],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Returned]:
        """Submits a call, and gives the future of its result."""
        future: Future[Returned] = Future()
        self._calls.put(_Call(future, lambda: fn(*args, **kwargs)))
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._work, daemon=True)
            thread.start()
            self._threads.append(thread)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads once no calls are left."""
        if cancel_futures:
            with suppress(Empty):
                while call := self._calls.get_nowait():
                    call.future.cancel()
                    # Tells those who wait for the future that it was cancelled.
                    call.future.set_running_or_notify_cancel()
        for _ in self._threads:
            self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while call := self._calls.get():
            call.carry_out()


class _Call:
    """A call, and the future of its result."""

    def __init__(self, future: Future[Any], function: Callable[[], Any]) -> None:
        self.future = future
        self._function = function

    def carry_out(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            self.future.set_result(self._function())
        except BaseException as error:
            self.future.set_exception(error)
