"""The paper `3cpo`: the interpretation of its claims, on numbers computed by hand."""

from types import SimpleNamespace

import pytest
from incast import papers
from incast.papers.figure import Scale
from incast.papers.scoreboard import Verdict
from incast_papers.threecpo import algorithms, metrics, networks
from incast_papers.threecpo.algorithms import TUNED, WINDOWS
from incast_papers.threecpo.figures.scale import cheat_over_others
from incast_papers.threecpo.figures.table6_1 import smallest
from made_up import Columns

PAPER = papers.paper("3cpo")
CLAIMS = {claim.id: claim for claim in PAPER.claims}
"""G01-G33 of the dissertation, T01 and later of this project; claims of several readings have a
suffix.
"""
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def operations(**columns):
    return SimpleNamespace(operations=Columns(**columns))


def test_the_mean_of_means_weighs_each_initiator_once():
    # Initiator 0: (10 + 20 + 30)/3 = 20; initiator 2: 60. Their mean is 40.
    run = operations(initiator=[0, 0, 0, 2], latency_cycles=[10, 20, 30, 60])
    assert metrics.mean_of_means(run) == 40


def test_finishes_are_apart_by_a_share_of_the_run():
    # The last completions of the two initiators: 80 and 100.
    run = operations(initiator=[0, 0, 1], completed_cycle=[50, 80, 100])
    assert metrics.finish_spread(run) == pytest.approx(0.2)


def test_the_smallest_window_on_the_plateau():
    scan = {1: 0.5, 2: 0.98, 3: 0.995, 5: 1.0}
    assert (smallest(scan, 0.99), smallest(scan, 0.98), smallest(scan, 0.4)) == (3, 2, 1)


def test_windows_are_those_of_the_table():
    planned = networks.varied(TUNED, 16).scenario
    assert planned["control"] == {"scheme": "window", "window": 12}
    assert planned["work"][0]["initiators"] == 16
    assert list(WINDOWS.values()) == [3, 5, 12, 24, 48, 128, 128]


def test_figures_share_their_runs():
    figures = {figure.id: figure for figure in PAPER.figures}
    shared = figures["fig6_2"].runs(Scale.FULL)
    assert shared.items() <= figures["fig6_3"].runs(Scale.FULL).items()
    assert shared.items() <= figures["fig6_10"].runs(Scale.FULL).items()


def test_schemes_that_meet_have_a_colour_each():
    apart = set(algorithms.COLOURS) - {algorithms.WINDOW_3, algorithms.ALONE}
    assert len({algorithms.COLOURS[label] for label in apart}) == len(apart)


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    dissertation = {f"G{number:02}" for number in range(1, 35)}
    assert ids == dissertation | {f"T{number:02}" for number in range(1, 16)}


def test_a_cheat_is_told_by_its_finish():
    # Endpoint 0 completes at 100, the others at 250 and 350: their median is 300, three times as
    # late.
    run = operations(initiator=[0, 1, 2], completed_cycle=[100, 250, 350])
    assert cheat_over_others(run) == pytest.approx(3)


@pytest.mark.parametrize(
    ("claim", "values", "verdict"),
    [
        ("G03", {"": 1.72}, HOLDS),
        ("G03", {"": 1.70}, FAILS),
        ("G04", {"": 1.09}, HOLDS),
        ("G04", {"": 1.75}, FAILS),
        # A quarter below 5,000 and 3,100: 3,750 and 2,325.
        ("G05", {"": 3_800}, HOLDS),
        ("G05", {"": 3_700}, TREND),
        ("G05", {"": 5_001}, FAILS),
        ("G06", {"": 2_400}, HOLDS),
        ("G06", {"": 1_900}, TREND),
        ("G06", {"": 3_101}, FAILS),
        ("G07", {"": 75_000}, HOLDS),
        ("G07", {"": 85_000}, TREND),
        ("G07", {"": 9_000}, FAILS),
        ("G34", {"no limit": 900, "4 entries": 1_800}, HOLDS),
        ("G34", {"no limit": 900, "4 entries": 1_700}, TREND),
        ("G34-throughput", {"no limit": 1.0, "4 entries": 0.9}, HOLDS),
        ("G34-throughput", {"no limit": 1.0, "4 entries": 0.95}, TREND),
        ("G29", {"wm_eq": 73.33, "WM after it": 100, "WM at the end": 100}, HOLDS),
        ("G29", {"wm_eq": 73.33, "WM after it": 99, "WM at the end": 100}, FAILS),
    ],
)
def test_verdicts_at_their_bounds(claim, values, verdict):
    assert Verdict.of(CLAIMS[claim], values) is verdict


def test_worked_examples_come_out_to_the_cycle(tmp_path):
    examples = ["fig6_1", "fig6_4", "fig6_5", "fig6_6", "fig6_7", "fig6_8", "fig6_9"]
    done = papers.reproduce("3cpo", quick=True, only=examples, store=tmp_path)
    assert {row.verdict for row in done.scoreboard.rows} == {HOLDS}
    assert done.failures == []
    page = done.save(tmp_path / "page").read_text()
    assert "Fig. 6.5" in page


def test_schemes_are_valid_scenarios():
    plan = papers.plan("3cpo", quick=True)
    assert plan.estimate().runs >= 100
    names = {run.scenario.kind for figure in plan.figures for run in plan.runs(figure).values()}
    assert names == {"fabric"}
