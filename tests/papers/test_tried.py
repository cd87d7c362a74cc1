"""Trials: choices that make variations of a figure's claims from the figure's own runs."""

import pytest
from incast.papers.claim import Claim
from incast.papers.figure import Figure, RunPlan, Scale
from incast.papers.tried import Trial, arrivals, setting, tried, with_trials


def scenario(name):
    return {
        "run": {"name": name, "seed": 1},
        "network": {"topology": "star", "model": {"ties": "port"}},
        "traffic": [{"kind": "poisson", "load": 0.5, "duration": "20ms"}],
    }


def claim(number):
    return Claim(
        number,
        "it is ten",
        claimed="ten",
        measure=lambda runs: {"": runs["A"]},
        holds=lambda values: values[""] == 10,
        tolerance="none",
    )


def figure(*labels):
    return Figure(
        "fig1",
        "A figure",
        "Fig. 1",
        runs=lambda scale: {label: RunPlan(scenario(label), hops=100) for label in labels},
        claims=[claim("F01"), claim("F02")],
    )


AHEAD = Trial("ACKs ahead", [setting(network={"model": {"ack_class": "control"}})], ["F01"], ["A"])


def test_runs_of_a_trial_are_the_figures_own_but_for_one_thing():
    planned = tried(figure("A", "B"), AHEAD).runs(Scale.FULL)
    assert list(planned) == ["A", "B", "A [ACKs ahead]"]
    made, own = planned["A [ACKs ahead]"].scenario, planned["A"].scenario
    assert made["run"] == {"name": "A, ACKs ahead", "seed": 1}
    assert made["network"] == {
        "topology": "star",
        "model": {"ties": "port", "ack_class": "control"},
    }
    assert made["traffic"] == own["traffic"]
    assert own == scenario("A")


def test_a_trial_of_a_run_without_a_name_has_its_own():
    plan = RunPlan({"network": {"topology": "star"}}, hops=100)
    made = AHEAD.made(plan).scenario
    assert made["run"] == {"name": "ACKs ahead"}
    assert "run" not in plan.scenario


def test_only_the_claims_that_are_named_see_them():
    first, second = tried(figure("A"), AHEAD).claims
    assert not second.variations
    (variation,) = first.variations
    assert variation.seen({"A": 1, "A [ACKs ahead]": 2})["A"] == 2


@pytest.mark.parametrize(
    ("label", "renamed"),
    [
        ("A", "A [tried]"),
        ("A #2", "A [tried] #2"),
        ("A #3", None),
        ("AB", None),
        ("A [reading] #1", None),
        ("A [another] #1", None),
    ],
)
def test_labels(label, renamed):
    assert Trial("tried", [], [], ["A"], seeds=2).renamed(label) == renamed


def test_a_trial_of_a_reading_has_runs_of_that_alone():
    trial = Trial("tried", [], [], ["A"], reading="reading")
    assert trial.renamed("A #1") is None
    made = trial.renamed("A [reading] #1")
    assert made == "A [tried] [reading] #1"
    assert trial.variation().replaced("A [reading] #1") == made


def test_arrivals_are_cut_but_never_made_longer():
    assert arrivals(5)(scenario("A"))["traffic"][0]["duration"] == "5ms"
    assert arrivals(50)(scenario("A"))["traffic"][0]["duration"] == "20ms"


def test_trials_of_figures():
    first, second = with_trials([figure("A"), figure("B")], {"fig1": [AHEAD]})
    assert first.claims[0].variations
    assert second.claims[0].variations
    with pytest.raises(AssertionError, match="figures that there are"):
        with_trials([figure("A")], {"fig2": [AHEAD]})
