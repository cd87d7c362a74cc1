"""The map of a network: the places of nodes, and the links and numbers with them."""

import json
from types import SimpleNamespace

import incast
import numpy as np
import pytest
from incast.measure.tiers import neighbours_of
from incast.present.html.map_layout import Group, layout
from incast.present.html.network_map import network_map
from made_up import Columns

US = 1_000_000
G = 10**9


def joined(links):
    """The neighbours of each node."""
    ends = [each for a, b in links for each in ((a, b), (b, a))]
    return neighbours_of(Columns(node=[a for a, _ in ends], peer=[b for _, b in ends]))


def placed(links, hosts):
    """A layout whose nodes are named host 0 …, switch n …"""
    neighbours = joined(links)
    names = {node: f"{'host' if node < hosts else 'switch'} {node}" for node in neighbours}
    return layout(neighbours, names, hosts)


def leaf_spine(leaves, spines, hosts_per_leaf):
    hosts = leaves * hosts_per_leaf
    down = [(host, hosts + host // hosts_per_leaf) for host in range(hosts)]
    up = [(hosts + leaf, hosts + leaves + n) for leaf in range(leaves) for n in range(spines)]
    return [*down, *up], hosts


def test_a_star_of_three_hosts():
    """Three hosts in a row of width 1 stand at 1/6, 3/6, 5/6; the switch stands above the middle
    one.
    """
    found = placed([(0, 3), (1, 3), (2, 3)], 3)
    assert [found.x[node] for node in range(4)] == pytest.approx([1 / 6, 3 / 6, 5 / 6, 3 / 6])
    assert [found.y[node] for node in range(4)] == [1, 1, 1, 0]
    assert set(found.block.values()) == {0}
    assert (found.is_circle, found.groups) == (False, [])


def test_tiers_are_rows():
    """Two leaves with two hosts each: hosts at 1/8, 3/8, 5/8, 7/8, and leaves above the middle of
    their hosts, at 1/4 and 3/4. Three spines, joined to both leaves, stand at 1/6, 3/6, 5/6.
    """
    found = placed(*leaf_spine(2, 3, 2))
    xs = [found.x[node] for node in range(9)]
    assert xs == pytest.approx([1 / 8, 3 / 8, 5 / 8, 7 / 8, 1 / 4, 3 / 4, 1 / 6, 3 / 6, 5 / 6])
    assert [found.y[node] for node in range(9)] == [2, 2, 2, 2, 1, 1, 0, 0, 0]


def test_hosts_stand_below_their_switch_whatever_their_numbers():
    """Hosts 0 and 2 at switch 4, hosts 1 and 3 at switch 5: 0, 2, 1, 3 from left to right."""
    links = [(0, 4), (1, 5), (2, 4), (3, 5), (4, 6), (5, 6)]
    found = placed(links, 4)
    assert sorted(range(4), key=lambda host: found.x[host]) == [0, 2, 1, 3]


def test_upper_tiers_are_in_the_order_of_those_below():
    """Spine 6 is above leaf 5, at 3/4, and spine 7 above leaf 4, at 1/4: so 7 stands left of 6."""
    found = placed([(0, 4), (1, 4), (2, 5), (3, 5), (5, 6), (4, 7)], 4)
    assert (found.x[7], found.x[6]) == (0.25, 0.75)


def test_many_hosts_are_folded():
    """9 leaves have 8 hosts each, 72 in all: below each leaf is a box, at 1/18 and so on, in the
    third row. Each box has a block of one row with 8 places, at 1/16 and so on.
    """
    found = placed(*leaf_spine(9, 2, 8))
    assert len(found.groups) == 9
    assert found.groups[0] == Group("host 0 to 7", 0, pytest.approx(1 / 18), 2)
    assert found.groups[8] == Group("host 64 to 71", 0, pytest.approx(17 / 18), 2)
    assert [found.block[host] for host in (0, 7, 8, 71)] == [1, 1, 2, 9]
    assert [found.x[host] for host in (0, 7, 8)] == pytest.approx([1 / 16, 15 / 16, 1 / 16])
    assert [found.y[host] for host in (0, 71)] == [0, 0]
    assert [found.block[node] for node in range(72, 83)] == [0] * 11
    assert [(found.x[72], found.y[72]), found.y[81]] == [(pytest.approx(1 / 18), 1), 0]


def test_64_hosts_are_not_folded():
    assert placed(*leaf_spine(8, 2, 8)).groups == []


def fat_tree(pods, leaves, hosts_per_leaf):
    """Pods with some leaves and one aggregation switch each, joined by two core switches."""
    hosts = pods * leaves * hosts_per_leaf
    first_leaf, first_agg = hosts, hosts + pods * leaves
    links = [(host, first_leaf + host // hosts_per_leaf) for host in range(hosts)]
    links += [(first_leaf + leaf, first_agg + leaf // leaves) for leaf in range(pods * leaves)]
    links += [(first_agg + pod, first_agg + pods + core) for pod in range(pods) for core in (0, 1)]
    return links, hosts


def test_pods_are_boxes_of_boxes():
    """42 leaves with 2 hosts in 2 pods. At first the map shows core switches at 1/4 and 3/4 in row
    0, and pods at the same places in row 1. A pod's block has its aggregation switch in the middle
    of row 0, its 21 leaves in row 1, at 1/42, 3/42 …, and the boxes of their hosts below.
    """
    found = placed(*fat_tree(2, 21, 2))
    assert found.groups[:2] == [Group("pod 0", 0, 0.25, 1), Group("pod 1", 0, 0.75, 1)]
    assert len(found.groups) == 2 + 42
    cores, aggs, leaf, host = (128, 129), (126, 127), 84, 0
    assert [(found.block[n], found.x[n], found.y[n]) for n in cores] == [(0, 0.25, 0), (0, 0.75, 0)]
    assert [(found.block[n], found.x[n], found.y[n]) for n in aggs] == [(1, 0.5, 0), (2, 0.5, 0)]
    assert (found.block[leaf], found.x[leaf], found.y[leaf]) == (1, pytest.approx(1 / 42), 1)
    assert found.groups[2] == Group("host 0, host 1", 1, pytest.approx(1 / 42), 2)
    assert (found.block[host], found.x[host], found.y[host]) == (3, 0.25, 0)


def test_switches_in_a_line_are_a_row():
    """Switches 3, 5 and 4 in a line, with hosts 0, 2 and 1: the hosts stand in the same order."""
    found = placed([(0, 3), (1, 4), (2, 5), (3, 5), (5, 4)], 3)
    assert [found.x[node] for node in (3, 5, 4)] == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    assert [found.x[node] for node in (0, 2, 1)] == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    assert [found.y[node] for node in range(6)] == [1, 1, 1, 0, 0, 0]


def test_other_graphs_are_circles():
    """A ring of four switches with a host each: switches stand at the top, right, bottom and left,
    hosts outside. The radius is 0.37 for switches, 0.48 for hosts.
    """
    ring = [(0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
    found = placed(ring, 4)
    assert found.is_circle
    places = [(found.x[node], found.y[node]) for node in (4, 5, 6, 7, 0, 1)]
    expected = [(0.5, 0.13), (0.87, 0.5), (0.5, 0.87), (0.13, 0.5), (0.5, 0.02), (0.98, 0.5)]
    for place, values in zip(places, expected, strict=True):
        assert place == pytest.approx(values)


class Ports(Columns):
    """A table of ports in memory."""

    @property
    def columns(self):
        return list(self._columns)

    def __len__(self):
        return len(self._columns["node"])


def run(series=(), faults=(), **ports):
    """A run with two hosts at a switch, of which host 1 has two links."""
    node, port, peer = [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2], [2, 2, 2, 0, 1, 1]
    names = ["host 0", "host 1", "s"]
    labels = [f"{names[a]} port {n} → {names[b]}" for a, n, b in zip(node, port, peer, strict=True)]
    counted = {
        "rate_bps": [100 * G] * 6,
        "utilisation": [0.5, 0, 0, 0, 0.123456, 1],
        "data_bytes": [0] * 6,
        **ports,
    }
    return SimpleNamespace(
        summary={"hosts": 2, **({"faults": {}} if not faults else {"faults": {"entries": [1]}})},
        ports=Ports(node=node, port=port, peer=peer, label=labels, **counted),
        faults=Columns(links=list(faults)),
        series=Columns(
            time_ps=[time for _, time, _ in series],
            entity=[entity for entity, _, _ in series],
            value=[float(value) for _, _, value in series],
            measure=["queue_bytes"] * len(series),
        ),
    )


def drawn(found):
    return json.loads(network_map(found).data)


def test_links_have_both_ports_beside_each_other():
    """Ports of parallel links are paired in order: port 0 of host 1 with port 1 of s, port 1 of
    host 1 with port 2 of s.
    """
    found = drawn(run())
    assert found["links"] == [0, 2, 1, 2, 1, 2]
    assert found["ports"] == [0, 0, 0, 1, 1, 2]
    assert found["names"] == ["host 0", "host 1", "s"]
    quantities = {name: values for name, _, _, _, values in found["quantities"]}
    assert quantities["utilisation"] == [0.5, 0, 0, 0.1235, 0, 1]
    assert quantities["rate"] == [100] * 6
    assert (found["queues"], found["faults"]) == (None, [])


def test_what_no_port_counted_is_left_out():
    marked = {"marked": [0] * 6, "dropped": [0, 0, 0, 3, 0, 0]}
    lost = {"lost_link_down": [1, 0, 0, 0, 0, 0], "lost_corrupted": [2, 0, 0, 0, 0, 0]}
    found = drawn(run(**marked, **lost, paused_ps=[2_000_000, 0, 0, 0, 0, 0]))
    quantities = {name: (scale, values) for name, _, _, scale, values in found["quantities"]}
    assert "marks" not in quantities
    assert quantities["drops"] == (1, [0, 3, 0, 0, 0, 0])
    assert quantities["lost on the link"] == (1, [3, 0, 0, 0, 0, 0])
    # 2,000,000 ps are 2 µs.
    assert quantities["time paused"] == (1e-6, [2, 0, 0, 0, 0, 0])


def test_links_with_faults():
    """The first link is 0; both links between s and host 1 have the name given to the fault."""
    assert drawn(run(faults=["host 0 – s"]))["faults"] == [0]
    assert drawn(run(faults=["s – host 1, host 0 – s"]))["faults"] == [0, 1, 2]


def test_queues_in_windows():
    """Four samples, 10 µs apart, make four windows of 30/4 = 7.5 µs. Times 0, 10 and 20 fall into
    windows 0, 1 and 2; time 30 is the end and falls into window 3. The port without bytes is only
    listed.
    """
    full, empty = "s port 0 → host 0", "s port 1 → host 1"
    samples = [(full, n * 10 * US, v) for n, v in enumerate((0, 5_000, 12_345, 1_000))]
    samples += [(empty, n * 10 * US, 0) for n in range(4)]
    found = drawn(run(series=samples))["queues"]
    assert (found["from"], found["width"], found["count"]) == (0, pytest.approx(7.5e-6), 4)
    assert (found["ports"], found["empty"], found["scale"]) == ([1], [3], 1000)
    assert found["values"] == [[0, 5, 12.3, 1]]


def test_windows_hold_the_longest_queue_and_the_last_before_them():
    """One port is sampled at 0, 1, 2 and 3 µs, another at 0 and 3 µs. Of four windows of 0.75 µs,
    the second and the third have no sample of the other port, whose queue is still that at 0 µs.
    """
    one = [("s port 0 → host 0", n * US, n) for n in range(4)]
    other = [("s port 1 → host 1", 0, 7), ("s port 1 → host 1", 3 * US, 2)]
    assert drawn(run(series=[*one, *other]))["queues"]["values"] == [[0, 1, 2, 3], [7, 7, 7, 2]]


def test_too_many_hosts_are_told():
    many = run()
    many.summary["hosts"] = 2049
    found = network_map(many)
    assert "2\N{THIN SPACE}049 hosts: it is drawn up to 2\N{THIN SPACE}048" in found.missing


def test_ports_without_their_other_end_are_told(star):
    assert "lacks ports" in network_map(star).missing


def test_fabrics_and_results_without_ports_have_none(empty):
    assert network_map(empty) is None
    assert network_map(SimpleNamespace(summary={"kind": "fabric"})) is None


def test_the_network_of_a_run():
    """The map has every port of a real run, and a place for every node."""
    results = incast.run(
        {
            "network": {"topology": "dragonfly", "flow_control": "none"},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "senders": "0-3", "receiver": 9, "sizes": "2KB"}],
        }
    )
    found = drawn(results)
    assert len(found["links"]) == len(results.ports)
    assert len(found["names"]) == len(found["x"]) == len(np.unique(results.ports["node"]))
    assert (len(found["groups"]), found["circle"]) == (36, True)
    assert max(found["block"]) == 36
