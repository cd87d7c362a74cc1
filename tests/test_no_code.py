"""A scenario with an algorithm in a Python file is code: where code may not run, the scenario is
refused.
"""

import json

import incast
import pytest
from incast.algorithm import without_code
from incast.cli import main

ALGORITHM = """
from pathlib import Path
from incast.algorithm import Algorithm, SendLimit

Path(__file__).with_name("ran").touch()

class Mine(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(window_bytes=10_000)
"""
SCENARIO = """
[network]
topology = { kind = "star", hosts = 3 }

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "incast"
receiver = 0
sizes = "10KB"
"""
PLACES = {
    "for all": SCENARIO.replace("hpcc", "mine.py"),
    "of an entry": SCENARIO + '[[traffic]]\nkind = "permutation"\nsizes = "10KB"\ncc = "mine.py"\n',
    "as a file": SCENARIO.replace('"hpcc"', '"external"\nfile = "mine.py"'),
}


@pytest.fixture(params=PLACES)
def stranger(tmp_path, request):
    (tmp_path / "mine.py").write_text(ALGORITHM)
    file = tmp_path / "stranger.toml"
    file.write_text(PLACES[request.param])
    return file


def has_run(stranger):
    return stranger.with_name("ran").exists()


def test_show_prints_the_scenario_and_runs_nothing(stranger, capsys):
    assert main(["show", str(stranger)]) == 0
    shown = capsys.readouterr().out
    assert stranger.read_text().strip() in shown
    # The folder's name may be of any length, and lines break after it.
    assert "never runs it" in " ".join(shown.replace("#", " ").split())
    assert main(["show", str(stranger), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["code"].endswith("mine.py")
    assert not has_run(stranger)


@pytest.mark.parametrize("command", ["run", "compare --cc dcqcn,mine.py"])
def test_no_code_refuses_it(stranger, command, capsys, monkeypatch):
    monkeypatch.chdir(stranger.parent)
    assert main([*command.split(), str(stranger), "--no-code"]) == 2
    said = capsys.readouterr().err
    assert "Python code" in said
    assert "mine.py" in said
    assert not has_run(stranger)


def test_an_algorithm_that_is_named_on_the_line_is_code_too(stranger, capsys):
    scenario = stranger.with_name("plain.toml")
    scenario.write_text(SCENARIO)
    mine = stranger.with_name("mine.py")
    assert main(["run", str(scenario), "--no-code", "--cc", str(mine)]) == 2
    assert "Python code" in capsys.readouterr().err
    assert not has_run(stranger)


def test_without_code_in_python(stranger):
    with without_code(), pytest.raises(incast.CodeError, match="Python code"):
        incast.Scenario(stranger)
    assert not has_run(stranger)
    incast.Scenario(stranger)
    assert has_run(stranger)


def test_a_study_that_names_it_is_refused_before_it_is_listed(stranger, capsys, monkeypatch):
    monkeypatch.chdir(stranger.parent)
    study = stranger.with_name("study.toml")
    study.write_text(
        'scenario = "stranger.toml"\nmeasure = ["goodput.total"]\n[vary]\nseed = [1, 2]\n'
    )
    assert main(["sweep", str(study), "--no-code", "--list"]) == 2
    assert "Python code" in capsys.readouterr().err
    assert not has_run(stranger)
