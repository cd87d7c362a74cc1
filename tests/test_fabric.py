"""Scenarios of the memory fabric: from a file to results, and on the command line."""

import json

import incast
import pytest
from incast.cli import main
from incast.errors import ResultsError, RunError, ScenarioError
from incast.present import charts

SMALL = {
    "fabric": {"endpoints": 64},
    "control": {"scheme": "3cpo"},
    "group": [{"members": [0, 1, 8, 9]}],
    "work": [{"kind": "transactions", "count": 4}],
}
SAMPLED = {**SMALL, "measure": {"every": 100, "endpoints": [0]}}


def test_a_run_has_operations_and_figures():
    results = incast.run(SMALL)
    # 4 members have 4 transactions of 2 operations each.
    assert len(results.operations) == 32
    assert results.summary["initiators"] == 4
    assert "effective bandwidth" in results.table()
    assert "32 operations" in repr(results)


def test_results_are_the_same_on_two_threads():
    one, two = (incast.run(SMALL, threads=threads) for threads in (1, 2))
    assert one.fingerprint == two.fingerprint


def test_settings_replace_what_the_scenario_says():
    assert len(incast.run(SMALL, **{"work.0.count": 1}).operations) == 8
    assert incast.run(SMALL, cc="3cpo-repaired").algorithm == "3cpo-repaired"
    window = incast.Scenario(SMALL, cc="window:3").to_dict()["control"]
    assert window == {"scheme": "window", "window": 3}


def test_another_scheme_drops_the_parameters_of_the_old_one():
    """As with `--cc`: a window is no parameter of AIMD, and would be refused."""
    window = {**SMALL, "control": {"scheme": "window", "window": 3, "watermark_min": 200.0}}
    other = incast.Scenario(window, cc="aimd").identity
    assert incast.Scenario(window, **{"control.scheme": "aimd"}).identity == other
    assert incast.Scenario(window, control={"scheme": "aimd"}).identity == other
    assert incast.Scenario(window, settings=[("control.scheme", "aimd")]).identity == other
    same = incast.Scenario(window, settings=[("control.scheme", "window")])
    assert same.identity == incast.Scenario(window).identity
    with pytest.raises(incast.ScenarioError, match="is given twice"):
        incast.Scenario(window, cc="aimd", control={"scheme": "3cpo"})
    with pytest.raises(incast.ScenarioError, match="is given twice"):
        incast.Scenario(window, cc="window:3", settings=[("control.window", "5")])
    with_increase = [("control.increase", "7.0"), ("control.scheme", "aimd")]
    control = incast.Scenario(window, settings=with_increase).to_dict()["control"]
    assert control == {"scheme": "aimd", "increase": 7.0}


def test_a_scenario_describes_itself():
    scenario = incast.Scenario(SMALL)
    facts = scenario.describe()
    assert (scenario.kind, facts["endpoints"], facts["expected_operations"]) == ("fabric", 64, 32)


def test_results_go_to_a_folder_and_are_used_again(tmp_path):
    first = incast.run(SAMPLED, folder=tmp_path / "run")
    again = incast.run(SAMPLED, folder=tmp_path / "run")
    assert again.reused
    assert again.fingerprint == first.fingerprint
    assert len(incast.load(tmp_path / "run").controls) == len(first.controls) > 0


def test_tables_of_the_other_kind_are_named():
    with pytest.raises(ResultsError, match="a fabric have no `flows`") as caught:
        _ = incast.run(SMALL).flows
    assert caught.value.hint == "they have operations, controls, queues"


@pytest.mark.parametrize("name", incast.charts())
def test_charts_of_the_other_kind_are_refused(name, star):
    fabric = incast.run(SMALL)
    of_fabrics = name in [each.name for each in charts.FABRIC_CHARTS]
    other, kind = (star, "network") if of_fabrics else (fabric, "fabric")
    with pytest.raises(ResultsError, match=f"a {kind} have no chart `{name}`") as caught:
        other.plot(name)
    assert name not in caught.value.hint.removeprefix("they have ").split(", ")
    own = fabric if of_fabrics else star
    assert own.plot(name) is not None
    with pytest.raises(ResultsError, match=f"have no chart `{name}`"):
        incast.Comparison({"own": own, "other": other}).plot(name)


def test_progress_is_told_and_an_interrupt_keeps_what_is_complete():
    told = []

    def stop(done):
        told.append(done)
        if done["operations_completed"] > 0:
            raise KeyboardInterrupt

    long = {**SMALL, "work": [{"kind": "transactions", "count": 100_000}]}
    with pytest.raises(incast.Interrupted) as stopped:
        incast.run(long, progress=stop)
    results = stopped.value.results
    assert told[0].keys() == {"time_ps", "operations_completed", "hops"}
    assert results.partial
    assert 0 < len(results.operations) < 800_000
    assert "Interrupted after" in results.table()


def test_an_exception_differs_from_the_others():
    slow = {**SMALL, "exception": [{"endpoints": [9], "read_latency": 2000}]}
    reads = [
        incast.run(each).summary["latency_by_kind"]["read-reduction"]["median_cycles"]
        for each in (SMALL, slow)
    ]
    # A reduction waits for its slowest member, 2000 - 180 cycles longer.
    assert reads[1] - reads[0] == pytest.approx(1820, abs=100)
    cheat = {"endpoints": [0], "control": {"scheme": "rate-limit"}}
    assert incast.run({**SMALL, "exception": [cheat]}).fingerprint != incast.run(SMALL).fingerprint


def test_a_mistake_has_its_place():
    wrong = {**SMALL, "group": [{"members": [3]}]}
    with pytest.raises(ScenarioError, match="a group of 1") as caught:
        incast.Scenario(wrong)
    assert caught.value.key == "group[0].members"
    for exception, message in (
        ({"endpoints": [64], "read_latency": 9}, "endpoint 64 does not exist"),
        ({"endpoints": [0]}, "these endpoints are as the others"),
    ):
        with pytest.raises(ScenarioError, match=message) as caught:
            incast.Scenario({**SMALL, "exception": [exception]})
        assert caught.value.key.startswith("exception[0]")


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
        incast.run(full)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(
        '[fabric]\nendpoints = 64\n[control]\nscheme = "3cpo"\n'
        '[[work]]\nkind = "all-reduce"\nsize = "64KiB"\n[measure]\nevery = 100\nendpoints = [0]\n'
    )
    return path


def test_commands_take_a_fabric_as_they_take_a_network(file, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(file), "--out", "one", "--cc", "3cpo-repaired"]) == 0
    assert "bus bandwidth" in capsys.readouterr().out
    summary = json.loads((tmp_path / "one" / "summary.json").read_text())
    assert summary["algorithm"] == "3cpo-repaired"
    page = (tmp_path / "one" / "report.html").read_text()
    assert "Queues by virtual channel" in page
    assert "longest queues first" not in page
    assert "FCT" not in page
    assert main(["show", "one"]) == 0
    assert "latency in cycles" in capsys.readouterr().out
    assert main(["show", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "64 endpoints, 12 switches" in shown
    (tmp_path / "again.toml").write_text(shown)
    assert incast.Scenario(tmp_path / "again.toml").identity == incast.Scenario(file).identity
    assert main(["compare", str(file), "--cc", "none,window:3,3cpo"]) == 0
    compared = capsys.readouterr().out
    assert "window:3" in compared
    assert ".html" in compared
    assert main(["plot", "one", "--format", "svg"]) == 0
    drawn = {path.stem for path in (tmp_path / "one" / "figures").iterdir()}
    assert drawn == {"latency", "bandwidth", "tokens", "watermarks", "unmatched", "channels"}


def test_results_of_two_kinds_are_not_drawn_together(tmp_path, folders):
    fabric = incast.run(SMALL, folder=tmp_path / "fabric")
    network = incast.load(folders["star"])
    with pytest.raises(ResultsError, match="nothing in common"):
        incast.Comparison({"a": fabric, "b": network}).report(tmp_path / "both.html")


def test_a_scenario_is_of_one_kind(tmp_path):
    file = tmp_path / "both.toml"
    file.write_text("[network]\n[fabric]\n")
    with pytest.raises(ScenarioError, match="not both") as caught:
        incast.Scenario(file)
    assert caught.value.line == 2
