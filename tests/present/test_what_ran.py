"""Descriptions of runs in words."""

import incast
import pytest
import scenarios
from incast.comparison import Comparison
from incast.present import what_ran
from incast.present.what_ran import sentences

NETWORK = {"network": {"topology": {"kind": "star", "hosts": 9}}, "cc": {"algorithm": "hpcc"}}
WEB = {"kind": "poisson", "sizes": "web-search", "load": 0.4, "duration": "5ms"}


def said(entry, **more):
    topology, *lines = sentences(incast.Scenario({**NETWORK, "traffic": [entry], **more}).to_dict())
    assert topology == "star: 9 hosts"
    return lines


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (WEB, "poisson: web-search sizes, 40 % load, for 5 ms"),
        (
            {
                **WEB,
                "name": "background",
                "start": "10us",
                "sources": "0-3",
                "destinations": [7, 8],
            },
            "background: poisson, web-search sizes, 40 % load, from 10 µs, for 5 ms, "
            "hosts 0–3 to hosts 7, 8",
        ),
        (
            {
                "kind": "tasks",
                "hosts": "shuffled 0-1, 4",
                "tasks": [
                    {"rank": 0, "send": 1, "size": "1KB"},
                    {"rank": 1, "receive": 0, "size": "1KB"},
                ],
                "start": "2us",
            },
            "tasks: 2 listed, hosts shuffled 0–1, 4, from 2 µs",
        ),
        (
            {"kind": "permutation", "hosts": "shuffled", "sizes": "1MB"},
            "permutation: all hosts, shuffled, 1 MB each",
        ),
        (
            {**WEB, "controlled": False, "tenant": "storage", "sizes": "1KB"},
            "poisson: 1 KB each, 40 % load, for 5 ms, without congestion control, tenant storage",
        ),
        (
            {**WEB, "sizes": {"mix": [{"sizes": "web-search"}, {"sizes": "ali-storage"}]}},
            "poisson: web-search sizes and ali-storage sizes, 40 % load, for 5 ms",
        ),
        (
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.1, "count": 1000},
            "poisson: fb-hadoop sizes, 10 % load, until 1\N{THIN SPACE}000 flows",
        ),
        (
            {
                "kind": "incast",
                "receiver": "random",
                "fan_in": 4,
                "sizes": "20KB",
                "jitter": "1us",
                "rounds": {"count": 10, "every": "100us"},
            },
            "incast: 4 of all hosts to another host each time, 20 KB each, within 1 µs, "
            "10 times, every 100 µs",
        ),
        (
            {
                "kind": "incast",
                "receiver": 8,
                "senders": 1,
                "sizes": "1MB",
                "stagger": {"group": 2, "every": "20us"},
            },
            "incast: host 1 to host 8, 1 MB each, 2 every 20 µs",
        ),
        (
            {"kind": "permutation", "sizes": "1MB", "shift": 2},
            "permutation: all hosts, each to the one 2 further on, 1 MB each",
        ),
        (
            {"kind": "all-to-all", "sizes": "1KB", "fan_out": 2},
            "all-to-all: all hosts, each to 2 at random, 1 KB each",
        ),
        (
            {"kind": "all-reduce", "data": "8MB", "hosts": "0-7", "rounds": 3},
            "all-reduce: 8 MB by ring, hosts 0–7, 3 times",
        ),
        (
            {
                "kind": "collective",
                "operation": "all-reduce",
                "algorithm": "hierarchical",
                "node_size": 4,
                "data": "8MB",
                "hosts": "0-7",
            },
            "collective: all-reduce of 8 MB by hierarchical, hosts 0–7, nodes of 4",
        ),
        (
            {"kind": "collective", "operation": "broadcast", "data": "8MB", "root": 3},
            "collective: broadcast of 8 MB, all hosts, root 3",
        ),
        (
            {"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1KB"}] * 2},
            "flows: 2 listed",
        ),
        ({"kind": "live"}, "live: started by a program"),
    ],
)
def test_every_kind_of_traffic(entry, sentence):
    assert said(entry) == [sentence]


@pytest.mark.parametrize(
    ("attackers", "who"),
    [
        ({"share": 0.1}, "10 % of the hosts"),
        ({"hosts": "0-3"}, "hosts 0–3"),
        ({"larger_than": "1MB"}, "flows larger than 1 MB"),
        ({"tenant": "storage"}, "tenant storage"),
    ],
)
def test_attacks(attackers, who):
    attack = {"kind": "parallel", "attackers": attackers}
    lines = said({**WEB, "tenant": "storage"}, attack=attack)
    assert lines[1:] == [f"attack: parallel, by {who}"]


def test_flows_are_counted_by_entry():
    entries = [{**WEB, "duration": "50us"}, {"kind": "incast", "receiver": 0, "sizes": "1KB"}]
    results = incast.run({**NETWORK, "traffic": entries})
    first, second = results.table().splitlines()[3:5]
    assert second == "incast: all hosts to host 0, 1 KB each, 8 flows"
    assert first.endswith(f", {len(results.flows) - 8} flows")


def test_entries_of_one_kind_are_named_as_in_the_tables():
    entry = {"kind": "permutation", "sizes": "1KB"}
    results = incast.run({**NETWORK, "traffic": [entry, entry]})
    lines = results.table().splitlines()
    for number, name in enumerate(party["name"] for party in results.summary["traffic"]):
        assert lines[3 + number] == f"{name}: permutation, all hosts, 1 KB each, 9 flows"
        assert sum(line.startswith(f"{name} ") for line in lines) == 1


def test_a_scenario_is_parsed_once(star, monkeypatch):
    calls = []
    loads = what_ran.tomllib.loads
    monkeypatch.setattr(what_ran.tomllib, "loads", lambda text: calls.append(text) or loads(text))
    assert star.table() == star.table()
    star._repr_html_()
    assert len(calls) == 1


def test_runs_that_differ_are_told_apart():
    short, long = (
        incast.run({**NETWORK, "traffic": [{**WEB, "duration": each}]}) for each in ("9us", "50us")
    )
    text = Comparison({"short": short, "long": long}).table()
    assert "short: poisson: web-search sizes, 40 % load, for 9 µs" in text
    assert "long: poisson: web-search sizes, 40 % load, for 50 µs" in text
    assert text.count("star: 9 hosts") == 1
    many = Comparison({"short": short, "long": long, "again": short}).table()
    assert "poisson: web-search sizes" not in many
    same = Comparison({"one": short, "other": short}).table()
    assert same.count("poisson: web-search sizes") == 1


def test_topologies():
    tree = {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 8}
    scenario = incast.Scenario({**NETWORK, "network": {"topology": tree}, "traffic": [WEB]})
    assert sentences(scenario.to_dict())[0] == "leaf-spine: 4 leaves, 2 spines, 8 hosts per leaf"
    few = {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 1}
    scenario = incast.Scenario(scenario, network={"topology": few})
    assert sentences(scenario.to_dict())[0] == "leaf-spine: 2 leaves, 1 spine, 1 host per leaf"
    mesh = {"kind": "torus", "dimensions": [4, 3], "hosts_per_switch": 2, "wrap": False}
    for topology, line in (
        (mesh, "torus: 4 × 3, 2 hosts per switch, not wrapped"),
        ({**mesh, "wrap": True}, "torus: 4 × 3, 2 hosts per switch"),
    ):
        scenario = incast.Scenario({**NETWORK, "network": {"topology": topology}, "traffic": [WEB]})
        assert sentences(scenario.to_dict())[0] == line
    assert sentences({"network": {"topology": {"file": "a/own.graph"}}}) == ["own.graph"]
    assert sentences({}) == []


def test_of_many_entries_the_first_are_told():
    entries = [{"kind": "permutation", "name": f"t{number}"} for number in range(8)]
    assert sentences({"traffic": entries})[5:] == ["t5: permutation, all hosts", "and 2 more"]


def test_the_page_says_it(tmp_path):
    results = incast.run(scenarios.as_dict())
    line = "incast: all hosts to host 4, 100 KB each, 2 every 20 µs, 4 flows"
    assert line in results.report(tmp_path / "r.html").read_text()


def test_work_of_a_fabric():
    assert sentences(incast.Scenario(scenarios.FABRIC).to_dict())[0].startswith("all-reduce")


def test_hosts_are_named_as_they_are_written():
    found = [what_ran._hosts(hosts) for hosts in ("gpu-2,gpu0", [1, "rack0-3"], "0 - 3,8-9")]
    assert found == ["hosts gpu-2, gpu0", "hosts 1, rack0-3", "hosts 0–3, 8–9"]
