"""Studies: the varied keys, and the measures."""

import subprocess
import sys
import time
from pathlib import Path

import incast
import numpy as np
import pandas
import pyarrow
import pytest
import scenarios
from incast.errors import StudyError
from incast.study.layout import across_of
from incast.study.means import Row, groups
from incast.study.measures import measure_named
from incast.study.places import line_of
from incast.study.study import Study
from pyarrow import parquet
from studies import HEAD, study


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
    """In a CSV file an empty cell has no text; in data frames it is NaN."""
    key, head = "traffic.0.load", HEAD.replace("star", "poisson")
    parquet.write_table(pyarrow.table({key: [0.1, float("nan")], "seed": [1, 2]}), "nan.parquet")
    assert values(study(f'points = "nan.parquet"\n{head}')) == [(0.1, 1), (2,)]
    for text, told in (("nan", "`NaN` is not finite"), ("NaN", '`"NaN"` is text')):
        (folder / "nan.csv").write_text(f"{key},seed\n0.1,1\n{text},2\n")
        with pytest.raises(incast.Error, match=rf"nan\.csv:3: traffic\[0\]\.load: {told}"):
            study(f'points = "nan.csv"\n{head}')


@pytest.mark.parametrize("name", ["points.csv", "points.parquet"])
def test_whole_numbers_of_data_frames_with_empty_cells(folder, name):
    frame = pandas.DataFrame({"seed": [1, None, 3], "cc.target_utilisation": [0.95, 1.0, None]})
    frame.to_csv("points.csv", index=False)
    frame.to_parquet("points.parquet")
    read = study(f'points = "{name}"\n{HEAD}')
    assert [each.values.get("seed") for each in read.runs] == [1, None, 3]
    assert [each.values.get("cc.target_utilisation") for each in read.runs] == [0.95, 1, None]


def test_text_in_cells_of_csv(folder):
    (folder / "points.csv").write_text('name,traffic.0.tenant,seed\n1,"7",5\n"""2""",true,6\n')
    read = study(f'points = "points.csv"\n{HEAD}')
    assert values(read) == [("1", "7", 5), ("2", "true", 6)]


def test_free_text_is_no_quantity(folder):
    names = study(f'{HEAD}[vary]\nname = ["1KB", "1000B"]\n')
    tenants = study(f'{HEAD}[vary]\ntraffic.0.tenant = ["5us", "5000ns"]\n')
    for read in (names, tenants):
        assert len(read.runs) == 2
        rows = [Row(each.values, each.checked.identity, {}) for each in read.runs]
        assert len(groups(rows, read.measures)) == 2
        across = across_of([each.values for each in read.runs])
        assert across.names == tuple(value for (value,) in values(read))


def test_the_seed_beside_other_keys_of_a_run(folder):
    """Errors of studies that vary the section `run` together with a seed."""
    points = ['[[points]]\nname = "a"\nseed = 1\n', '[[points]]\nname = "b"\nseed = 2\n']
    together = study(HEAD + "".join(points))
    assert len(together.runs) == 2
    each = study(f'{HEAD}[vary]\nname = ["a", "b"]\nseed = [1, 2]\n')
    assert len(each.runs) == 4


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


def test_tables_take_the_place_of_the_scenarios_own(folder):
    """As with --set, keys that a table does not have take their defaults."""
    tree = '{ kind = "leaf-spine", spines = 1 }'
    text = HEAD.replace("star", "base") + f"[vary]\nnetwork.topology = [{tree}]\n"
    base = {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4}
    scenario = {**scenarios.as_dict(), "network": {"topology": base}}
    scenario["traffic"] = [{"kind": "permutation", "sizes": "1KB"}]
    (folder / "base.toml").write_text(incast.Scenario(scenario).to_toml())
    (run,) = study(text).runs
    setting = ("network.topology", tree)
    assert run.checked.scenario == incast.Scenario("base.toml", settings=[setting])


@pytest.mark.parametrize(
    ("varied", "start"),
    [
        ("[[points]]\nmeasure = { until = '60us' }\n", "40us"),
        ("[[points]]\nmeasure.until = '60us'\n", "40us"),
        ("[vary]\nmeasure = [{ until = '60us' }]\n", None),
        ("points = 'points.parquet'\n", None),
    ],
)
def test_tables_of_points_are_their_keys(folder, varied, start):
    """A table in a cell stays a table, since its keys have no other spelling."""
    (folder / "star.toml").write_text(f"{scenarios.STAR}[measure]\nfrom = '40us'\n")
    table = pyarrow.table({"measure": [{"until": "60us"}]})
    parquet.write_table(table, folder / "points.parquet")
    text = f"{varied}{HEAD}" if varied.startswith("points") else f"{HEAD}{varied}"
    (run,) = study(text).runs
    measure = run.checked.scenario.to_dict()["measure"]
    assert (measure.get("from"), measure["until"]) == (start, "60us")


def test_a_measure_of_the_only_entry(folder):
    measures = '{ of = "fct.max", traffic = "incast" }, { of = "fct.max", traffic = 0 }, "fct.max"'
    text = f'scenario = "star.toml"\nmeasure = [{measures}]\nvary.seed = [1]\n'
    of_name, of_number, of_all = incast.sweep(study(text)).rows[0].measured.values()
    assert of_name == of_number == of_all > 0


@pytest.mark.parametrize(
    "varied",
    [
        '"traffic.0.name" = ["a", "b"]\n',
        '[[points]]\ntraffic.0.sizes = "1KB"\n[[points]]\ntraffic.0.name = "b"\n',
        "[[points]]\nstop = '1ms'\n"
        '[[points]]\ntraffic = [{ kind = "incast", name = "b", receiver = 0, sizes = "1KB" }]\n',
    ],
)
def test_a_measure_of_an_entry_that_late_runs_have(folder, varied):
    asked = HEAD.replace('"slowdown.p99"', '{ of = "fct.max", traffic = "b" }')
    read = study(f"{asked}[vary]\nseed = {{ from = 1, to = 101 }}\n{varied}")
    assert len(read.runs) == 202
    assert read.measures[0].name == "fct.max (b)"


def test_a_measure_of_an_entry_without_completed_flows(folder):
    """The entry has no value, even if its name is the number of another entry."""
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
    """A varied `run` replaces the scenario's `run` with its seed; the seed of the new one is 1 by
    default.
    """
    scenario = {**scenarios.as_dict(), "run": {"seed": 5}}
    for points in ([{"run": {}}, {"cc": "none"}], [{"cc": "none"}, {"run": {}}, {"seed": 7}]):
        read = Study({"scenario": scenario, "measure": "fct.mean", "points": points})
        ran = [run.checked.scenario.to_dict()["run"]["seed"] for run in read.runs]
        assert set(ran) >= {1, 5}
        assert incast.sweep(read)["seed"].tolist() == ran


def test_the_scenario_is_read_once(folder, monkeypatch):
    """A file that is written while the study is checked changes no run."""
    planned = Study._planned

    def rewritten(self, point):
        found = planned(self, point)
        (folder / "star.toml").write_text("what is written now is no scenario")
        return found

    monkeypatch.setattr(Study, "_planned", rewritten)
    assert len(study(f"{HEAD}[vary]\nseed = [1, 2, 3]\n").runs) == 3


def test_runs_that_do_not_fit_into_memory_are_told(folder, monkeypatch):
    """Each run takes 1 MB here, and 50 MB are available: after 64 of 200 runs, 136 MB are
    missing.
    """
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


def test_lines_of_keys_after_texts_with_brackets_and_quotes():
    text = r"""a = "[" # '
b = '{\'
"c]'" = "\"["
d = '''
[{""''''
e = [ # ]
  { f = ["]", '}'] },
]
g = 1
"""
    text += 'h = """[\\"""\n{\'\n"""""\ni = 1'
    lines = {"a": 1, "c]'": 3, "d": 4, "e": 6, "g": 9, "h": 10, "i": 13}
    assert {key: line_of(text, (key,)) for key in lines} == lines


def test_lines_of_thousands_of_points_are_told_at_once():
    text = "".join(f"[[points]]\nseed = {n}\nsizes = [\n'1KB',\n]\n" for n in range(2000))
    begin = time.process_time()
    assert line_of(text, ("points", 1999, "sizes")) == 9998
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("fct", ["steady", "all"])
def test_measures_are_those_of_the_summary(fct):
    run = incast.run(scenarios.hadoop_dict("200us") | {"measure": {"fct": fct}})
    slowdowns, fcts = run.summary["fct_slowdown"]["all"], run.summary["fct_ps"]

    def told(number):
        # Percentiles that late flows could change have no value.
        return pytest.approx(np.nan if number is None else number, nan_ok=True)

    assert (slowdowns["p99"] is None) == (fct == "steady")
    for statistic in ("mean", "p50", "p95", "p99", "max"):
        assert measure_named(f"slowdown.{statistic}").of(run) == told(slowdowns[statistic])
    # Whole picoseconds.
    for statistic in ("p50", "p95", "p99", "max"):
        assert measure_named(f"fct.{statistic}").of(run) == told(fcts[statistic])
    assert measure_named("fct.p99").column == "fct.p99_ps"
    assert measure_named("queue.p99.9").of(run) == run.summary["queue_bytes"]["p999"]
    assert measure_named("packet-hops").of(run) == run.summary["packet_hops"]
    assert measure_named("duration").of(run) == run.summary["simulated_ps"]


def test_every_measure_has_a_value_in_some_run(folder):
    runs = {
        "network": [
            *map(incast.run, ("star.toml", "poisson.toml")),
            incast.run(
                Path(__file__).parents[2] / "examples" / "spraying.toml",
                **{"measure.entropies": True},
            ),
        ],
        "fabric": [incast.run(scenarios.FABRIC)],
    }
    for name in incast.measures():
        measure = measure_named(name.replace("STAT", "p50"))
        assert any(np.isfinite(measure.of(run)) for run in runs[measure.kind]), name


def test_measures_of_some_flows(folder):
    read = study(
        'scenario = "poisson.toml"\nvary.seed = [1]\n[[measure]]\nof = "slowdown.p50"\n'
        'larger_than = "1KB"\nup_to = "100KB"\n[[measure]]\nname = "all"\nof = "slowdown.p50"\n'
        '[[measure]]\nof = "fct.max"\ntraffic = "0"\n'
        '[[measure]]\nof = "fct.max"\ntraffic = "poisson"\n'
    )
    run = incast.run("poisson.toml", **{"traffic.0.duration": "300us"})
    sizes, slowdowns = (run.completed.numbers(name) for name in ("size_bytes", "slowdown"))
    chosen = np.sort(slowdowns[(sizes > 1000) & (sizes <= 100_000) & run.counted])
    found = {each.column: each.of(run) for each in read.measures}
    assert found["slowdown.p50 (> 1 KB, ≤ 100 KB)"] == chosen[len(chosen) // 2]
    assert found["all"] == run.summary["fct_slowdown"]["all"]["p50"]
    assert found["fct.max (0)_ps"] == run.completed.numbers("fct_ps")[run.counted].max()
    assert found["fct.max (poisson)_ps"] == found["fct.max (0)_ps"]


def test_the_example_is_valid():
    read = Study(Path(__file__).parents[2] / "examples" / "studies" / "load.toml")
    assert len(read.runs) == 3 * 5 * 5
    assert read.runs[0].checked.scenario.describe()["hosts"] == 32


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
        'vary.cc = [{ algorithm = "external", file = "mine.py" }]',
        'vary.cc = [{ algorithm = "mine.py", file = "mine.py" }]',
        '[[points]]\ncc.algorithm = "external"\ncc.file = "mine.py"',
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
