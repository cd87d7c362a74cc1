"""The paper `isolation`: the interpretation of its claims, on numbers computed by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from incast import papers
from incast.papers.scoreboard import Verdict
from incast_papers.isolation import metrics, networks, testbed
from incast_papers.isolation.algorithms import (
    ACK_ROOM,
    DCQCN,
    HPCC,
    NO_DEMAND,
    PERC_1RC,
    PERC_THRESHOLD,
    ROCC,
    ROCC_1RC,
    SWIFT,
    UNCONTROLLED,
    Enforcement,
)
from incast_papers.isolation.figures.defences import pareto
from incast_papers.isolation.networks import Attack
from incast_papers.isolation.testbed import Marking
from made_up import US, Columns

PAPER = papers.paper("isolation")
CLAIMS = {claim.id: claim for claim in PAPER.claims}
"""D01–D21 and E01–E31 of the dissertation, I01 of this project; claims on several runs have a
suffix.
"""
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    expected = {f"D{number:02}" for number in range(1, 22)}
    expected |= {f"E{number:02}" for number in range(1, 32)}
    assert ids == expected | {"I01"}


def flows(**columns):
    return SimpleNamespace(completed=Columns(**columns))


def made_up():
    """An attacker's transfer in three pieces, and two victims."""
    return flows(
        role=["attacker", "attacker", "victim", "attacker", "victim"],
        message=[0, 0, 1, 0, 2],
        size_bytes=[150_000, 150_000, 1_000_000, 100_000, 2_000],
        start_ps=[10 * US, 23 * US, 0, 36 * US, 5 * US],
        fct_ps=[20 * US, 30 * US, 100 * US, 10 * US, 4 * US],
        slowdown=[1.5, 2.5, 1.25, 1.0, 2.0],
    )


def test_a_transfer_ends_with_its_last_piece():
    """The pieces end at 30, 53 and 46 µs; the transfer began at 10 µs."""
    messages = Columns(role=["victim", "attacker", "victim"], fct_ps=[4 * US, 43 * US, 100 * US])
    run = SimpleNamespace(messages=messages)
    assert metrics.message_fct(run, "attacker") == pytest.approx([43e-6])
    assert metrics.message_fct(run, "victim") == pytest.approx([4e-6, 100e-6])


def test_goodput_of_an_attacker_runs_to_the_last_finish():
    """The attacker sends 400 KB from 10 to 53 µs."""
    found = metrics.attackers_goodput(made_up(), 10e-6)
    assert found == pytest.approx(400_000 * 8 / 43e-6)


def test_goodput_of_victims_is_a_mean_over_flows():
    """1 MB in 100 µs is 80 Gb/s, 2 KB in 4 µs is 4 Gb/s."""
    assert metrics.victims_goodput(made_up()) == pytest.approx(42e9)


def test_percentiles_are_of_victims_within_sizes():
    run = made_up()
    assert metrics.victims_percentile(run, 99) == 2.0
    assert metrics.victims_percentile(run, 99, above=2_000) == 1.25
    assert np.isnan(metrics.victims_percentile(run, 99, up_to=1_000))


def test_a_run_without_attackers_has_no_attackers_flows():
    run = flows(role=["victim"], size_bytes=[1], slowdown=[1.0])
    assert not metrics.is_role(run, "attacker").any()


def test_rates_fill_the_links_of_a_star():
    """Host 0 sends to 1 and 2, host 3 to 2: each link has at most two flows, so each flow gets a
    half. Three flows that meet at host 4 get 30 each; the sender of the first has 60 left for its
    other flow.
    """
    assert metrics.max_min_rates([(0, 1), (0, 2), (3, 2)], 96e9) == [48e9] * 3
    found = metrics.max_min_rates([(0, 4), (1, 4), (2, 4), (0, 5)], 90.0)
    assert found == [30.0, 30.0, 30.0, 60.0]


def test_the_pareto_front_has_what_nothing_beats():
    points = {"cheap": (1.0, 9.0), "beaten": (2.0, 9.5), "safe": (3.0, 2.0), "twin": (3.0, 2.0)}
    assert pareto(points) == ["cheap", "safe", "twin"]


@pytest.mark.parametrize(
    ("number", "values", "expected"),
    [
        # 72 % in the introduction, 75 % in the conclusion; with 16 QPs to hold, with any number for
        # the trend.
        ("D01", {f"{qps} QPs": 0.72 if qps == 16 else 0.6 for qps in testbed.QPS}, HOLDS),
        ("D01", {f"{qps} QPs": 0.72 if qps == 12 else 0.8 for qps in testbed.QPS}, TREND),
        ("D01", {f"{qps} QPs": 0.6 for qps in testbed.QPS}, FAILS),
        ("D04", {"round-robin": 0.509, "fifo": 0.6}, HOLDS),
        ("D04", {"round-robin": 0.511, "fifo": 0.5}, FAILS),
        ("D05", {"2 QPs": 0.629}, HOLDS),
        ("D05", {"2 QPs": 0.64}, TREND),
        ("D05", {"2 QPs": 0.67}, FAILS),
        ("D06", {"attacker": 72e9}, HOLDS),
        ("D06", {"attacker": 70e9}, FAILS),
        ("D07", {"attacker": 64e9, "victim": 28e9}, HOLDS),
        ("D07", {"attacker": 66e9, "victim": 28e9}, TREND),
        ("D07", {"attacker": 45e9, "victim": 45e9}, FAILS),
        ("D08", {"alone": 73e9, "attacker": 71e9}, HOLDS),
        ("D08", {"alone": 73e9, "attacker": 70e9}, FAILS),
        # 20 ± a quarter.
        ("D09", {"none": 15.1, "parallel": 90.0, "staggered": 140.0}, HOLDS),
        ("D09", {"none": 14.9, "parallel": 90.0, "staggered": 140.0}, TREND),
        ("D09", {"none": 9.9, "parallel": 90.0, "staggered": 80.0}, FAILS),
        ("D10", {"none": 15.0, "parallel": 80.1, "staggered": 140.0}, HOLDS),
        ("D10", {"none": 15.0, "parallel": 79.9, "staggered": 140.0}, TREND),
        ("D10", {"none": 15.0, "parallel": 170.0, "staggered": 140.0}, FAILS),
        ("D11-ratio", {"parallel": 5.0, "staggered": 7.9}, HOLDS),
        ("D11-ratio", {"parallel": 5.0, "staggered": 4.5}, TREND),
        ("D13", {"lowest": 4.0, "highest": 9.0}, HOLDS),
        ("D13", {"lowest": 3.2, "highest": 5.3}, TREND),
        ("D13", {"lowest": 2.0, "highest": 9.0}, FAILS),
        ("D15", {"p99": 1.2, "p99.9": 5.0}, HOLDS),
        ("D15", {"p99": 0.9, "p99.9": 5.0}, FAILS),
        (
            "D21",
            {"kept": 30.0, "anew": 27.0, "anew over kept": 0.9, "anew over kept, upper end": 1.1},
            HOLDS,
        ),
        (
            "D21",
            {"kept": 30.0, "anew": 28.0, "anew over kept": 0.91, "anew over kept, upper end": 0.99},
            TREND,
        ),
        (
            "D21",
            {"kept": 30.0, "anew": 30.0, "anew over kept": 0.95, "anew over kept, upper end": 1.0},
            FAILS,
        ),
        ("D16", {DCQCN: 1.6, HPCC: 5.0}, HOLDS),
        ("D20", {"2 QPs": 1.0, "4 QPs": 1.0, "16 QPs": 0.9, "64 QPs": 0.84}, HOLDS),
        ("D20", {"2 QPs": 1.0, "4 QPs": 1.0, "16 QPs": 0.9, "64 QPs": 0.86}, TREND),
        ("D20", {"2 QPs": 0.9, "4 QPs": 1.0, "16 QPs": 0.9, "64 QPs": 0.9}, FAILS),
        ("E29", {UNCONTROLLED: 9.0, DCQCN: 6.0, HPCC: 7.0, SWIFT: 8.0, PERC_1RC: 3.0}, HOLDS),
        ("E29", {UNCONTROLLED: 9.0, DCQCN: 5.9, HPCC: 7.0, SWIFT: 8.0, PERC_1RC: 3.0}, TREND),
        ("E29", {UNCONTROLLED: 9.0, DCQCN: 2.9, HPCC: 7.0, SWIFT: 8.0, PERC_1RC: 3.0}, FAILS),
        ("E31", {ROCC: 8.0, ROCC_1RC: 4.0}, HOLDS),
        ("E31", {ROCC: 8.0, ROCC_1RC: 4.1}, TREND),
        ("E31", {ROCC: 8.0, ROCC_1RC: 8.1}, FAILS),
        ("E05", {"1RC over threshold": 1.21}, HOLDS),
        ("E05", {"1RC over threshold": 1.1}, TREND),
        ("E05", {"1RC over threshold": 1.0}, FAILS),
        ("E04", {PERC_THRESHOLD: 11.0, PERC_1RC: 12.0}, HOLDS),
        ("E04", {PERC_THRESHOLD: 11.0, PERC_1RC: 13.0}, FAILS),
    ],
)
def test_verdicts(number, values, expected):
    assert Verdict.of(CLAIMS[number], values) is expected


def test_pieces_are_those_of_the_text():
    """30 QPs of 37.5 KB are 1.125 MB; 150 KB leave every 13 µs."""
    scenario = testbed.staggered_testbed(Marking.RED, victim=True).scenario
    assert scenario["attack"]["piece"] == "37500B"
    assert scenario["traffic"][0]["flows"][0]["size"] == "1125KB"
    attack = networks.hadoop(DCQCN, Attack.STAGGERED, 1, milliseconds=1.0).scenario["attack"]
    assert (attack["piece"], attack["spacing"]) == ("150000B", "13us")


def test_pieces_sent_in_turn_are_those_of_the_clock():
    """60 MB are 1,600 pieces of 37.5 KB. One persistent QP has all of them at once; over few QPs
    they start every 3.24 µs, and QPs take turns: 0, 1, 0, 1.
    """
    turn = testbed.sent_in_turn(Enforcement.PAIR, 1).scenario
    (own,) = (entry["flows"] for entry in turn["traffic"] if entry["tenant"] == "attacker")
    assert len(own) * 37_500 == 60_000_000
    assert {(flow["destination"], flow["start"]) for flow in own} == {(2, "1ns")}
    assert turn["nic"] == {"enforcement": "per-pair", "qps": "persistent"}
    reused = testbed.reused(2, 1).scenario
    (own,) = (entry["flows"] for entry in reused["traffic"] if entry["tenant"] == "attacker")
    assert [flow["destination"] for flow in own[:4]] == [2, 3, 2, 3]
    assert [flow["start"] for flow in own[:3]] == ["1ns", "3241ns", "6481ns"]
    (victim,) = reused["traffic"][0]["flows"]
    assert victim["destination"] == 4
    with pytest.raises(AssertionError):
        testbed.sent_in_turn(Enforcement.QP, 1)


def test_a_choice_changes_only_what_it_names():
    plain = networks.hadoop(PERC_1RC, Attack.NONE, 1, milliseconds=1.0)
    chosen = networks.hadoop(PERC_1RC, Attack.NONE, 1, milliseconds=1.0, choice=NO_DEMAND)
    assert chosen.scenario["cc"] == {**plain.scenario["cc"], "host_demand": False}
    assert chosen.scenario["traffic"] == plain.scenario["traffic"]
    both = (NO_DEMAND + ACK_ROOM).options
    assert both == {"host_demand": False, "headroom": 0.08}


def test_the_threshold_has_variations_of_its_own():
    """The label of the threshold begins like that of s-PERC, whose variations must not replace
    it.
    """
    for tried in CLAIMS["E03"].variations:
        label = f"{PERC_THRESHOLD} [{tried.name}] #1"
        assert tried.replaced(f"{PERC_THRESHOLD} #1") == label


def test_honest_runs_have_the_same_flows():
    for enforcement in Enforcement:
        honest, attack = (
            testbed.isolation(Attack.SHUFFLED, enforcement, honest=each, seed=1).scenario
            for each in (True, False)
        )
        assert honest["traffic"] == attack["traffic"]
