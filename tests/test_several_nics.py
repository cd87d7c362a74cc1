"""Hosts with several NICs: results, captures, timelines, and networks that a Python program
drives.
"""

import gzip
import json

import incast
import numpy as np
import pytest
from incast import Network, ScenarioError
from incast.present import what_ran
from incast.present.key_figures import of_network

PLANES = {"network": {"topology": {"kind": "star", "hosts": 4}, "planes": 2}}
RING = {"kind": "collective", "operation": "all-reduce", "data": "40KB"}

GRAPH = """\
hosts gpu0 gpu1 gpu2
switches rack nvswitch
link gpu0 rack 100Gbps 1us
link gpu1 rack 100Gbps 1us
link gpu2 rack 100Gbps 1us
link gpu0 nvswitch 900Gbps 500ns
link gpu1 nvswitch 900Gbps 500ns
"""


def scenario(*traffic, **more):
    return {**PLANES, "cc": {"algorithm": "hpcc"}, "traffic": list(traffic), **more}


def test_stored_results_are_read_again(tmp_path):
    incast.run(scenario(RING, measure={"packets": {"limit": 1000}})).save(tmp_path / "r")
    stored = incast.load(tmp_path / "r")
    assert np.isnan(stored.ports["host"][8:]).all()
    assert stored.ports["nic"][:2].tolist() == [0, 1]
    stored.write_pcapng(tmp_path / "all.pcapng")
    stored.write_timeline(tmp_path / "run.json")


def test_results_tell_hosts_and_nics():
    results = incast.run(scenario(RING))
    assert (results.summary["hosts"], results.summary["nics"]) == (4, 8)
    assert of_network.size(results.summary) == "4 hosts of 2 NICs, 2 switches, 8 links"
    assert what_ran.of_runs({"": results})[0] == "star: 4 hosts, 2 planes"
    assert set(results["source"]) == {0, 1, 2, 3}
    assert (results["source_nic"] == results["destination_nic"]).all()
    ports = results.ports
    assert list(ports["label"][:2]) == [
        "host 0 NIC 0 port 0 → switch 8",
        "host 0 NIC 1 port 0 → switch 9",
    ]
    assert ports["host"][:8].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert ports["nic"][:8].tolist() == [0, 1] * 4
    assert np.isnan(ports["host"][8:]).all()
    assert len(results.ranks) == 4
    one = incast.run(scenario(RING, network={"topology": {"kind": "star", "hosts": 4}}))
    assert "source_nic" not in one.flows
    assert "host" not in one.ports
    assert of_network.size(one.summary) == "4 hosts, 1 switch, 4 links"


def test_a_file_may_give_hosts_several_links(tmp_path):
    (tmp_path / "gpus.graph").write_text(GRAPH)
    topology = {"file": str(tmp_path / "gpus.graph"), "format": "graph"}
    every = {"kind": "all-to-all", "sizes": "10KB"}
    network = {"network": {"topology": topology}, "cc": {"algorithm": "hpcc"}}
    results = incast.run({**network, "traffic": [every]})
    assert of_network.size(results.summary) == "3 hosts with 5 NICs, 2 switches, 5 links"
    ends = zip(results["source_name"], results["destination_name"], strict=True)
    nics = zip(results["source_nic"], results["destination_nic"], strict=True)
    found = dict(zip(ends, nics, strict=True))
    # gpu0 and gpu1 have two links in both directions. NICs of the same number are paired in turn,
    # and the first flow from 0 to 1 has number (0 + 1) mod 2.
    assert found["gpu0", "gpu1"] == found["gpu1", "gpu0"] == (1, 1)
    assert found["gpu0", "gpu2"] == found["gpu1", "gpu2"] == (0, 0)
    assert results.ports["label"][1] == "gpu0 NIC 1 port 0 → nvswitch"
    assert "gpu2 port 0 → rack" in list(results.ports["label"])
    fault = {"kind": "down", "links": ["gpu0"], "from": "1us"}
    message = '`gpu0` is no NIC; write "gpu0 NIC 0"; it has NICs 0 to 1'
    with pytest.raises(ScenarioError, match=message):
        incast.run({**network, "traffic": [every], "fault": [fault]})


@pytest.mark.parametrize("qps", ["per-flow", "persistent"])
def test_a_network_that_a_program_drives_has_the_results_of_a_run(qps):
    flows = [(0, 1, 50_000, 0), (0, 1, 30_000, 100), (2, 1, 70_000, 2_000), (1, 2, 1, 2_000)]
    nic = {"nic": {"qps": qps}}
    network = Network({**PLANES, **nic, "cc": {"algorithm": "hpcc"}})
    for source, destination, size, at in flows:
        network.start(source, destination, size, at=at)
    half = network.copy()
    for each in (network, half):
        each.advance()
    listed = [
        {"source": source, "destination": destination, "size": f"{size}B", "start": f"{at}ps"}
        for source, destination, size, at in flows
    ]
    whole = incast.run(scenario({"kind": "flows", "flows": listed}, **nic))
    for each in (network, half):
        assert each.results().summary["fingerprint"] == whole.summary["fingerprint"]
    # From host 0 to 1 by NICs 1 and 0, from 2 to 1 and back by NIC 1.
    nics = whole["source_nic"][np.argsort(whole["flow_id"])]
    assert nics.tolist() == [1, 0, 1, 1]


def test_captures_have_an_address_for_each_nic(tmp_path):
    results = incast.run(scenario(RING, measure={"packets": {"limit": 100_000}}))
    results.write_pcapng(tmp_path / "all.pcapng")
    files = results.write_pcapng_per_port(tmp_path / "ports", ports=["host 2 NIC 1"])
    (file,) = files
    data = file.read_bytes()
    # Addresses are 10.0.0.0/8 plus the number of the end: NIC 1 of host 2 is end 5, of hosts 1 and
    # 3 ends 3 and 7.
    own = {end: bytes([10, 0, 0, end]) in data for end in range(8)}
    assert own == {end: end in (3, 5, 7) for end in range(8)}


def test_timelines_have_a_track_for_each_nic_and_ranks_on_hosts(tmp_path):
    results = incast.run(scenario(RING))
    results.write_timeline(tmp_path / "run.json.gz")
    events = json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes()))["traceEvents"]
    names = {
        event["args"]["name"]: event["pid"] for event in events if event["name"] == "process_name"
    }
    assert {"host 0 NIC 0", "host 0 NIC 1", "host 0", "host 3"} <= set(names)
    flows = [event for event in events if event.get("cat") == "flow"]
    first = next(event for event in flows if event["args"]["flow_id"] == 0)
    nic = first["args"]["source_nic"]
    assert first["pid"] == names[f"host {first['args']['source']} NIC {nic}"]
    assert f"NIC {nic}" in first["name"]
    ranks = [event for event in events if "rank" in event["name"] and "rank" in event["args"]]
    assert {event["pid"] for event in ranks} == {names[f"host {host}"] for host in range(4)}


def test_bus_bandwidth_is_bounded_by_all_nics_of_a_host():
    one, two = (
        incast.nccl_tests("all-reduce", ranks=4, max_bytes="16M", min_bytes="16M", network=network)
        for network in ({"planes": 1}, {"planes": 2})
    )
    assert two.payload_gb_per_s == pytest.approx(2 * one.payload_gb_per_s)
    assert two.payload_gb_per_s > two["busbw_gb_per_s"][0] > 1.8 * one["busbw_gb_per_s"][0]
