"""Runs a scenario in a process of its own, as algorithms in Python would otherwise share one
interpreter.

The process reads its order from standard input, and answers through another open file. It ends the
run when more input comes, or when the input is closed, for example because the campaign was killed.
A signal ends an algorithm that does not return, even in a system call. If that fails, or if no
Python code can run, the process exits, unless it is storing results. The algorithm's output goes to
the campaign's output; its standard input is empty.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from incast import shown_warnings
from incast.campaign import deadline, interpreter
from incast.campaign.checked_run import CheckedRun, unchanged
from incast.errors import Error, RunError
from incast.experiment import (
    Interrupted,
    Memory,
    Progress,
    StallError,
    run_checked,
    unless_stalled,
)
from incast.results import Results, load
from incast.scenario import Scenario
from incast.store.place import is_storing

__all__ = ["LostRun", "can_run", "main", "run_in_process"]

_PATIENCE = 0.5
"""Seconds that a run has to end by itself."""
_GRACE = 1.0
"""Seconds that a run has to end after the signal, and its process to exit afterwards."""
_CHECK_INTERVAL = 0.2
"""Seconds between two checks of a process that sends no answer."""
_ENDED = 128 + signal.SIGINT
"""Exit code of a process that had to be ended."""
_END = b"\0"
"""The byte that asks the process to end."""


class _Order(NamedTuple):
    """The order that a process reads: a scenario and its options."""

    scenario: Scenario
    identity: str
    """The identity of the scenario when the campaign checked it."""
    folder: Path
    force: bool
    memory: Memory


class LostRun(KeyboardInterrupt):
    """A run was asked to end, and its process exited without storing results."""


def can_run(scenario: Scenario) -> bool:
    """Whether a scenario needs a process of its own, and the system supports that."""
    return scenario.is_in_python and os.name == "posix"


def run_in_process(
    checked: CheckedRun,
    *,
    folder: Path,
    force: bool,
    memory: Memory,
    progress: Progress,
    stop: threading.Event | None = None,
) -> Results:
    """As :func:`incast.run`. The run ends when ``stop`` is set.

    Raises:
        LostRun: The run was asked to end, and its process exited without storing results.
        RunError: The system cannot start a process.
    """
    scenario, identity = checked.scenario, checked.identity
    child, pipe = _started(scenario.name)
    with pipe, child, _ended(child):
        assert child.stdin is not None
        order = _Order(scenario, identity, folder.absolute(), force, memory)
        # If the process cannot start, its exit code tells so later.
        with suppress(BrokenPipeError):
            # The order is sent as bytes in a pickle. Unpickling it runs the algorithm's file, and
            # by then the process must already know when to end.
            pickle.dump(pickle.dumps(order), child.stdin)
            child.stdin.flush()
        if stop is not None:
            threading.Thread(target=_close, args=(child, stop), daemon=True).start()
        answers = io.BufferedReader(_Told(pipe, child))
        return _answered(answers, child, scenario, progress, stop)


def _started(name: str) -> tuple[subprocess.Popen[bytes], io.FileIO]:
    """Starts a process for a run. Gives the process, and the open file through which it answers.

    Raises:
        RunError: The system cannot start a process.
    """
    try:
        reading, writing = os.pipe()
        pipe = io.FileIO(reading)
        try:
            return _child(writing), pipe
        except OSError:
            pipe.close()
            raise
        finally:
            os.close(writing)
    except OSError as error:
        what = f"{name}: no process can be started for the run: {error.strerror or error}"
        raise RunError(what, hint="let fewer go on at a time, by --jobs or --threads") from None


def _child(writing: int) -> subprocess.Popen[bytes]:
    """Starts a process that answers through an open file."""
    with deadline.hearing_later():
        return subprocess.Popen(
            interpreter.command(__name__, writing, os.getpid(), runs_code_of_users=True),
            stdin=subprocess.PIPE,
            pass_fds=[writing],
            # Ctrl-C reaches the campaign only, which then ends its runs.
            start_new_session=True,
        )


class _Told(io.RawIOBase):
    """The answers of a process, until it ends. Processes that it has forked may hold the pipe open
    for longer.
    """

    def __init__(self, pipe: io.FileIO, child: subprocess.Popen[bytes]) -> None:
        self._pipe = pipe
        self._child = child
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        has_ended = False
        while not self._poll.poll(0 if has_ended else 1000 * _CHECK_INTERVAL):
            if has_ended:
                return 0
            # Answers sent just before the end are still read.
            has_ended = self._child.poll() is not None
        return self._pipe.readinto(buffer)


def _close(child: subprocess.Popen[bytes], stop: threading.Event) -> None:
    """Asks a process to end once `stop` is set. The process may send no progress to which to
    react.
    """
    assert child.stdin is not None
    while child.poll() is None and not child.stdin.closed:
        if stop.wait(_PATIENCE):
            _end(child)


@contextmanager
def _ended(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Makes sure that the process ends with the block."""
    try:
        yield
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    assert child.stdin is not None
    if not child.stdin.closed:
        # The process cancels its deadline after reading that it is to end, so the deadline must
        # start first.
        deadline.start(child)
        # The process may have ended, or another thread may have closed its input.
        with suppress(BrokenPipeError, ValueError), child.stdin:
            # A byte, because processes forked here, such as by a user's measure, may hold the input
            # open.
            child.stdin.write(_END)


def _answered(
    answers: io.BufferedReader[_Told],
    child: subprocess.Popen[bytes],
    scenario: Scenario,
    progress: Progress,
    stop: threading.Event | None,
) -> Results:
    ended_by: BaseException | None = None
    while True:
        try:
            kind, value = pickle.load(answers)
        except (EOFError, pickle.UnpicklingError):
            code = child.wait()
            if isinstance(ended_by, KeyboardInterrupt) or (stop is not None and stop.is_set()):
                # A process that is interrupted before its run begins ends by itself.
                raise (LostRun if code else KeyboardInterrupt) from None
            what = f"{scenario.name}: the process of the run ended with code {code}"
            raise RunError(what) from ended_by
        if kind == "progress" and ended_by is None:
            try:
                progress(value)
            except BaseException as error:
                # The run ends, and stores its results so far.
                ended_by = error
                _end(child)
        elif kind == "warning":
            warnings.warn(value, stacklevel=2)
        elif kind == "failed":
            raise value
        elif kind in ("done", "interrupted"):
            results = load(value)
            if kind == "done":
                return unless_stalled(results)
            if isinstance(ended_by, KeyboardInterrupt) or ended_by is None:
                raise Interrupted(results)
            raise ended_by


def main(descriptor: int, campaign: int) -> None:
    """The program of the run's process, which answers through an open file.

    Args:
        descriptor: The descriptor of that file.
        campaign: The number of the campaign's process.
    """
    deadline.hear(campaign)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Unbuffered: input after the order means that the run is to end.
    order: bytes = pickle.load(io.BufferedReader(io.FileIO(0, closefd=False), 1))
    stop, over = threading.Event(), threading.Event()
    ends = (_standard_input_taken(), stop, over)
    threading.Thread(target=_wait_for_end, args=ends, daemon=True).start()
    # A process that ends without results sends no answer. After a kill of the campaign, no process
    # reads the answer.
    with suppress(KeyboardInterrupt, BrokenPipeError), os.fdopen(descriptor, "wb") as answers:

        def answer(kind: str, value: object) -> None:
            pickle.dump((kind, value), answers)
            answers.flush()

        def progress(done: dict[str, Any]) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            answer("progress", done)

        shown_warnings.show(lambda sentence: answer("warning", sentence))
        outcome = _outcome(pickle.loads(order), progress)
        over.set()
        answer(*outcome)


def _standard_input_taken() -> int:
    """Moves standard input to another descriptor, and returns that. An algorithm that reads
    standard input then finds it empty, instead of waiting for the campaign to end.
    """
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


def _wait_for_end(campaign: int, stop: threading.Event, over: threading.Event) -> None:
    # Unbuffered, so that no lock is held if the process exits first.
    os.read(campaign, 1)
    stop.set()
    if not over.wait(_PATIENCE):
        deadline.start_anew()
        # Unlike an exception set in the thread, a signal also interrupts system calls.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    while not over.wait(_GRACE):
        if not is_storing(threading.main_thread().ident or 0):
            os._exit(_ENDED)
        deadline.lift()
    deadline.lift()
    # `sys.exit` would wait for the algorithm's threads, which may not end.
    time.sleep(_GRACE)
    os._exit(_ENDED)


def _outcome(order: _Order, progress: Progress) -> tuple[str, object]:
    options: dict[str, Any] = {"folder": order.folder, "force": order.force, "threads": 1}
    try:
        # The scenario was checked again when it arrived, which also ran its algorithms' files.
        scenario = unchanged(order.scenario, order.identity)
        results = run_checked(scenario, **options, memory=order.memory, progress=progress)
    except StallError as error:
        return "done", str(error.results.folder)
    except Interrupted as error:
        return "interrupted", str(error.results.folder)
    except Error as error:
        return "failed", error
    return "done", str(results.folder)
