"""Answers to Ctrl-C within a moment. Python runs its signal handlers only between steps of the
engine, which may take seconds.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.cli import messages
from incast.cli.os_signals import INTERRUPTED, Repeated
from incast.os_signals import Handler, handled, written_to

if TYPE_CHECKING:
    from incast.campaign.campaign import CampaignInterrupted

__all__ = ["RUNS_END", "Requests", "answered", "stopped", "telling_unwritten"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_END = b"\0"
"""A byte that no signal writes. The end of the pipe would not be seen while a forked process has
the pipe open.
"""

RUNS_END = "runs under way end, and what they have is stored"
"""The answer to Ctrl-C during a campaign."""


class Requests:
    """Counts requests to end a command: Ctrl-C, and the signals that are treated like it."""

    def __init__(self) -> None:
        self.count = 0
        self._answers: list[str] = []

    def answer_by(self, *sentences: str) -> None:
        """Sets the answers to the next requests, in order; the last one also answers all further
        requests.
        """
        self._answers = list(sentences)

    def unless_skipped(self, report: Callable[[], Path]) -> Path | None:
        """Writes a report, unless the run was asked to end twice, or a request comes meanwhile."""
        if self.count > 1:
            return None
        try:
            return report()
        except KeyboardInterrupt:
            return None

    def _next_answer(self) -> str | None:
        if len(self._answers) > 1:
            return self._answers.pop(0)
        return self._answers[0] if self._answers else None

    def _counting(self, handler: Any) -> Handler | None:
        if not callable(handler):
            return None

        def counting(number: int, frame: Any) -> None:
            if Repeated.uncounted:
                Repeated.uncounted -= 1
            else:
                self.count += 1
            handler(number, frame)

        return counting


@contextmanager
def answered() -> Iterator[Requests]:
    """Counts and answers requests to end the command, until the block ends."""
    requests = Requests()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may handle signals.
        yield requests
        return
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    Repeated.uncounted = Repeated.unanswered = 0
    receiving, sending = os.pipe()
    os.set_blocking(sending, False)
    answering = threading.Thread(target=_answer, args=(receiving, numbers, requests), daemon=True)
    answering.start()
    try:
        with written_to(sending), handled(_NAMES, requests._counting):
            yield requests
    finally:
        if answering.is_alive():
            # In a process that an algorithm forked, this thread does not exist.
            os.set_blocking(sending, True)
            os.write(sending, _END)
            answering.join()
        os.close(sending)
        os.close(receiving)


def stopped(campaign: CampaignInterrupted) -> int:
    """Prints what is kept of an interrupted campaign, and gives the exit code."""
    print(f"{campaign}; the same command goes on from there", file=sys.stderr)
    return INTERRUPTED


@contextmanager
def telling_unwritten(files: str) -> Iterator[None]:
    """If the user interrupts the block, names the files that it has not written completely."""
    try:
        yield
    except KeyboardInterrupt:
        messages.interrupted(f"not all is written of {files}; the same command writes them")
        raise


def _answer(receiving: int, numbers: Sequence[int], requests: Requests) -> None:
    while (received := os.read(receiving, 1)) != _END:
        if received[0] not in numbers:
            continue
        if Repeated.unanswered:
            Repeated.unanswered -= 1
            continue
        sentence = requests._next_answer()
        if sentence is not None:
            messages.interrupted(sentence)
