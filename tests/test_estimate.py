"""Estimates before a run, against runs."""

from __future__ import annotations

import incast
import pytest
from incast import machine

STAR = {"topology": {"kind": "star", "hosts": 17}}
TREE = {"topology": {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 8}}

SCENARIOS = {
    "incast": {
        "network": STAR,
        "traffic": [{"kind": "incast", "receiver": 16, "sizes": "1MB"}],
    },
    "stopped incast": {
        "run": {"stop": "300us"},
        "network": STAR,
        "traffic": [{"kind": "incast", "receiver": 16, "sizes": "1MB"}],
    },
    "permutation": {
        "network": TREE,
        "traffic": [{"kind": "permutation", "sizes": "300KB", "jitter": "20us"}],
    },
    "poisson": {
        "network": TREE,
        "traffic": [
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.5, "duration": "3ms"},
            {"kind": "incast", "receiver": 3, "sizes": "20KB"},
        ],
    },
    "stopped poisson": {
        "run": {"stop": "1500us"},
        "network": TREE,
        "traffic": [{"kind": "poisson", "sizes": "fb-hadoop", "load": 0.4, "duration": "4ms"}],
    },
    "many flows": {
        "network": STAR,
        "traffic": [{"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 60_000}],
    },
    "all-reduce": {
        "network": TREE,
        "traffic": [{"kind": "all-reduce", "data": "2MB", "hosts": "0-15"}],
    },
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_packet_hops_flows_and_rows_are_near_those_of_the_run(name):
    """Packet-hops and flows within a quarter, simulated time and rows of series within a factor of
    two: queues in the network and the sending rates of algorithms are not reckoned with.
    """
    scenario = incast.Scenario({**SCENARIOS[name], "cc": {"algorithm": "hpcc"}})
    estimate = scenario.estimate()
    results = incast.run(scenario)
    summary = results.summary
    assert estimate["packet_hops"] == pytest.approx(summary["packet_hops"], rel=0.25)
    assert estimate["flows"] == pytest.approx(summary["flows"]["started"], rel=0.25)
    assert 0.5 < estimate["end_ps"] / summary["simulated_ps"] < 2
    rows = estimate["queues"]["rows"] + estimate["flow_series"]["rows"]
    assert 0.5 < rows / len(results.series) < 2


def test_what_will_be_thinned_is_told_by_show_and_by_run(tmp_path, capsys, monkeypatch):
    from incast import cli

    monkeypatch.chdir(tmp_path)
    scenario = {**SCENARIOS["incast"], "cc": {"algorithm": "hpcc"}, "measure": {"rows": 2000}}
    (tmp_path / "incast.toml").write_text(incast.Scenario(scenario).to_toml())
    assert cli.main(["show", "incast.toml"]) == 0
    shown = capsys.readouterr().out
    assert cli.main(["run", "incast.toml"]) == 0
    told = capsys.readouterr()
    assert "packet-hops, under 1 s, " in shown
    for text in (shown, told.err):
        assert "to keep to measure.rows" in text
    assert "series.parquet has samples of queues every" in told.out
    # What is there is not run, and costs nothing.
    assert cli.main(["run", "incast.toml"]) == 0
    assert capsys.readouterr().err == ""


def test_what_does_not_fit_is_refused_unless_told_to(tmp_path, capsys, monkeypatch):
    from incast import cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "available_memory", lambda: 30_000_000)
    scenario = {**SCENARIOS["incast"], "cc": {"algorithm": "hpcc"}}
    (tmp_path / "incast.toml").write_text(incast.Scenario(scenario).to_toml())
    refusal = r"would take about .* of memory, .* for the program, and 30 MB are available; .*any"
    with pytest.raises(incast.ScenarioError, match=refusal):
        incast.run(scenario)
    assert cli.main(["run", "incast.toml"]) != 0
    assert "30 MB are available" in capsys.readouterr().err
    assert not list(tmp_path.glob("results/*"))
    assert cli.main(["show", "incast.toml"]) == 0
    assert "incast run would refuse it" in capsys.readouterr().out
    assert cli.main(["run", "incast.toml", "--memory", "any"]) == 0
    assert incast.run(scenario, memory="any").summary["flows"]["finished"] == 16


def test_the_part_that_takes_most_is_named(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 10**9)
    many = {"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 10**9}
    scenario = incast.Scenario({"network": STAR, "cc": {"algorithm": "hpcc"}, "traffic": [many]})
    with pytest.raises(
        incast.ScenarioError, match=r"GB of it for flows, .*; let fewer flows start"
    ):
        machine.check_memory(scenario.estimate())


def test_this_machine_has_memory():
    available = machine.available_memory()
    assert available is None or 10**6 < available < 10**15


def test_a_limit_on_the_address_space_counts(monkeypatch):
    import resource

    monkeypatch.setattr(machine, "_of_machine", lambda: 10**15)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**15, 10**15))
    assert machine.available_memory() < 10**15
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**6, 10**6))
    assert machine.available_memory() == 0
