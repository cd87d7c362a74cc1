"""The share of a run in which flows are alone, computed by hand."""

from __future__ import annotations

import incast
import pytest
from incast.measure.lone import Life, lone_share, times_alone

US = 1_000_000  # ps


@pytest.mark.parametrize(
    ("lives", "alone"),
    [
        ([(0, 100, "a")], [100]),
        ([(0, 100, "a"), (0, 100, "a")], [0, 0]),
        ([(0, 100, "a"), (0, 100, "b")], [100, 100]),
        # From 50 to 100 the flows share a port; each is alone for the other half of its life.
        ([(0, 100, "ab"), (50, 150, "bc")], [50, 50]),
        # The second flow begins when the first has ended.
        ([(0, 100, "a"), (100, 150, "a")], [100, 50]),
        # Before 20 and after 180 the first flow is alone; the others never are.
        ([(0, 200, "a"), (20, 180, "a"), (60, 120, "a")], [40, 0, 0]),
        # The first flow meets one flow at port a until 30, and another at port b from 60 on.
        ([(0, 100, "ab"), (0, 30, "a"), (60, 100, "b")], [30, 0, 0]),
        # The two ports have other flows until 30 and 40.
        ([(0, 100, "ab"), (0, 30, "a"), (0, 40, "b")], [60, 0, 0]),
        # Spans of 10 are not longer than the least span, 10, so that only the time from 90 on
        # counts.
        ([(0, 110, "a"), (10, 40, "a"), (50, 90, "a")], [20, 0, 0]),
        # A flow that started at the end of the run was never alive.
        ([(0, 100, "a"), (100, 100, "a")], [100, 0]),
    ],
)
def test_times_alone(lives, alone):
    assert times_alone([Life(*life) for life in lives], least=10) == alone


def scenario(*flows, cc="hpcc", **network):
    """Flows of 1 MB in a star: source, destination, start in µs."""
    listed = [
        {"source": source, "destination": destination, "size": "1MB", "start": f"{start}us"}
        for source, destination, start in flows
    ]
    return {
        "network": {"topology": "star", **network},
        "cc": {"algorithm": cc},
        "traffic": [{"kind": "flows", "flows": listed}],
    }


def run(*flows, folder=None, **more):
    """Results of a run of these flows."""
    return incast.run(scenario(*flows, **more), folder=folder)


def test_a_flow_that_is_alone_makes_all(tmp_path):
    assert run((0, 16, 0)).lone_share() == 1
    stored = run((0, 16, 0), (1, 15, 0), folder=tmp_path / "stored")
    assert incast.load(stored.folder).lone_share() == 1


def test_flows_that_share_a_link_all_the_time_make_nothing():
    assert run((0, 16, 0), (1, 16, 0)).lone_share() == 0


def test_half_of_a_flow_is_alone():
    """The first flow is alone for 40 µs, in which 100 Gb/s carry 500 KB; after its end the second
    is.
    """
    results = run((0, 16, 0), (1, 16, 40))
    flows = results.flows
    first, second = (flows["start_ps"] + flows["fct_ps"]).tolist()
    assert flows["source"].tolist() == [0, 1]
    rest = (second - first) * 100e9 / 8e12
    assert 100e3 < rest < 1e6
    assert results.lone_share() == pytest.approx((500e3 + rest) / 2e6, rel=1e-12)
    # Neither flow was alone for a hundred base RTTs.
    assert results.lone_share(base_rtts=100) == 0


def test_paths_of_acks_are_company_unless_they_are_left_out():
    """In a ring, the ACKs of one flow leave by the port of another flow's data."""
    ring = run((0, 1, 0), (1, 2, 0), (2, 0, 0))
    assert (ring.lone_share(), ring.lone_share(with_acks=False)) == (0, 1)


def test_longer_paths_count_more():
    """A flow within a leaf crosses two links, a flow between leaves four: 4 of 4 + 2 · 2."""
    leaves = {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4}
    results = run((0, 4, 0), (1, 3, 0), (2, 3, 0), topology=leaves)
    assert results.lone_share() == 0.5


@pytest.mark.parametrize("source", range(8))
def test_paths_are_those_that_packets_take(source):
    given = scenario((source, 127, 0), topology="fat-tree")
    results = incast.run(given)
    (source_port,) = results["source_port"].astype(int).tolist()
    paths = incast.Scenario(given)._core.ports_of_flow(0, source, 127, source_port)
    nodes, ports, *packets = (
        results.ports[name] for name in ("node", "port", "data_packets", "control_packets")
    )
    taken = [list(zip(nodes[used > 0], ports[used > 0], strict=True)) for used in packets]
    assert [sorted(path) for path in paths] == taken


def test_hosts_with_several_nics_have_ports_for_each():
    rails = {"kind": "rail-optimised", "units": 1, "nodes_per_unit": 4, "rails": 2}
    results = run((0, 1, 0), (0, 1, 0), topology={**rails, "hosts": "nodes"})
    assert sorted(results["source_nic"]) == [0, 1]
    assert results.lone_share() == 1


def test_what_was_never_acknowledged_has_no_share():
    share = incast.run({"run": {"stop": "100ns"}, **scenario((0, 16, 0))}).lone_share()
    assert share != share


def test_what_has_no_share_is_refused():
    spread = {
        "topology": "leaf-spine",
        "balance": {"kind": "random"},
        "recovery": {"kind": "selective", "loss_detection": {"kind": "explicit"}},
    }
    below_one_leaf = run((0, 4, 0), cc="swift", **spread)
    assert below_one_leaf.lone_share() == 1
    sprayed = run((0, 40, 0), cc="swift", **spread)
    with pytest.raises(incast.ResultsError, match=r"flow 0 takes several paths; .*balance\.kind"):
        sprayed.lone_share()
    down = {"kind": "down", "links": ["host 5"], "from": "1us"}
    with pytest.raises(incast.ResultsError, match="paths change with faults"):
        incast.run(scenario((0, 1, 0)), fault=[down]).lone_share()
    fabric = {
        "fabric": {"endpoints": 64},
        "control": {"scheme": "none"},
        "work": [{"kind": "transactions", "count": 1}],
    }
    with pytest.raises(incast.ResultsError, match="flows"):
        incast.run(fabric).lone_share()


def test_flows_of_another_scenario_are_refused():
    results = run((0, 16, 0))
    smaller = incast.Scenario(scenario((0, 1, 0), topology={"kind": "star", "hosts": 4}))
    with pytest.raises(incast.ResultsError, match="flow 0 is not one of the scenario; a file"):
        lone_share(results, smaller, 0, with_acks=True)
