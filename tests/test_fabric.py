"""Scenarios of the memory fabric: from text to results, and from the command line."""

import json

import pytest
from incast.cli import main
from incast.errors import RunError, ScenarioError
from incast.fabric import is_fabric, run_fabric

SMALL = {
    "fabric": {"endpoints": 64},
    "control": {"scheme": "3cpo"},
    "group": [{"members": [0, 1, 8, 9]}],
    "work": [{"kind": "transactions", "count": 4}],
}


def test_a_run_has_operations_and_figures():
    results = run_fabric(SMALL)
    # 4 members, 4 transactions of 2 operations.
    assert len(results.operations) == 32
    assert results.summary["initiators"] == 4
    assert "effective bandwidth" in results.table()


def test_results_are_the_same_on_two_threads():
    one, two = (run_fabric(SMALL, threads=threads) for threads in (1, 2))
    assert one.summary["fingerprint"] == two.summary["fingerprint"]


def test_settings_replace_what_the_scenario_says():
    results = run_fabric(SMALL, settings=[("work.0.count", "1")])
    assert len(results.operations) == 8


def test_a_mistake_has_its_place():
    wrong = {**SMALL, "group": [{"members": [3]}]}
    with pytest.raises(ScenarioError, match="a group of 1") as caught:
        run_fabric(wrong)
    assert caught.value.key == "group[0].members"


def test_a_deadlock_is_an_error():
    full = {
        "fabric": {
            "endpoints_per_tor": 4,
            "tors": 2,
            "cores": 1,
            "lanes": 4,
            "table_entries": 4,
            "reserve": "path",
        },
        "control": {"scheme": "rate-limit"},
        "work": [{"kind": "reads", "count": 40}],
    }
    with pytest.raises(RunError, match="waits for switch 1"):
        run_fabric(full)


def test_the_command_line_knows_a_fabric(tmp_path, capsys):
    file = tmp_path / "small.toml"
    file.write_text(
        '[fabric]\nendpoints = 64\n[control]\nscheme = "3cpo"\n'
        '[[work]]\nkind = "all-reduce"\nsize = "64KiB"\n'
    )
    assert is_fabric(file)
    out = tmp_path / "results"
    assert main(["run", str(file), "--out", str(out), "--cc", "3cpo-repaired"]) == 0
    assert "busbw" in capsys.readouterr().out
    summary = json.loads((out / "summary.json").read_text())
    assert summary["scheme"] == "3cpo-repaired"


def test_a_scenario_is_of_one_kind(tmp_path):
    file = tmp_path / "both.toml"
    file.write_text("[network]\n[fabric]\n")
    with pytest.raises(ScenarioError, match="not both") as caught:
        is_fabric(file)
    assert caught.value.line == 2
