"""Rows of flows that leave memory while the run goes on: a killed run leaves nothing, many rows are
loaded only on request, and a full disk is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import incast
import numpy as np
import pytest
from incast.cli import main
from incast.present import charts

TINY: dict[str, Any] = {
    "network": {"topology": {"kind": "star", "hosts": 16}},
    "cc": {"algorithm": "hpcc"},
    "measure": {"flows": {"rows": "all"}},
    "traffic": [{"kind": "poisson", "sizes": "1KB", "load": 0.3, "count": 300_000}],
}
"""Flows of one packet each: two full row groups, and some rows more."""
FEW: dict[str, Any] = {**TINY, "traffic": [{**TINY["traffic"][0], "count": 3000}]}


def more_than_loaded(**more: Any) -> incast.Results:
    return incast.run({**FEW, "measure": {"flows": {"rows": "all"}, "rows": 1000}}, **more)


@pytest.fixture(scope="module")
def loaded() -> incast.Results:
    return incast.run(FEW)


@pytest.fixture(scope="module")
def many() -> incast.Results:
    return more_than_loaded()


def test_rows_are_those_of_a_run_in_memory(tmp_path):
    """For results that are stored, and for results that are not."""
    stored = incast.run(TINY, folder=tmp_path / "results")
    again = incast.load(tmp_path / "results")
    again.check()
    other = incast.run(TINY, threads=2)
    assert len(again.flows) == 300_000
    for column in again.flows.columns:
        for results in (stored, other):
            assert np.array_equal(
                results.flows.numbers(column), again.flows.numbers(column), equal_nan=True
            ), column
    assert [each.name for each in tmp_path.iterdir()] == ["results"]


def test_many_rows_are_all_there_and_not_loaded_unasked(many, loaded, tmp_path):
    told = many.summary["flow_rows"]
    assert (told["of"], told["completed"], told["unfinished"]) == ("all", 3000, 0)
    for refused in (
        lambda: many.flows,
        lambda: many.completed,
        lambda: many["fct_ps"],
        lambda: many.slowest(3),
        lambda: many.explain(),
    ):
        with pytest.raises(incast.ResultsError, match=r"every flow, 3000, more than measure\.rows"):
            refused()
    assert many.fingerprint == loaded.fingerprint
    for column in loaded.flows.columns:
        ours, theirs = (each.kept_flows.numbers(column) for each in (many, loaded))
        assert np.array_equal(ours, theirs), column
    text = " ".join(many.table().split())
    assert "flows.parquet has 3 000 rows, more than measure.rows: reports do not load" in text
    page = many.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "this loads a row of every flow" in page
    assert charts.chart("fct-cdf", many.runs).empty


def test_rows_are_loaded_if_they_fit(tmp_path, monkeypatch):
    more_than_loaded(folder=tmp_path / "results")
    monkeypatch.setattr("incast.results.available_memory", lambda: 100_000)
    with pytest.raises(incast.ResultsError, match=r"3000 rows would take .* in parts"):
        _ = incast.load(tmp_path / "results").kept_flows


_STOPS = """
import sys, incast
from pathlib import Path

def grown():
    for each in Path("/proc/self/fd").iterdir():
        name = str(each.readlink()) if each.is_symlink() else ""
        if name.startswith(sys.argv[1]) and name.endswith("(deleted)"):
            return each.stat().st_size > 100_000
    return False

def wait(_):
    if grown():
        print("grown", flush=True)
        sys.stdin.read()

place = Path(sys.argv[1])
incast.run({scenario!r}, folder=place / "results", seed=2, force=True, progress=wait)
"""
"""A run that stops once the file of its rows has grown, and waits to be killed."""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at the files of a process")
def test_a_killed_run_leaves_nothing(tmp_path):
    """No file of rows is left, and the earlier results are not replaced."""
    folder = tmp_path / "results"
    earlier = incast.run(FEW, folder=folder)
    long = {**TINY, "traffic": [{**TINY["traffic"][0], "count": 3_000_000}]}
    # So many flows that the run takes seconds.
    code = _STOPS.replace("{scenario!r}", repr(long))
    arguments = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "grown\n"
        run.kill()
    assert [each.name for each in tmp_path.iterdir()] == ["results"]
    there = incast.load(folder)
    there.check()
    assert there.fingerprint == earlier.fingerprint
    shorter = incast.run(TINY, folder=folder, seed=2, force=True)
    assert shorter.fingerprint == incast.run(TINY, seed=2).fingerprint
    assert [each.name for each in tmp_path.iterdir()] == ["results"]


_FULL = """
import resource, sys
from incast.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_rows_that_cannot_be_written_are_told(tmp_path):
    """A limit of 100 kB a file acts as a full disk."""
    file = tmp_path / "tiny.toml"
    file.write_text(incast.Scenario(TINY).to_toml(), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", _FULL, "run", str(file), "--out", str(tmp_path / "results")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert f"error: {tmp_path}: cannot write: File too large" in run.stderr
    assert "make room there, or keep rows of fewer flows (measure.flows.rows)" in run.stderr
    assert "Traceback" not in run.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["tiny.toml"]


_FULL_AT_THE_END = """
import resource, sys, incast
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
print(incast.run(sys.argv[1]).flows.numbers("fct_ps").sum())
"""


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
def test_rows_are_kept_in_memory_if_two_files_find_no_room(tmp_path):
    """The disk has room for rows as they complete, but not for the columns known only at the
    end.
    """
    scenario = incast.Scenario({**TINY, "measure": {**TINY["measure"], "breakdown": True}})
    stored = incast.run(scenario, folder=tmp_path / "results")
    size = (tmp_path / "results" / "flows.parquet").stat().st_size
    file = tmp_path / "tiny.toml"
    file.write_text(scenario.to_toml(), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", _FULL_AT_THE_END, str(file), str(size * 3 // 4)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert int(run.stdout) == stored.flows.numbers("fct_ps").sum()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_reads_the_same_rows():
    """Handles opened before a fork share one position in their file."""
    results = incast.run(TINY)
    code = (
        "import os, incast\n"
        f"results = incast.run({TINY!r})\n"
        "children = [os.fork() for _ in range(2)]\n"
        "sums = {int(results.flows.numbers(name).sum()) for name in ['start_ps'] * 8}\n"
        "os.write(1, f'{sums}\\n'.encode())\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    sums = {int(results.flows.numbers("start_ps").sum())}
    assert run.stdout.splitlines() == [str(sums)] * 4


def test_commands_take_figures_from_the_summary(tmp_path, capsys):
    file = tmp_path / "few.toml"
    bounded = incast.Scenario({**FEW, "measure": {"rows": 1000}})
    file.write_text(bounded.to_toml(), encoding="utf-8")
    folder = tmp_path / "results"
    assert main(["run", str(file), "--out", str(folder)]) == 0
    assert "more than measure.rows" in " ".join(capsys.readouterr().out.split())
    assert main(["explain", str(folder), "--slowest", "1"]) != 0
    assert "measure.rows" in capsys.readouterr().err
