"""Runs, charts and claims under another reading of a paper."""

from types import SimpleNamespace

from incast.papers import readings
from incast.papers.claim import Claim, Kind
from incast.papers.explanation import Recorded, written
from incast.papers.figure import Figure, Scale
from incast.papers.listing import markdown
from incast.papers.scoreboard import Row, Scoreboard, Verdict
from incast.papers.seeds import of, seeded
from incast.present.charts import Axis, Chart, Quantity

OTHER = "another reading"
RUNS = {
    "A": 1.0,
    readings.labelled("A", OTHER): 2.0,
    seeded("B", 1): 3.0,
    seeded(readings.labelled("B", OTHER), 1): 4.0,
}
"""Numbers in place of runs."""


def test_runs_of_a_reading_have_their_plain_labels():
    assert readings.runs_under(RUNS, OTHER) == {"A": 2.0, "B #1": 4.0}
    assert of(readings.runs_under(RUNS, OTHER), "B") == [4.0]
    # A seed stays last, so that runs of the default are not taken for runs of the reading.
    assert readings.labelled("A #3", OTHER) == "A [another reading] #3"
    # The default reading has no name, and finds its own runs.
    assert readings.labelled("A", "") == "A"
    assert of(RUNS, "B") == [3.0]


def test_claims_see_the_runs_of_their_reading():
    claim = Claim(
        "F01",
        "it holds",
        claimed="more",
        measure=lambda runs: {"": runs["A"]},
        holds=lambda values: True,
        tolerance="none",
        kind=Kind.NUMBER,
        note=("Plain words. ", lambda runs: f"A is {runs['A']}."),
        replaced="what was tried first",
    )
    (found,) = readings.claims_under(OTHER, "other", [claim])
    assert (found.id, found.number, found.default) == ("F01-other", "F01", "F01")
    assert (found.reading, claim.default) == (OTHER, "")
    assert found.kind is Kind.READING
    assert found.measure(RUNS) == {"": 2.0}
    assert written(found.note, RUNS, own_size=True) == "Plain words. A is 2.0."
    assert not found.replaced


def test_recorded_texts_look_at_the_runs_of_their_reading():
    claim = Claim(
        "F01",
        "",
        claimed="",
        measure=lambda runs: {},
        holds=lambda values: True,
        tolerance="",
        explanation=Recorded("A is small.", {"A": "fingerprint"}),
    )
    (found,) = readings.claims_under(OTHER, "other", [claim])
    assert found.explanation == Recorded("A is small.", {"A [another reading]": "fingerprint"})


def test_panels_say_their_reading():
    def draw(runs):
        axis = Axis(str(runs["A"]), Quantity.COUNT)
        return Chart("chart", "(a) Queue", axis, axis)

    ((name, panel),) = readings.panels_under(OTHER, "other", {"a-queue": draw}).items()
    drawn = panel(RUNS)
    assert (name, drawn.title, drawn.x.label) == (
        "a-queue-other",
        "(a) Queue, another reading",
        "2.0",
    )


def test_a_board_shows_readings_beside_the_default():
    """The rows of the default count. The rows of a reading stand beside them, and are counted
    apart.
    """
    figure = Figure("fig1", "A figure", "Fig. 1")
    claims = [
        Claim(number, "it holds", "more", lambda runs: {}, lambda values: True, "none")
        for number in ("F01-a", "F01-b", "F02")
    ]
    rows = [Row(claim, figure, Verdict.HOLDS, {"": 1.0}) for claim in claims]
    others = readings.claims_under(OTHER, "other", claims[:2])
    verdicts = (Verdict.HOLDS, Verdict.FAILS)
    rows += [
        Row(claim, figure, verdict, {"": 2.0})
        for claim, verdict in zip(others, verdicts, strict=True)
    ]
    board = Scoreboard(rows)
    assert [row.claim.id for row in board.beside(rows[1])] == ["F01-b-other"]
    assert not board.beside(rows[2])
    assert [row.claim.id for section in board.sections for row in section.rows] == [
        "F01-a",
        "F01-b",
        "F02",
    ]
    assert board.sentence == (
        "2 claims: 2 hold; not counted: another reading, 1 claim (1 do not hold)"
    )
    text = markdown(SimpleNamespace(scoreboard=board, scale=Scale.FULL))
    assert (
        "| 1.00<br>another reading: 2.00 | none | holds<br>another reading: **does not hold** |"
        in text
    )
