"""The machinery for reproducing papers, on a made-up paper that takes no time."""

import dataclasses
import functools
import json
import math
import sys
import types
from types import SimpleNamespace

import incast
import pytest
import scenarios
from incast import papers
from incast.campaign.watch import Watch
from incast.experiment import cores
from incast.measure.statistics import Average, Median
from incast.papers import panels, plans, seeds, tolerances
from incast.papers.claim import Claim, Kind
from incast.papers.explanation import OTHER_SIZE, OTHER_VERSION, Recorded, written
from incast.papers.figure import Figure, Paper, RunPlan, Scale
from incast.papers.result import lettered, styled
from incast.papers.scoreboard import Row, Scoreboard, Verdict, judged
from incast.present.charts import Axis, Chart, Curve, Quantity
from installations import OURS, installed

LARGE, SMALL = "1 Gb/s", "50 Mb/s"


def planned(additive_increase, **more):
    scenario = scenarios.as_dict()
    scenario["cc"]["additive_increase"] = additive_increase
    return RunPlan({**scenario, **more}, hops=1600)


def claim(number, holds, **more):
    return Claim(
        number,
        f"claim {number}",
        claimed="ten",
        measure=lambda runs: {label: len(run.flows) for label, run in runs.items()},
        holds=holds,
        tolerance="none",
        **more,
    )


def drawn(_):
    axis = Axis("time", Quantity.TIME)
    return Chart("line", "A line", axis, axis, [Curve(LARGE, [0.0, 1.0], [0.0, 1.0])])


def tiny():
    shared = {LARGE: planned("1Gbps"), SMALL: planned("50Mbps")}
    first = Figure(
        id="one",
        title="First & foremost",
        where="Fig. 1",
        runs=lambda scale: shared,
        charts={"finish": panels.finish("Finish"), "a": panels.finish("Only small", SMALL)},
        claims=[claim("X1", tolerances.close_to(4, 0)), claim("X2", tolerances.at_least(5))],
    )
    second = Figure(
        id="two",
        title="Second",
        where="Fig. 2",
        runs=lambda scale: scale.pick(quick={SMALL: shared[SMALL]}, full=shared),
        scaled="one run instead of two",
        charts={"line": drawn},
        claims=[claim("X3", tolerances.at_most(4), full_only=True, kind=Kind.NUMBER)],
    )
    head = ("tiny", "A tiny paper", "It takes no time", "no author, nowhere")
    return Paper(*head, [first, second], colours={LARGE: 3})


@pytest.fixture
def paper(monkeypatch, tmp_path_factory):
    """The tiny paper, installed."""
    made = tiny()
    site = tmp_path_factory.mktemp("site")
    installed(site, "tiny-papers", {"tiny": "tiny_papers:PAPER"})
    monkeypatch.syspath_prepend(site)
    module = types.ModuleType("tiny_papers")
    module.PAPER = made
    monkeypatch.setitem(sys.modules, "tiny_papers", module)
    return made


class Counting(Watch):
    """Remembers the progress that it was told."""

    def __init__(self):
        self.told = []

    def begin(self, runs, hops):
        self.told.append((runs, hops))

    def advance(self, hops, finished):
        self.told.append((finished, hops))


def test_runs_each_scenario_once_and_judges(paper, tmp_path):
    watch = Counting()
    done = papers.reproduce("tiny", store=tmp_path, watch=watch)
    assert watch.told[0] == (2, 3200)
    assert watch.told[-1] == (2, 3200)
    assert len(list((tmp_path / "runs").iterdir())) == 2
    verdicts = {row.claim.id: row.verdict for row in done.scoreboard.rows}
    assert verdicts == {"X1": Verdict.HOLDS, "X2": Verdict.FAILS, "X3": Verdict.HOLDS}
    assert done.scoreboard.sentence == "3 claims: 2 hold, 1 do not hold"
    assert done.failures == []


@pytest.mark.usefixtures("without_workers")
def test_quick_says_so_and_leaves_judgement(paper, tmp_path):
    done = papers.reproduce("tiny", quick=True, store=tmp_path)
    (row,) = done.figures[1].rows
    assert row.verdict is Verdict.NEEDS_FULL
    assert row.measured == "50 Mb/s: 4.00"
    assert "--full" in done.table()
    page = done.save(tmp_path / "page").read_text()
    assert "one run instead of two" in page
    assert "--full" in page


@pytest.mark.usefixtures("without_workers")
def test_what_was_run_is_not_run_again(paper, tmp_path):
    papers.reproduce("tiny", store=tmp_path)
    times = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")}
    papers.reproduce("tiny", store=tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")} == times
    papers.reproduce("tiny", store=tmp_path, force=True)
    again = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")}
    assert all(again[file] > time for file, time in times.items())


@pytest.mark.usefixtures("without_workers")
def test_a_table_that_was_damaged_fails_its_figures_alone(paper, tmp_path):
    """The length of the damaged file is unchanged, so that it counts as done; only the figure that
    reads it fails.
    """
    whole = papers.reproduce("tiny", store=tmp_path)
    for file in (tmp_path / "runs").glob("*/flows.parquet"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    done = papers.reproduce("tiny", store=tmp_path)
    assert done.failures
    assert all("flows.parquet: differs from what was written" in each for each in done.failures)
    assert len(done.figures) == len(whole.figures)
    assert Verdict.NOT_RUN in {row.verdict for row in done.scoreboard.rows}
    assert "differs from what was written" in done.save(tmp_path / "page").read_text()


@pytest.mark.usefixtures("without_workers")
def test_only_some_figures(paper, tmp_path):
    done = papers.reproduce("tiny", quick=True, only=["two"], store=tmp_path)
    assert [each.figure.id for each in done.figures] == ["two"]
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_saves_page_scoreboard_and_figures(paper, tmp_path):
    done = papers.reproduce("tiny", store=tmp_path)
    page = done.save(tmp_path / "out")
    html = page.read_text()
    assert "First &amp; foremost" in html
    for outside in ("src=", "<link", "@import", 'url("', "url(http"):
        assert outside not in html
    names = sorted(file.name for file in (tmp_path / "out" / "figures").iterdir())
    panels_of = ["one-a", "one-finish", "two-line"]
    assert names == sorted(f"{name}.{ending}" for name in panels_of for ending in ("png", "svg"))
    board = json.loads((tmp_path / "out" / "scoreboard.json").read_text())
    assert [row["id"] for row in board["claims"]] == ["X1", "X2", "X3"]
    assert board["claims"][0]["measured"] == {LARGE: 4, SMALL: 4}
    markdown = (tmp_path / "out" / "scoreboard.md").read_text()
    assert "| X2 | Fig. 1 | claim X2 | ten |  | 1 Gb/s: 4.00; 50 Mb/s: 4.00 | none | " in markdown


@pytest.mark.usefixtures("without_workers")
def test_a_label_keeps_its_colour(paper, tmp_path):
    done = papers.reproduce("tiny", store=tmp_path)
    (finish, alone) = done.figures[0].charts.values()
    assert [curve.colour for curve in finish.curves] == [3, 1]
    assert [curve.label for curve in alone.curves] == [SMALL]
    assert done.figures[1].charts["line"].curves[0].colour == 3


def test_a_wrong_scenario_costs_no_run(paper, tmp_path):
    broken = planned("fast")
    figure = dataclasses.replace(paper.figures[1], runs=lambda scale: {SMALL: broken})
    paper.figures[1] = figure
    with pytest.raises(incast.PaperError, match="additive_increase"):
        papers.reproduce("tiny", store=tmp_path)
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("without_workers")
def test_a_failed_run_fails_its_figures_alone(paper, tmp_path):
    done_before = plans.checked_run(planned("1Gbps"))
    in_the_way = tmp_path / "runs" / f"scenario-hpcc-{done_before.identity}"
    in_the_way.mkdir(parents=True)
    (in_the_way / "thesis.tex").write_text("years of work")
    done = papers.reproduce("tiny", quick=True, store=tmp_path)
    verdicts = [row.verdict for row in done.scoreboard.rows]
    assert verdicts == [Verdict.NOT_RUN, Verdict.NOT_RUN, Verdict.NEEDS_FULL]
    assert "exists and is not a results folder" in done.failures[0]
    assert "2 could not be judged because a run failed" in done.table()
    assert "exists and is not a results folder" in done.save(tmp_path / "out").read_text()
    assert (in_the_way / "thesis.tex").exists()


def test_unknown_names(paper, tmp_path):
    with pytest.raises(incast.PaperError) as error:
        papers.reproduce("tinny", store=tmp_path)
    assert str(error.value) == (
        "unknown paper `tinny`; did you mean `tiny`? "
        f"(available: {', '.join(sorted(papers.names()))})"
    )
    with pytest.raises(incast.PaperError, match=r"no figure `three`; available: one, two"):
        papers.plan("tiny", only=["three"])


@pytest.mark.usefixtures("without_workers")
def test_a_folder_that_cannot_be_written(paper, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(incast.ResultsError, match=str(tmp_path / "file")):
        papers.reproduce("tiny", store=tmp_path / "file")
    done = papers.reproduce("tiny", store=tmp_path / "good")
    with pytest.raises(incast.ResultsError, match=str(tmp_path / "file")):
        done.save(tmp_path / "file")


def test_estimates(paper):
    assert papers.plan("tiny").estimate().runs == 2
    assert papers.plan("tiny", quick=True, only=["two"]).estimate().runs == 1
    assert papers.plan("tiny").estimate().hops == 3200


def test_an_outline_checks_no_scenario(paper):
    """An outline costs a small part of a plan."""
    paper.figures[1] = dataclasses.replace(
        paper.figures[1], runs=lambda scale: {SMALL: planned("fast")}
    )
    with pytest.raises(incast.PaperError, match="additive_increase"):
        papers.plan("tiny")
    # 3 · 1600 hops, at 8 million hops a second and core.
    estimate = papers.outline("tiny").estimate()
    assert (estimate.runs, estimate.hops) == (3, 4800)
    assert estimate.seconds == pytest.approx(0.6e-3 / cores())
    assert papers.outline("tiny", only=["one"]).estimate().runs == 2


def test_a_plan_checks_a_scenario_once(paper):
    plan = papers.plan("tiny")
    one, two = (plan.runs(figure) for figure in plan.figures)
    assert two[SMALL] is one[SMALL]


def test_ids_are_given_once(paper):
    with pytest.raises(AssertionError, match="X1, X2, one given twice"):
        Paper("twice", "", "", "", [paper.figures[0], paper.figures[0]])


def test_panels_of_queues(paper, tmp_path):
    """One curve has samples of every 1 µs. Means over 20 µs have a twentieth of the points, and
    none above the peak.
    """
    scenario = {"measure": {"queues": {"every": "1us"}}}
    run = incast.run(planned("1Gbps", **scenario).scenario)
    each = panels.queue("Each")({LARGE: run}).curves[0]
    means = panels.queue("Means", mean_of_us=20)({LARGE: run})
    (curve,) = means.curves
    assert means.note == "Mean of every 20 µs."
    assert (curve.label, curve.group) == (LARGE, LARGE)
    assert len(curve.x) == -(-len(each.x) // 20)
    assert curve.x[0] == pytest.approx(10e-6)
    assert curve.y[0] == pytest.approx(each.y[each.x < 19.5e-6].mean())
    renamed = panels.queue("Renamed", renamed={LARGE: "other"})({LARGE: run})
    assert [other.label for other in renamed.curves] == ["other"]


# ── Seeds ────────────────────────────────────────────────────────────────────────────────────────


def test_a_label_stands_for_its_seeds():
    runs = {"a #1": 1, "a #2": 2, "b": 3, "ab #1": 4}
    assert seeds.of(runs, "a") == [1, 2]
    assert seeds.of(runs, "b") == [3]
    with pytest.raises(AssertionError, match="no run `c`"):
        seeds.of(runs, "c")


def test_two_labels_are_compared_seed_by_seed():
    """6/3 and 8/2 have a mean of 3; the ratio of the means, 14/5, is not used."""
    runs = {"a #1": 6, "a #2": 8, "b #1": 3, "b #2": 2, "alone": 5}
    assert seeds.average(runs, "a", float).mean == 7
    assert seeds.ratio(runs, "a", "b", float).mean == 3
    assert seeds.difference(runs, "a", "b", float).mean == 4.5
    assert math.isnan(seeds.average(runs, "alone", float).half_width)


# ── Verdicts ─────────────────────────────────────────────────────────────────────────────────────

FIGURE = Figure("f", "A figure", "Fig. 9")


def judge(value, **more):
    made = Claim(
        "Y1", "", "", lambda runs: {"": value}, tolerances.within(10, 15), "", where="§3", **more
    )
    (row,) = judged(dataclasses.replace(FIGURE, claims=[made]), {}, Scale.QUICK, [])
    return row


def test_verdicts():
    assert judge(12).verdict is Verdict.HOLDS
    assert judge(20).verdict is Verdict.FAILS
    assert judge(20, trend=tolerances.at_least(10)).verdict is Verdict.TREND
    assert judge(9, trend=tolerances.at_least(10)).verdict is Verdict.FAILS
    assert judge(12, full_only=True).verdict is Verdict.NEEDS_FULL
    assert judge(math.nan, trend=tolerances.at_least(10)).verdict is Verdict.FAILS


def test_explanations_are_for_what_does_not_hold():
    words = {"note": "A reading.", "explanation": "An explanation."}
    assert judge(12, **words).note == "A reading."
    assert judge(20, **words).note == "An explanation. A reading."
    assert judge(20, **words).where == "§3"


def test_words_are_computed_when_they_are_read():
    row = judge(20, note=lambda runs: "A reading.", explanation=lambda runs: f"It is {1 / 3:.2f}.")
    assert row.note == "It is 0.33. A reading."
    assert judge(12, explanation=lambda runs: 1 / 0).note == ""


def test_numbers_in_words_come_from_the_run():
    run = SimpleNamespace(fingerprint="aa", flows=[1, 2])
    text = lambda runs: f"{len(runs['a'].flows)} flows."  # noqa: E731
    assert written(text, {"a": run}, own_size=True) == "2 flows."


def test_recorded_numbers_hold_for_the_runs_that_they_are_of():
    text = Recorded("It takes 3 µs.", {"a": "aa"})
    same, other = SimpleNamespace(fingerprint="aa"), SimpleNamespace(fingerprint="bb")
    assert written(text, {"a": same, "b": other}, own_size=True) == "It takes 3 µs."
    assert written(text, {"a": other}, own_size=True) == f"It takes 3 µs. {OTHER_VERSION}"
    assert written(text, {"b": same}, own_size=True) == f"It takes 3 µs. {OTHER_VERSION}"
    # Runs that `quick` cuts down always have other fingerprints.
    assert written(text, {"a": other}, own_size=False) == f"It takes 3 µs. {OTHER_SIZE}"
    assert written(text, {"a": same}, own_size=False) == "It takes 3 µs."


def test_a_note_says_that_its_numbers_are_of_another_version():
    made = claim("Y1", lambda values: False, explanation=Recorded("Old.", {"a": "aa"}))
    figure = dataclasses.replace(FIGURE, claims=[dataclasses.replace(made, note="A reading.")])
    runs = {"a": SimpleNamespace(fingerprint="bb", flows=[])}
    (row,) = judged(figure, runs, Scale.QUICK, [])
    assert row.note == f"Old. {OTHER_VERSION} A reading."
    (row,) = judged(dataclasses.replace(figure, scaled="less"), runs, Scale.QUICK, [])
    assert row.note == f"Old. {OTHER_SIZE} A reading."
    (row,) = judged(dataclasses.replace(figure, scaled="less"), runs, Scale.FULL, [])
    assert row.note == f"Old. {OTHER_VERSION} A reading."


def test_averages_are_judged_by_their_means_and_shown_with_their_intervals():
    row = judge(Average(12.0, 3.0))
    assert row.verdict is Verdict.HOLDS
    assert row.measured == "12.0 ± 3.00"
    assert row.to_dict()["measured"] == {"": 12.0}
    assert row.to_dict()["half_width"] == {"": 3.0}
    alone = judge(Average(20.0, math.nan))
    assert (alone.verdict, alone.measured) == (Verdict.FAILS, "20.0")
    assert judge(Average(72.8, 1e-14)).measured == "72.8"
    assert judge(12).to_dict()["half_width"] == {}


def test_values_as_text():
    row = Row(claim("Z", tolerances.at_least(0)), FIGURE, Verdict.HOLDS, {"a": 1.5, "b": math.inf})
    assert row.measured == "a: 1.50; b: never"
    assert row.to_dict()["measured"] == {"a": 1.5, "b": "never"}
    assert dataclasses.replace(row, values={"": math.nan}).measured == "–"
    assert Scoreboard([]).sentence == "no claims"


# ── Scoreboard ───────────────────────────────────────────────────────────────────────────────────


def row(number, verdict, *notes, kind=Kind.FIGURE):
    made = claim(number, tolerances.at_least(0), kind=kind)
    return Row(made, FIGURE, verdict, {"": 1.0}, notes)


def test_claims_count_once_and_their_worst_row_decides():
    board = Scoreboard(
        [
            row("X10", Verdict.HOLDS),
            row("X2-a", Verdict.HOLDS),
            row("X2-b", Verdict.TREND),
            row("X3-a", Verdict.NEEDS_FULL),
            row("X3-b", Verdict.FAILS),
            row("X4", Verdict.HOLDS, kind=Kind.THEORY),
            row("X2-c", Verdict.FAILS, kind=Kind.READING),
            row("Y1", Verdict.TREND, kind=Kind.OURS),
        ]
    )
    assert board.verdicts == {
        "X2": Verdict.TREND,
        "X3": Verdict.FAILS,
        "X10": Verdict.HOLDS,
    }
    assert board.sentence == (
        "3 claims: 1 hold, 1 hold as a trend only, 1 do not hold; not counted: "
        "formulas and inputs, 1 row (1 hold); other readings, 1 row (1 do not hold); "
        "our own expectations, 1 row (1 hold as a trend only)"
    )
    assert [[each.claim.id for each in section.rows] for section in board.sections] == [
        ["X2-a", "X2-b", "X3-a", "X3-b", "X10"],
        ["X4"],
        ["X2-c"],
        ["Y1"],
    ]


def test_each_note_stands_once():
    board = Scoreboard([row("X1", Verdict.FAILS, "Why.", "How."), row("X2", Verdict.HOLDS, "How.")])
    assert [(note.ids, note.text) for note in board.notes] == [
        (["X1"], "Why."),
        (["X1", "X2"], "How."),
    ]


def test_a_replaced_measure_is_told_whatever_the_verdict():
    held = judge(12, replaced="The mean came first.")
    assert held.verdict is Verdict.HOLDS
    assert held.note == "Replaced measure: The mean came first."


def test_medians_are_judged_as_such_and_shown_with_their_range():
    made = judge(Median.of([9.0, 20.0, 12.0]))
    assert made.verdict is Verdict.HOLDS
    assert made.measured == "12.0 (9.00 to 20.0)"
    assert made.to_dict()["measured"] == {"": 12.0}
    assert made.to_dict()["range"] == {"": [9.0, 20.0]}
    assert judge(Median.of([12.0])).measured == "12.0"
    assert judge(Median.of([math.inf, math.inf, 3.0])).measured == "never (3.00 to never)"


def test_minus_signs_are_minus_signs():
    assert judge(-6.26).measured == "−6.26"


# ── Charts ───────────────────────────────────────────────────────────────────────────────────────


def test_panels_get_letters_unless_they_have_some():
    assert lettered(["Queue", "Rate"]) == ["(a) Queue", "(b) Rate"]
    assert lettered(["Queue"]) == ["Queue"]
    assert lettered(["(c) Queue", "Rate"]) == ["(c) Queue", "Rate"]


def test_lines_differ_in_style_too():
    def curves(*pairs):
        return [Curve(label, [0.0], [0.0], group=group) for label, group in pairs]

    def styles(*pairs):
        return [curve.dash for curve in styled(curves(*pairs))]

    assert styles(("a", "a"), ("b", "b"), ("c", "c")) == ["solid", "dashed", "dotted"]
    # Two flows under each of two algorithms: colours tell algorithms apart, line styles tell flows
    # apart.
    of_flows = [("a: 0", "a"), ("a: 1", "a"), ("b: 0", "b"), ("b: 1", "b")]
    assert styles(*of_flows) == ["solid", "dashed", "solid", "dashed"]
    many = [(f"flow {flow}", "a") for flow in range(20)]
    assert set(styles(*many)) == {"solid"}


# ── Conditions ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        (tolerances.within(10, 15), {"a": 10, "b": 15}, {"a": 10, "b": 15.1}),
        # 20 % beyond 10 and 15 is 8 to 18.
        (tolerances.within(10, 15, slack=0.2), {"a": 8, "b": 18}, {"a": 7.9}),
        (tolerances.close_to(2, 0.1), {"": 2.19}, {"": 2.21}),
        (tolerances.at_least(3), {"": 3}, {"": 2.9}),
        (tolerances.at_most(3), {"": 3}, {"": 3.1}),
        (
            tolerances.falls_to(0.5, below="d", labels=["v"]),
            {"d": 10, "v": 5},
            {"d": 10, "v": 5.1},
        ),
        (tolerances.of("a", tolerances.at_most(3)), {"a": 3, "b": 9}, {"a": 4, "b": 1}),
        (tolerances.both(tolerances.at_least(1), tolerances.at_most(2)), {"": 2}, {"": 3}),
    ],
)
def test_conditions(condition, good, bad):
    assert condition(good)
    assert not condition(bad)
    assert not condition(dict.fromkeys(good, math.nan))


planned_once = functools.cache(papers.plan)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", OURS)
def test_every_paper_can_be_planned(name, quick):
    """Runs that are written differently are different runs: an outline counts as many as a plan."""
    found = papers.paper(name)
    assert found.name == name
    plan = planned_once(name, quick=quick)
    runs = {run.identity: run for each in plan.figures for run in plan.runs(each).values()}
    estimate = papers.outline(name, quick=quick).estimate()
    assert estimate.runs == len(runs) > 0
    seconds = sum(run.seconds for run in runs.values()) / cores()
    assert estimate.seconds == pytest.approx(seconds)


@pytest.mark.parametrize("name", ["fairness", "fncc", "isolation", "lgc"])
def test_fcts_of_papers_are_of_all_flows(name):
    """FCTs are of all flows, as in the papers, whatever the default is."""
    plan = planned_once(name, quick=True)
    runs = [run for figure in plan.figures for run in plan.runs(figure).values()]
    entries = [entry for run in runs for entry in run.scenario.describe()["open_loop"]]
    assert entries
    assert all(entry["counted_ps"] is None for entry in entries)


WITHOUT_METRICS = {"lgc"}
"""Papers of which some rows do not name their metrics yet."""


@pytest.mark.parametrize("name", OURS)
def test_every_claim_says_all_there_is_to_say(name):
    for claim in papers.paper(name).claims:
        assert claim.says
        assert claim.claimed
        assert len(claim.tolerance) > 8
        assert claim.metric or name in WITHOUT_METRICS, claim.id
