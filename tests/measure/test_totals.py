"""Totals over the network do not depend on what else is recorded."""

import incast
import pytest

STAR = {"topology": {"kind": "star", "hosts": 40}}
INCAST = {"kind": "incast", "receiver": 39, "sizes": "50KB"}
STAGGERED = INCAST | {"stagger": {"group": 3, "every": "7us"}}
POISSON = {"kind": "poisson", "sizes": "web-search", "load": 0.6, "duration": "300us"}
RING = {"kind": "all-reduce", "algorithm": "ring", "data": "200KB"}
SPINE = {"topology": {"kind": "leaf-spine", "leaves": 3, "spines": 2, "hosts_per_leaf": 4}}
CASES = {
    "incast": (STAR, INCAST, "hpcc"),
    "staggered": (STAR, STAGGERED, "swift"),
    "shared by pulls": (STAR, STAGGERED, "s-perc"),
    "paused": (STAR | {"buffer": {"size": "1500KB"}}, INCAST, "none"),
    "poisson": (SPINE, POISSON, "dctcp"),
    "ring": (SPINE, RING, "dcqcn"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rows", [4_000_000, 1000])
def test_totals_are_those_without_the_flows(case, rows):
    """Where flows are recorded one by one, each sample is taken by itself; where they are not,
    those between two events of a host are taken at once.
    """
    network, traffic, algorithm = CASES[case]
    found = []
    for which in ("all", "none"):
        scenario = {
            "network": network,
            "cc": {"algorithm": algorithm},
            "traffic": [traffic],
            "measure": {"flows": {"which": which, "every": "1us"}, "rows": rows},
        }
        results = incast.run(scenario, threads=1)
        found.append((results.fingerprint, totals(results)))
    (one, by_flow), (other, at_once) = found
    assert one == other
    if rows > 1000:
        assert {"active_flows", "jain_index"} <= set(at_once)
        assert sum(map(len, at_once.values())) > 100
        assert at_once == by_flow
    else:
        # Rows of flows thin the series sooner: what both keep is the same.
        for measure in ("active_flows", "jain_index"):
            kept = dict(by_flow[measure])
            shared = [(time, value) for time, value in at_once[measure] if time in kept]
            assert shared
            if measure == "active_flows":
                assert all(kept[time] == value for time, value in shared)


def totals(results):
    """By measure: times and values of the whole network."""
    series = results.series
    kinds, entities = series.categories("measure"), series.categories("entity")
    found = {}
    rows = zip(
        kinds.indices,
        entities.indices,
        series.numbers("time_ps").tolist(),
        series.numbers("value").tolist(),
        strict=True,
    )
    for kind, entity, time, value in rows:
        if entities.texts[entity] == "network":
            found.setdefault(kinds.texts[kind], []).append((time, value))
    return found
