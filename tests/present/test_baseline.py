"""Runs beside a baseline."""

import incast
import pytest
from incast.comparison import Comparison, labelled
from incast.errors import LabelError
from incast.present import baseline, terminal
from incast.present.terminal import Ink

BASE = {
    "fct_slowdown": {"all": {"mean": 2.0, "p50": 1.0, "p99": 4.0, "p999": None}},
    "goodput_bps": {"total": 1e9},
    "pfc": {"pauses": 0},
    "packets": {"marked": 10, "dropped": 0, "retransmitted": 0},
    "traffic": [
        {"name": "web", "fct_slowdown": {"p50": 1.0, "p99": 2.0}, "goodput_bps": 5e8},
    ],
    "simulated_ps": 1000,
}
OTHER = {
    "fct_slowdown": {"all": {"mean": 3.0, "p50": 1.0, "p99": 80.0, "p999": None}},
    "goodput_bps": {"total": 1.042e9},
    "pfc": {"pauses": 7},
    "packets": {"marked": 5, "dropped": 0, "retransmitted": 0},
    "traffic": [
        {"name": "web", "fct_slowdown": {"p50": 0.5, "p99": None}, "goodput_bps": 5.001e8},
    ],
    "simulated_ps": 1000,
}
RUNS = {"hpcc": BASE, "mine": OTHER}


def test_rows():
    assert baseline.header(RUNS, "hpcc") == ["against hpcc", "mine"]
    assert baseline.rows(RUNS, "hpcc") == [
        ["FCT slowdown, mean", "+50 %"],
        ["FCT slowdown, p50", "same"],
        ["FCT slowdown, p99", "×20"],
        ["goodput", "+4.2 %"],
        ["pauses", "from 0"],
        ["marked", "−50 %"],
        ["simulated", "same"],
        ["web: FCT slowdown, p50", "−50 %"],
        ["web: FCT slowdown, p99", "–"],
        ["web: goodput", "+0.02 %"],
    ]


def test_ratios():
    ratios = baseline.ratios(RUNS, "hpcc")["mine"]
    assert ratios["FCT slowdown, mean"] == 1.5
    assert ratios["pauses"] is None
    assert ratios["web: FCT slowdown, p50"] == 0.5


def test_colours_say_which_is_better():
    inks = {name: getattr(cell, "ink", None) for name, cell in baseline.rows(RUNS, "hpcc")}
    assert inks["FCT slowdown, mean"] is Ink.BAD
    assert inks["goodput"] is Ink.GOOD
    assert inks["web: FCT slowdown, p50"] is Ink.GOOD
    assert inks["marked"] is inks["web: goodput"] is inks["simulated"] is None


def test_in_terminal_and_report(folders, tmp_path):
    runs = labelled([incast.load(folders[name]) for name in ("star", "star-none")])
    plain, against = Comparison(runs), Comparison(runs, baseline="hpcc")
    assert "against hpcc" in against.table()
    assert "against" not in plain.table()
    page = against.report(tmp_path / "r.html").read_text()
    assert "Key figures against hpcc" in page
    assert "against" not in plain.report(tmp_path / "p.html").read_text()
    assert against.ratios("none")["hpcc"].keys() == plain.ratios("none")["hpcc"].keys()
    assert "\x1b" not in against.table()
    assert terminal.width() > 0


def test_a_baseline_is_one_of_the_runs(folders):
    runs = labelled([incast.load(folders[name]) for name in ("star", "star-none")])
    with pytest.raises(LabelError, match="did you mean `hpcc`"):
        Comparison(runs, baseline="hpc")
    with pytest.raises(LabelError):
        Comparison(runs).ratios("nope")
