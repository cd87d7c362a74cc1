"""Variations of claims: the same measure and rule on other runs."""

import json
import math
from types import SimpleNamespace

import pytest
from incast import papers
from incast.papers import listing, page, readings, seeds
from incast.papers.claim import Claim, Kind
from incast.papers.figure import Figure, Paper, Scale
from incast.papers.scoreboard import Scoreboard, Verdict, judged
from incast.papers.variations import Variation, varied
from installations import OURS

OTHER = Variation("another average", {"A": "A single"})


def test_runs_take_the_place_of_others():
    """Seeds, readings and places stay. A label that only begins like another is not replaced, and a
    run that is not there changes nothing.
    """
    runs = {"A": 1, "A single": 2, "A #1": 3, "A single #1": 4, "A table": 5, "A, 100G": 6}
    runs |= {"A [reading]": 7, "A single [reading]": 8, "AB": 9}
    seen = OTHER.seen(runs)
    assert (seen["A"], seen["A #1"], seen["A [reading]"]) == (2, 4, 8)
    assert (seen["A table"], seen["A, 100G"], seen["AB"]) == (5, 6, 9)
    assert seen.keys() == runs.keys()


def test_an_exact_variation_leaves_places_alone():
    exact = Variation("another average", {"A": "A single"}, exact=True)
    assert [exact.replaced(label) for label in ("A", "A #1", "A [reading]", "A, 100G")] == [
        "A single",
        "A single #1",
        "A single [reading]",
        "A, 100G",
    ]


def test_labels_go_on_as_seeds_and_readings_have_them():
    assert OTHER.replaced(seeds.seeded("A", 2)) == seeds.seeded("A single", 2)
    assert OTHER.replaced(readings.labelled("A", "reading")) == "A single [reading]"


def test_a_variation_with_runs_of_its_own():
    assert varied("late", ["A", "B"]).seen({"A": 1, "A [late]": 2, "B": 3})["A"] == 2


def near_ten(number="F01", **more):
    """A claim on run A: ten holds, any other number above zero is a trend."""
    return Claim(
        number,
        "it is ten",
        claimed="ten",
        measure=lambda runs: {"": runs["A"]},
        holds=lambda values: values[""] == 10,
        trend=lambda values: values[""] > 0,
        tolerance="none",
        kind=Kind.NUMBER,
        distance=lambda values: abs(values[""] - 10),
        **more,
    )


def row(runs, *names, scale=Scale.FULL, **more):
    claim = near_ten(variations=[varied(name, ["A"]) for name in names], **more)
    figure = Figure("fig1", "A figure", "Fig. 1", claims=[claim])
    (found,) = judged(figure, runs, scale, [])
    return found


@pytest.mark.parametrize(
    ("values", "nearest"),
    [
        # The row has 5: from ten, 8 is nearer than 14 and 1.
        ({"A": 5.0, "A [a]": 1.0, "A [b]": 8.0, "A [c]": 14.0}, "b"),
        # A better verdict comes before a smaller distance: −1 is no trend, however near.
        ({"A": -1.0, "A [a]": 99.0, "A [b]": 0.0, "A [c]": -2.0}, "a"),
        # No variation is nearer than the row.
        ({"A": 9.0, "A [a]": 11.0, "A [b]": 1.0, "A [c]": math.nan}, None),
    ],
)
def test_the_nearest(values, nearest):
    found = row(values, "a", "b", "c")
    assert [tried.name for tried in found.variations] == ["a", "b", "c"]
    assert (found.nearest.name if found.nearest else None) == nearest


def test_variations_are_judged_by_the_rule_of_the_row():
    found = row({"A": 10.0, "A [a]": 3.0, "A [b]": -3.0}, "a", "b")
    verdicts = [found.verdict, *(tried.verdict for tried in found.variations)]
    assert verdicts == [Verdict.HOLDS, Verdict.TREND, Verdict.FAILS]
    waiting = row({"A": 5.0, "A [a]": 10.0}, "a", scale=Scale.QUICK, full_only=True)
    assert waiting.variations[0].verdict is Verdict.NEEDS_FULL


def test_variations_are_shown_everywhere():
    found = row({"A": 5.0, "A [a]": 10.0}, "a")
    (told,) = json.loads(json.dumps(found.to_dict()))["variations"]
    assert (told["name"], told["measured"], told["measured_text"]) == ("a", {"": 10}, "10.0")
    assert (told["verdict"], told["nearest"]) == ("holds", True)
    result = SimpleNamespace(
        paper=Paper("tiny", "A tiny paper", "It is tiny", "A. Author", [found.figure]),
        scoreboard=Scoreboard([found]),
        scale=Scale.FULL,
        failures=[],
        figures=[
            SimpleNamespace(
                figure=found.figure, charts={}, rows=[found], identities={}, failures=[]
            )
        ],
    )
    assert "| F01 | **a** | 10.0 | holds |" in listing.markdown(result)
    assert "| F01 | the row | 5.00 | trend only |" in listing.markdown(result)
    assert "nearest   a (holds)" in listing.scoreboard(result)
    written = page.page(result)
    assert '<details class="variations">' in written
    assert "<b>(nearest)</b>" in written


def test_claims_without_variations_have_no_table():
    found = row({"A": 5.0})
    result = SimpleNamespace(scoreboard=Scoreboard([found]), scale=Scale.FULL)
    assert "Variations" not in listing.markdown(result)


@pytest.mark.parametrize("name", OURS)
def test_every_variation_has_runs(name):
    """Each variation changes a run of its claim's reading, and all runs that it names are
    planned.
    """
    planned = papers.outline(name)
    for figure in planned.figures:
        labels = planned.runs(figure).keys()
        for claim in figure.claims:
            mark = f" [{claim.reading}]" if claim.reading else ""
            names = [variation.name for variation in claim.variations]
            assert len(set(names)) == len(names), claim.id
            for variation in claim.variations:
                changed = [
                    variation.replaced(label)
                    for label in labels
                    if mark in label and variation.replaced(label) != label
                ]
                assert set(changed) & labels, f"{claim.id}, {variation.name}"


PARTLY = {"fncc", "hardware"}
"""Papers of which some claims see only runs of one place or rate, so that only those are
planned.
"""


@pytest.mark.parametrize("name", sorted(OURS.keys() - PARTLY))
def test_all_runs_of_a_variation_are_planned(name):
    """A missing run would be taken from the row, and the verdict would be of a mixture."""
    planned = papers.outline(name)
    for figure in planned.figures:
        plain = {label: label for label in planned.runs(figure)}
        for claim in figure.claims:
            for variation in claim.variations:
                seen = variation.seen(plain)
                missing = [
                    label
                    for label in seen
                    if "[" not in label and seen[label] != variation.replaced(label)
                ]
                assert missing == [], f"{claim.id}, {variation.name}"


def test_fewer_seeds_than_the_row():
    """All labels have fewer seeds, so that pairs stay pairs."""
    few = Variation("another average", {"A": "A single"}, seeds=1)
    runs = {"A #1": 1, "A #2": 2, "A single #1": 3, "B #1": 4, "B #2": 5, "C": 6}
    assert few.seen(runs) == {"A #1": 3, "A single #1": 3, "B #1": 4, "C": 6}
    assert (few.title, OTHER.title) == ("another average (1 seed)", "another average")


def test_what_stands_beside_a_row_can_be_hidden():
    """The label is hidden with any seed or reading; a label that only begins like it stays."""
    hiding = Variation("another average", {"A": "A single"}, hides=["A single"])
    runs = {"A": 1, "A single": 2, "A single #1": 3, "A single [reading]": 4, "A single table": 5}
    assert hiding.seen(runs) == {"A": 2, "A single table": 5}
