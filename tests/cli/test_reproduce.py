"""`incast reproduce`, as users call it, and the claims of its papers."""

import json
import os
import re
import signal
import subprocess

import pytest
from shell import PROGRAM, Shell, rest


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def test_list(shell):
    text = shell("reproduce", "--list")
    assert "fairness: Fast Convergence to Fairness" in text
    assert "fig2" in text
    assert "A01  under HPCC flows that start last finish first" in text
    assert "all together:" in text
    assert shell("reproduce") == text
    assert shell("reproduce", "fairness", "--list").rstrip("\n") in text


def test_a_figure(undrawn, shell):
    """First in a process of its own, with figures; then in this process, without."""
    text = shell.process("reproduce", "fairness", "--quick", "--only", "fig2,fig4")
    assert "A01" in text
    assert "holds" in text
    assert "page     results/reproduce/fairness-quick/index.html" in text
    assert shell.files("results/reproduce/fairness-quick/figures/fig2-*.svg")
    again = shell("reproduce", "fairness", "--quick", "--only", "fig2,fig4", "--json", "--force")
    rows = {row["id"]: row for row in json.loads(again)["claims"]}
    assert rows["A01"]["measured"]["HPCC"] < -1


def test_mistakes(shell):
    assert "unknown paper `fairnes`; did you mean `fairness`?" in shell(
        "reproduce", "fairnes", code=2
    )
    assert "has no figure `fig99`" in shell("reproduce", "fairness", "--only", "fig99", code=2)
    assert "is not a number of cores" in shell("reproduce", "fairness", "--jobs", "0", code=2)
    (shell.folder / "taken").touch()
    assert "taken" in shell("reproduce", "fairness", "--quick", "--out", "taken", code=2)


def test_ctrl_c(shell):
    """At the paper's own size a run takes long; finished runs stay."""
    shell("reproduce", "fairness", "--only", "fig2")
    kept = len(shell.files("results/reproduce/runs/star-16-*/summary.json"))
    ours, theirs = os.openpty()
    program = subprocess.Popen(
        [*PROGRAM, "reproduce", "fairness", "--only", "fig2,fig10", "--jobs", "2"],
        cwd=shell.folder,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    while f"{kept} of ".encode() not in shown:
        shown += os.read(ours, 1000)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=300)
    shown += rest(ours)
    assert program.returncode == 130, shown
    assert out == ""
    told = rb"(\d+) of \d+ runs are done and kept; the same command goes on from there"
    assert [int(count) for count in re.findall(told, shown)] == [kept]
    assert len(shell.files("results/reproduce/runs/star-16-*/summary.json")) == kept
