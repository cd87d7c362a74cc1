"""Sweeps: datasets, means, pages; the same after interrupts and failures."""

import itertools
import json
import random
import signal
import subprocess
import time
from types import SimpleNamespace

import incast
import numpy as np
import polars
import pyarrow
import pytest
import scenarios
from incast.measure.statistics import Interval
from incast.present import matplotlib
from incast.study import dataset, listing
from incast.study.charts import chart
from incast.study.layout import across_of, line_labels
from incast.study.means import Row, groups
from incast.study.measures import measure_named, own_measure
from shell import PROGRAM, Shell, given

STUDY = """\
scenario = "poisson.toml"
measure = ["slowdown.p99", "fct.mean", "goodput.total"]

[vary]
cc = ["hpcc", "dcqcn"]
traffic.0.load = [0.2, 0.4, 0.6]
seed = { from = 1, to = 3 }
"""
RUNS = 2 * 3 * 3
WORDS = ("sweep", "study.toml", "--quiet")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "poisson.toml").write_text(scenarios.hadoop("50us"))
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def swept(*options, code=0):
    said = given(*WORDS, *options)
    assert said.code == code, said.err
    assert "Traceback" not in said.err
    return said


def whole(out):
    """Complete runs, each with its inode and time of change, which differ if the run is written
    again.
    """
    files = (out / "runs").glob("[!.]*/summary.json")
    return {file.parent.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in files}


def test_a_sweep_in_python(folder):
    sweep = incast.sweep("study.toml", store="out")
    assert repr(sweep) == f"<incast.Sweep of 'study': {RUNS} runs>"
    assert set(sweep["cc"]) == {"hpcc", "dcqcn"}
    assert [name in sweep for name in ("cc", "fct.mean", "fct.mean_ps", "fct")] == [True] * 3 + [
        False
    ]
    assert sweep["fct.mean"].tolist() == sweep.dataset["fct.mean_ps"].to_pylist()
    with pytest.raises(KeyError, match=r"`slowdown\.p9`; did you mean `slowdown\.p99`"):
        sweep["slowdown.p9"]
    table = polars.DataFrame(sweep.dataset)
    assert table.columns == [
        "cc",
        "traffic.0.load",
        "seed",
        "slowdown.p99",
        "fct.mean_ps",
        "goodput.total_bps",
        "identity",
        "failure",
    ]
    one = table.filter((table["cc"] == "dcqcn") & (table["traffic.0.load"] == 0.4))[1]
    alone = incast.run("poisson.toml", cc="dcqcn", seed=2, **{"traffic.0.load": 0.4})
    assert one["identity"].item() == alone.identity
    assert one["slowdown.p99"].item() == alone.summary["fct_slowdown"]["all"]["p99"]
    assert one["failure"].item() is None
    assert len(sweep.groups) == RUNS / 3
    mean = table.group_by("cc", "traffic.0.load", maintain_order=True).agg(
        polars.col("fct.mean_ps").mean()
    )
    found = [group.intervals["fct.mean_ps"].mean for group in sweep.groups]
    assert mean["fct.mean_ps"].to_list() == pytest.approx(found)
    assert sweep.plot("fct.mean").axes[0].get_xlabel() == "load"
    with pytest.raises(incast.ResultsError, match=r"no measure `fct.men`; did you mean `fct.mean`"):
        sweep.plot("fct.men")


def test_it_leaves_a_dataset_a_page_and_figures(folder):
    done = swept("--out", "out")
    assert "slowdown.p99: FCT slowdown, p99\nload" in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    out = folder / "out"
    assert polars.read_parquet(out / "sweep.parquet").height == RUNS
    names = {file.name for file in (out / "figures").iterdir()}
    assert names == {
        f"{name}.{ending}"
        for name in ("slowdown.p99", "fct.mean", "goodput.total")
        for ending in ("png", "svg")
    }
    page = (out / "index.html").read_text()
    assert "http" not in page.split("<script>")[0].replace("http://www.w3.org", "")
    assert '"spread":' in page
    assert "traffic.0.load" in page
    before = whole(out)
    again = swept("--out", "out", "--json")
    assert whole(out) == before
    told = json.loads(again.out)
    assert told["runs"] == RUNS
    assert told["means"][0]["cc"] == "hpcc"
    assert told["means"][0]["measures"]["fct.mean_ps"]["runs"] == 3


def test_killed_at_any_moment_it_goes_on(folder):
    """Each run is made once, and the dataset is byte for byte that of an undisturbed sweep."""
    sweep = Shell(folder, *WORDS, "--format", "png")
    start = time.monotonic()
    sweep.process("--out", "peace")
    span = time.monotonic() - start
    dice, out, kills = random.Random(1), folder / "killed", 0
    seen = {}
    for _ in range(4):
        process = subprocess.Popen(
            [*PROGRAM, *sweep.words, "--out", "killed"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            process.wait(dice.uniform(0.2, 0.8) * span)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        _, errors = process.communicate()
        assert b"Traceback" not in errors
        now = whole(out)
        assert {name: now[name] for name in seen} == seen
        seen = now
    assert kills
    sweep.process("--out", "killed")
    now = whole(out)
    assert {name: now[name] for name in seen} == seen
    assert len(now) == RUNS
    assert not [each for each in (out / "runs").iterdir() if each.name.startswith(".")]
    peace = folder / "peace"
    for name in ("sweep.parquet", "index.html", "figures/fct.mean.png"):
        assert (out / name).read_bytes() == (peace / name).read_bytes(), name


def test_datasets_do_not_depend_on_jobs(folder):
    one, four = (incast.sweep("study.toml", store=f"{jobs}", jobs=jobs).dataset for jobs in (1, 4))
    assert one.equals(four)


def test_a_run_that_fails_is_told_and_stops_nothing(folder):
    identity = incast.Scenario(
        "poisson.toml", cc="hpcc", seed=2, **{"traffic.0.load": 0.2}
    ).identity
    in_the_way = folder / "out/runs" / f"poisson-hpcc-{identity}"
    in_the_way.mkdir(parents=True)
    (in_the_way / "thesis.tex").write_text("years of work")
    done = swept("--out", "out", code=1)
    assert "failed: cc = hpcc, traffic.0.load = 0.2, seed = 2: " in done.err
    assert "exists and is not a results folder" in done.err
    assert "of 2" in done.out
    table = polars.read_parquet(folder / "out/sweep.parquet")
    assert table.height == RUNS
    failed = table.filter(polars.col("failure").is_not_null())
    assert failed["identity"].to_list() == [identity]
    assert failed["fct.mean_ps"].to_list() == [None]
    assert "1 of 18 runs failed" in (folder / "out/index.html").read_text()


def test_the_runs_are_listed(folder):
    lines = swept("--list").out.splitlines()
    assert lines[0] == "cc = hpcc, traffic.0.load = 0.2, seed = 1"
    assert len(lines) == RUNS + 2
    assert lines[-1] == "18 runs, about 1 s"
    assert not (folder / "results").exists()


def test_mistakes_cost_no_run(folder):
    (folder / "study.toml").write_text(STUDY.replace("load", "laod"))
    done = swept("--out", "out", code=2)
    assert done.err.startswith("error: study.toml:6: traffic[0].laod: unknown key `laod`")
    assert not (folder / "out").exists()


def test_ctrl_c_keeps_what_is_finished(folder):
    study = {
        "scenario": scenarios.hadoop_dict("1s"),
        "measure": "fct.mean",
        "vary": {"seed": [1]},
    }

    class Impatient(incast.Watch):
        pressed = False

        def advance(self, hops, finished):
            if not self.pressed:
                self.pressed = True
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(incast.CampaignInterrupted, match="0 of 1 runs are done"):
        incast.sweep(study, store="out", watch=Impatient())


def test_columns_have_the_type_of_their_values():
    rows = [
        Row({"a": 1, "b": 1, "c": True, "d": {"kind": "star"}, "e": "x"}, "1", {}),
        Row({"a": 2, "b": 0.5, "c": False, "d": "auto"}, "2", {"fct.mean_ps": float("nan")}),
    ]
    table = dataset.table(rows, ["a", "b", "c", "d", "e"], [measure_named("fct.mean")], [7, 8])
    types = [str(table.schema.field(name).type) for name in "abcde"]
    assert types == ["int64", "double", "bool", "string", "string"]
    assert table["d"].to_pylist() == ['{kind = "star"}', "auto"]
    assert table["e"].to_pylist() == ["x", None]
    assert table["seed"].to_pylist() == [7, 8]
    assert table["fct.mean_ps"].to_pylist() == [None, None]
    assert isinstance(table, pyarrow.Table)


def test_large_whole_numbers_among_others_are_rounded_as_the_engine_does():
    rows = [Row({"x": x}, "", {}, "") for x in (0.5, 2**53 + 1)]
    assert dataset.table(rows, ["x"], [], [1, 1])["x"].to_pylist() == [0.5, 2.0**53]


@pytest.mark.parametrize(
    "values", [[1.7e308, 1.6e308], [1e308, -1e308], [1.7e308, 5e-324], [float("inf"), 1.0]]
)
def test_numbers_beyond_all_scales_are_left_out_of_charts(folder, values):
    study = {"scenario": "poisson.toml", "measure": "fct.mean"}
    own = {"own": lambda results: values[results.summary["seed"] % 2]}
    for vary in ({"seed": [0, 1]}, {"seed": [1]}, {"seed": [0, 1], "run.stop": ["9us", "8us"]}):
        swept = incast.sweep({**study, "vary": vary}, measures=own, store="out")
        swept.save(formats=["svg"])
        swept.table()
        swept._repr_html_()
    assert swept.chart("own").note.endswith("Left out: numbers beyond 1e+300.")


def test_runs_without_a_number_are_left_out_of_means():
    measure = measure_named("fct.mean")
    measured = [{"fct.mean_ps": 1.0}, {}, {"fct.mean_ps": 3.0}]
    rows = [Row({"cc": "hpcc", "seed": n}, str(n), each) for n, each in enumerate(measured)]
    (group,) = groups(rows, [measure])
    assert (group.runs, group.intervals["fct.mean_ps"].count) == (3, 2)
    assert group.intervals["fct.mean_ps"].mean == 2.0


def test_spellings_of_one_point_are_one_group():
    rates = ({"rate": "100Gbps", "x": 1}, {"x": 1.0, "rate": "0.1Tbps"}, {"rate": "1Gbps", "x": 1})
    rows = [Row({**each, "seed": n}, "", {}) for n, each in enumerate(rates)]
    assert [group.runs for group in groups(rows, [])] == [2, 1]


@pytest.mark.parametrize(
    ("points", "key", "lines"),
    [
        (
            [{"cc": "a", "x.load": 0.1}, {"cc": "b", "x.load": 0.2}, {"cc": "a", "x.load": 0.2}],
            "x.load",
            ["a", "b"],
        ),
        # Numbers with units are numbers.
        ([{"n": 1, "r": rate} for rate in ("1Gbps", "10Gbps", "100Gbps")], "r", [""]),
        # A key determined by the key on the x axis makes no lines.
        ([{"r": "1Gbps", "load": 0.1}, {"r": "2Gbps", "load": 0.3}], "r", [""]),
        # Without numbers, the key with most values is on the x axis.
        ([{"cc": cc, "attack": kind} for cc in "abc" for kind in "xy"], "cc", ["x", "y"]),
        ([{"a.x": 1, "b.x": y} for y in (1, 2)], "b.x", [""]),
        ([{"a.x": x, "b.x": y} for x in (1, 2) for y in (1, 2, 3)], "b.x", ["a.x 1", "a.x 2"]),
        ([{}], None, [""]),
    ],
)
def test_one_key_goes_across(points, key, lines):
    across = across_of(points)
    assert across.key == key
    assert sorted(set(line_labels(points, across))) == lines
    assert all(np.isfinite(across.place(point)) for point in points)


def grid(**varied):
    return [dict(zip(varied, each, strict=True)) for each in itertools.product(*varied.values())]


@pytest.mark.parametrize(
    ("points", "labels"),
    [
        # No point has both keys.
        (
            [{key: 0.6, "cc": cc} for key in ("traffic.0.load", "traffic.1.load") for cc in "abc"],
            ["traffic.0.load 0.6", "traffic.1.load 0.6"],
        ),
        (
            [
                {f"measure.{key}.every": "1us", "x": x}
                for key in ("flows", "queues")
                for x in (1, 2)
            ],
            ["flows.every 1us", "queues.every 1us"],
        ),
        # Values stand alone, unless two keys have the same value.
        (
            [{key: "none", "x": x} for key in ("cc", "attack") for x in (1, 2)],
            ["attack none", "cc none"],
        ),
        (
            grid(cc="ab", name="bc", x=(1, 2, 3)),
            ["cc a, name b", "cc a, name c", "cc b, name b", "cc b, name c"],
        ),
        ([{**each, "x": x} for each in ({"cc": "a"}, {"name": "b"}) for x in (1, 2)], ["a", "b"]),
        # Values are in the same order in all labels.
        (
            [{"cc": "a", "name": "b", "x": x} for x in (1, 2)] + [{"name": "c", "cc": "d", "x": 1}],
            ["a, b", "d, c"],
        ),
        # Texts that coincide.
        (
            [{"y": y, "x": x} for y in (True, "true") for x in (1, 2, 3)],
            ["y true (1)", "y true (2)"],
        ),
        (
            [{"cc": "a", "name": "b", "x": x} for x in (1, 2, 3)] + [{"name": "a, b", "x": 1}],
            ["a, b (1)", "a, b (2)"],
        ),
    ],
)
def test_lines_have_names_of_their_own(points, labels):
    across = across_of(points)
    found = line_labels(points, across)
    assert sorted(set(found)) == labels
    cells = [(line, across.text(point)) for line, point in zip(found, points, strict=True)]
    assert len(set(cells)) == len(points)


def test_a_sweep_tells_every_mean(folder):
    measure = measure_named("slowdown.p99")
    points = [{key: 0.6, "cc": cc} for key in ("traffic.0.load", "traffic.1.load") for cc in "abc"]
    rows = [Row(each, "", {"slowdown.p99": 2.0 + n}) for n, each in enumerate(points)]
    study = SimpleNamespace(measures=[measure], keys=["traffic.0.load", "traffic.1.load", "cc"])
    text = listing.table(study, groups(rows, [measure]))
    assert [mean for mean in range(2, 8) if f" {mean}.00" in text] == list(range(2, 8))
    drawn = chart(groups(rows, [measure]), measure)
    assert [curve.y.tolist() for curve in drawn.curves] == [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]


def test_spellings_of_one_number_stand_at_one_place():
    points = [{"rate": "100Gbps", "y": 1}, {"rate": "0.1Tbps", "y": 2}, {"rate": "1Gbps", "y": 1}]
    across = across_of(points)
    assert line_labels(points, across) == ["y 1", "y 2", "y 1"]
    assert across.text(points[0]) == across.text(points[1])
    assert across.place(points[0]) == across.place(points[1]) == 100e9


def cdf(*points):
    return {"cdf": [list(each) for each in points]}


LONG = [("1KB", 0), ("100KB", 50), ("500KB", 75)]


def test_long_values_are_cut_where_room_is_scarce():
    """Inline distributions of sizes, for example: several that begin alike are numbered."""
    sizes = [cdf(*LONG, ("1MB", 100)), cdf(*LONG, ("2MB", 100)), "web-search"]
    points = [{"load": load, "traffic.0.sizes": each} for load in (0.1, 0.2) for each in sizes]
    across = across_of(points)
    labels = line_labels(points, across)[:3]
    assert labels[0].startswith('sizes {cdf = [["1KB"')
    assert labels[0].endswith("… (1)")
    assert labels[1] == labels[0].replace("(1)", "(2)")
    assert labels[2] == "sizes web-search"
    assert max(map(len, labels)) < 40
    # The same on the x axis, if it has no numbers.
    names = across_of([{"traffic.0.sizes": each} for each in sizes])
    assert [names.place({"traffic.0.sizes": each}) for each in sizes] == [0, 1, 2]
    assert names.axis.names == tuple(label.removeprefix("sizes ") for label in labels)


def test_tables_of_a_sweep_cut_long_values(folder):
    sizes = [cdf(*LONG, ("1MB", 100)), cdf(*LONG, ("2MB", 100))]
    vary = {"traffic.0.sizes": sizes, "seed": [1]}
    sweep = incast.sweep({"scenario": "poisson.toml", "measure": ["fct.mean"], "vary": vary})
    text = sweep.table()
    assert ("… (1)" in text, "… (2)" in text, "500KB" in text) == (True, True, False)
    assert "… (1)" in sweep._repr_html_()


def test_figures_in_the_formats_that_are_asked_for(folder):
    swept("--out", "out", "--format", "pdf")
    assert {file.suffix for file in (folder / "out" / "figures").iterdir()} == {".pdf"}


@pytest.mark.parametrize(
    ("formats", "told"),
    [
        (
            "png",
            r'`formats` is a text, `png`, and not a list of names; write e.g. formats=\["png"\]',
        ),
        (
            ["svg", "pgn"],
            r"unknown format `pgn`; did you mean `png`\? \(available: pdf, png, svg\)",
        ),
    ],
)
def test_a_wrong_format_of_figures_is_told_before_anything_is_written(folder, formats, told):
    sweep = incast.sweep("study.toml", store="out")
    with pytest.raises(incast.ResultsError, match=told):
        sweep.save(formats=formats)
    assert [each.name for each in (folder / "out").iterdir()] == ["runs"]


def test_measures_with_names_alike_have_a_figure_each(folder):
    small = {"of": "fct.mean", "up_to": "1KB", "name": "FCT <= 1KB"}
    large = {"of": "fct.mean", "larger_than": "1KB", "name": "FCT > 1KB"}
    other = {"of": "slowdown.p99", "name": "fct 1kb"}
    study = {"scenario": "poisson.toml", "vary": {"seed": [1]}, "measure": [small, large, other]}
    page = incast.sweep(study, store="out").save(formats=["svg"])
    figures = {file.name: file.read_text() for file in (folder / "out/figures").iterdir()}
    assert sorted(figures) == ["FCT-1KB-2.svg", "FCT-1KB.svg", "fct-1kb-3.svg"]
    assert len(set(figures.values())) == 3
    told = (
        "FCT, mean (FCT > 1KB) is <code>FCT-1KB-2</code>; "
        "FCT slowdown, p99 (fct 1kb) is <code>fct-1kb-3</code>."
    )
    assert told in page.read_text().replace("&gt;", ">")
    assert '"file":"study-FCT-1KB-2"' in page.read_text()
    plain = incast.sweep({**study, "measure": [small]}, store="out").save(formats=[])
    assert "Files of the charts" not in plain.read_text()


def test_lines_are_told_apart():
    measure = measure_named("slowdown.p99")
    points = [(cc, sizes, load) for cc in "ab" for sizes in "xy" for load in (0.1, 0.2)]
    rows = [
        Row({"cc": cc, "sizes": sizes, "load": load}, "", {"slowdown.p99": 1 + load})
        for cc, sizes, load in points
    ]
    drawn = chart(groups(rows, [measure]), measure)
    assert [(curve.label, curve.colour, curve.dash) for curve in drawn.curves] == [
        ("a, sizes x", 0, "solid"),
        ("a, sizes y", 0, "dashed"),
        ("b, sizes x", 1, "solid"),
        ("b, sizes y", 1, "dashed"),
    ]
    assert drawn.curves[0].x.tolist() == [0.1, 0.2]
    assert (drawn.y.lower, drawn.curves[0].spread) == (1.0, None)
    # Without numbers on the x axis, dots stand side by side.
    named = [
        Row({"cc": cc, "sizes": size}, "", {"slowdown.p99": 2.0}) for cc in "abc" for size in "xy"
    ]
    drawn = chart(groups(named, [measure]), measure)
    assert [curve.x.tolist() for curve in drawn.curves] == [
        pytest.approx([-0.06, 0.94, 1.94]),
        pytest.approx([0.06, 1.06, 2.06]),
    ]


def test_numbers_of_ones_own(folder):
    own = {"lost": lambda results: -float(len(results.completed))}
    sweep = incast.sweep("study.toml", measures=own, store="out")
    table = polars.DataFrame(sweep.dataset)
    assert table.columns.index("lost") == table.columns.index("goodput.total_bps") + 1
    assert table["lost"].max() < 0
    assert sweep.groups[0].intervals["lost"].mean == table["lost"][:3].mean()
    assert "lost" in sweep.table()
    assert sweep.plot("lost")
    with pytest.raises(incast.StudyError, match=r"two columns `fct.mean_ps`"):
        incast.sweep("study.toml", measures={"fct.mean_ps": len}, store="out")
    with pytest.raises(incast.StudyError, match=r"two columns `seed`"):
        incast.sweep("study.toml", measures={"seed": len}, store="out")
    wrong = incast.sweep("study.toml", measures={"mine": lambda results: "x"}, store="out")
    (told,) = set(wrong.failures.values())
    assert "measure `mine` of a run is of type str; return a number, or None" in str(told)
    none = incast.sweep("study.toml", measures={"mine": lambda results: None}, store="out")
    assert np.isnan(none["mine"]).all()


def test_a_measure_of_ones_own_that_raises_is_a_failure_of_its_run(folder):
    def of_first_seed(results):
        return {1: 5.0}[results.summary["seed"]]

    study = {"scenario": "poisson.toml", "measure": ["fct.mean"], "vary": {"seed": [1, 2]}}
    sweep = incast.sweep(study, measures={"mine": of_first_seed}, store="out")
    assert sweep["mine"][0] == 5
    (label, told), *others = sweep.failures.items()
    assert (label, others) == ("seed = 2", [])
    assert told.startswith("measure `mine` of a run raised KeyError: 2; return None if ")
    assert len(whole(folder / "out")) == 2


def test_a_fabric_is_swept(folder):
    study = {"scenario": scenarios.FABRIC, "measure": ["latency.p99", "bandwidth"]}
    sweep = incast.sweep({**study, "vary": {"cc": ["none", "window:2"]}}, store="out")
    assert sweep.failures == {}
    assert np.isfinite(sweep.dataset["latency.p99"].to_numpy()).all()
    assert sweep.chart("bandwidth").curves[0].mark == "dots"
    assert sweep.save().exists()


def test_intervals():
    values = [1.0, 2.0, 3.0, 4.0, 10.0]
    student = Interval.student(values)
    assert student.mean == 4.0
    # Half of the interval is 2.776 · 3.536 / √5.
    assert (student.low, student.high) == pytest.approx((-0.39, 8.39), abs=0.01)
    assert Interval.student([*values, float("nan")]) == student
    assert student.not_below(1.0).low == 1.0
    assert np.isnan(Interval.student([5.0]).not_below(1.0).low)
    assert Interval.student([]).count == 0


def test_intervals_of_what_cannot_be_negative_are_not():
    """The interval of a custom measure is cut at 0 if the measure is negative in no run of the
    sweep: 0.02 ± 12.706 · 0.01414 / √2 reaches to −0.107.
    """
    measure = own_measure("mine", lambda results: None, "network")

    def low(*values):
        points = [{"load": load, "seed": seed} for load in (1, 2) for seed in (1, 2)]
        rows = [Row(point, "", {"mine": each}) for point, each in zip(points, values, strict=True)]
        return groups(rows, [measure])[0].intervals["mine"].low

    assert low(0.01, 0.03, 1.0, 2.0) == 0
    assert low(0.01, 0.03, -1.0, 2.0) == pytest.approx(-0.107, abs=1e-3)


def test_intervals_of_slowdowns():
    """Under faults a slowdown may be below 1; then the interval is not cut at 1."""
    measure = measure_named("slowdown.p99")

    def group(*values):
        rows = [Row({"seed": n}, "", {"slowdown.p99": each}) for n, each in enumerate(values)]
        return groups(rows, [measure])[0]

    faulty = group(0.14, 0.15, 0.16, 0.14, 0.2)
    found = faulty.intervals["slowdown.p99"]
    # The interval is 0.158 ± 2.776 · 0.0249 / √5.
    assert (found.low, found.high) == pytest.approx((0.1271, 0.1889), abs=1e-4)
    assert matplotlib.draw(chart([faulty], measure))
    # 0.95 ± 12.7 · 0.05, 1.05 ± the same.
    assert group(0.9, 1.0).intervals["slowdown.p99"].low == pytest.approx(0.3147, abs=1e-4)
    assert group(0.1, 0.2).intervals["slowdown.p99"].low == 0.0
    assert group(1.0, 1.1).intervals["slowdown.p99"].low == 1.0


def test_intervals_cover_what_they_promise():
    """For 95 % of 1,000 samples of five from a normal distribution, the interval has the true
    mean.
    """
    rng = np.random.default_rng(3)
    samples = rng.normal(10, 1, (1000, 5))
    found = [Interval.student(list(sample)) for sample in samples]
    assert np.mean([each.low <= 10 <= each.high for each in found]) >= 0.93


@pytest.mark.parametrize("jobs", [0, -1, "2", 1.5])
def test_a_wrong_number_of_jobs(folder, jobs):
    with pytest.raises(ValueError, match=f"jobs: `{jobs}` is not a number of jobs; e.g. 2 is"):
        incast.sweep("study.toml", jobs=jobs)
