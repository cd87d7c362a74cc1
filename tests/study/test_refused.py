"""Studies that are refused before any run: mistakes, duplicates, endless input."""

import os
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
from incast.study.study import Study
from pyarrow import parquet
from studies import HEAD, study

MISTAKES = {
    "key": (
        f"{HEAD}# loads\n[vary]\ncc = ['none']\ntraffic.0.receivr = [\n  3,\n  4,\n]\n",
        "study.toml:8: traffic[0].receivr: unknown key `receivr` (with cc = none); "
        "did you mean `receiver`?",
    ),
    "key of Python's": (f"{HEAD}[vary]\nself = [1, 2]\n", "study.toml:6: self: unknown key `self`"),
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
        "study.toml:8: seed: is a part of `run`, which is given, too: one of them would not count; "
        "in place of `run` give its keys, as `name` and `seed`, in [vary] or in [[points]]",
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
        "study.toml:6: run: has a seed; in place of `run` give its keys, as `name` and `seed`, in ",
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
            '[vary]\n"network.buffer" = [{ size = "1MB" }, { size = "1000KB" }]\n',
            "{'size': '1000KB'} stands there twice, first as {'size': '1MB'}: it would count twice",
        ),
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
    """Opening the pipe would wait for a writer."""
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
