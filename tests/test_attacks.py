"""Attacks, tenants and collectives, from the scenario to the output."""

import incast
import pytest
import scenarios


def attacked(**attack):
    """A star in which a tenant's large flow and a small one meet."""
    scenario = scenarios.as_dict()
    scenario["attack"] = {"kind": "none", "attackers": {"larger_than": "100KB"}, **attack}
    scenario["traffic"] = [
        {
            "kind": "flows",
            "tenant": "storage",
            "flows": [{"source": 0, "destination": 4, "size": "1MB"}],
        },
        {"kind": "flows", "flows": [{"source": 1, "destination": 4, "size": "10KB"}]},
    ]
    return scenario


def test_ideal_fcts_of_messages_and_flows_are_told_apart():
    """Message 1 is not flow 1: its path ends at another leaf. Alone, each has slowdown 1."""
    flow = {"kind": "flows", "flows": []}
    flow["flows"] = [
        {"source": 0, "destination": 4, "size": "2MB"},
        {"source": 1, "destination": 5, "size": "300KB", "start": "1us"},
        {"source": 3, "destination": 2, "size": "1KB", "start": "1us"},
    ]
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 4}
            },
            "cc": {"algorithm": "none"},
            "attack": {"kind": "parallel", "qps": 2, "attackers": {"larger_than": "1MB"}},
            "traffic": [flow],
        }
    )
    lone = {row["source"]: row["slowdown"] for row in results.completed if row["source"] > 0}
    assert lone == {1: 1, 3: 1}


def test_attacks_side_by_side(tmp_path):
    attacks = ["none", "parallel", "staggered", "shuffled"]
    comparison = incast.compare(attacked(), attack=attacks, store=tmp_path)
    assert list(comparison) == attacks
    table = comparison.table()
    rows = [line.split() for line in table.splitlines()]
    for who in ("attackers", "victims", "storage"):
        assert any(row[:2] == [who, "none"] for row in rows), table
    pieces = [len(run.flows) for run in comparison.values()]
    assert pieces[0] == 2
    assert min(pieces[1:]) > 2
    assert comparison.report(tmp_path / "report.html").stat().st_size > 100_000
    for run in comparison.values():
        assert sorted(run.messages.numbers("size_bytes")) == [10_000, 1_000_000]
        assert incast.load(run.folder).messages.numbers("pieces").sum() == len(run.flows)


def test_attacks_and_algorithms_make_a_grid():
    comparison = incast.compare(attacked(), ["hpcc", "none"], attack=["none", "parallel"])
    assert list(comparison) == ["hpcc, none", "hpcc, parallel", "none, none", "none, parallel"]


def test_a_comparison_of_nothing():
    with pytest.raises(ValueError, match="give algorithms, load balancing, or attacks"):
        incast.compare(attacked())


def test_an_attack_without_attackers_says_what_to_write():
    with pytest.raises(incast.ScenarioError, match="`attackers` is missing") as told:
        incast.Scenario(scenarios.as_dict(), attack="parallel")
    assert told.value.key == "attack"


def test_an_attack_without_attackers_is_told():
    words = "There was no attack"
    assert words not in incast.run(attacked(kind="parallel")).table()
    none = incast.run(attacked(kind="parallel", attackers={"larger_than": "1GB"}))
    assert words in none.table()


def test_messages_need_an_attack():
    results = incast.run(scenarios.as_dict())
    with pytest.raises(incast.Error, match="has no attack"):
        _ = results.messages
    with pytest.raises(incast.Error, match="has no collective"):
        _ = results.collectives
    assert "victims" not in results.table()


def test_the_chart_of_roles():
    results = incast.run(attacked())
    labels = [curve.label for curve in incast_chart(results)]
    assert sorted(label.split()[-1] for label in labels) == ["attacker", "victim"]


def incast_chart(results):
    from incast.present import charts

    return charts.chart("roles", results.runs).curves


def test_an_all_reduce(tmp_path):
    scenario = scenarios.as_dict()
    scenario["traffic"] = [{"kind": "all-reduce", "data": "50KB", "rings": "all", "rounds": 2}]
    results = incast.run(scenario, store=tmp_path)
    assert len(results.collectives) == 2
    assert incast.load(results.folder).collectives.numbers("time_ps").min() > 0
    table = results.table()
    assert "all-reduce" in table
    assert "bus bandwidth" in table


@pytest.mark.parametrize(
    ("kind", "algorithm", "is_told"),
    [
        ("none", "ring", False),
        ("parallel", "ring", True),
        ("staggered", "tree", True),
        ("shuffled", "ring", False),
        ("shuffled", "tree", True),
    ],
)
def test_messages_of_tasks_that_stay_whole_are_told(kind, algorithm, is_told):
    """Pieces are laid over all rings; other sends, for which tasks wait, are not cut."""
    scenario = scenarios.as_dict()
    hosts = {"hosts": "0-3"}
    scenario["attack"] = {"kind": kind, "attackers": hosts, "piece": "10KB"}
    entry = {"kind": "collective", "operation": "all-reduce", "data": "4MB", **hosts}
    scenario["traffic"] = [{**entry, "algorithm": algorithm}]
    results = incast.run(scenario)
    assert results.summary.get("left_whole", []) == ([0] if is_told else [])
    told = "leaves the messages of traffic[0] whole" in " ".join(results.table().split())
    assert told == is_told
