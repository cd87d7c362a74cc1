"""The output of every command, on terminals of several widths."""

import re

import pytest
import scenarios
from incast.cli import main
from incast.toml import dumps
from test_importing import CONFIG, FLOWS, MATRIX, TOPOLOGY

WIDTHS = (60, 80, 120)
STUDY = """\
scenario = "star.toml"
measure = ["slowdown.p99", "goodput.total"]

[vary]
cc = ["hpcc", "swift:fairness", "dcqcn", "timely", "none"]
seed = [1, 2]
"""
ALGORITHMS = "hpcc,hpcc+vai+sf,swift:fairness,dcqcn,timely,dctcp,none"
SCREENS = {
    "help": [[]],
    "run": [["run", "star.toml", "--no-report"]],
    "compare": [["compare", "star.toml", "--cc", ALGORITHMS, "--no-report", "--quiet"]],
    "fabric": [["compare", "fabric.toml", "--cc", "none,3cpo,window:3", "--no-report", "--quiet"]],
    "sweep": [["sweep", "study.toml", "--quiet"], ["sweep", "study.toml", "--list"]],
    "nccl-tests": [
        ["nccl-tests", "all-reduce", "-b", "1K", "-e", "4K", "--ranks", "4", "--quiet"],
        ["nccl-tests", "broadcast", "-b", "8K", "-e", "8K", "-g", "3", "--cc", "none,hpcc"],
    ],
    "reproduce": [
        ["reproduce", "--list"],
        ["reproduce", "fairness", "--quick", "--only", "fig2,fig4", "--quiet"],
    ],
    "validate": [["validate", "ns3", "--quick", "--quiet"]],
    "check-algorithm": [["check-algorithm", "none", "--quiet"]],
    "import": [
        ["import", "hpcc-ns3", "config.txt", "-o", "a.toml"],
        ["import", "htsim", "m.cm", "--topology", "star", "--start-unit", "us", "-o", "b.toml"],
    ],
    "list": [["list"]],
    "show": [
        ["show", "star.toml"],
        ["show", "hpcc"],
        ["show", "timely"],
        ["show", "s-perc"],
        ["show", "leaf-spine"],
        ["show", "incast"],
    ],
}
SLOW = ("check-algorithm", "sweep")
"""Commands that take seconds; tested on the narrowest terminal only."""
PLACES = ("results ", "report ", "page ", "dataset ", "figures ", "scenario ")
COMMANDS = [
    "demo",
    "run",
    "compare",
    "sweep",
    "nccl-tests",
    "reproduce",
    "show",
    "list",
    "report",
    "plot",
    "explain",
    "replay",
    "export",
    "import",
    "new-algorithm",
    "check-algorithm",
    "schema",
    "completion",
    "validate",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("screens")
    files = {"topology.txt": TOPOLOGY, "flows.txt": FLOWS, "config.txt": CONFIG, "m.cm": MATRIX}
    files |= {
        "star.toml": scenarios.STAR,
        "fabric.toml": dumps(scenarios.FABRIC),
        "study.toml": STUDY,
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("screen", SCREENS)
def test_no_line_is_wider_than_the_terminal(screen, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for width in WIDTHS[:1] if screen in SLOW else WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        for arguments in SCREENS[screen]:
            main(arguments)
            out, err = capsys.readouterr()
            said = out + err
            assert len(said.splitlines()) > 2, said
            for line in said.splitlines():
                # Paths are not wrapped, so that they can be copied.
                assert len(line) <= width or line.startswith(PLACES), (arguments, line)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_every_command_has_a_screen(capsys):
    main(["--help"])
    said = capsys.readouterr().out
    assert re.findall(r"^    ([a-z-]+)\b", said, re.M) == COMMANDS


@pytest.mark.usefixtures("undrawn")
def test_verdicts_are_coloured_on_demand_only(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    arguments = ["reproduce", "fairness", "--quick", "--only", "fig2,fig4", "--quiet"]
    main(arguments)
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(arguments)
    coloured = capsys.readouterr().out
    assert "\x1b[32mholds\x1b[0m" in coloured
    assert "\x1b[33mtrend only\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    main([*arguments, "--json"])
    assert "\x1b" not in capsys.readouterr().out
    main(["run", "none.toml"])
    assert capsys.readouterr().err.startswith("\x1b[31merror:\x1b[0m none.toml: no such file")
