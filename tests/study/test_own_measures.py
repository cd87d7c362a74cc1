"""Custom measures that fail: each failure concerns its run only."""

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import CancelledError

import incast
import pytest
import scenarios

STUDY = {"scenario": scenarios.as_dict(), "measure": "fct.mean", "vary": {"seed": [1, 2, 3]}}


class NoTextError(Exception):
    def __str__(self):
        raise ValueError("no text")


class NoNumber:
    def __float__(self):
        raise RuntimeError("a tensor of two")


def raising(error):
    def measure(results):
        raise error

    return measure


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("measure", "told"),
    [
        (lambda results: NoNumber(), "returned, as a number, raised RuntimeError: a tensor of two"),
        (raising(NoTextError()), "measure `mine` of a run raised NoTextError; return None if"),
        (raising(SystemExit(3)), "raised SystemExit: 3; return None if"),
        (raising(KeyboardInterrupt()), "a measure of the run raised KeyboardInterrupt"),
        (raising(GeneratorExit()), "raised GeneratorExit; return None if"),
        (raising(CancelledError()), "raised CancelledError; return None if"),
        (raising(asyncio.CancelledError()), "raised CancelledError; return None if"),
        (raising(BaseExceptionGroup("all", [KeyboardInterrupt()])), "raised BaseExceptionGroup"),
    ],
)
def test_whatever_a_measure_raises_is_a_failure_of_its_run(tmp_path, measure, told, jobs):
    def mine(results):
        return measure(results) if results.summary["seed"] == 2 else 7.0

    sweep = incast.sweep(STUDY, measures={"mine": mine}, store=tmp_path, jobs=jobs)
    [(label, failure)] = sweep.failures.items()
    assert label == "seed = 2"
    assert told in failure
    assert sweep["mine"].tolist()[::2] == [7.0, 7.0]


def test_a_name_that_no_column_can_have_costs_no_run(tmp_path):
    with pytest.raises(incast.StudyError, match="is not text in UTF-8"):
        incast.sweep(STUDY, measures={"\ud800": raising(ValueError())}, store=tmp_path / "out")
    assert not (tmp_path / "out").exists()


WAITING = """
import os, sys, time
import incast


def waits(results):
    os.write(1, b"measuring\\n")
    time.sleep(1000)


def works(results):
    os.write(1, b"measuring\\n")
    while True:
        pass


measure = {"waits": waits, "works": works}[sys.argv[1]]
incast.sweep(STUDY, measures={"mine": measure}, store="out", jobs=int(sys.argv[2]))
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("measure", ["waits", "works"])
def test_ctrl_c_is_heard_while_a_measure_is_worked_out(tmp_path, measure, jobs):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", f"STUDY = {STUDY!r}\n{WAITING}", measure, str(jobs)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as program:
        try:
            for _ in range(jobs):
                assert program.stdout.readline() == b"measuring\n"
            program.send_signal(signal.SIGINT)
            # Shorter than the measure would take undisturbed.
            _, told = program.communicate(timeout=300)
        finally:
            program.kill()
    assert told.rstrip().endswith(b"interrupted: 0 of 3 runs are done and kept")
    # The runs are stored, and the next call only measures them.
    assert len(list((tmp_path / "out" / "runs").glob("[!.]*"))) == jobs
