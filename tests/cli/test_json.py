"""`--json` of run, compare, show and list; `show` of an algorithm."""

import json
from pathlib import Path

import incast
import pytest
import scenarios
from incast.cli import main

TEMPLATE = Path(incast.__file__).parent / "templates" / "algorithm.py"


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """The JSON output of a command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)

    def of(*arguments):
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return of


def test_runs(said):
    first = said("run", "star.toml", "--quiet")
    assert first["summary"] == incast.load(first["folder"]).summary
    assert Path(first["report"]).is_file()
    assert [first["reused"], said("run", "star.toml", "--no-report")["reused"]] == [False, True]
    assert said("show", first["folder"])["identity"] == first["summary"]["identity"]
    compared = said("compare", "star.toml", "--cc", "none,swift", "--quiet")
    assert list(compared["runs"]) == ["none", "swift"]
    assert Path(compared["report"]).is_file()


def test_scenarios_and_names(said):
    shown = said("show", "star.toml")
    scenario = incast.Scenario("star.toml")
    assert shown["identity"] == scenario.identity
    assert shown["scenario"] == scenario.to_dict()
    assert said("list", "parts") == {"parts": incast.parts()}
    assert set(said("list")) >= {"algorithms", "topologies", "charts"}


@pytest.mark.parametrize("name", sorted(incast.algorithms()))
def test_algorithms_are_shown_with_every_parameter(name, capsys):
    assert main(["show", name]) == 0
    shown = capsys.readouterr().out
    title, _ = shown.split("\n\n", 1)
    assert " ".join(title.split()) == f"{name}: {incast.algorithms()[name]}"
    assert main(["show", name, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(each["meaning"] for each in found["parameters"])
    assert [each["name"] for each in found["sets"]] == list(incast.parameter_sets(name))
    assert all(each["differs"] for each in found["sets"][1:])
    fixed = [each["key"] for each in found["parameters"] if each["default"] is not None]
    others = [each["key"] for each in found["parameters"] if each["default"] is None]
    assert all(f"  {key} = " in shown for key in fixed)
    assert all(f"  {key} (no fixed default)\n" in shown for key in others)


def test_parameters_without_a_fixed_default_are_shown_too(said):
    found = said("show", "s-perc")
    assert {"round", "threshold"} <= {each["key"] for each in found["parameters"]}
    assert found["parts"] == ["1rc", "weights"]


def test_topologies_traffic_and_workloads_are_shown_with_every_key(said, capsys):
    keys = {each["key"]: each for each in said("show", "leaf-spine-144")["keys"]}
    assert keys["leaves"]["default"] == "9"
    assert keys["host_rate"]["default"] == '"10Gbps"'
    poisson = {each["key"]: each["default"] for each in said("show", "poisson")["keys"]}
    assert [poisson["load"], poisson["start"], poisson["count"]] == ["must be given", '"0s"', None]
    reps = {each["key"]: each["default"] for each in said("show", "reps")["keys"]}
    assert reps["entropies"] == "64"
    assert said("show", "web-search")["summary"] == incast.workloads()["web-search"]
    for name in [*incast.topologies(), *incast.traffic_kinds(), *incast.balancers()]:
        assert all(each["meaning"] for each in said("show", name)["keys"])
        assert main(["show", name]) == 0
        assert capsys.readouterr().out.startswith(f"{name}: ")


def test_algorithms_of_ones_own_are_shown(said):
    found = said("show", str(TEMPLATE))
    keys = {each["key"]: each["default"] for each in found["parameters"]}
    assert keys == {"additive_increase": "1 packet", "beta": 0.5}
