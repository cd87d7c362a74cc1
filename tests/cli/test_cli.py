"""The program itself, as users call it."""

import io
import json
import os
import re
import signal
import subprocess
import sys

import incast
import pytest
import scenarios
from incast.cli import messages, parser, streams
from shell import PROGRAM, Shell
from test_importing import CONFIG, FLOWS, MATRIX, TOPOLOGY


@pytest.fixture
def shell(tmp_path):
    for name in ("STAR", "ENDLESS"):
        (tmp_path / f"{name.lower()}.toml").write_text(getattr(scenarios, name))
    return Shell(tmp_path)


def test_run(shell):
    text = shell.process("run", "star.toml")
    assert "star: hpcc, profile default, seed 1" in text
    assert "fingerprint" in text
    (folder,) = shell.files("results/star-*")
    assert sorted(file.name for file in folder.iterdir()) == [
        "checksums.json",
        "flows.parquet",
        "ports.parquet",
        "report.html",
        "scenario.toml",
        "series.parquet",
        "summary.json",
    ]
    assert f"results  results/{folder.name}\n" in text


def test_run_again_runs_nothing(shell):
    first = shell("run", "star.toml")
    (report,) = shell.files("results/*/report.html")
    written = report.stat().st_mtime_ns
    again = shell("run", "star.toml")
    assert "was run before; --force runs it again" in again
    assert first.split("\n\n")[:3] == again.split("\n\n")[:3]
    assert report.stat().st_mtime_ns == written
    assert "was run before" not in shell("run", "star.toml", "--force")
    assert report.stat().st_mtime_ns > written


def test_run_options(shell):
    shell(
        "run", "star.toml", "--seed", 7, "--cc", "none", "--no-report", "--out", "here", "--quiet"
    )
    summary = json.loads((shell.folder / "here" / "summary.json").read_text())
    assert (summary["seed"], summary["algorithm"]) == (7, "none")
    assert not (shell.folder / "here" / "report.html").exists()


def test_run_on_threads(shell):
    texts = [shell("run", "star.toml", "--threads", n, "--out", n) for n in (1, 2)]
    one, two = (re.search(r"fingerprint .*", text).group() for text in texts)
    assert one == two


def test_a_run_that_cannot_be_divided_says_so(shell, monkeypatch, capsys):
    from incast import cli

    monkeypatch.chdir(shell.folder)
    assert cli.main(["run", "star.toml", "--threads", "2", "--set", "measure.packets=true"]) == 0
    assert "note: the scenario runs on one thread: it traces packets\n" in capsys.readouterr().err


def test_run_set(shell):
    shell(
        "run", "star.toml", "--set", "traffic.0.sizes=7KB", "--set", "run.name=small", "--out", "a"
    )
    summary = json.loads((shell.folder / "a" / "summary.json").read_text())
    assert summary["name"] == "small"
    assert summary["fct_slowdown"]["by_size"][0]["to_bytes"] == 10_000


def test_a_setting_of_the_algorithm_that_is_named_beside_it(shell):
    text = shell("run", "star.toml", "--cc", "hpcc", "--set", "cc.target_utilisation=0.9")
    assert "star: hpcc" in text


def test_compare(shell):
    text = shell.process("compare", "star.toml", "--cc", "hpcc,none", "--set", "run.seed=2")
    header = next(line for line in text.splitlines() if "hpcc" in line and "none" in line)
    assert header.split() == ["hpcc", "none"]
    (report,) = shell.files("results/*.html")
    assert report.name == "star-hpcc-vs-none.html"
    assert len(shell.files("results/star-*/summary.json")) == 2


def test_algorithms_that_are_named_one_by_one_are_all_compared(shell):
    arguments = ["--cc", "hpcc", "--cc", "none,hpcc", "--no-report", "--json"]
    runs = json.loads(shell("compare", "star.toml", *arguments))["runs"]
    assert [*runs] == ["hpcc", "none"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cc", "hpcc", "--cc", "none"], "argument --cc: is given twice: `hpcc` and `none`;"),
        (["--seed", "0", "--seed", "2"], "argument --seed: is given twice: `0` and `2`; leave"),
        (
            ["--seed", "1", "--set", "run.seed=2"],
            "--set run.seed: the seed is given twice: it is 1",
        ),
    ],
)
def test_what_takes_one_value_is_given_once(shell, arguments, message):
    assert shell("run", "star.toml", *arguments, code=2).startswith(f"error: {message}")
    assert not shell.files("results/*")


def test_importing_takes_one_algorithm(shell):
    arguments = ("import", "htsim", "a.cm", "--cc", "hpcc", "--cc", "none")
    assert "argument --cc: is given twice: `hpcc` and `none`" in shell(*arguments, code=2)


def test_names_that_are_given_one_by_one():
    attacks = ["compare", "a.toml", "--attack", "none", "--attack", "parallel,none"]
    assert parser().parse_args(attacks).attack == ["none", "parallel"]
    figures = ["reproduce", "hpcc", "--only", "a,b", "--only", "c"]
    for _ in range(2):
        # The default, an empty list, stays empty.
        assert parser().parse_args(figures).only == ["a", "b", "c"]
    assert parser().parse_args(["reproduce", "hpcc"]).only == []


@pytest.mark.parametrize("command", ["run", "compare"])
def test_an_algorithm_that_is_named_twice_is_refused(shell, command):
    """Columns named by `--cc` would hold the numbers of another algorithm."""
    arguments = ["star.toml", "--cc", "hpcc", "--set", "cc.algorithm=dcqcn"]
    text = shell(command, *arguments, code=2)
    assert text.startswith("error: --set cc.algorithm: the congestion control is given twice: ")
    assert not shell.files("results/*")


def test_parameters_reach_the_algorithms_that_are_compared(shell):
    """`--cc` drops parameters of the previous algorithm, but not those given with `--set`."""
    shell("compare", "star.toml", "--cc", "hpcc,dcqcn", "--set", "cc.additive_increase=1Gbps")
    written = [file.read_text() for file in shell.files("results/star-*/scenario.toml")]
    assert ['additive_increase = "1Gbps"' in text for text in written] == [True, True]


def test_compared_runs_are_told_where_their_report_cannot_be_written(shell):
    (shell.folder / "results/star-hpcc-vs-none.html").mkdir(parents=True)
    done = subprocess.run(
        [*PROGRAM, "compare", "star.toml", "--cc", "hpcc,none"],
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout.startswith("star\n")
    assert "[none]" in done.stdout
    assert "error: results/star-hpcc-vs-none.html: Is a directory" in done.stderr


def test_a_sweep_that_cannot_be_stored_is_on_the_screen(shell):
    (shell.folder / "study.toml").write_text(
        'scenario = "star.toml"\nmeasure = ["fct.p50"]\n[vary]\nseed = [1, 2]\n'
    )
    (shell.folder / "out/index.html").mkdir(parents=True)
    done = subprocess.run(
        [*PROGRAM, "sweep", "study.toml", "--out", "out"],
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert "fct.p50" in done.stdout
    assert "error: out" in done.stderr


def test_checks_begin_where_their_page_can_be_written(shell):
    text = shell("check-algorithm", "dctcp", "--out", "star.toml/checks", code=2)
    assert text.startswith("error: star.toml: is a file; nothing can be stored below it")


def test_checks_are_on_the_screen_before_their_page_is_written(shell):
    (shell.folder / "results/check-hpcc/index.html").mkdir(parents=True)
    done = subprocess.run(
        [*PROGRAM, "check-algorithm", "hpcc", "--quiet"],
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert "\n\nhpcc " in done.stdout


def test_compare_scenarios_with_a_baseline(shell):
    for name, size in {"small": "1KB", "large": "1MB"}.items():
        text = scenarios.STAR.replace("100KB", size)
        (shell.folder / f"{name}.toml").write_text(text)
    text = shell("compare", "small.toml", "large.toml", "--baseline", "small")
    rows = dict(re.findall(r"^(\S.*?) {2,}(\S.*)$", text.partition("against small")[2], re.M))
    assert rows["FCT slowdown, p50"].startswith(("+", "×"))
    (report,) = shell.files("results/*.html")
    assert report.name == "comparison-small-vs-large.html"
    assert "Key figures against small" in report.read_text()
    folders = shell.files("results/*/summary.json")
    again = ["report", *(file.parent for file in folders), "-o", "again.html"]
    shell(*again, "--baseline", "small")
    assert "against small" in (shell.folder / "again.html").read_text()
    assert "did you mean `small`" in shell(*again, "--baseline", "smal", code=2)


def test_show_a_scenario(shell):
    text = shell("show", "star.toml")
    assert "\n# incast: all hosts to host 4, 100 KB each, 2 every 20 µs\n" in text
    assert text.startswith("# star: hpcc, profile default, seed 1\n# 5 hosts, 1 switch, 5 links;")
    assert "[network.buffer]" in text
    # The output of `show` is itself a scenario, with the same identity.
    (shell.folder / "shown.toml").write_text(text)
    identity = re.search("identity .*", text)[0]
    assert identity in shell("show", "shown.toml")


def test_show_results(shell):
    table = shell("run", "star.toml", "--out", "here").split("\n\nresults")[0]
    assert shell("show", "here").strip() == table.strip()


def test_show_names_files_that_are_torn(shell):
    shell("run", "star.toml", "--out", "here", "--no-report")
    series = shell.folder / "here" / "series.parquet"
    series.write_bytes(b"")
    said = shell("show", "here", code=2)
    assert said.startswith("error: here/series.parquet: differs from what was written;")
    series.unlink()
    assert shell("show", "here", code=2).startswith("error: here/series.parquet: cannot read: ")


def test_list(shell):
    text = shell.process("list")
    assert [line for line in text.splitlines() if line and line[0] != " "] == [
        "algorithms",
        "parts",
        "balancers",
        "topologies",
        "traffic",
        "workloads",
        "profiles",
        "charts",
        "measures",
    ]
    assert "hpcc" in shell("list", "algorithms")
    assert "fb-hadoop" not in shell("list", "algorithms")


def test_schema(shell):
    assert len(json.loads(shell("schema"))["oneOf"]) == 2


def test_report_and_plot(shell):
    shell("run", "star.toml", "--out", "a", "--no-report")
    shell("run", "star.toml", "--out", "b", "--cc", "none", "--no-report")
    assert shell("report", "a") == "a/report.html\n"
    assert shell("report", "a", "b", "-o", "both.html") == "both.html\n"
    assert shell("report", "a", "b", "--separate") == "report.html\n"
    assert '<nav><a href="#section-0">hpcc</a>' in (shell.folder / "report.html").read_text()
    files = shell("plot", "a", "--format", "svg").split()
    assert "a/figures/queue.svg" in files
    assert all((shell.folder / file).exists() for file in files)
    assert "together/jain.png" in shell("plot", "a", "b", "-o", "together")


def test_a_report_with_a_baseline_needs_a_run_beside_it(shell):
    for name in "ab":
        shell("run", "star.toml", "--out", name, "--no-report", "--quiet")
    text = shell("report", "a", "b", "--separate", "--baseline", "1: star", code=2)
    assert "--separate draws each run by itself" in text
    assert "`star` is the only run" in shell("report", "a", "--baseline", "star", code=2)
    assert shell.files("**/report.html") == []


def test_import(shell):
    for name, text in {"topology": TOPOLOGY, "flows": FLOWS, "config": CONFIG}.items():
        (shell.folder / f"{name}.txt").write_text(text)
    account = shell("import", "hpcc-ns3", "config.txt", "-o", "scenario.toml")
    assert re.search(r"^7 +CC_MODE +3 +used:", account, re.M)
    shell("run", "scenario.toml", "--no-report")
    assert "[network]" in shell("import", "hpcc-ns3", "config.txt")
    (shell.folder / "m.cm").write_text(MATRIX)
    shell("import", "htsim", "m.cm", "--topology", "star", "--start-unit", "us", "-o", "m.toml")
    assert "1 flow expected" in shell("show", "m.toml")


def test_an_import_replaces_no_scenario_that_was_changed(shell):
    (shell.folder / "m.cm").write_text(MATRIX)
    importing = ("import", "htsim", "m.cm", "--topology", "star", "--start-unit", "us")
    for _ in range(2):
        shell(*importing, "-o", "m.toml")
    whole = (shell.folder / "m.toml").read_text()
    (shell.folder / "m.toml").write_text(f"{whole}# changed\n")
    error = shell(*importing, "-o", "m.toml", code=2)
    assert error.startswith("error: m.toml: exists already; take another name, or replace it")
    assert (shell.folder / "m.toml").read_text() == f"{whole}# changed\n"
    shell(*importing, "-o", "m.toml", "--force")
    assert (shell.folder / "m.toml").read_text() == whole
    shell("run", "star.toml", "--out", "here", "--no-report")
    error = shell(*importing, "-o", "here/scenario.toml", "--force", code=2)
    assert error.startswith("error: here/scenario.toml: belongs to the results in its folder")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("blah", "cc.algorithm: unknown algorithm `blah`; available: "),
        ("hpc", "cc.algorithm: unknown algorithm `hpc`; did you mean `hpcc`?"),
        ("external", "cc.algorithm: the algorithm has no file; write algorithm = "),
    ],
)
def test_an_import_knows_the_algorithm(shell, name, message):
    (shell.folder / "m.cm").write_text(MATRIX)
    importing = ("import", "htsim", "m.cm", "--topology", "star", "--start-unit", "us")
    assert shell(*importing, "--cc", name, "-o", "m.toml", code=2).startswith(f"error: {message}")
    assert not shell.files("m.toml")
    shell(*importing, "--cc", "hpcc+vai+sf", "-o", "m.toml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "argument COMMAND: invalid choice: 'fly'"),
        (["rnu"], "argument COMMAND: unknown `rnu`; did you mean `run`? see `incast --help`"),
        (["list", "algorithm"], "argument KIND: unknown `algorithm`; did you mean `algorithms`?"),
        (["run"], "the following arguments are required: scenario; see `incast run --help`"),
        (
            ["run", "star.toml", "--load", "0.7"],
            "unrecognized arguments: --load 0.7; settings of the scenario go after --set, e.g. "
            "--set traffic.0.load=0.7; see `incast run --help`",
        ),
        (["schema", "--load", "1"], "unrecognized arguments: --load 1; see `incast --help`"),
        (["run", "nope.toml"], "nope.toml: no such file; in . there are broken.toml"),
        (["run", "star.toml", "--seed", "x"], "argument --seed: `x` is not a seed;"),
        (["run", "star.toml", "--seed", str(2**63)], "argument --seed: `9223372036854775808` is"),
        (["run", "star.toml", "--seed", "-1"], "argument --seed: `-1` is not a seed;"),
        (["run", "star.toml", "--threads", "9" * 20], f"argument --threads: `{'9' * 20}` is not a"),
        (["run", "star.toml", "--threads", "0"], "argument --threads: `0` is not a number of"),
        (["reproduce", "fncc", "--jobs", "9" * 20], f"argument --jobs: `{'9' * 20}` is not a"),
        (["run", "star.toml", "--cc", ""], "argument --cc: names nothing"),
        (["run", "star.toml", "--out", "."], ".: is the current folder, or holds it, and would"),
        (["run", "star.toml", "--out", "/"], "/: is the current folder, or holds it, and would"),
        (["run", "star.toml", "--set", "x"], "argument --set: `x` is not KEY=VALUE"),
        (["run", "star.toml", "--set", "cc.eta=1"], "--set cc.eta: unknown key `eta`;"),
        (["run", "star.toml", "--cc", "hpc"], "cc.algorithm: unknown algorithm `hpc`;"),
        (["run", "star.toml", "--out", "star.toml"], "star.toml: exists and is not a results"),
        (["run", "star.toml", "--out", "star.toml/here"], "star.toml: is a file; nothing can be"),
        (["run", "star.toml", "--out", "star.toml/so/deep"], "star.toml: is a file; nothing can"),
        (["compare", "star.toml"], "compare what?; give --cc"),
        (["compare", "star.toml", "--cc", ","], "argument --cc: names nothing"),
        (["show", "empty"], "empty/summary.json: no such file; a results folder is what"),
        (["list", "hosts"], "argument KIND: invalid choice: 'hosts'"),
        (["plot", "empty"], "empty/summary.json: no such file"),
        (["plot", "empty", "--format", "gif"], "argument --format: unknown format `gif`"),
        (["report", "nope"], "nope/summary.json: no such file"),
        (["import", "hpcc-ns3", "nope.txt"], "nope.txt: "),
        (["import", "htsim", "nope.cm"], "nope.cm: "),
    ],
)
def test_mistakes_are_one_paragraph_and_exit_code_2(shell, arguments, message):
    (shell.folder / "empty").mkdir()
    (shell.folder / "broken.toml").write_text("[cc\n")
    said = shell(*arguments, code=2)
    assert said.startswith(f"error: {message}")
    assert said.count("\n") == 1


def test_a_wrong_line_is_shown_with_a_mark(shell):
    file = shell.folder / "star.toml"
    text = file.read_text()
    file.write_text(text.replace('"hpcc"', '"hpc"'))
    number = text.splitlines().index('algorithm = "hpcc"') + 1
    said = shell("run", "star.toml", code=2).splitlines()
    assert said[0].startswith(f"error: star.toml:{number}: cc.algorithm: unknown algorithm `hpc`")
    assert said[1:] == [f'{number:>4} | algorithm = "hpc"', "     |              ^^^"]


def test_incast_alone_says_what_there_is(shell):
    said = shell(code=2)
    assert said.startswith("usage: incast")
    assert "check-algorithm" in said


def test_a_report_that_was_cut_is_written_again(shell):
    """A report may be cut by a full disk."""
    shell("run", "star.toml", "--out", "here")
    report = shell.folder / "here" / "report.html"
    whole = report.read_bytes()
    report.write_bytes(whole[:1000])
    shell("run", "star.toml", "--out", "here")
    assert report.read_bytes() == whole
    assert [file.name for file in shell.files("here/.*")] == []


def test_results_are_told_where_their_report_cannot_be_written(shell):
    shell("run", "star.toml", "--no-report", "--out", "here")
    os.mkfifo(shell.folder / "here" / "report.html")
    done = subprocess.run(
        [*PROGRAM, "run", "star.toml", "--out", "here"],
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "results  here (was run before; --force runs it again)" in done.stdout
    assert "here/report.html: is no regular file; remove it" in done.stderr
    assert "no report was written; `incast report here` writes one" in done.stderr


def test_a_report_of_many_runs_has_a_name_of_sane_length(shell):
    text = shell("compare", "star.toml", "--cc", "hpcc,none", "--set", f"run.name={'n' * 200}")
    report = shell.files("results/*.html")
    assert len(report) == 1
    assert len(report[0].name) < 160
    assert str(report[0].relative_to(shell.folder)) in text


def test_dollar_signs_in_names_are_no_formulas(shell):
    for name in ("$x^{bad$", "$y_{bad$"):
        shell("run", "star.toml", "--set", f"run.name={name}", "--out", name[1], "--no-report")
    assert "figures/slowdown.svg" in shell("plot", "x", "y", "--format", "svg")


def test_figures_do_not_go_where_a_file_is(shell):
    shell("run", "star.toml", "--out", "here", "--no-report")
    for place in ("star.toml", "star.toml/figures"):
        said = shell("plot", "here", "--out", place, code=2)
        assert said.startswith("error: star.toml: is a file; nothing can be stored below it;")


def test_a_failed_run_has_exit_code_1(monkeypatch, capsys, shell):
    from incast import cli

    def fail(*arguments, **options):
        raise incast.RunError("star (seed 1): switch 17 lost a packet")

    monkeypatch.setattr(incast, "run", fail)
    monkeypatch.chdir(shell.folder)
    assert cli.main(["run", "star.toml"]) == 1
    assert capsys.readouterr().err == "error: star (seed 1): switch 17 lost a packet\n"


def test_a_defect_of_ours_asks_for_a_report(monkeypatch, capsys, shell):
    from incast import _core, cli

    monkeypatch.setattr(_core, "schema", lambda: 1 // 0)
    monkeypatch.setattr(cli, "address_space_limit", lambda: None)
    assert cli.main(["schema"]) == 1
    assert "this is a defect of incast, please report it" in capsys.readouterr().err


def test_a_package_that_is_not_installed_is_named(monkeypatch, capsys, shell):
    """A missing module of incast itself is a defect of incast."""
    from incast import _core, cli

    def missing(name):
        def fail():
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        return fail

    monkeypatch.setattr(_core, "schema", missing("matplotlib.figure"))
    assert cli.main(["schema"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: the Python package 'matplotlib' is not installed"), said
    assert "install incast anew" in said
    assert "defect" not in said
    monkeypatch.setattr(cli, "address_space_limit", lambda: None)
    for name in ("incast.nothing", None):
        monkeypatch.setattr(_core, "schema", missing(name))
        assert cli.main(["schema"]) == 1
        assert "this is a defect of incast" in capsys.readouterr().err


def test_what_fails_under_a_limit_of_addresses_may_lack_them(monkeypatch, capsys, shell):
    """Errors about threads that do not start and modules that do not load do not mention memory."""
    from incast import _core, cli

    def fail():
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_core, "schema", fail)
    monkeypatch.setattr(cli, "address_space_limit", lambda: 54_000 * 1024)
    assert cli.main(["schema"]) == 1
    said = capsys.readouterr().err
    assert "can't start new thread); the addresses of this process (ulimit -v 54000) may be" in said
    # Other errors do not suggest a lack of memory.
    monkeypatch.setattr(_core, "schema", lambda: {}["x"])
    assert cli.main(["schema"]) == 1
    assert "(KeyError: 'x'); this is a defect of incast" in capsys.readouterr().err


def test_a_lack_of_memory_is_told_as_such(monkeypatch, capsys, shell):
    from incast import _core, cli

    def fail():
        raise MemoryError

    monkeypatch.setattr(_core, "schema", fail)
    assert cli.main(["schema"]) == 1
    assert "error: there is too little memory (MemoryError)" in capsys.readouterr().err


def test_a_lack_of_memory_is_no_defect(monkeypatch, capsys, shell):
    from incast import _core, cli

    def fail():
        raise MemoryError("Unable to allocate 7.63 MiB")

    monkeypatch.setattr(_core, "schema", fail)
    assert cli.main(["schema"]) == 1
    told = "error: there is too little memory (Unable to allocate 7.63 MiB)\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_keeps_what_is_finished(shell, number):
    ours, theirs = os.openpty()
    program = subprocess.Popen(
        [*PROGRAM, "run", "endless.toml", "--out", "part"],
        cwd=shell.folder,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    while b"simulated" not in shown:
        shown += os.read(ours, 1000)
    program.send_signal(number)
    out, _ = program.communicate(timeout=300)
    assert program.returncode == 128 + number, shown
    assert "Interrupted at" in out
    assert json.loads((shell.folder / "part" / "summary.json").read_text())["partial"]
    assert '<p class="warning">' in (shell.folder / "part" / "report.html").read_text()


VALIDATION = """
import _thread, threading, incast
leaf_spine = {"kind": "leaf-spine", "leaves": 16000, "spines": 4, "hosts_per_leaf": 4}
incast_of_2 = {"kind": "incast", "senders": "1-2", "receiver": 0, "sizes": "1KB"}
threading.Timer(0.5, _thread.interrupt_main).start()
try:
    incast.Scenario(
        {"network": {"topology": leaf_spine}, "cc": {"algorithm": "none"}, "traffic": [incast_of_2]}
    )
except KeyboardInterrupt:
    print("interrupted")
"""
"""64,000 hosts, whose routes take a minute or more to compute."""


def test_ctrl_c_ends_validation():
    program = [sys.executable, "-c", VALIDATION]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.stdout == "interrupted\n", done.stderr


def redirected(shell, command, redirections):
    """The exit code of a command, and its messages."""
    line = f"exec {sys.executable} -m incast {command} {redirections}"
    done = subprocess.run(line, shell=True, cwd=shell.folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


NO_OUTPUT = {">/dev/full": "No space left on device", ">&-": "it is closed"}


@pytest.mark.parametrize("redirection", NO_OUTPUT)
@pytest.mark.parametrize("command", ["show star.toml", "list", "schema", "--help"])
def test_output_that_cannot_be_written_is_an_error(shell, command, redirection):
    said = f"error: cannot write to standard output: {NO_OUTPUT[redirection]}\n"
    assert redirected(shell, command, redirection) == (1, "", said)


@pytest.mark.parametrize("redirection", NO_OUTPUT)
def test_a_run_whose_output_cannot_be_written_says_where_its_results_are(shell, redirection):
    code, _, said = redirected(shell, "run star.toml --out here", redirection)
    assert (code, said) == (
        1,
        "results  here\nreport   here/report.html\n"
        f"error: cannot write to standard output: {NO_OUTPUT[redirection]}\n",
    )
    assert (shell.folder / "here" / "report.html").exists()
    assert incast.load(shell.folder / "here").summary["flows"]["finished"]


def test_a_warning_is_written_in_one_piece(monkeypatch):
    """Warnings of concurrent runs come before or after it."""
    written = []

    class Noting(io.StringIO):
        def write(self, text):
            written.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stderr", Noting())
    messages.warn("the disk is full")
    assert written == ["warning: the disk is full\n"]


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_notes_that_cannot_be_written_end_nothing(shell, redirection):
    thinned = "star.toml --set measure.rows=1000 --set traffic.0.sizes=10MB --threads 2"
    traced = "--set measure.packets=true"
    assert "note: " in redirected(shell, f"run {thinned} {traced}", "")[2]
    for command in (f"run {thinned} {traced} --force", f"compare {thinned} --cc hpcc,none"):
        code, text, said = redirected(shell, command, redirection)
        assert (code, said) == (0, "")
        assert "report   results" in text
    code, text, _ = redirected(shell, "run nothing.toml", redirection)
    assert (code, text) == (2, "")


def test_control_characters_of_paths_are_escaped(shell):
    text = shell("run", "star.toml", "--out", "a\n\x1b[31mred")
    assert "results  a\\n\\u{1b}[31mred\n" in text
    assert "report   a\\n\\u{1b}[31mred/report.html\n" in text
    long = "/".join(["x" * 200] * 4)
    assert f"results  {long}\n" in shell("run", "star.toml", "--out", long)


def test_a_terminal_without_a_character_for_micro(shell):
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [*PROGRAM, "run", "star.toml", "--no-report"],
        cwd=shell.folder,
        env={**os.environ, **ascii_alone},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xb5s" in done.stdout


def test_a_stream_without_thin_spaces_has_plain_ones():
    given = (
        "16\N{THIN SPACE}000 packets,\N{NO-BREAK SPACE}4\N{THIN SPACE}\N{MICRO SIGN}s \N{EN DASH}"
    )
    told = rb"16 000 packets, 4 \xb5s -"
    assert given.encode("ascii", streams.ESCAPED) == told
    assert given.encode("utf-8", streams.ESCAPED).decode() == given
    for name in ("stdout", "stderr"):
        done = subprocess.run(
            [sys.executable, "-c", PRINTING.format(given=ascii(given), name=name)],
            env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
            capture_output=True,
        )
        assert told in getattr(done, name)


PRINTING = "import sys; from incast import cli; cli.main(); print({given}, file=sys.{name})"


def test_a_current_folder_that_is_gone(shell):
    line = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m incast run {{}}"
    file = shell.folder / "star.toml"
    done = subprocess.run(
        line.format(file), shell=True, cwd=shell.folder, capture_output=True, text=True
    )
    said = "error: the current folder has been removed; change to another one\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize(
    "command",
    [
        ("run", ""),
        ("run", "star.toml", "--out", ""),
        ("show", " "),
        ("report", "here", "--out", ""),
        ("plot", "here", "--out", ""),
        ("compare", "star.toml", "--cc", ","),
        ("reproduce", "lgc", "--only", ""),
        ("import", "htsim", "matrix.cm", "--topology", ""),
    ],
)
def test_empty_arguments_name_nothing(shell, command):
    """An unset variable of a shell gives an empty argument, which must not name the current folder
    or all figures of a paper.
    """
    assert re.match(r"error: argument \S+: names nothing; see", shell(*command, code=2))


def test_reports_replace_reports_alone(shell):
    shell("run", "star.toml", "--out", "here", "--no-report")
    for taken in ("star.toml", "here/summary.json"):
        before = (shell.folder / taken).read_bytes()
        said = shell("report", "here", "--out", taken, code=2)
        assert said.startswith(f"error: {taken}: exists and is no report;")
        assert (shell.folder / taken).read_bytes() == before
    (shell.folder / "new.html").touch()
    for _ in range(2):
        shell("report", "here", "--out", "new.html")


def test_a_reader_that_goes_away_is_no_error(shell):
    done = subprocess.run(
        f"{sys.executable} -m incast schema | head -1",
        shell=True,
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("{\n", "")


AT_EXIT = """
import atexit, signal, sys
from incast.cli import program
sys.argv = ["incast", "schema"]
atexit.register(signal.raise_signal, signal.SIGINT)
program()
"""


def test_ctrl_c_while_the_program_ends_is_quiet():
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


AT_START = """
import signal, sys
from incast_program import program
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "incast.cli.schema":
            signal.raise_signal(signal.{signal})
sys.meta_path.insert(0, Interrupted())
sys.argv = ["incast", "schema"]
program()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_while_the_package_is_imported_are_quiet(name):
    program = [sys.executable, "-c", AT_START.format(signal=name)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.Signals[name], "", "")


def test_ctrl_c_while_the_package_is_imported_is_one_line():
    program = [sys.executable, "-c", AT_START.format(signal="SIGINT")]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "")
    assert done.stderr == "interrupted: nothing has begun\n"


def test_ctrl_c_is_not_lost_in_a_callback_of_an_import():
    """Python would print the exception, and go on."""
    lost = AT_START.replace(
        "            signal.raise_signal(signal.{signal})",
        "            watched, lose = Interrupted(), lambda _: signal.raise_signal(signal.SIGINT)\n"
        "            watching = weakref.ref(watched, lose)\n"
        "            del watched",
    ).replace("import signal", "import weakref, signal")
    done = subprocess.run([sys.executable, "-c", lost], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (128 + signal.SIGINT, "")
    assert done.stderr == "interrupted: nothing has begun\n"


def test_the_program_catches_ctrl_c_once_it_is_there():
    script = """
import signal
from incast_program import program
from incast import cli
cli.main = lambda: signal.raise_signal(signal.SIGINT)
program()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")


def test_silent_without_a_terminal(shell):
    done = subprocess.run(
        [*PROGRAM, "run", "star.toml"], cwd=shell.folder, capture_output=True, text=True
    )
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_progress_on_a_terminal(shell, monkeypatch):
    # A slow run has a longer line, as it has more hours left.
    monkeypatch.setenv("COLUMNS", "200")
    ours, theirs = os.openpty()
    program = subprocess.Popen(
        [*PROGRAM, "run", "endless.toml", "--no-report"],
        cwd=shell.folder,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while b"packet-hops/s" not in shown and shown.count(b"\r\x1b[K") < 20:
            shown += os.read(ours, 1000)
        program.send_signal(signal.SIGINT)
        program.wait(timeout=300)
    finally:
        program.kill()
    assert b"estimate: about " in shown
    assert b"simulated" in shown
    assert b"packet-hops/s" in shown


@pytest.mark.slow
def test_demo(shell):
    if not incast.shipped():
        pytest.skip("no scenarios are shipped yet")
    text = shell("demo", "--quiet")
    assert "star16:" in text
    assert "hadoop-320:" in text
    assert "report   results/demo/report.html" in text
    assert (shell.folder / "results/demo/report.html").stat().st_size < 2_000_000
