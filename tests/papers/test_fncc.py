"""The paper `fncc`: the interpretation of its claims, on numbers computed by hand."""

import math
import re
from types import SimpleNamespace

import incast
import numpy as np
import pytest
from incast import papers
from incast.measure.metrics import port_utilisation
from incast.measure.statistics import Average, Median
from incast.papers import seeds
from incast.papers.claim import Kind
from incast.papers.figure import Scale
from incast.papers.scoreboard import Verdict
from incast_papers.fncc import metrics, networks
from incast_papers.fncc.algorithms import (
    DCQCN,
    FNCC,
    FNCC_PLAIN,
    FNCC_PLUS,
    FNCC_PRINTED,
    FNCC_TABLE,
    FNCC_VAI_SF,
    HPCC,
    NO_WINDOW,
    ONCE_PER_ACK,
    PATH_RTT,
    RIVALS,
    ROCC,
    Reading,
    algorithm,
    markings,
    table,
    telemetry,
)
from incast_papers.fncc.figures import fig10, fig12, fig13, fig14, fig15, locks
from made_up import Columns

PAPER = papers.paper("fncc")
CLAIMS = {claim.id: claim for claim in PAPER.claims}
"""F01–F28 of the paper, and P, V, W of this project; claims on several rates or places have a
suffix.
"""
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    expected = {*(f"F{number:02}" for number in range(1, 29))}
    assert ids == expected | {f"V{number:02}" for number in range(1, 5)} | {
        f"W{number:02}" for number in range(1, 14)
    } | {"P01", "P02"}


def test_every_claim_on_measured_runs_is_judged_in_the_papers_setting_too():
    """Exceptions: Fig. 12's ages, Fig. 13e's flows, formulas, tables, and the first cuts."""
    alone = re.compile(r"F(11|25|26|28)\b|F10-\d+-table|F0[14].*-first|[PVW]")
    both = {number for number in CLAIMS if not alone.match(number) and "-paper" not in number}
    assert {f"{number}-paper" for number in both} == {
        number for number in CLAIMS if number.endswith("-paper")
    }
    assert all(CLAIMS[f"{number}-paper"].kind is Kind.READING for number in both)


def times(fncc, hpcc, dcqcn, rocc):
    """Reaction times in µs, with DCQCN's half interval of 2 µs."""
    in_us = zip(RIVALS, (fncc, hpcc, dcqcn, rocc), strict=True)
    return {**{label: time * 1e-6 for label, time in in_us}, "DCQCN ±": 2e-6}


def draining(near_beta, middle, end):
    """Shares of flow 0, with the last hop congested: see `fig13.plateau`."""
    shares = (near_beta, middle, end)
    what = ("time at 43–47 Gb/s", "median until 450 µs", "median of the last 100 µs")
    return {f"flow 0, {each}": share for each, share in zip(what, shares, strict=True)}


def even(early, late):
    """The share of the slower elephant under each algorithm."""
    labels = (FNCC, FNCC_PLUS, HPCC)
    return {f"{label}, at 5 ms": early for label in labels} | {
        f"{label}, at 20 ms": late for label in labels
    }


def at(gbps, **values):
    named = {"fncc": FNCC, "hpcc": HPCC, "dcqcn": DCQCN, "rocc": ROCC}
    return {networks.at(named[name], gbps): value for name, value in values.items()}


@pytest.mark.parametrize(
    ("number", "values", "expected"),
    [
        # 0 ± 5 µs; the trend is only the order.
        ("F01", times(4.9, 17, 43, 70), HOLDS),
        ("F01", times(5.1, 17, 43, 70), TREND),
        ("F01", times(20, 17, 43, 70), FAILS),
        # 30 ± 7.5 µs.
        ("F02", times(4, 22.6, 43, 70), HOLDS),
        ("F02", times(4, 22.4, 43, 70), TREND),
        ("F02", times(4, 50, 43, 70), FAILS),
        # 46 ± 11.5 µs; 70 ± 17.5 µs.
        ("F03", times(4, 17, 55.4, 70), HOLDS),
        ("F03", times(4, 17, 55.6, 70), TREND),
        ("F03", times(4, 17, 60, 58), FAILS),
        ("F04", times(4, 17, 43, 87.4), HOLDS),
        ("F04", times(4, 17, 43, 88), TREND),
        ("F04", times(4, 17, 43, 42), FAILS),
        ("F01-order", times(4, 17, 43, 70), HOLDS),
        ("F01-order", times(4, 17, 70, 43), FAILS),
        ("F01-order-first", times(4, 13, 35, 36), HOLDS),
        ("F01-order-first", times(4, 13, 37, 36), FAILS),
        # 70 ± 17.5 µs; the trend is to react after all others.
        ("F04-first", times(4, 13, 43, 53), HOLDS),
        ("F04-first", times(4, 13, 43, 52), TREND),
        ("F04-first", times(4, 13, 43, 37), FAILS),
        ("F05-sooner", at(100, fncc=80e-6, hpcc=100e-6), HOLDS),
        ("F05-sooner", at(100, fncc=90e-6, hpcc=100e-6), TREND),
        ("F05-sooner", at(100, fncc=90e-6, hpcc=80e-6), FAILS),
        ("F05-sooner", at(100, fncc=90e-6, hpcc=math.inf), HOLDS),
        ("F05-smoother", at(100, fncc=9e8, hpcc=1e9), TREND),
        ("F05-dcqcn", at(100, fncc=90e-6, dcqcn=math.inf), HOLDS),
        ("F05-dcqcn", at(100, fncc=90e-6, dcqcn=170e-6), FAILS),
        ("F05-rocc", at(100, fncc=90e-6, rocc=0.5e-3), HOLDS),
        ("F05-rocc", at(100, fncc=90e-6, rocc=0.4e-3), FAILS),
        ("F07-converge-200", at(200, fncc=5e-5, hpcc=6e-5, dcqcn=math.inf, rocc=1e-3), HOLDS),
        ("F07-converge-200", at(200, fncc=6e-5, hpcc=6e-5, dcqcn=math.inf, rocc=1e-3), TREND),
        ("F07-converge-200", at(200, fncc=5e-5, hpcc=6e-5, dcqcn=4e-5, rocc=1e-3), TREND),
        ("F07-converge-200", at(200, fncc=7e-5, hpcc=6e-5, dcqcn=math.inf, rocc=1e-3), FAILS),
        ("F06", at(100, fncc=1.0, hpcc=2.0, dcqcn=2.0, rocc=1.1), HOLDS),
        ("F06", at(100, fncc=1.0, hpcc=2.0, dcqcn=2.0, rocc=1.0), FAILS),
        ("F08-400", at(400, fncc=0.95, hpcc=0.94, dcqcn=0.9, rocc=0.8), HOLDS),
        ("F08-400", at(400, fncc=0.95, hpcc=0.94, dcqcn=0.96, rocc=0.8), TREND),
        ("F08-400", at(400, fncc=0.93, hpcc=0.94, dcqcn=0.9, rocc=0.8), FAILS),
        ("F09-200", at(200, fncc=1.0, hpcc=2.0, dcqcn=3.0), HOLDS),
        ("F09-200", at(200, fncc=0.0, hpcc=0.0, dcqcn=3.0), TREND),
        ("F09-200", at(200, fncc=0.0, hpcc=0.0, dcqcn=0.0), FAILS),
        ("F10-100", at(100, fncc=1.0, hpcc=2.0, dcqcn=0.5), FAILS),
        ("F11", {FNCC: 0.95, HPCC: 0.9}, HOLDS),
        ("F11", {FNCC: 0.94, HPCC: 0.9}, FAILS),
        # −37.5 % ± a quarter of that: −28.1 to −46.9 %.
        ("F12", {"peak": -0.282, "mean queue": 0.0}, HOLDS),
        ("F12", {"peak": -0.28, "mean queue": 0.0}, TREND),
        ("F12", {"peak": 0.01, "mean queue": 0.0}, FAILS),
        ("F12", {"peak": -0.47, "mean queue": 0.0}, TREND),
        # −8.4 % ± a quarter of that, 2.1 points.
        ("F14", {"peak": -0.064, "mean queue": 0.0}, HOLDS),
        ("F14", {"peak": -0.062, "mean queue": 0.0}, TREND),
        ("F14", {"peak": -0.131, "mean queue": 0.0}, TREND),
        ("F16-last", {"HPCC, last hop": 0.93, "FNCC, last hop": 0.93}, HOLDS),
        ("F16-last", {"HPCC, last hop": 0.93, "FNCC, last hop": 0.92}, FAILS),
        # Half of the time near 45 Gb/s, and in the end within 3 Gb/s of 50.
        ("F17", draining(near_beta=0.5, middle=0.9, end=0.95), HOLDS),
        ("F17", draining(near_beta=0.49, middle=0.9, end=0.95), TREND),
        ("F17", draining(near_beta=0.5, middle=0.9, end=0.93), FAILS),
        ("F17", draining(near_beta=0.4, middle=1.0, end=1.0), FAILS),
        # 12.4 ± 3.1 points where the difference is largest; the trend is lower beyond chance.
        ("F18", {"up to": -0.094, "all": -0.03, "all, upper end": -0.01}, HOLDS),
        ("F18", {"up to": -0.094, "all": 0.1, "all, upper end": 0.12}, FAILS),
        ("F18", {"up to": -0.092, "all": -0.03, "all, upper end": -0.01}, TREND),
        ("F18", {"up to": -0.092, "all": -0.03, "all, upper end": 0.01}, FAILS),
        ("F20", {"all": -0.21, "all, upper end": -0.2, "up to": -0.5}, HOLDS),
        ("F20", {"all": -0.2, "all, upper end": -0.19, "up to": -0.5}, TREND),
        # 88.9 % less leaves 11.1 %: ± a quarter of that, 2.8 points.
        ("F21", {"all": -0.862, "all, upper end": -0.85, "up to": -0.9}, HOLDS),
        ("F21", {"all": -0.86, "all, upper end": -0.85, "up to": -0.9}, TREND),
        ("F22-web", {"worst class vs HPCC": 0.99, "all flows vs HPCC": 0.9}, HOLDS),
        ("F22-web", {"worst class vs HPCC": 1.01, "all flows vs HPCC": 0.9}, TREND),
        ("F22-web", {"worst class vs HPCC": 1.01, "all flows vs HPCC": 1.0}, FAILS),
        ("F24", {HPCC: -0.27, DCQCN: -0.9}, HOLDS),
        ("F24", {HPCC: -0.1, DCQCN: -0.9}, TREND),
        ("F24", {HPCC: 0.1, DCQCN: -0.9}, FAILS),
        ("F26", {"sw1": 9e-6, "sw2": 6e-6, "sw3": 3e-6}, HOLDS),
        ("F26", {"sw1": 6e-6, "sw2": 6e-6, "sw3": 3e-6}, FAILS),
        ("F26-theory", {"FNCC sw1": -0.02}, HOLDS),
        ("F26-theory", {"FNCC sw1": -0.021}, FAILS),
        ("F27", {"RoCC, 10 ms": 2e-3}, HOLDS),
        ("F27", {"RoCC, 10 ms": 0.2e-3}, TREND),
        ("F27", {"RoCC, 10 ms": 0.05e-3}, FAILS),
        ("F27", {"RoCC, 10 ms": math.inf}, TREND),
        ("P01", even(0.92, 0.911), HOLDS),
        ("P01", even(0.92, 0.94), FAILS),
        ("P02", dict.fromkeys((FNCC, FNCC_PLUS, HPCC), 0.95), HOLDS),
        ("P02", {FNCC: 0.99, FNCC_PLUS: 0.94, HPCC: 0.99}, FAILS),
        ("V01", {FNCC: 0.99, FNCC_VAI_SF: 0.981}, HOLDS),
        ("V01", {FNCC: 0.99, FNCC_VAI_SF: 0.979}, FAILS),
        ("V02", {FNCC: 100.0, FNCC_VAI_SF: 110.0}, HOLDS),
        ("V02", {FNCC: 100.0, FNCC_VAI_SF: 111.0}, FAILS),
        ("V03-web", {FNCC: 10.0, FNCC_VAI_SF: 8.0}, HOLDS),
        ("V03-web", {FNCC: 10.0, FNCC_VAI_SF: 8.1}, TREND),
        ("W01", {"1 switches": 0.01, "2 switches": 0.02}, HOLDS),
        ("W01", {"1 switches": -0.01, "2 switches": 0.02, "3 switches": 0.02}, TREND),
        ("W01", {"1 switches": -0.01, "2 switches": 0.02}, FAILS),
        ("W04", {"FNCC+ over HPCC, Hadoop": 0.99, "FNCC+ over FNCC, Hadoop": 1.1}, HOLDS),
        ("W04", {"FNCC+ over HPCC, Hadoop": 1.01, "FNCC+ over FNCC, Hadoop": 0.9}, FAILS),
        ("W06", {"web search": 1.02}, HOLDS),
        ("W06", {"web search": 1.021}, FAILS),
        ("W09-short", {"FNCC+ over FNCC single average, Hadoop": 0.99}, HOLDS),
        ("W09-short", {"FNCC+ over FNCC single average, Hadoop": 1.01}, FAILS),
        ("W10", {"mean, all": 0.95, "mean, 200 KB to 1 MB": 1.02}, HOLDS),
        ("W10", {"mean, all": 0.95, "mean, 200 KB to 1 MB": 1.2}, TREND),
        ("W11", {"star, 8 senders": 0.0}, HOLDS),
        ("W11", {"star, 8 senders": 0.01}, FAILS),
        ("W12-100", {"FNCC+, 100G": math.inf, "HPCC, 100G": 6e-5}, FAILS),
        ("W07", {"1 switches": -0.01}, HOLDS),
        ("W07", {"1 switches": -0.011}, FAILS),
    ],
)
def test_verdicts(number, values, expected):
    assert Verdict.of(CLAIMS[number], values) is expected


# ── Two elephants ────────────────────────────────────────────────────────────────────────────────

US = 1_000_000  # ps


def watched(rates, queue=((0, 0.0),), sends=()):
    """A run at 100 Gb/s, made up from rates of senders (µs, Gb/s), the queue of the port (µs,
    bytes), and the packets that left the port (µs, bytes).
    """
    rows = [
        ("rate_bps", flow, time * US, rate * 1e9)
        for flow, curve in rates.items()
        for time, rate in curve
    ]
    rows += [("queue_bytes", "switch 3 port 2 → switch 4", t * US, q) for t, q in queue]
    measure, entity, time, value = zip(*rows, strict=True)
    return SimpleNamespace(
        flows=Columns(start_ps=[0, 300 * US]),
        series=Columns(measure=measure, entity=entity, time_ps=time, value=value),
        ports=Columns(
            node=[3, 3, 4],
            port=[0, 2, 0],
            label=["switch 3 port 0 → host 0", "switch 3 port 2 → switch 4", "switch 4 port 0"],
            rate_bps=[100e9] * 3,
            pauses_sent=[2, 1, 4],
        ),
        packets=Columns(
            time_ps=[round(when * US) for when, _ in sends for _ in range(2)],
            node=[3] * (2 * len(sends)),
            port=[2] * (2 * len(sends)),
            event=["enqueue", "send"] * len(sends),
            wire_bytes=[size for _, size in sends for _ in range(2)],
        ),
    )


def test_the_first_of_both_senders_to_slow_down():
    """Flow 0 had 96 and 94 Gb/s before, so that 85.5 counts as slower; flow 1 began at 100, so that
    89 does.
    """
    before = [(200, 10), (260, 96), (290, 94)]
    slow = watched(
        {"flow 0": [*before, (310, 86), (320, 85)], "flow 1": [(301, 100), (312, 91), (325, 89)]}
    )
    assert metrics.reaction(slow) == pytest.approx(20e-6)
    newcomer = watched({"flow 0": before, "flow 1": [(301, 100), (312, 89)]})
    assert metrics.reaction(newcomer) == pytest.approx(12e-6)
    assert metrics.reaction(watched({"flow 0": before})) == math.inf
    # Slower by 1 %: below 94.05 and 99.
    assert metrics.reaction(slow, metrics.FIRST_CUT) == pytest.approx(10e-6)
    step = watched({"flow 0": [*before, (310, 94.1), (315, 94)]})
    assert metrics.reaction(step, metrics.FIRST_CUT) == pytest.approx(15e-6)


def test_converged_when_both_stay_within_a_fifth():
    """Means over 10 µs are fair from 40 to 60 Gb/s. The last unfair mean of flow 1 is that from 20
    to 30 µs.
    """
    other = [(301 + step, 50) for step in range(60)]
    late = [(301 + step, 61 if step < 25 else 45) for step in range(60)]
    # From 20 to 30 µs: five values of 61 and five of 45 have a mean of 53, which is fair.
    assert metrics.converged_after(watched({"flow 0": other, "flow 1": late})) == pytest.approx(
        20e-6
    )
    never = [(301 + step, 30) for step in range(60)]
    assert metrics.converged_after(watched({"flow 0": other, "flow 1": never})) == math.inf


def test_jitter_is_about_the_mean_of_100_us():
    """Between 49 and 51 Gb/s the jitter is 1 Gb/s, about 50. Slower changes, here a step after 200
    µs, are no jitter, and the first 100 µs do not count.
    """
    curve = [(t, (40 if t >= 500 else 50) + (1 if t % 2 else -1)) for t in range(402, 600)]
    first = [(310, 100), (320, 0)]
    assert metrics.jitter(watched({"flow 0": [*first, *curve]})) == pytest.approx(1e9, rel=1e-3)


def test_queue_and_pauses():
    run = watched({}, queue=[(0, 500.0), (350, 100.0), (360, 300.0)])
    assert metrics.peak(run) == 500
    assert metrics.mean_queue(run) == pytest.approx(200)
    # Pauses of both ports of switch 3 count, that of switch 4 does not.
    assert metrics.pauses(run) == 3


def test_utilisation_counts_what_leaves():
    """10 µs at 100 Gb/s are 125 000 B. The last interval is shorter."""
    run = watched({}, sends=[(1, 62_500), (2, 31_250), (305, 125_000), (311, 62_500), (321, 1)])
    middles, shares = port_utilisation(run)
    assert middles[:2] == pytest.approx([5e-6, 15e-6])
    assert shares[[0, 1, 30, 31]] == pytest.approx([0.75, 0, 1, 0.5])
    assert len(shares) == 32
    assert metrics.utilisation(run) == pytest.approx(0.75)


def test_a_run_that_ends_too_soon():
    run = watched({}, queue=[(0, 500.0)], sends=[(1, 62_500), (21, 1)])
    for measure in (metrics.mean_queue, metrics.utilisation):
        with pytest.raises(ValueError, match="before the second elephant starts, at 300 µs"):
            measure(run)


def test_setups_say_how_long_arrivals_last():
    for figure, sizes in ((fig14.FIGURE, "web-search"), (fig15.FIGURE, "fb-hadoop")):
        planned = networks.datacenter(HPCC, sizes, Scale.FULL, 1).scenario
        (entry,) = planned["traffic"]
        assert f" {entry['duration'].removesuffix('ms')} ms of arrivals" in figure.setup


def test_a_change_close_to_another():
    assert metrics.near(-0.375)({"": -0.3})
    assert not metrics.near(-0.375)({"": -0.28})
    # Of −88.9 % and the 11.1 % left, the smaller counts: a quarter of 11.1 points.
    assert metrics.near(-0.889)({"": -0.862})
    assert not metrics.near(-0.889)({"": -0.86})
    assert not metrics.near(-0.375)({"": 0.375})
    assert not metrics.near(-0.375)({"": math.nan})


def test_rows_are_means_over_all_starts(monkeypatch):
    """The mean of runs 1 and 3 is 2, and half of its 95 % interval is 12.7 times 1. The run that
    starts at 300 µs is for charts alone. Times that may be infinite have medians.
    """
    seen = {networks.at(label, 100): 100.0 for label in RIVALS}
    for label in RIVALS:
        for number, value in ((1, 1.0), (2, 3.0)):
            seen[seeds.seeded(networks.any_start(networks.at(label, 100)), number)] = value
    monkeypatch.setattr(fig10, "reaction", lambda run, share: run)
    found = fig10.reactions(seen)
    assert {label: value.mean for label, value in found.items()} == dict.fromkeys(RIVALS, 2)
    assert found[DCQCN].half_width == pytest.approx(12.7, abs=0.01)
    assert fig10.reactions_with_interval(seen)["DCQCN ±"] == found[DCQCN].half_width
    times = {**seen, "FNCC, 100G, any start #2": math.inf}
    median = metrics.each_time(lambda run: run, "FNCC, 100G")(times)["FNCC, 100G"]
    assert (median.lowest, median.highest) == (1, math.inf)


def test_metrics_begin_when_the_second_elephant_does():
    """The second elephant starts at 305 µs: slower at 315 µs is a reaction after 10 µs, and a peak
    at 325 µs is after 20 µs.
    """
    run = watched({"flow 0": [(290, 95), (312, 94), (315, 80)]}, queue=[(0, 0.0), (325, 9.0)])
    run.flows = Columns(start_ps=[0, 305 * US])
    assert metrics.reaction(run) == pytest.approx(10e-6)
    assert metrics.peak_after(run) == pytest.approx(20e-6)


def test_starts_are_within_a_base_rtt():
    assert len(set(networks.STARTS)) == 10
    assert all(0 <= late <= 12.5e-6 for late in networks.STARTS)
    (_, second) = networks.elephants(FNCC, late=networks.STARTS[0]).scenario["traffic"][0]["flows"]
    assert second["start"] == f"{300 + networks.STARTS[0] * 1e6:g}us"
    planned = networks.elephants_at_any_start([100], [FNCC, DCQCN])
    seeds = {each.scenario["run"]["seed"] for label, each in planned.items() if DCQCN in label}
    assert len(seeds) == 10
    named = planned["DCQCN, 100G, any start #3"].scenario
    assert named["run"]["seed"] == 3
    assert planned["FNCC, 100G, any start #3"].scenario["run"]["seed"] == 1


def test_a_choice_changes_only_what_it_names():
    choice = NO_WINDOW + ONCE_PER_ACK
    assert choice.name == "no window, averaged once per ACK"
    changed = {
        label: networks.chosen(networks.elephants(label), choice).scenario["cc"]
        for label in (FNCC, HPCC, DCQCN)
    }
    assert changed[FNCC] == {**algorithm(FNCC), "window": "none", "average": "single"}
    assert changed[HPCC] == {**algorithm(HPCC), "window": "none"}
    assert changed[DCQCN] == algorithm(DCQCN)
    path = networks.chosen(networks.elephants(DCQCN), PATH_RTT).scenario
    assert path["network"]["base_rtt"] == "path"


def test_markings_are_those_of_the_other_readings():
    """There are four markings in all, of which the setting itself has one: in proportion to the
    link, or HPCC's.
    """
    for reading, own in ((Reading.OURS, "12.5KB"), (Reading.PAPER, "0.2")):
        given = [choice.network["ecn"] for choice in markings(reading)]
        assert len(given) == 3
        assert own not in [str(each["k_min"]) for each in given] + [
            str(each["p_max"]) for each in given
        ]


def test_two_elephants_equally_far():
    """Both elephants are four links away, as the first one is in the other setting, so that base
    RTTs are equal. They meet at the observed port only.
    """
    for place in (networks.Place.MIDDLE, networks.Place.LAST):
        run = incast.run(networks.far(HPCC, place).scenario)
        near = incast.run(networks.located(HPCC, place).scenario)
        assert run.summary["base_rtt_ps"] == near.summary["base_rtt_ps"]
        peaks = run.ports.numbers("queue_max_bytes")
        # Samples come every 100 ns; a packet takes 121 ns.
        assert 0 <= peaks.max() - metrics.peak(run) <= 1560
        assert metrics.peak(run) > 100e3
        assert (peaks > 10e3).sum() == 1


def test_the_slower_elephants_share(monkeypatch):
    """Of 60 and 40 Gb/s the slower flow has 0.8 of the mean; flow 1 is a single packet of host
    2.
    """
    run = SimpleNamespace(
        flows=Columns(flow_id=[0, 1, 2], source=[0, 2, 1]),
        series=None,
    )
    times = np.array([1e-3, 2e-3])
    curves = {"flow 0": (times, np.array([60e9, 9e9])), "flow 2": (times, np.array([40e9, 9e9]))}
    monkeypatch.setattr(locks, "rates", lambda run: curves)
    assert locks.elephants_of(run) == ["flow 0", "flow 2"]
    assert locks.share(run, 0, 1e-3) == pytest.approx(0.8)


# ── Ages of telemetry ────────────────────────────────────────────────────────────────────────────


def test_ages_in_theory():
    """Two switches, links of 1 µs at 8 Gb/s: a packet of 1000 B takes 1 µs, an ACK of 100 B 0.1 µs
    on its first link and, grown, 0.2 and 0.3 µs. HPCC's first record crosses two links of 2 µs each
    and three links back, 3.6 µs in all. FNCC's is read at the first switch and crosses one link
    back, 1.3 µs.
    """
    given = {"link": 1e-6, "rate": 8e9, "data_bits": 8000.0, "ack_bits": [800.0, 1600.0, 2400.0]}
    assert fig12.theoretical_ages(**given, on_acks=False) == pytest.approx([7.6e-6, 5.6e-6])
    assert fig12.theoretical_ages(**given, on_acks=True) == pytest.approx([1.3e-6, 2.5e-6])


def test_ages_in_a_trace():
    """For a lone flow under HPCC, measurement and theory agree to the picosecond."""
    run = incast.run(networks.ages(HPCC).scenario)
    data_bits, ack_bits = fig12.acknowledged_bits(run)
    assert (data_bits, ack_bits) == ((1518 + 42) * 8, [88 * 8] * 4)
    ages = fig12.measured_ages(run, 100e-6, 200e-6, on_acks=False)
    theory = fig12.theoretical_ages(
        link=1.5e-6, rate=100e9, data_bits=data_bits, ack_bits=ack_bits, on_acks=False
    )
    assert len(ages) == 3
    for each, expected in zip(ages, theory, strict=True):
        # 95 Gb/s for 100 µs, at 1560 B each.
        assert len(each) == pytest.approx(760, abs=5)
        assert np.median(each) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label", [HPCC, FNCC])
def test_ages_in_a_trace_are_those_of_the_records(label):
    """Records count whole nanoseconds; traces do not."""
    planned = dict(networks.ages(label).scenario)
    run = incast.run({**planned, "measure": {**planned["measure"], "int_age": True}})
    ages = fig12.measured_ages(run, 100e-6, 200e-6, on_acks=label == FNCC)
    told = {row["switch"]: row["mean"] * 1e-12 for row in run.summary["int_age_ps"]}
    assert [told[switch] for switch in (1, 2, 3)] == pytest.approx(
        [each.mean() for each in ages], abs=1e-9
    )


# ── Traffic ──────────────────────────────────────────────────────────────────────────────────────


def flows(*pairs):
    sizes, slowdowns = zip(*pairs, strict=True)
    return SimpleNamespace(completed=Columns(size_bytes=sizes, slowdown=slowdowns))


def test_slowdowns_by_size():
    run = flows((50, 1), (100, 3), (150, 7), (200, 5), (999, 9))
    assert metrics.slowdown(run, metrics.mean, above=100, up_to=200) == 6
    assert metrics.by_size(run, metrics.mean, [100, 200]).tolist() == [2, 6]
    assert math.isnan(metrics.slowdown(run, metrics.mean, above=5000))
    # Of n sorted values the one at index ⌊n·p⌋: for five, p95 is at ⌊4.75⌋ = 4.
    assert metrics.slowdown(run, metrics.percentile(95)) == 9
    assert metrics.slowdown(run, metrics.percentile(50)) == 5


def test_changes_are_seed_by_seed():
    """Small flows: 1 of 2 and 2 of 4, −50 % with both seeds. Large flows: a quarter less."""
    runs = {
        seeds.seeded("ours", 1): flows((50, 1), (150, 3)),
        seeds.seeded("ours", 2): flows((50, 2), (150, 6)),
        seeds.seeded("theirs", 1): flows((50, 2), (150, 4)),
        seeds.seeded("theirs", 2): flows((50, 4), (150, 8)),
    }
    found = metrics.change(runs, "ours", "theirs", metrics.mean, [100, 200])
    assert found.best == pytest.approx(-0.5)
    # Means of 2 and 3, and of 4 and 6.
    assert found.all == Average(pytest.approx(-1 / 3), pytest.approx(0))
    above = metrics.change(runs, "ours", "theirs", metrics.mean, [100, 200], above=100)
    assert above.best == above.all.mean == pytest.approx(-0.25)
    assert seeds.average(runs, "ours", lambda run: 1.0).mean == 1


def test_deciles_are_those_of_the_tables():
    """Interpolated in the published tables, the shares up to each size are 10, 20 … 100 %."""
    tables = {
        metrics.WEB_SEARCH_DECILES: (
            [0, 10e3, 20e3, 30e3, 50e3, 80e3, 200e3, 1e6, 2e6, 5e6, 10e6, 30e6],
            [0, 15, 20, 30, 40, 53, 60, 70, 80, 90, 97, 100],
        ),
        metrics.HADOOP_DECILES: (
            [300, 350, 400, 500, 600, 700, 1000, 2000, 7000, 30e3, 50e3, 80e3, 120e3, 300e3, 10e6],
            [5, 15, 20, 30, 40, 50, 60, 67, 70, 72, 82, 87, 90, 95, 100],
        ),
    }
    for deciles, (sizes, percent) in tables.items():
        assert np.interp(deciles, sizes, percent) == pytest.approx(range(10, 101, 10), abs=1e-3)


def test_worst_of_all_sizes():
    ours, theirs = flows((100, 1), (1e6, 4)), flows((100, 2), (1e6, 2))
    runs = {
        seeds.seeded(label, 1): ours if label == FNCC else theirs for label in (FNCC, HPCC, DCQCN)
    }
    found = fig14.against(metrics.mean, [1000, 1e7])(runs)
    assert found["worst class vs HPCC"] == Median(2, 2, 2)
    assert found["all flows vs HPCC"].median == 2.5 / 2


# ── Scenarios ────────────────────────────────────────────────────────────────────────────────────


def test_additive_increase_grows_with_the_link():
    assert algorithm(FNCC, 400)["additive_increase"] == "200Mbps"
    assert algorithm(HPCC)["additive_increase"] == "50Mbps"
    assert "additive_increase" not in algorithm(DCQCN, 400)
    assert algorithm(FNCC_PLAIN)["last_hop_speedup"] is False


def test_flows_that_join_have_their_share():
    """First one flow is alone, then two, three and four share the link. The first has 1 + 1/2 + 1/3
    + 1/4 steps at line rate, the last 1/4 + 1/3 + 1/2 + 1, those between 1/2 + 1/3 + 1/4 + 1/3.
    """
    (entry,) = networks.joining(HPCC, Scale.FULL).scenario["traffic"]
    sizes = [int(flow["size"].removesuffix("B")) for flow in entry["flows"]]
    assert [flow["start"] for flow in entry["flows"]] == ["0us", "100000us", "200000us", "300000us"]
    assert sizes[0] == sizes[3] == pytest.approx(0.1 * 0.95 * 12.5e9 * 1470 / 1518 * 25 / 12, abs=1)
    assert sizes[1] == sizes[2] == pytest.approx(sizes[0] * (17 / 12) / (25 / 12), abs=1)


def test_slowest_settling():
    told = {"mean": 0.97, "after_arrivals": {"arrivals": 2, "settled": 2}}
    told["after_arrivals"]["time_to_095_ps"] = {"max": 5 * US}
    run = SimpleNamespace(summary={"jain_index": told}, completed=Columns(start_ps=[0, 50 * US]))
    assert metrics.settling(run) == pytest.approx(0.1)
    assert metrics.mean_share(run) == 0.97
    told["after_arrivals"]["settled"] = 1
    assert metrics.settling(run) == math.inf


def test_elephants_meet_where_it_is_said(tmp_path):
    """Under HPCC the observed port has the longest queue of the network."""
    for place in networks.Place:
        run = incast.run(networks.located(HPCC, place).scenario)
        assert metrics.peak(run) > 100e3
        assert run.summary["queue_bytes"]["peak_port"].startswith(place.port)
    change = fig13.change(HPCC, networks.Place.LAST)
    found = change({"HPCC, last hop, any start #1": run})
    assert {name: value.mean for name, value in found.items()} == {"peak": 0, "mean queue": 0}


def test_the_papers_setting():
    """The paper's setting has no window, no additive stage, ACKs among the data, and unscaled
    rivals.
    """
    paper = Reading.PAPER
    assert algorithm(FNCC_PRINTED, 400, paper) == {
        **algorithm(FNCC, 400),
        "max_stage": 0,
        "window": "none",
    }
    assert algorithm(FNCC, 400, paper)["average"] == "single"
    assert algorithm(FNCC_PLAIN, 400, paper)["average"] == "single"
    assert algorithm(FNCC_TABLE, 400, paper)["average"] == "single"
    assert telemetry(FNCC_TABLE, paper)["int_table_period"] == "1us"
    assert algorithm(ROCC, 400, paper)["reference_queue"] == "300KB"
    assert algorithm(DCQCN, 400, paper) == algorithm(DCQCN)
    network = networks.elephants(DCQCN, 400, paper).scenario["network"]
    assert network["ecn"] == {"k_min": "400KB", "k_max": "1600KB", "p_max": 0.2}
    assert network["model"] == {"ack_class": "data", "ack_pausable_at_host": True}
    assert "ecn" not in networks.elephants(DCQCN, 400).scenario["network"]


def test_tables_and_their_periods():
    network = networks.elephants(table(FNCC_PLUS, "0.5 µs")).scenario["network"]
    assert network["int_table_period"] == "0.5us"
    assert algorithm(table(FNCC_PLUS)) == algorithm(FNCC_PLUS)
    assert "int_table_period" not in networks.elephants(FNCC).scenario["network"]


def test_the_plateau_of_last_hop_speedup(monkeypatch):
    """From 320 to 450 µs one flow has 43 Gb/s for a quarter of the time, else 48. 2 Gb/s from 45
    count as near, 3 do not; the median is 96 % of 50 Gb/s. In the end it has 49 Gb/s. The other
    flow has 50 Gb/s throughout. Which of the two is which depends on the start.
    """
    times = np.arange(0, 1000) * 1e-6
    slow = np.where(times > 0.9e-3, 49e9, np.where(times <= 353e-6, 43e9, 48e9))
    both = [(times, slow), (times, np.full(1000, 50e9))]
    monkeypatch.setattr(fig13, "rates", lambda run: dict(enumerate(both[:: run.order])))
    flows = Columns(start_ps=[0, 300 * US])
    runs = {
        f"FNCC, last hop, any start #{number}": SimpleNamespace(flows=flows, order=order)
        for number, order in ((1, 1), (2, -1))
    }
    assert {name: value.mean for name, value in fig13.plateau(runs).items()} == {
        "slower, time at 43–47 Gb/s": pytest.approx(33 / 130),
        "slower, median until 450 µs": pytest.approx(0.96),
        "slower, median of the last 100 µs": pytest.approx(0.98),
        "faster, time at 43–47 Gb/s": 0,
        "faster, median until 450 µs": 1,
        "faster, median of the last 100 µs": 1,
    }


def test_gains_are_what_hpcc_is_older(monkeypatch):
    ages = {FNCC: np.array([1.0, 2.0]), HPCC: np.array([4.0, 3.5])}
    monkeypatch.setattr(fig12, "_means", lambda runs, label, during: ages[label])
    assert fig12.gains({}) == {"sw1": 3, "sw2": 1.5}
