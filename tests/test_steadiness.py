"""The flows that count in FCT statistics, and warnings about them, on simulated runs."""

import math

import incast
import numpy as np
import pytest
from incast.present.key_figures import caveats, steadiness
from incast.study.measures import measure_named
from incast.study.selection import Selection
from incast.study.steadiness import Steadiness, foreign_targets, notes, steadiness_of

SHORT = {
    "network": {"topology": "star"},
    "cc": {"algorithm": "hpcc"},
    "traffic": [{"kind": "poisson", "sizes": "web-search", "load": 0.5, "duration": "1500us"}],
    "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}},
}
"""At 100 Gb/s, the largest flow alone takes 2.4 ms."""
MIXED = {
    **SHORT,
    "network": {"topology": {"kind": "star", "hosts": 8}},
    "traffic": [
        {**SHORT["traffic"][0], "name": "background", "duration": "2ms"},
        {
            "kind": "incast",
            "receiver": 7,
            "sizes": "10KB",
            "rounds": {"every": "10us", "count": 200},
        },
    ],
}
"""Some twenty counted flows of Poisson traffic, beside 1400 listed flows."""
STEADY = {
    **SHORT,
    "traffic": [{"kind": "poisson", "sizes": "10KB", "load": 0.3, "duration": "1ms"}],
}
"""Traffic with flows of 10 KB, which take some microseconds."""


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
    assert "Figures of FCT still depend on how long flows arrive; " in text
    assert "would do, at least (`duration` or `count`, and `run.stop`)." in text
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
    """Packets of 1000 B have 1090 B with INT; ACKs of the other direction come on top."""
    [entry] = steady.summary["loads"]["entries"]
    assert entry["asked"] == 0.3
    sizes = steady.flows["size_bytes"].sum()
    assert entry["drawn"] == pytest.approx(sizes * 8 / (1e-3 * 17 * 100e9))
    # The spread of N flows of one size is 1 / √N.
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
    """The larger of 12.3 and 45.6 ms, rounded up to two digits: 46 ms."""
    kept = [{"unsteady: duration_ps": 12.3e9}, {"unsteady: duration_ps": 45.6e9}]
    [note] = notes([Steadiness.of(kept), Steadiness.of([{}])])
    assert note.startswith("Not steady: 1 of 2 points is marked")
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
    """Arrivals of 1 us end before any flow does: all counted flows are late."""
    entry = {**SHORT["traffic"][0], "sizes": "1KB", "load": 0.9, "duration": "1us"}
    results = incast.run({**SHORT, "traffic": [entry]})
    assert results.summary["fct_slowdown"]["all"]["p50"] is None
    assert "Cut" in results.table()


def test_a_stop_cuts_flows_that_had_not_ended():
    """The run stops while flows still arrive: some flows of the entry, and so of all flows, have
    not ended then.
    """
    results = incast.run({**MIXED, "run": {"stop": "1500us"}})
    text = " ".join(results.table().split())
    [entry] = results.summary["counted_flows"]
    own = results.summary["traffic"][0]["fct_slowdown"]
    unfinished = entry["flows"] - own["count"]
    assert 0 < unfinished <= entry["late"] == own["late"]["count"]
    assert (own["p99"], own["late"]["p99"]["at_most"]) == (None, None)
    share = steadiness.percent_text(entry["late"] / entry["flows"])
    assert f"Cut: {share} of the counted flows of background " in text
    assert f"p99 ≥ {steadiness.ratio_text(own['late']['p99']['at_least'])}" in text
    assert "while the network emptied" not in text


def test_what_statistics_make_of_flows_that_had_not_finished(short):
    """In a run with a window, unfinished flows that count are the slowest; other unfinished flows
    affect no FCT.
    """
    [entry] = short.summary["counted_flows"]
    counts = short.summary["flows"]

    def note(unfinished, counted):
        flows = {**counts, "started": counts["finished"] + unfinished}
        entries = [{**entry, "flows": entry["flows"] + counted}]
        summary = {**short.summary, "flows": flows, "counted_flows": entries}
        return caveats(summary)[0]

    assert note(3, 0) == (
        "3 flows had not finished when the scenario stopped: none of them started in the window of "
        "counted flows."
    )
    some = ". As flows that count, 2 of them are in percentiles of FCT as the slowest; means and "
    assert some + "maxima leave them out." in note(3, 2)
    assert "As flows that count, they are in percentiles" in note(2, 2)
    everything = incast.run({**SHORT, "measure": {"fct": "all"}}, stop="1500us", store=None)
    assert "statistics of flows leave them out" in caveats(everything.summary)[0]


def test_how_late_flows_are_in_words():
    assert steadiness._how_late(3, 0) == "ended after arrivals did, while the network emptied"
    assert steadiness._how_late(3, 3) == "had not ended when the run did"
    both = "ended after arrivals did, or had not ended when the run did"
    assert steadiness._how_late(3, 2) == both


def test_a_cut_entry_has_its_own_bracket_and_so_have_all_flows_together():
    """None of the 1400 listed flows is late; with them, the late flows of the entry would not
    show.
    """
    results = incast.run(MIXED)
    text = " ".join(results.table().split())
    [entry] = results.summary["counted_flows"]
    own = results.summary["traffic"][0]["fct_slowdown"]
    every = results.summary["fct_slowdown"]["all"]
    share = steadiness.percent_text(entry["late"] / entry["flows"])
    of_all = steadiness.percent_text(entry["late"] / (entry["flows"] + 1400))
    assert f"Cut: {share} of the counted flows of background ended" in text
    assert f"Cut: {of_all} of all counted flows together ended" in text
    assert f"p99 ≥ {steadiness.ratio_text(own['late']['p99']['at_least'])}" in text
    assert own["late"]["p99"]["at_most"] is None
    low, high = (
        steadiness.ratio_text(every["late"]["p99"][end]) for end in ("at_least", "at_most")
    )
    assert f"p99 {low} to {high} (here" in text
    # Late flows could move the p50 of all flows, but do not change its digits, so that no range is
    # given.
    assert "p50 1.95 to 1.95" not in text
    assert steadiness.late_share(results.summary) == entry["late"] / (entry["flows"] + 1400)


def test_sweeps_tell_points_near_capacity(tmp_path):
    """For the point near capacity no duration may be enough, and none is named; for the other point
    a duration is named.
    """
    near = {"kind": "poisson", "sizes": "10KB", "load": 0.85, "duration": "300us"}
    study = {
        "scenario": {**STEADY, "traffic": [near]},
        "measure": "slowdown.mean",
        "vary": {"traffic.0.load": [0.3, 0.85]},
    }
    sweep = incast.sweep(study, store=tmp_path)
    text = " ".join(sweep.table().split())
    assert "Near capacity: 1 of 2 points is at a load on the wire" in text
    assert [bool(each.get("load_near_capacity")) for each in sweep.to_dict()["means"]][1:] == [True]


def test_no_duration_is_named_near_capacity(short):
    kept = {"unsteady: duration_ps": 12.3e9, "near capacity: load": 0.93}
    unsteady, near = notes([Steadiness.of([kept])])
    assert "would do" not in unsteady
    assert "of up to 0.93" in near
    assert "no longer run may do" in near
    unsteady, _ = notes([Steadiness.of([kept]), Steadiness.of([{"unsteady: duration_ps": 5e9}])])
    assert "5 ms would do for those not near capacity" in unsteady
    wire = {**short.summary["loads"]["wire"], "at_asked": 0.9}
    summary = {**short.summary, "loads": {**short.summary["loads"], "wire": wire}}
    notes_of_run = " ".join(steadiness.caveats(summary))
    assert "Not steady" in notes_of_run
    assert "Near capacity" in notes_of_run
    assert "would do" not in notes_of_run


def test_targets_of_another_network_are_told_of_points():
    kept = [{"foreign target: base RTTs": 2.4}, {"foreign target: base RTTs": 4.8}]
    [note] = foreign_targets([Steadiness.of(kept), Steadiness.of([{}])])
    assert note.startswith("Of another network: 1 of 2 points is run with a target delay")
    assert "of up to 4.80 base RTTs" in note


def test_what_is_not_known_is_not_told_as_not_steady(short):
    [entry] = short.summary["counted_flows"]
    summary = {**short.summary, "counted_flows": [{**entry, "steady": None}]}
    assert not any(note.startswith("Not steady") for note in steadiness.caveats(summary))
    assert "unsteady: duration_ps" not in steadiness_of(summary)
    assert steadiness.unsteady_note({"hpcc": [summary], "dcqcn": [short.summary]}) == (
        " Not steady: dcqcn."
    )


def test_a_link_that_carries_more_than_fits_into_the_arrivals_is_told_so(short):
    wire = {**short.summary["loads"]["wire"], "port_load": 1.66, "port": "host 1"}
    summary = {**short.summary, "loads": {**short.summary["loads"], "wire": wire}}
    assert steadiness.loads(summary)[-1].detail.endswith("most at host 1, and on after arrivals")


@pytest.mark.parametrize("quantity", ["slowdown", "fct"])
def test_measures_know_the_ends_that_summaries_have(short, quantity):
    name = {"slowdown": "fct_slowdown", "fct": "fct_ps"}[quantity]
    own = short.summary[name]
    late = own.get("all", own)["late"]
    for key, percentile in (("p50", "p50"), ("p95", "p95"), ("p999", "p99.9")):
        least, most = measure_named(f"{quantity}.{percentile}").ends(short)
        assert least == pytest.approx(late[key]["at_least"])
        assert most == pytest.approx(late[key]["at_most"] or math.inf)
    mean = measure_named(f"{quantity}.mean")
    assert mean.ends(short) == (mean.of(short), math.inf)
    assert measure_named(f"{quantity}.min").ends(short) is None
    every = measure_named(f"{quantity}.mean").of_flows(Selection(all_flows=True))
    assert every.ends(short) is None


def test_goodputs_of_late_flows_were_higher_when_arrivals_ended(short):
    """A percentile of goodput lies between two values: with late flows at 0, and with late flows at
    their goodput until then. The lowest goodput could be 0.
    """
    least, most = measure_named("flow-goodput.p50").ends(short)
    assert least <= measure_named("flow-goodput.p50").of(short) <= most
    lowest = measure_named("flow-goodput.min")
    assert lowest.ends(short) == (0.0, lowest.of(short))
    assert measure_named("flow-goodput.max").ends(short) is None


def test_nothing_could_move_what_is_not_late(steady):
    assert measure_named("slowdown.p99").ends(steady) is None
