"""Faults of links from Python: tables, key figures, words."""

import incast
import pytest
from incast.errors import ResultsError, ScenarioError
from incast.present.key_figures.of_network import measured
from incast.present.what_ran import sentences

ONE = {
    "network": {"topology": {"kind": "star", "hosts": 4}},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1KB"}]}],
}
DOWN = {"kind": "down", "links": ["host 1"], "until": "10us"}


def figures(results):
    return {figure.name: (figure.value, figure.detail) for figure in measured(results.summary)}


def test_a_fault_is_a_row_and_two_figures():
    results = incast.run({**ONE, "fault": [DOWN]})
    faults = results.faults
    assert faults["lost_data_packets"].tolist() == [1]
    # The packet is lost at 0 and sent again after the timeout of 1 ms; its RTT is 4.17728 us.
    assert faults["recovery_ps"].tolist() == [1_004_177_280]
    found = figures(results)
    assert found["lost on links"] == ("1", "1: links were down")
    value, detail = found["recovery"]
    assert value == "1 ms"
    assert detail == "host 1 – switch 4: 1 flow lost packets"


def test_a_flap_has_a_row_for_each_time():
    flap = {**DOWN, "every": "2ms", "times": 3}
    traffic = [{"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "50MB"}]}]
    results = incast.run({**ONE, "traffic": traffic, "fault": [flap]})
    assert results.faults["round"].tolist() == [0, 1, 2]
    (entry,) = results.summary["faults"]["entries"]
    assert (entry["times"], entry["not_recovered"]) == (3, 0)
    assert figures(results)["recovery"][1] == (
        "host 1 – switch 4, down 3 times: 1 flow lost packets"
    )


def test_a_fault_of_a_link_that_nothing_crosses_says_so():
    idle = {**DOWN, "links": ["host 2"], "from": "1us", "until": "10us"}
    results = incast.run({**ONE, "fault": [idle]})
    (entry,) = results.summary["faults"]["entries"]
    assert (entry["unused_links"], entry["link_count"]) == (1, 1)
    said = " ".join(results.table().split())
    assert "No packet crossed the link of fault 0 (host 2 – switch 4) in all of the run" in said
    used = incast.run({**ONE, "fault": [DOWN]})
    assert used.summary["faults"]["entries"][0]["unused_links"] == 0
    assert "No packet crossed" not in used.table()


def test_without_faults_there_is_no_table():
    results = incast.run(ONE)
    with pytest.raises(ResultsError, match="no faults of links"):
        _ = results.faults
    assert "lost on links" not in figures(results)


def test_faults_in_words():
    faults = [
        {**DOWN, "every": "2ms", "times": 3},
        {"kind": "degraded", "between": ["host 0", "switch 4"], "rate": "25Gbps"},
        {"kind": "loss", "links": ["switch 4 port 2"], "probability": 0.001},
    ]
    scenario = incast.Scenario({**ONE, "fault": faults}).to_dict()
    assert sentences(scenario)[-3:] == [
        "fault: host 1 down, from 0 s until 10 µs, 3 times, every 2 ms",
        "fault: host 0 – switch 4 at 25 Gbps, from 0 s",
        "fault: switch 4 port 2 loses 0.1 %, from 0 s",
    ]


def test_a_wrong_fault_is_told():
    with pytest.raises(ScenarioError, match=r"fault\[0\].until: the fault ends at 10us"):
        incast.run({**ONE, "fault": [{**DOWN, "from": "20us"}]})
