"""Studies: what is varied, what is measured, and mistakes told before any run."""

import os
import subprocess
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import incast
import numpy as np
import pyarrow
import pytest
import scenarios
from incast.errors import StudyError
from incast.present.charts.chart import Quantity
from incast.study.measures import measure_named
from incast.study.places import line_of
from incast.study.quantities import canonical, number, value_text
from incast.study.study import Study
from pyarrow import parquet

HEAD = 'scenario = "star.toml"\nmeasure = [\n  "slowdown.p99",\n]\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a scenario, in which studies are written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "poisson.toml").write_text(scenarios.hadoop("20us"))
    return tmp_path


def study(text):
    Path("study.toml").write_text(text)
    return Study("study.toml")


def values(read):
    return [tuple(run.values.values()) for run in read.runs]


def test_a_grid(folder):
    read = study(f'{HEAD}[vary]\ncc = ["hpcc", "none"]\nseed = {{ from = 1, to = 3 }}\n')
    assert read.keys == ["cc", "seed"]
    assert values(read) == [(cc, seed) for cc in ("hpcc", "none") for seed in (1, 2, 3)]
    assert read.name == "study"
    assert read.runs[0].label == "cc = hpcc, seed = 1"
    assert len({run.checked.identity for run in read.runs}) == 6


def test_ranges_are_decimal(folder):
    text = HEAD.replace("star", "poisson")
    read = study(f"{text}[vary]\ntraffic.0.load = {{ from = 0.1, to = 0.8, step = 0.1 }}\n")
    assert values(read) == [(load,) for load in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)]


def test_points_go_together_and_with_a_grid(folder):
    read = study(
        f"{HEAD}[vary]\nrun.seed = [1, 2]\n"
        '[[points]]\ncc.algorithm = "hpcc"\nnetwork.topology = { kind = "star", hosts = 5 }\n'
        '[[points]]\ncc = "none"\n'
    )
    assert read.keys == ["cc", "network.topology", "seed"]
    star = {"kind": "star", "hosts": 5}
    assert values(read) == [("hpcc", star, 1), ("hpcc", star, 2), ("none", 1), ("none", 2)]


@pytest.mark.parametrize("name", ["points.csv", "points.parquet"])
def test_points_of_a_file(folder, name):
    rows = {"cc": ["hpcc", "none"], "network.link_rate": ["100Gbps", None], "seed": [3, 4]}
    if name.endswith("csv"):
        (folder / name).write_text("cc,network.link_rate,seed\nhpcc,100Gbps,3\nnone,,4\n")
    else:
        parquet.write_table(pyarrow.table(rows), folder / name)
    read = study(f'points = "{name}"\n{HEAD}')
    assert values(read) == [("hpcc", "100Gbps", 3), ("none", 4)]
    assert read.runs[1].checked.scenario.to_dict()["run"]["seed"] == 4


def test_empty_cells_of_files(folder):
    """In a CSV file a cell is empty if nothing stands in it; data frames have NaN there."""
    key, head = "traffic.0.load", HEAD.replace("star", "poisson")
    parquet.write_table(pyarrow.table({key: [0.1, float("nan")], "seed": [1, 2]}), "nan.parquet")
    assert values(study(f'points = "nan.parquet"\n{head}')) == [(0.1, 1), (2,)]
    for text, told in (("nan", "`NaN` is not finite"), ("NaN", '`"NaN"` is text')):
        (folder / "nan.csv").write_text(f"{key},seed\n0.1,1\n{text},2\n")
        with pytest.raises(incast.Error, match=rf"nan\.csv:3: traffic\[0\]\.load: {told}"):
            study(f'points = "nan.csv"\n{head}')


def test_a_study_of_python(folder):
    read = Study(
        {
            "scenario": scenarios.as_dict(),
            "measure": "fct.mean",
            "vary": {"seed": range(2), "cc.additive_increase": np.array(["1Gbps", "2Gbps"])},
        }
    )
    assert values(read) == [(0, "1Gbps"), (0, "2Gbps"), (1, "1Gbps"), (1, "2Gbps")]
    assert Study({"scenario": folder / "star.toml", "measure": "fct.mean", "vary": {"seed": [1]}})


def test_files_of_an_inline_scenario_are_beside_the_study(folder):
    (folder / "below").mkdir()
    flows = "source,destination,size_bytes,start_us\n0,1,1000,0\n1,2,1000,0\n"
    (folder / "below" / "flows.csv").write_text(flows)
    (folder / "below" / "study.toml").write_text(
        'measure = ["fct.mean"]\n[vary]\nseed = [1]\n[scenario]\ncc.algorithm = "none"\n'
        'network.topology = { kind = "star", hosts = 3 }\n'
        '[[scenario.traffic]]\nkind = "file"\nfile = "flows.csv"\nformat = "csv"\n'
    )
    (run,) = Study(folder / "below" / "study.toml").runs
    assert run.checked.scenario.describe()["expected_flows"] == 2


MISTAKES = {
    "key": (
        f"{HEAD}# loads\n[vary]\ncc = ['none']\ntraffic.0.receivr = [\n  3,\n  4,\n]\n",
        "study.toml:8: traffic[0].receivr: unknown key `receivr` (with cc = none); "
        "did you mean `receiver`?",
    ),
    "value": (f"{HEAD}[vary]\nseed = [1, -1]\n", "study.toml:6: run.seed: `-1` is negative"),
    "algorithm": (
        f'{HEAD}[vary]\ncc = ["hpcc", "hpc"]\n',
        "study.toml:6: cc.algorithm: unknown algorithm `hpc`; did you mean `hpcc`?",
    ),
    "combination": (
        f'{HEAD}[vary]\ncc = ["hpcc", "dcqcn"]\n"cc.multi_rate" = [true]\n',
        "study.toml:7: cc.multi_rate: unknown key `multi_rate`",
    ),
    "section": (f"{HEAD}[varry]\nseed = [1]\n", "study.toml:5: varry: unknown key `varry`; did"),
    "measure": (
        f"{HEAD.replace('slowdown', 'slowdwon')}[vary]\nseed = [1]\n",
        "study.toml:2: measure: unknown measure `slowdwon.p99`; did you mean `slowdown.p99`?",
    ),
    "statistic": (
        f"{HEAD.replace('p99', 'q99')}[vary]\nseed = [1]\n",
        "unknown measure `slowdown.q99`; write `slowdown.` and one of mean, min, max, p50",
    ),
    "peak of a queue": (
        'scenario = "star.toml"\nmeasure = "queue.max"\nvary.seed = [1]\n',
        "unknown measure `queue.max`; did you mean `queue.peak`? (available: queue.mean, queue.p50",
    ),
    "measure of a fabric": (
        f"{HEAD.replace('slowdown', 'latency')}[vary]\nseed = [1]\n",
        "`latency.p99` is of a fabric, and the scenario is of a network",
    ),
    "flows of a whole run": (
        'scenario = "star.toml"\nmeasure = { of = "queue.p99", up_to = "1KB" }\nvary.seed = [1]\n',
        "study.toml:2: measure: `queue.p99` is of the whole run",
    ),
    "key of a measure": (
        'scenario = "star.toml"\nmeasure = { of = "fct.p99", upto = "1KB" }\nvary.seed = [1]\n',
        "study.toml:2: measure: unknown key `upto`; did you mean `up_to`?",
    ),
    "size": (
        'scenario = "star.toml"\nmeasure = { of = "fct.p99", up_to = 5 }\nvary.seed = [1]\n',
        'up_to: `5` is no size; write e.g. "10KB"',
    ),
    "column": (
        'scenario = "star.toml"\nmeasure = ["fct.p9", "fct.p9"]\nvary.seed = [1]\n',
        "there are two columns `fct.p9`; give one of them another `name`",
    ),
    "no measure": (
        'scenario = "star.toml"\nvary.seed = [1]\n',
        'study.toml: `measure` is missing; add measure = ["slowdown.p99"]',
    ),
    "no scenario": (
        HEAD.replace("star", "rats") + "vary.seed = [1]\n",
        "rats.toml: no such file; in . there are poisson.toml, star.toml",
    ),
    "no TOML": (f"{HEAD}[vary\n", "study.toml:5: no TOML: Expected ']'"),
    "dots": (
        f'{HEAD}[vary]\ncc = ["hpcc"]\ncc.min_rate = ["1Gbps"]\n',
        "study.toml:7: no TOML: Cannot mutate immutable namespace",
    ),
    "one value": (f"{HEAD}[vary]\nseed = 1\n", "study.toml:6: seed: is no list of values; write"),
    "empty range": (f"{HEAD}vary.seed = {{ from = 2, to = 1 }}\n", "seed: is an empty range; let"),
    "long range": (f"{HEAD}vary.seed = {{ from = 1, to = 1_000_000 }}\n", "1000000 values"),
    "too many": (
        f"{HEAD}[vary]\nseed = {{from=1, to=50000}}\ntraffic.0.receiver = {{from=0, to=50}}\n",
        "study.toml: the study has 2550000 runs, more than 100000; vary less",
    ),
    "inline": (
        'measure = ["fct.p50"]\n[scenario]\nnetwork.topology = "star"\ncc.algorithm = "hpc"\n'
        "[vary]\nseed = [1]\n",
        "study.toml:4: cc.algorithm: unknown algorithm `hpc`",
    ),
    "no points": (f'points = "nope.csv"\n{HEAD}', "study.toml:1: points: nope.csv: No such file"),
    "empty points": (f'points = "empty.csv"\n{HEAD}', "empty.csv: has no points; write keys"),
    "row": (f'points = "short.csv"\n{HEAD}', "short.csv:3: the row does not have 2 cells"),
    "column of points": (
        f'points = "twice.csv"\n{HEAD}',
        "twice.csv:1: column `seed` stands twice",
    ),
    "point of a file": (
        f'points = "wrong.csv"\n{HEAD}',
        "wrong.csv:3: cc.algorithm: unknown algorithm `nope`",
    ),
    "no Parquet": (f'points = "no.parquet"\n{HEAD}', "no.parquet: is no Parquet file"),
    "point": (
        f'{HEAD}[[points]]\nseed = 1\n[[points]]\nseed = 2\ncc = "nope"\n',
        "study.toml:9: cc.algorithm: unknown algorithm `nope`",
    ),
    "varied twice": (f"{HEAD}[vary]\nseed = [1]\n[[points]]\nseed = 1\n", "study.toml:6: seed: is"),
    "two names": (f"{HEAD}[vary]\nrun.seed = [1]\nseed = [2]\n", "study.toml:7: seed: is varied t"),
    "parts": (
        f'{HEAD}[vary]\n"traffic.0.sizes" = ["1KB", "2KB"]\n'
        'traffic = [[{ kind = "incast", sizes = "4KB", receiver = 0 }]]\n',
        "study.toml:6: traffic.0.sizes: is a part of `traffic`, which is given, too: one of",
    ),
    "a part of a later section": (
        f'{HEAD}[vary]\ncc = ["hpcc", {{ algorithm = "hpcc", target_utilisation = 0.9 }}]\n'
        '"cc.additive_increase" = ["50Mbps", "5Gbps"]\n',
        "study.toml:7: cc.additive_increase: is a part of `cc`, which is given, too: one of them",
    ),
    "a part of a later attack": (
        f'{HEAD}[vary]\nattack = ["parallel", {{ kind = "parallel" }}]\n'
        '"attack.piece" = ["50KB", "200KB"]\n',
        "study.toml:7: attack.piece: is a part of `attack`, which is given, too: one of them",
    ),
    "a part in a point": (
        f"{HEAD}[vary]\nrun = [{{ seed = 4 }}]\n[[points]]\nseed = 2\n",
        "study.toml:8: seed: is a part of `run`, which is given, too: one of them would not count",
    ),
    "brackets": (
        f'{HEAD}[vary]\n"traffic.0.sizes" = ["1KB", "2KB"]\n"traffic[0].sizes" = ["4KB"]\n',
        "study.toml:7: traffic.0.sizes: is varied twice",
    ),
    "zeros": (
        f'{HEAD}[vary]\n"traffic.0.sizes" = ["1KB", "2KB"]\n"traffic.00.sizes" = ["4KB"]\n',
        "study.toml:7: traffic.0.sizes: is varied twice",
    ),
    "entry of a measure": (
        'scenario = "star.toml"\nvary.seed = [1]\n[measure]\nof = "fct.p9"\ntraffic = "incats"\n',
        "traffic: there is no traffic entry `incats`; did you mean `incast`?",
    ),
    "seed of a run": (
        f"{HEAD}[vary]\nrun = [{{ seed = 1 }}, {{ seed = 2 }}]\n",
        "study.toml:6: run: has a seed; give `seed` by itself",
    ),
    "twice in a point": (
        f"{HEAD}[[points]]\nrun.seed = 1\nseed = 2\n",
        "study.toml:7: seed: is given twice in one point",
    ),
    "sign": (
        f'{HEAD}[vary]\n"traffic.+0.sizes" = ["1KB"]\n',
        "there is no entry `+0`; there is one entry: 0",
    ),
    "name of two measures": (
        'scenario = "star.toml"\nmeasure = [{ of = "fct.p9", name = "short" }, '
        '{ of = "slowdown.p9", name = "short" }]\nvary.seed = [1]\n',
        "there are two columns `short`; give one of them another `name`",
    ),
    "name of a key": (
        'scenario = "star.toml"\nmeasure = { of = "fct.p9", name = "seed" }\nvary.seed = [1]\n',
        "there are two columns `seed`; give one of them another `name`",
    ),
    "name of a folder": (
        f'name = ".."\n{HEAD}vary.seed = [1]\n',
        "study.toml:1: name: `..` cannot",
    ),
    "scenario": (
        scenarios.STAR,
        'study.toml: is a scenario, not a study; write a study beside it: scenario = "study.toml"',
    ),
    "nothing": (HEAD, "study.toml: nothing is varied; add [vary]"),
    "name of Python's": (f"{HEAD}[vary]\nsource = [1]\n", "study.toml:6: source: unknown key"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_with_their_places(folder, name):
    text, message = MISTAKES[name]
    (folder / "empty.csv").write_text("cc\n")
    (folder / "short.csv").write_text("cc,seed\nhpcc,1\nhpcc\n")
    (folder / "twice.csv").write_text("seed,run.seed\n1,1\n")
    (folder / "wrong.csv").write_text("cc\nhpcc\nnope\n")
    (folder / "no.parquet").write_text("PAR0")
    with pytest.raises(incast.Error) as error:
        study(text)
    assert message in str(error.value)


def test_tables_take_the_place_of_the_scenarios_own(folder):
    """As after --set: what a value does not say is as by default."""
    tree = '{ kind = "leaf-spine", spines = 1 }'
    text = HEAD.replace("star", "base") + f"[vary]\nnetwork.topology = [{tree}]\n"
    base = {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4}
    scenario = {**scenarios.as_dict(), "network": {"topology": base}}
    scenario["traffic"] = [{"kind": "permutation", "sizes": "1KB"}]
    (folder / "base.toml").write_text(incast.Scenario(scenario).to_toml())
    (run,) = study(text).runs
    setting = ("network.topology", tree)
    assert run.checked.scenario == incast.Scenario("base.toml", settings=[setting])


def test_a_measure_of_the_only_entry(folder):
    measures = '{ of = "fct.max", traffic = "incast" }, { of = "fct.max", traffic = 0 }, "fct.max"'
    text = f'scenario = "star.toml"\nmeasure = [{measures}]\nvary.seed = [1]\n'
    of_name, of_number, of_all = incast.sweep(study(text)).rows[0].measured.values()
    assert of_name == of_number == of_all > 0


def test_a_measure_of_an_entry_without_completed_flows(folder):
    """It has no value, also where the entry's name is the number of another."""
    scenario = scenarios.as_dict()
    flows = [("1", "10MB"), ("other", "1KB")]
    scenario["traffic"] = [
        {"kind": "flows", "name": name, "flows": [{"source": 0, "destination": 1, "size": size}]}
        for name, size in flows
    ]
    scenario["run"] = {"stop": "30us"}
    measures = [{"of": "fct.max", "traffic": name} for name in ("1", "other", "0")]
    swept = incast.sweep({"scenario": scenario, "measure": measures, "vary": {"seed": [1]}})
    of_unfinished, of_other, of_first = swept.rows[0].measured.values()
    assert (np.isnan(of_unfinished), of_other > 0, np.isnan(of_first)) == (True, True, True)


def test_points_without_a_seed_have_that_of_the_scenario(folder):
    text = f'{HEAD}[[points]]\nseed = 5\n[[points]]\ncc = "none"\n'
    assert incast.sweep(study(text))["seed"].tolist() == [5, 1]


def test_seeds_of_the_dataset_are_those_that_ran(folder):
    """A varied `run` takes the place of the scenario's, seed and all: its own is 1 by default."""
    scenario = {**scenarios.as_dict(), "run": {"seed": 5}}
    for points in ([{"run": {}}, {"cc": "none"}], [{"cc": "none"}, {"run": {}}, {"seed": 7}]):
        read = Study({"scenario": scenario, "measure": "fct.mean", "points": points})
        ran = [run.checked.scenario.to_dict()["run"]["seed"] for run in read.runs]
        assert set(ran) >= {1, 5}
        assert incast.sweep(read)["seed"].tolist() == ran


def test_the_scenario_is_read_once(folder, monkeypatch):
    """A file that is written while the study is checked changes none of its runs."""
    planned = Study._planned

    def rewritten(self, point):
        found = planned(self, point)
        (folder / "star.toml").write_text("what is written now is no scenario")
        return found

    monkeypatch.setattr(Study, "_planned", rewritten)
    assert len(study(f"{HEAD}[vary]\nseed = [1, 2, 3]\n").runs) == 3


def test_runs_that_do_not_fit_into_memory_are_told(folder, monkeypatch):
    """Each takes 1 MB here, and 50 MB are available: after 64 of 200, 136 MB are missing."""
    resident = iter([10_000_000, 73_000_000])
    monkeypatch.setattr("incast.study.study.resident_memory", lambda: next(resident))
    monkeypatch.setattr("incast.study.study.available_memory", lambda: 50_000_000)
    with pytest.raises(StudyError, match=r"200 runs are too many .* take 136 MB more .* and 50 MB"):
        study(f"{HEAD}[vary]\nseed = {{ from = 1, to = 200 }}\n")


def test_a_study_that_is_not_there(folder):
    with pytest.raises(StudyError, match=r"nope.toml: No such file"):
        Study("nope.toml")


def test_lines_of_keys():
    text = (
        '# a\n\na = 1\nb = [\n  1,\n  2, # ]\n]\n[c]\nd = """\nx = 1\n"""\n[[e]]\nf = 1\n[[e]]\nf=2'
    )
    places = {("a",): 3, ("b", 1): 4, ("c", "d"): 9, ("e", 0, "f"): 13, ("e", 1): 14}
    assert {path: line_of(text, path) for path in places} == places
    assert line_of(text, ("e", 1, "f")) == 15
    assert line_of(text, ("e", 2)) is None
    assert line_of(text, ("a", "b")) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, (0.5, Quantity.RATIO)),
        (True, None),
        ("hpcc", None),
        ("5us", (5e-6, Quantity.TIME)),
        ("1.5 ms", (1.5e-3, Quantity.TIME)),
        ("5\u03bcs", (5e-6, Quantity.TIME)),
        ("100Gbps", (100e9, Quantity.RATE)),
        ("0.1 Tbit/s", (100e9, Quantity.RATE)),
        ("10KB", (10e3, Quantity.SIZE)),
        ("4KiB", (4096.0, Quantity.SIZE)),
        ("4Kibps", None),
        ("3 parsecs", None),
        (None, None),
    ],
)
def test_values_as_numbers(value, expected):
    assert number(value) == (pytest.approx(expected[0]), expected[1]) if expected else True
    assert (number(value) is None) == (expected is None)


def test_spellings_of_one_value():
    assert number("0.3ms") == number("300us") == number("300000ns")
    assert canonical("0.1Tbps") == canonical("100Gbit/s") != canonical("100GB")
    assert canonical("1KiB") == canonical("1024B")
    assert canonical(1) == canonical(1.0) != canonical(True)
    assert canonical(2**53) != canonical(2**53 + 1)
    assert canonical({"kind": "star", "hosts": 4}) == canonical({"hosts": 4, "kind": "star"})
    assert len({canonical(value) for value in (None, "None", "1", 1, "hpcc", [1])}) == 6


def test_values_as_text():
    texts = [value_text(value) for value in ("hpcc", 0.5, True, {"kind": "star"}, None)]
    assert texts == ["hpcc", "0.5", "true", '{kind = "star"}', "–"]


def test_measures_are_those_of_the_summary():
    run = incast.run(scenarios.hadoop_dict("200us"))
    told = run.summary["fct_slowdown"]["all"]
    for statistic in ("mean", "p50", "p95", "p99", "max"):
        assert measure_named(f"slowdown.{statistic}").of(run) == pytest.approx(told[statistic])
    # Whole picoseconds.
    for statistic in ("p50", "p95", "p99", "max"):
        assert measure_named(f"fct.{statistic}").of(run) == run.summary["fct_ps"][statistic]
    assert measure_named("fct.p99").column == "fct.p99_ps"
    assert measure_named("queue.p99.9").of(run) == run.summary["queue_bytes"]["p999"]
    assert measure_named("packet-hops").of(run) == run.summary["packet_hops"]
    assert measure_named("duration").of(run) == run.summary["simulated_ps"]


def test_every_measure_has_a_value_in_some_run(folder):
    network = incast.run("star.toml")
    fabric = incast.run(scenarios.FABRIC)
    for name in incast.measures():
        measure = measure_named(name.replace("STAT", "p50"))
        run = fabric if measure.kind == "fabric" else network
        assert np.isfinite(measure.of(run)), name


def test_measures_of_some_flows(folder):
    read = study(
        'scenario = "poisson.toml"\nvary.seed = [1]\n[[measure]]\nof = "slowdown.p50"\n'
        'larger_than = "1KB"\nup_to = "100KB"\n[[measure]]\nname = "all"\nof = "slowdown.p50"\n'
        '[[measure]]\nof = "fct.max"\ntraffic = "0"\n'
        '[[measure]]\nof = "fct.max"\ntraffic = "poisson"\n'
    )
    run = incast.run("poisson.toml", **{"traffic.0.duration": "300us"})
    sizes, slowdowns = (run.completed.numbers(name) for name in ("size_bytes", "slowdown"))
    chosen = np.sort(slowdowns[(sizes > 1000) & (sizes <= 100_000)])
    found = {each.column: each.of(run) for each in read.measures}
    assert found["slowdown.p50 (> 1 KB, ≤ 100 KB)"] == chosen[len(chosen) // 2]
    assert found["all"] == run.summary["fct_slowdown"]["all"]["p50"]
    assert found["fct.max (0)_ps"] == pytest.approx(run.completed.numbers("fct_ps").max())
    assert found["fct.max (poisson)_ps"] == found["fct.max (0)_ps"]


def test_the_example_is_valid():
    read = Study(Path(__file__).parents[2] / "examples" / "studies" / "load.toml")
    assert len(read.runs) == 3 * 8 * 5
    assert read.runs[0].checked.scenario.describe()["hosts"] == 128


def test_algorithms_in_files_are_beside_the_study(folder):
    (folder / "below").mkdir()
    text = f'{HEAD.replace("star", "../star")}[vary]\ncc = ["hpcc", "mine.py"]\n'
    (folder / "below" / "study.toml").write_text(text)
    with pytest.raises(incast.Error, match=r"below.mine\.py: no such file"):
        Study("below/study.toml")
    command = [sys.executable, "-m", "incast", "new-algorithm", "mine"]
    subprocess.run(command, cwd=folder / "below", check=True, capture_output=True)
    read = Study("below/study.toml")
    assert read.runs[1].label == "cc = mine.py"
    assert read.runs[1].checked.scenario.algorithm.startswith("mine")


MINE = '{ kind = "incast", sizes = "4KB", receiver = 0, cc = "mine.py" }'


@pytest.mark.parametrize(
    "varied",
    [
        'vary.cc = [{ algorithm = "mine.py" }]',
        'vary."traffic.0.cc" = ["mine.py", { algorithm = "mine.py" }]',
        f'vary."traffic.0" = [{MINE}]',
        f'vary.traffic = [[{MINE}, {{ kind = "permutation", sizes = "1KB" }}]]',
        '[[points]]\ntraffic.0.cc = { algorithm = "mine.py" }',
    ],
)
def test_algorithms_in_tables_are_beside_the_study(folder, varied, monkeypatch):
    below = folder / "below"
    below.mkdir()
    command = [sys.executable, "-m", "incast", "new-algorithm", "mine"]
    subprocess.run(command, cwd=below, check=True, capture_output=True)
    two = f'{scenarios.STAR}\n[[traffic]]\nkind = "permutation"\nsizes = "1KB"\n'
    (folder / "two.toml").write_text(two)
    (below / "study.toml").write_text(f"{HEAD.replace('star', '../two')}{varied}\n")
    monkeypatch.chdir(folder.parent)
    for run in Study(f"{folder.name}/below/study.toml").runs:
        assert "mine" in run.checked.scenario.algorithm


@pytest.mark.parametrize(
    ("varied", "message"),
    [
        ("[vary]\nseed = [1, 2, 1]\n", "study.toml:6: seed: 1 stands there twice"),
        ('[vary]\ncc = ["hpcc", "none", "hpcc"]\n', "study.toml:6: cc: 'hpcc' stands there twice"),
        (
            'vary."network.link_rate" = ["100Gbps", "40Gbps", "0.1Tbps"]\n',
            "network.link_rate: '0.1Tbps' stands there twice, first as '100Gbps': it would count",
        ),
        (
            '[vary]\n"measure.queues.every" = ["1.2us", "1200ns"]\n',
            "'1200ns' stands there twice, first as '1.2us'",
        ),
        ('[vary]\n"cc.target_utilisation" = [1, 1.0]\n', "1.0 stands there twice, first as 1:"),
        (
            '[[points]]\nnetwork.link_rate = "100Gbps"\n'
            '[[points]]\nnetwork.link_rate = "100Gbit/s"\n',
            "study.toml:8: points: this point stands there twice",
        ),
        (
            '[[points]]\nnetwork.link_rate = "40Gbps"\nseed = 1\n'
            '[[points]]\nnetwork.link_rate = "0.04Tbps"\n',
            "study.toml:7: seed: seed 1 is the scenario's own, with which this point is there, too",
        ),
        ("[[points]]\nseed = 1\n[[points]]\nseed = 1\n", "this point stands there twice"),
        (
            '[[points]]\nseed = 1\ncc = "none"\n[[points]]\ncc = "none"\n',
            "study.toml:6: seed: seed 1 is the scenario's own, with which this point is there, too",
        ),
    ],
)
def test_what_stands_there_twice_is_refused(folder, varied, message):
    with pytest.raises(StudyError) as told:
        study(HEAD + varied)
    assert message in str(told.value)


@pytest.fixture
def pipe(folder):
    """Opening it would wait for a writer."""
    os.mkfifo(folder / "pipe")
    return "pipe"


def test_a_study_that_may_have_no_end_is_refused_unread(folder, pipe):
    for name in (pipe, "/dev/zero"):
        with pytest.raises(StudyError, match=f"{name}: is no regular file; give a file, not"):
            Study(name)
    with Path("zeros.toml").open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(
        StudyError, match=r"zeros\.toml: 10737418240 bytes are too large for a study"
    ):
        Study("zeros.toml")


def test_points_that_may_have_no_end_are_refused_unread(folder, pipe):
    os.mkfifo("pipe.parquet")
    for name in (pipe, "/dev/zero", "pipe.parquet"):
        with pytest.raises(StudyError, match=f"{name}: is no regular file; give a file, not"):
            study(f'points = "{name}"\n{HEAD}')
    for name in ("zeros.csv", "zeros.parquet"):
        with Path(name).open("wb") as file:
            file.truncate(10 << 30)
        with pytest.raises(StudyError, match=f"{name}: 10737418240 bytes are too large for a list"):
            study(f'points = "{name}"\n{HEAD}')


def test_a_small_file_of_very_many_points_is_refused_unread(folder):
    seeds = pyarrow.array(np.ones(100_001, dtype=np.int64))
    parquet.write_table(pyarrow.table({"seed": seeds}), "many.parquet")
    with pytest.raises(StudyError, match=r"many\.parquet: has 100001 points, more than 100000"):
        study(f'points = "many.parquet"\n{HEAD}')


def test_a_range_of_truth_values_or_huge_numbers_is_refused(folder):
    whole = {"scenario": "star.toml", "measure": "fct.mean"}
    for ends in ({"from": True, "to": 3}, {"from": 1, "to": 10**400}):
        with pytest.raises(StudyError, match="seed"):
            Study({**whole, "vary": {"seed": ends}})


@pytest.mark.parametrize(
    "value", [Decimal("0.5"), Fraction(1, 2), date(2024, 1, 1), {1, 2}, (n for n in (1, 2)), None]
)
def test_values_that_no_study_can_hold(folder, value):
    whole = {"scenario": "star.toml", "measure": "fct.mean"}
    kind = type(value).__name__
    for vary in ({"seed": [1, value]}, {"seed": value}, {"cc": ["hpcc", {"x": value}]}):
        with pytest.raises(StudyError, match=f"^a study cannot hold a {kind}: .*; give numbers"):
            Study({**whole, "vary": vary})
    with pytest.raises(StudyError, match=f"^a study cannot hold a {kind}: "):
        Study({**whole, "scenario": {"run": value}})


def test_dicts_that_no_study_can_be(folder):
    with pytest.raises(StudyError, match="a key of a study is text, not 1"):
        Study({1: 2})
    endless = {}
    endless["vary"] = endless
    with pytest.raises(StudyError, match="holds itself"):
        Study(endless)
