"""`incast nccl-tests`, as users call it."""

import csv
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import scenarios
from shell import PROGRAM, Shell, given, rest


@pytest.fixture
def shell(tmp_path, monkeypatch):
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "fabric.toml").write_text(
        '[fabric]\nendpoints = 16\n[control]\nscheme = "none"\n'
        '[[work]]\nkind = "all-reduce"\nsize = "16KiB"\n'
    )

    monkeypatch.setenv("COLUMNS", "100")
    return Shell(tmp_path, "nccl-tests")


def test_the_table(shell):
    text = shell.process("all_reduce_perf", "-b", 8, "-e", "128", "-f", 4, "-g", 8)
    lines = text.splitlines()
    assert lines[0] == "all-reduce (ring), 8 ranks, hpcc; 1 operation of each size"
    assert lines[1] == "network: 8 hosts on one switch, 400Gbps, links of 500ns, MTU 4KiB"
    columns = ["size", "(B)", "count", "(elements)", "type", "redop", "root", "time", "(us)"]
    assert lines[4].split() == [*columns, "algbw", "(GB/s)", "busbw", "(GB/s)"]
    rows = [line.split() for line in lines[6:9]]
    assert [row[:5] for row in rows] == [
        ["8", "2", "float", "sum", "-1"],
        ["32", "8", "float", "sum", "-1"],
        ["128", "32", "float", "sum", "-1"],
    ]
    assert lines[-1].startswith("Avg bus bandwidth: ")
    assert not list(shell.folder.glob("results*"))


def test_files(shell):
    text = shell(
        *("broadcast", "-b", "1K", "-e", "4K", "--ranks", 4, "--algorithm", "ring,tree"),
        *("--csv", "rows.csv", "--plot", "busbw.svg", "--out", "kept", "--cc", "none"),
    )
    assert text.endswith("results  kept\ncsv      rows.csv\nfigure   busbw.svg\n")
    with (shell.folder / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["algorithm"], row["size_bytes"]) for row in rows] == [
        (algorithm, size) for algorithm in ("ring", "tree") for size in ("1024", "2048", "4096")
    ]
    assert "payload rate of a host" in (shell.folder / "busbw.svg").read_text()
    assert len(list(shell.folder.glob("kept/nccl-tests-broadcast-tree-*/summary.json"))) == 3


def test_json(shell):
    arguments = ("alltoall", "star.toml", "-b", 64, "-e", "1K", "--cc", "hpcc,dctcp", "--json")
    found = json.loads(shell(*arguments))
    assert (found["operation"], found["ranks"]) == ("all-to-all", 5)
    assert [each["label"] for each in found["series"]] == ["hpcc", "dctcp"]
    # Each of 5 ranks has a part, a multiple of 16 B: 64 B are too few for that.
    assert [row["size_bytes"] for row in found["series"][0]["rows"]] == [80, 240, 480, 960]
    assert set(found["series"][0]["rows"][0]) == {
        *("size_bytes", "count", "time_us", "algbw_gb_per_s", "busbw_gb_per_s", "critical_path"),
    }


def test_what_is_left_out_is_noted(shell):
    said = given("nccl-tests", "all-gather", "--ranks", "8", "-e", "256")
    assert "note: sizes up to 64 B round to nothing and are left out" in said.err


def test_settings_reach_every_run(shell):
    slow = shell("reduce", "-b", 64, "-e", 64, "-g", 4, "--set", "network.link_delay=10us")
    # Three steps along a chain, of two links each.
    assert float(slow.splitlines()[6].split()[5]) == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["all-reduc"], "OPERATION: unknown operation `all-reduc`; did you mean `all-reduce`?"),
        (["all-reduce", "-b", "8", "-e", "4"], "--maxbytes: `4` is less than the smallest size"),
        (["all-reduce", "-b", "1Q"], "--minbytes: `1Q` is not a size; write e.g. 8, 32M"),
        (["all-reduce", "-f", "1"], "--stepfactor: with a factor of 1 no size is larger"),
        (["all-reduce", "-i", "1"], "--stepbytes: there are more than 1000 sizes"),
        (["all-reduce", "-g", "1"], "--ranks: a collective has two ranks or more"),
        (["all-reduce", "star.toml", "-g", "9"], "--ranks: 9 ranks need a host each"),
        (["all-reduce", "star.toml", "--hosts", "0,9"], "--hosts: host 9 does not exist"),
        (["all-reduce", "fabric.toml"], "SCENARIO: it is of a memory fabric"),
        (["all-to-all", "--algorithm", "tree"], "--algorithm: "),
        (["all-reduce", "--algorithm", "hierarchical"], "--node-size: "),
        (["all-reduce", "--chunk", "x"], "--chunk: `x` is not a size"),
        (["all-reduce", "--rings", "none"], "--rings: "),
        (["all-reduce", "-n", "0"], "--iters: `0` operations cannot be timed"),
        (["all-reduce", "-w", "-1"], "--warmup_iters: `-1` is not a number of operations"),
        (["all-reduce", "-d", "flat"], "--datatype: unknown type `flat`; did you mean `float`?"),
        (["reduce", "-r", "64"], "--root: there is no rank 64"),
        (["all-reduce", "--set", "network.fo=1"], "--set network.fo: unknown key `fo`"),
        (["all-reduce", "--plot", "a.jpg"], "argument --plot: `a.jpg` does not end in .png"),
        (["all-reduce", "nowhere.toml"], "nowhere.toml: no such file"),
        (
            ["all-reduce", "--set", "traffic.0.operation=all-gather"],
            "--set traffic.0.operation: labels and bandwidths are computed from what an option "
            "says; give OPERATION, in Python operation",
        ),
        (["all-reduce", "--set", "traffic.0.data=1B"], "--set traffic.0.data: labels and"),
        (["all-reduce", "--set", "traffic[0].hosts=0-1"], "--set traffic[0].hosts: labels and"),
        (["all-reduce", "--set", "traffic.0.rounds=5"], "--set traffic.0.rounds: labels and"),
        (["all-reduce", "--set", "traffic.0.root=1"], "--set traffic.0.root: labels and"),
        (["all-reduce", "--set", "traffic.0.algorithm=tree"], "--set traffic.0.algorithm: labels"),
        (["all-reduce", "--set", "traffic.0.cc=dcqcn"], "--set traffic.0.cc: labels and"),
        (["all-reduce", "--set", "traffic.1.kind=tasks"], "--set traffic.1.kind: the traffic is"),
        (["all-reduce", "--set", "traffic=[]"], "--set traffic: the traffic is the one collective"),
        (
            ["all-reduce", "--cc", "hpcc,none", "--set", "cc.algorithm=dcqcn"],
            "--set cc.algorithm: the congestion control is given twice",
        ),
        (["all-reduce", "--seed", "1", "--seed", "2"], "argument --seed: is given twice: `1` and"),
        (
            ["all-reduce", "--seed", "1", "--set", "run.seed=2"],
            "--set run.seed: the seed is given twice",
        ),
        (["all-reduce", "--csv", "no/rows.csv"], "no/rows.csv: there is no folder no"),
        (["all-reduce", "--plot", "star.toml/a.svg"], "star.toml: is a file; nothing can be"),
        (["all-reduce", "--report", "."], ".: is a folder; name a file in it"),
        (["all-reduce", "--csv", "star.toml"], "star.toml: exists already; take another name"),
        (["all-reduce", "--csv", "a", "--report", "./a"], "a: --csv and --report name the same"),
    ],
)
def test_mistakes_name_the_option(shell, arguments, sentence):
    assert shell(*arguments, code=2).startswith(f"error: {sentence}")


SMALL = ("all-reduce", "-b", "1K", "-e", "1K", "--ranks", "4")


def test_further_keys_of_the_collective_reach_every_run(shell):
    shell("all-reduce", "-b", 64, "-e", 64, "-g", 4, "--out", "kept")
    slow = shell("all-reduce", "-b", 64, "-e", 64, "-g", 4, "--set", "traffic.0.compute=10us")
    # 6.02 us, and five steps with a computation after each.
    assert float(slow.splitlines()[6].split()[5]) > 50
    shell(*SMALL, "--algorithm", "hierarchical", "--set", "traffic.0.node_size=2")


def test_names_may_be_given_one_by_one(shell):
    one_by_one = ("--cc", "hpcc", "--cc", "none", "--algorithm", "ring", "--algorithm", "tree")
    together = ("--cc", "hpcc,none", "--algorithm", "ring,tree")
    assert shell(*SMALL, *one_by_one) == shell(*SMALL, *together)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_file_that_cannot_be_written_takes_nothing_else_along(shell, monkeypatch):
    monkeypatch.chdir(shell.folder)
    files = ("--csv", "/dev/full", "--plot", "a.svg", "--report", "a.html")
    said = given("nccl-tests", *SMALL, *files)
    assert said.code == 2
    assert "Avg bus bandwidth" in said.out
    assert said.out.endswith("\n\nfigure   a.svg\nreport   a.html\n")
    assert said.err.endswith("error: /dev/full: No space left on device\n")
    assert (shell.folder / "a.svg").is_file()


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--csv", "a.csv"),
        ("--plot", "a.svg"),
        ("--plot", "a.png"),
        ("--plot", "a.pdf"),
        ("--report", "a.html"),
    ],
)
def test_only_files_of_its_own_are_replaced(shell, option, name):
    file = shell.folder / name
    for _ in range(2):
        shell(*SMALL, option, name)
    file.write_text("the only copy")
    error = shell(*SMALL, option, name, code=2)
    remedy = "take another name, or replace it with --force"
    assert error == f"error: {name}: exists already; {remedy}\n"
    assert file.read_text() == "the only copy"
    shell(*SMALL, option, name, "--force")
    assert b"the only copy" not in file.read_bytes()


def test_files_of_results_are_never_replaced(shell):
    shell(*SMALL, "--out", "kept")
    (folder,) = shell.folder.glob("kept/*")
    before = (folder / "scenario.toml").read_text()
    error = shell(*SMALL, "--csv", folder / "scenario.toml", "--force", code=2)
    assert "scenario.toml: belongs to the results in its folder, which would be lost" in error
    assert (folder / "scenario.toml").read_text() == before


def test_a_table_without_any_number_is_a_failure(shell):
    error = shell(*SMALL, "--set", "run.stop=1ns", code=1)
    assert "error: no row has numbers: every run was stopped before its end" in error
    shell("all-reduce", "-b", "1K", "-e", "1G", "-f", 1048576, "-g", 4, "--set", "run.stop=1ms")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_shows_what_was_measured(shell):
    arguments = ["all-reduce", "-e", "64G", "-f", "16", "-g", "32", "--threads", "1"]
    ours, theirs = os.openpty()
    started = subprocess.Popen(
        [*PROGRAM, *shell.words, *arguments],
        cwd=shell.folder,
        env={**os.environ, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    # Some sizes are measured; the largest takes hours.
    while not re.search(rb"[1-9] of 9 runs", shown):
        shown += os.read(ours, 1000)
    started.send_signal(signal.SIGINT)
    text, _ = started.communicate(timeout=300)
    said = " ".join((shown + rest(ours)).decode().split())
    assert started.returncode == 130, said
    assert "interrupted: the runs under way end; what was measured is shown" in said
    assert "Avg bus bandwidth: " in text
    assert "–" in text
