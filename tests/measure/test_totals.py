"""Totals over the network do not depend on other recordings."""

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


def ran(case, which, threads=1, every="1us", **measure):
    """Fingerprint and totals."""
    network, traffic, algorithm = CASES[case]
    results = incast.run(
        {
            "network": network,
            "cc": {"algorithm": algorithm},
            "traffic": [traffic],
            "measure": {"flows": {"which": which, "every": every}, **measure},
        },
        threads=threads,
    )
    return results.fingerprint, totals(results)


@pytest.mark.parametrize("measure", [{}, {"until": "31us"}], ids=["whole", "until"])
@pytest.mark.parametrize("case", CASES)
def test_totals_are_those_without_the_flows(case, measure):
    """With flows recorded one by one, each sample is taken by itself. Without, the samples between
    two events of a host are taken at once.
    """
    by_flow, at_once = ran(case, "all", **measure), ran(case, "none", **measure)
    assert {"active_flows", "jain_index"} <= set(at_once[1])
    assert sum(map(len, at_once[1].values())) > 50
    assert at_once == by_flow


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_thinned_totals_are_some_of_all(case, threads):
    whole = ran(case, "none", every="50ns")
    thinned = ran(case, "none", threads, every="50ns", rows=1000)
    assert whole[0] == thinned[0]
    for measure in ("active_flows", "jain_index"):
        values = dict(whole[1][measure])
        assert 10 < len(thinned[1][measure]) < len(values)
        assert all(values[time] == value for time, value in thinned[1][measure])


def totals(results):
    """By measure, the times and values of the whole network."""
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
