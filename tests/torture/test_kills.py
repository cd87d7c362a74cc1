"""Killed runs and failing disks: results are complete or absent, and the next run succeeds."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import incast
import pytest
import torture

HERE = Path(__file__).parent


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "kill.toml"
    file.write_text(torture.SCENARIO)
    return file


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    """A library that fails at the n-th call that changes a folder."""
    if not sys.platform.startswith("linux"):
        pytest.skip("calls are intercepted by LD_PRELOAD, which is Linux's")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = str(HERE / "shim.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), source, "-ldl"], check=True)
    return library


def whole_or_not_there(out: Path) -> str:
    """The state of the folder that a killed run left; an incomplete folder is a failure."""
    if not out.exists():
        return "not there"
    results = incast.load(out)
    assert len(results.flows) == results.summary["flows"]["started"]
    assert len(results.series) > 0
    return "interrupted" if results.partial else "whole"


def leftovers(out: Path) -> list[str]:
    return [each.name for each in out.parent.iterdir() if each.name.startswith(".")]


def runs_well(scenario: Path, out: Path) -> None:
    done = torture.incast("run", scenario, "--out", out, "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    assert whole_or_not_there(out) == "whole"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_at_any_moment(scenario, tmp_path, name):
    dice = torture.dice(f"signals {name}")
    command = [*torture.PROGRAM, "run", str(scenario), "--quiet", "--out"]
    start = time.monotonic()
    subprocess.run([*command, str(tmp_path / "first")], check=True, capture_output=True)
    span = time.monotonic() - start
    counts = Counter()
    for number in range(torture.some(3_000)):
        out = tmp_path / f"out-{number}"
        options = ["--force"] if number % 2 else []
        if options:
            shutil.copytree(tmp_path / "first", out)
        process = subprocess.Popen(
            [*command, str(out), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            process.wait(dice.uniform(0, span))
        except subprocess.TimeoutExpired:
            process.send_signal(getattr(signal, name))
        _, errors = process.communicate()
        assert b"defect" not in errors, errors.decode()
        found = whole_or_not_there(out)
        assert not options or found == "whole", found
        counts[found] += 1
        runs_well(scenario, out)
    torture.told(name, counts)


@pytest.mark.parametrize("error", ["KILL", "EIO", "ENOSPC"])
def test_each_call_that_changes_the_folder(scenario, tmp_path, tmp_path_factory, shim, error):
    temporary = tmp_path_factory.mktemp("temporary")
    counts = Counter()
    step = 1 if torture.INPUTS > torture.USUAL else 9
    at = 1
    while True:
        out = tmp_path / f"out-{at}"
        done = torture.incast(
            *("run", scenario, "--out", out, "--quiet"),
            TMPDIR=str(temporary),
            LD_PRELOAD=str(shim),
            SHIM_FOLDER=str(tmp_path),
            SHIM_AT=str(at),
            SHIM_ERROR=error,
        )
        if done.returncode == 0 and "warning" not in done.stderr:
            break
        if error == "KILL":
            assert done.returncode == -signal.SIGKILL, done.stderr
            counts[whole_or_not_there(out)] += 1
        elif done.returncode == 0:
            # The place failed, and the warning names the folder that has the results instead.
            (elsewhere,) = (Path(word) for word in done.stderr.split() if "incast-" in word)
            assert elsewhere.is_relative_to(temporary)
            assert whole_or_not_there(elsewhere) == "whole"
            shutil.rmtree(elsewhere)
            counts["elsewhere"] += 1
        else:
            torture.message(done)
            counts[whole_or_not_there(out)] += 1
        runs_well(scenario, out)
        at += step
    assert at > 1, "no call was intercepted"
    torture.told(f"{error} at a call", counts)


def test_a_full_disk(scenario, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        done = torture.incast("run", scenario, "--out", disk / "out", "--no-report", "--quiet")
        assert "Traceback" not in done.stderr
        assert not (disk / "out").exists() or whole_or_not_there(disk / "out") == "whole"
        assert "No space left" in done.stderr, done.stderr
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_four_processes_share_one_result(scenario, tmp_path):
    counts = Counter()
    for number in range(torture.some(5_000)):
        out = tmp_path / f"out-{number}"
        options = [] if number % 2 else ["--force"]
        command = [*torture.PROGRAM, "run", str(scenario), "--quiet", "--no-report"]
        processes = [
            subprocess.Popen(
                [*command, "--out", str(out), *options], stdout=subprocess.DEVNULL, env=os.environ
            )
            for _ in range(4)
        ]
        codes = [process.wait() for process in processes]
        assert codes == [0, 0, 0, 0], codes
        assert whole_or_not_there(out) == "whole"
        counts["shared"] += 1
        assert not leftovers(out), leftovers(out)
    torture.told("four processes at once", counts)
