"""Which flows FCT statistics count, and what is said against them: on runs."""

import math

import incast
import numpy as np
import pytest
from incast.study.steadiness import Steadiness, notes

SHORT = {
    "network": {"topology": "star"},
    "cc": {"algorithm": "hpcc"},
    "traffic": [{"kind": "poisson", "sizes": "web-search", "load": 0.5, "duration": "1500us"}],
    "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
}
"""On a link of 100 Gb/s the largest flow takes 2.4 ms alone."""
STEADY = {
    **SHORT,
    "traffic": [{"kind": "poisson", "sizes": "10KB", "load": 0.3, "duration": "1ms"}],
}
"""Flows of 10 KB take some microseconds."""


@pytest.fixture(scope="module")
def short():
    return incast.run(SHORT, store=None)


@pytest.fixture(scope="module")
def steady():
    return incast.run(STEADY, store=None)


def test_the_middle_third_counts(short):
    starts = short.completed["start_ps"]
    inside = (starts >= 500_000_000) & (starts < 1_000_000_000)
    assert (short.counted == inside).all()
    assert ((short.completed["counted"] == 1) == inside).all()
    found = short.summary["fct_slowdown"]["all"]
    assert found["count"] == inside.sum()
    assert found["mean"] == pytest.approx(short.completed["slowdown"][inside].mean())
    of_all = short.summary["all_flows"]["fct_slowdown"]["all"]
    assert of_all["count"] == len(starts)
    assert of_all["max"] == short.completed["slowdown"].max()


def test_a_short_run_says_so_and_what_would_do(short):
    text = " ".join(short.table().split())
    [entry] = short.summary["counted_flows"]
    assert not entry["steady"]
    assert f"of {entry['of']}: FCTs are of those started from 500 µs to 1 ms" in text
    assert "Not steady: " in text
    assert "Figures of FCT still depend on `duration`" in text
    assert "Cut: " in text
    late = short.summary["fct_slowdown"]["all"]["late"]
    assert late["p99"]["at_most"] is None
    assert f"≥ {late['p99']['at_least']:.2f}" in text or f"≥ {late['p99']['at_least']:.1f}" in text


def test_a_steady_run_says_nothing_but_what_counts(steady):
    text = " ".join(steady.table().split())
    assert steady.summary["counted_flows"][0]["steady"]
    assert "Not steady" not in text
    assert "Cut" not in text
    assert "Near capacity" not in text
    assert "FCTs are of those started from 333 µs to 667 µs" in text


def test_loads_are_told(steady):
    """Packets of 1000 B have 1090 B with INT, ACKs of the other way come on top."""
    [entry] = steady.summary["loads"]["entries"]
    assert entry["asked"] == 0.3
    sizes = steady.flows["size_bytes"].sum()
    assert entry["drawn"] == pytest.approx(sizes * 8 / (1e-3 * 17 * 100e9))
    # N flows of one size: 1 / √N.
    flows = 0.3 * 17 * 100e9 / 8 * 1e-3 / 10_000
    assert entry["spread"] == pytest.approx(1 / math.sqrt(flows))
    wire = steady.summary["loads"]["wire"]
    assert wire["target"] == 0.95
    assert 1.09 < wire["load"] / entry["drawn"] < 1.5
    text = " ".join(steady.table().split())
    assert f"load drawn {entry['drawn']:.2f} asked for 0.30" in text


def test_a_run_near_capacity_says_so():
    scenario = {
        **STEADY,
        "traffic": [{"kind": "poisson", "sizes": "10KB", "load": 0.85, "duration": "300us"}],
    }
    text = " ".join(incast.run(scenario, store=None).table().split())
    assert "Near capacity: " in text
    assert "hpcc aims at 0.95 of a link" in text


def test_show_says_what_counts_and_how_loads_vary():
    facts = incast.Scenario(STEADY).describe()
    [entry] = facts["open_loop"]
    assert entry["arrivals_ps"] == (0, 1_000_000_000)
    assert entry["counted_ps"] == (333_333_333, 666_666_666)
    everything = {**STEADY, "measure": {"fct": "all"}}
    [entry] = incast.Scenario(everything).describe()["open_loop"]
    assert entry["counted_ps"] is None


def test_all_flows_can_be_asked_for(short):
    found = incast.run({**SHORT, "measure": {**SHORT["measure"], "fct": "all"}}, store=None)
    assert found.fingerprint == short.fingerprint
    assert found.counted.all()
    assert found.summary["fct_slowdown"] == short.summary["all_flows"]["fct_slowdown"]
    with pytest.raises(incast.ScenarioError, match=r"measure\.fct: `window` counts the flows"):
        incast.Scenario({**SHORT, "measure": {"fct": "window"}})


def test_sweeps_mark_points_and_leave_out_what_is_cut(tmp_path):
    study = {
        "scenario": SHORT,
        "measure": [
            "slowdown.p50",
            "slowdown.p99",
            {"of": "slowdown.p99", "flows": "all"},
            {"of": "slowdown.p99", "up_to": "10KB"},
            "load.drawn",
        ],
        "vary": {"seed": [1, 2]},
    }
    sweep = incast.sweep(study, store=tmp_path)
    assert np.isnan(sweep["slowdown.p99"]).all()
    assert not np.isnan(sweep["slowdown.p99 (all flows)"]).any()
    assert sweep["load.drawn"].std() > 0
    runs = [incast.load(folder) for folder in (tmp_path / "runs").iterdir()]
    expected = [run.summary["all_flows"]["fct_slowdown"]["all"]["p99"] for run in runs]
    assert sorted(sweep["slowdown.p99 (all flows)"]) == pytest.approx(sorted(expected))
    [group] = sweep.groups
    assert group.steadiness.unsteady == 2
    text = " ".join(sweep.table().split())
    assert "Not steady: All points are marked (hollow, °)" in text
    assert "Cut: up to " in text
    counts = sorted(run.summary["fct_slowdown"]["all"]["count"] for run in runs)
    assert f"FCTs are of {counts[0]} to {counts[1]} flows a run" in text
    [curve] = sweep.chart("slowdown.p50").curves
    assert curve.hollow.all()
    assert not sweep.chart("load.drawn").curves[0].hollow.any()
    assert sweep.to_dict()["means"][0]["unsteady_runs"] == 2


def test_a_word_that_says_nothing_of_flows_is_refused():
    measure = [{"of": "slowdown.p99", "flows": "some"}]
    study = {"scenario": SHORT, "measure": measure, "vary": {"seed": [1, 2]}}
    with pytest.raises(incast.StudyError, match="`some` says of no flows whether they count"):
        incast.sweep(study)


def test_notes_of_points_name_the_longest_duration():
    """The larger one of 12.3 and 45.6 ms, rounded up to two digits: 46 ms."""
    kept = [{"unsteady: duration_ps": 12.3e9}, {"unsteady: duration_ps": 45.6e9}]
    [note] = notes([Steadiness.of(kept), Steadiness.of([{}])])
    assert note.startswith("Not steady: 1 of 2 points are marked")
    assert "46 ms would do for all of them" in note


def test_the_load_on_the_wire_is_of_whole_runs_whose_entries_send_together(steady):
    assert steady.summary["loads"]["wire"]["load"] > 0.3
    stopped = incast.run(SHORT, stop="1500us")
    assert stopped.summary["flows"]["finished"] < stopped.summary["flows"]["started"]
    assert stopped.summary["loads"]["wire"] is None
    (entry,) = STEADY["traffic"]
    apart = {**STEADY, "traffic": [entry, {**entry, "start": "5ms"}]}
    assert incast.run(apart).summary["loads"]["wire"] is None


def test_a_run_whose_median_is_not_known_is_shown():
    """Arrivals of 1 us are over before any flow has ended: all counted flows are late."""
    entry = {**SHORT["traffic"][0], "sizes": "1KB", "load": 0.9, "duration": "1us"}
    results = incast.run({**SHORT, "traffic": [entry]})
    assert results.summary["fct_slowdown"]["all"]["p50"] is None
    assert "Cut" in results.table()
