"""A run in a process of its own: algorithms in Python would take turns at one interpreter.

That process reads what to run from its standard input, and answers through another open file. It
ends the run when more comes on its input, or when the input is closed, as it is when the campaign's
process is killed. A signal ends an algorithm that does not return, also in a system call. If that
changes nothing, or where no Python code can run, the process goes, unless it is storing results.
What an algorithm prints goes where the campaign's output goes; what it reads from its standard
input is at its end.
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
from incast.errors import Error, RunError, traceback_text
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
"""Seconds that a signal has to end it, and that its process has to go."""
_CHECK_INTERVAL = 0.2
"""Seconds between two looks at a process that tells nothing."""
_ENDED = 128 + signal.SIGINT
"""Exit code of a process that did not end by itself."""
_END = b"\0"
"""What ends it."""


class _Order(NamedTuple):
    """What to run."""

    scenario: Scenario
    identity: str
    """The scenario's identity when the campaign checked it."""
    folder: Path
    force: bool
    memory: Memory


class RemoteTraceback(Exception):  # noqa: N818
    """Where in the process of a run an exception was raised, as text."""


class LostRun(KeyboardInterrupt):
    """The process of a run that was to end went without storing what the run had."""


def can_run(scenario: Scenario) -> bool:
    """Whether a scenario gains from a process of its own, and the system can give it one."""
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
    """As :func:`incast.run`; it ends when it shall stop.

    Raises:
        LostRun: It was to end, and its process went without storing what it had.
        RunError: The system has no process for it.
    """
    scenario, identity = checked.scenario, checked.identity
    child, pipe = _started(scenario.name)
    with pipe, child, _ended(child):
        assert child.stdin is not None
        order = _Order(scenario, identity, folder.absolute(), force, memory)
        # One that cannot begin is told by its end.
        with suppress(BrokenPipeError):
            # Its bytes: making it again runs the algorithm's file, after the process knows when
            # to end.
            pickle.dump(pickle.dumps(order), child.stdin)
            child.stdin.flush()
        if stop is not None:
            threading.Thread(target=_close, args=(child, stop), daemon=True).start()
        answers = io.BufferedReader(_Told(pipe, child))
        return _answered(answers, child, scenario, progress, stop)


def _started(name: str) -> tuple[subprocess.Popen[bytes], io.FileIO]:
    """A process for the run of this name, and the open file through which it answers.

    Raises:
        RunError: The system has none.
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
    """A process that answers through an open file."""
    with deadline.hearing_later():
        return subprocess.Popen(
            interpreter.command(__name__, writing, os.getpid(), runs_code_of_users=True),
            stdin=subprocess.PIPE,
            pass_fds=[writing],
            # Ctrl-C is for the campaign, which then ends its runs.
            start_new_session=True,
        )


class _Told(io.RawIOBase):
    """What a process tells, until it ends: what it has forked may hold the pipe open for longer."""

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
            # What it told just before its end is still read.
            has_ended = self._child.poll() is not None
        return self._pipe.readinto(buffer)


def _close(child: subprocess.Popen[bytes], stop: threading.Event) -> None:
    """Asks a process to end, once that is wanted: its run may tell no progress."""
    assert child.stdin is not None
    while child.poll() is None and not child.stdin.closed:
        if stop.wait(_PATIENCE):
            _end(child)


@contextmanager
def _ended(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """A block that leaves behind no process that goes on."""
    try:
        yield
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    assert child.stdin is not None
    if not child.stdin.closed:
        # It lifts its deadline after it has read that it is to end, and thus hears of it before.
        deadline.start(child)
        # It may be gone, or another thread may have closed its input meanwhile.
        with suppress(BrokenPipeError, ValueError), child.stdin:
            # Processes that were forked here, by a measure of one's own, hold its input open.
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
                # One that was interrupted before its run began ends by itself.
                raise (LostRun if code else KeyboardInterrupt) from None
            what = f"{scenario.name}: the process of the run ended with code {code}"
            raise RunError(what) from ended_by
        if kind == "progress" and ended_by is None:
            try:
                progress(value)
            except BaseException as error:
                # The run ends, and what it has is stored.
                ended_by = error
                _end(child)
        elif kind == "warning":
            warnings.warn(value, stacklevel=2)
        elif kind == "failed":
            failure, cause = value
            raise failure from (RemoteTraceback(cause) if cause else None)
        elif kind in ("done", "interrupted"):
            results = load(value)
            if kind == "done":
                return unless_stalled(results)
            if isinstance(ended_by, KeyboardInterrupt) or ended_by is None:
                raise Interrupted(results)
            raise ended_by


def main(descriptor: int, campaign: int) -> None:
    """The process of a run; it answers through an open file.

    Args:
        descriptor: Of that file.
        campaign: The campaign's process.
    """
    deadline.hear(campaign)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Nothing is read ahead: what follows the order is its end.
    order: bytes = pickle.load(io.BufferedReader(io.FileIO(0, closefd=False), 1))
    stop, over = threading.Event(), threading.Event()
    ends = (_standard_input_taken(), stop, over)
    threading.Thread(target=_wait_for_end, args=ends, daemon=True).start()
    # Without results there is no answer; without a campaign it is not read.
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
    """What is open as standard input, under another number: there an algorithm finds nothing to
    read, instead of waiting for the end of the campaign.
    """
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


def _wait_for_end(campaign: int, stop: threading.Event, over: threading.Event) -> None:
    # Unbuffered: nothing holds a lock when the process ends first.
    os.read(campaign, 1)
    stop.set()
    if not over.wait(_PATIENCE):
        deadline.start_anew()
        # Unlike an exception, it is heard in system calls.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    while not over.wait(_GRACE):
        if not is_storing(threading.main_thread().ident or 0):
            os._exit(_ENDED)
        deadline.lift()
    deadline.lift()
    # It may have threads that do not end.
    time.sleep(_GRACE)
    os._exit(_ENDED)


def _outcome(order: _Order, progress: Progress) -> tuple[str, object]:
    options: dict[str, Any] = {"folder": order.folder, "force": order.force, "threads": 1}
    try:
        # It was checked anew when it came, and its algorithms' files were run here.
        scenario = unchanged(order.scenario, order.identity)
        results = run_checked(scenario, **options, memory=order.memory, progress=progress)
    except StallError as error:
        return "done", str(error.results.folder)
    except Interrupted as error:
        return "interrupted", str(error.results.folder)
    except Error as error:
        cause = error.__cause__
        return "failed", (error, traceback_text(cause) if cause else "")
    return "done", str(results.folder)
