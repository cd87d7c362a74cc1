"""Calls in processes of their own."""

import os
import signal
import subprocess
import sys
import time

import pytest
from incast.campaign import workers
from incast.errors import ResultsError, RunError


def test_results_come_in_the_order_of_tasks():
    def double(task):
        time.sleep(0.05 * (4 - task))
        return 2 * task, os.getpid()

    def calls(count):
        results, processes = zip(*workers.each(double, range(5), count, "doubled"), strict=True)
        return results, set(processes)

    alone, one = calls(1)
    together, three = calls(3)
    assert alone == together == (0, 2, 4, 6, 8)
    assert (len(one), len(three)) == (1, 3)
    assert os.getpid() not in one | three


def test_a_task_alone_needs_no_process():
    assert workers.each(lambda _: os.getpid(), [1], 4, "ran") == [os.getpid()]
    assert workers.each(lambda _: os.getpid(), [], 4, "ran") == []


def test_calls_wait_for_memory(monkeypatch, tmp_path):
    """The memory is enough for two small calls, or for one large call."""
    monkeypatch.setattr(workers.SharedMemory, "of_machine", lambda: workers.SharedMemory(250e6))

    def meet(task):
        """Waits until another call has started."""
        (tmp_path / str(os.getpid())).touch()
        patience = time.monotonic() + 300
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < patience:
            time.sleep(0.01)
        return len(list(tmp_path.iterdir()))

    assert workers.each(meet, [20e6, 20e6], 2, "met", memory=float) == [2, 2]

    def times(task):
        began = time.monotonic()
        time.sleep(0.1)
        return began, time.monotonic()

    for size in (30e6, 900e6):
        first, second = workers.each(times, [size, size], 2, "slept", memory=float)
        assert first[1] <= second[0] or second[1] <= first[0]


def test_the_first_failure_is_raised(capfd):
    def fail(task):
        os.write(1, f"said {task}\n".encode())
        if task == 1:
            raise ResultsError("is torn", file="a")
        return task

    with pytest.raises(ResultsError, match="is torn") as failure:
        workers.each(fail, [0, 1, 2], 2, "ran")
    assert failure.value.file == "a"
    told = capfd.readouterr()
    assert "said 1" in told.err
    assert told.out == ""


def test_a_mistake_of_the_program_has_its_place():
    with pytest.raises(ZeroDivisionError) as failure:
        workers.each(lambda task: 1 / task, [1, 0], 2, "divided")
    assert "in <lambda>" in "".join(failure.value.__notes__)


def test_a_panic_in_rust_is_told():
    """PanicException is no Exception, and its module cannot be imported."""

    def panic(_):
        raise type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})("no thread")

    with pytest.raises(RuntimeError, match="PanicException: no thread") as failure:
        workers.each(panic, [1, 2], 2, "ran")
    assert "in panic" in "".join(failure.value.__notes__)


def test_an_exception_that_cannot_be_made_again_is_told():
    class WeirdError(Exception):
        def __init__(self, one, other):
            super().__init__(f"{one} and {other}")

    def fail(_):
        raise WeirdError("a", "b")

    with pytest.raises(RuntimeError, match="WeirdError: a and b") as failure:
        workers.each(fail, [1, 2], 2, "ran")
    assert "in fail" in "".join(failure.value.__notes__)


def test_a_process_that_is_killed_is_told():
    with pytest.raises(
        RunError, match="a process that judged claims ended with code -9"
    ) as failure:
        workers.each(lambda _: os.kill(os.getpid(), signal.SIGKILL), [1, 2], 2, "judged claims")
    assert "--jobs" in str(failure.value)


def test_without_processes_the_program_does_it_itself(monkeypatch):
    def refuse(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert workers.each(lambda _: os.getpid(), [1, 2], 2, "ran") == [os.getpid()] * 2


def test_workers_are_let_go(tmp_path):
    """Handlers registered for the exit of a worker run."""

    def mark(task):
        import atexit

        atexit.register((tmp_path / f"{task}-ended").touch)
        return os.getpid()

    processes = set(workers.each(mark, [1, 2, 3], 2, "marked"))
    assert {each.name for each in tmp_path.iterdir()} == {"1-ended", "2-ended", "3-ended"}
    assert not any(map(_is_there, processes))


def test_modules_of_the_current_folder_hide_none_of_the_standard_library(tmp_path, monkeypatch):
    (tmp_path / "calendar.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])

    def name(_):
        import calendar

        return calendar.month_name[1]

    assert workers.each(name, [1, 2], 2, "named") == ["January"] * 2


def test_workers_have_the_same_incast(tmp_path, monkeypatch):
    (tmp_path / "incast").mkdir()
    (tmp_path / "incast" / "__init__.py").write_text("raise ImportError('another incast')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def where(_):
        return workers.__file__

    assert workers.each(where, [1, 2], 2, "found") == [workers.__file__] * 2


def test_large_calls_have_workers_of_their_own(monkeypatch):
    """Two idle workers may keep a quarter of the memory."""
    monkeypatch.setattr(workers.SharedMemory, "of_machine", lambda: workers.SharedMemory(480e6))
    small = workers.each(lambda _: os.getpid(), [1] * 5, 2, "ran", memory=float)
    assert len({*small}) <= 2
    large = workers.each(lambda _: os.getpid(), [61e6] * 5, 2, "ran", memory=float)
    assert len({*large}) == 5


PROGRAM = """
import os, time
from incast.campaign import workers

def wait(task):
    os.write(1, b"%d\\n" % os.getpid())
    time.sleep(60)

workers.each(wait, [1, 2], 2, "waited")
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_program(by, tmp_path):
    program = tmp_path / "program.py"
    # Without a signal, workers go on to the end of their calls.
    program.write_text(PROGRAM if by == signal.SIGINT else PROGRAM.replace("60", "1"))
    command = [sys.executable, str(program)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
        there = [int(started.stderr.readline()) for _ in range(2)]
        started.send_signal(by)
        started.stderr.read()
        started.wait(300)
    assert started.returncode != 0
    deadline = time.monotonic() + 300
    while any(map(_is_there, there)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_is_there, there))


def _is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
