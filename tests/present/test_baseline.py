"""Runs compared with a baseline."""

import incast
import pytest
from incast.comparison import Comparison, labelled
from incast.errors import LabelError
from incast.present import baseline, listings, terminal
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
    assert "against" not in Comparison({"hpcc": runs["hpcc"]}, baseline="hpcc").table()
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


def party(name, p50):
    slowdown = {"count": 1000, "p50": p50, "p99": None, "p999": None}
    return {"name": name, "messages": 1000, "fct_slowdown": slowdown, "goodput_bps": 1e9}


def test_parties_of_one_name_are_told_apart():
    """A traffic entry and a tenant may share a name; a run may lack one of the two."""
    with_both = {
        "traffic": [party("storage", 2.0), party("web", 1.0)],
        "tenants": [party("storage", 4.0)],
    }
    with_tenant = {"tenants": [party("storage", 5.0)]}
    runs = {"a": with_both, "b": with_tenant}
    assert baseline.rows(runs, "a") == [
        ["storage (traffic): FCT slowdown, p50", "–"],
        ["storage (traffic): goodput", "–"],
        ["web: FCT slowdown, p50", "–"],
        ["web: goodput", "–"],
        ["storage (tenant): FCT slowdown, p50", "+25 %"],
        ["storage (tenant): goodput", "same"],
    ]
    shown = [(row[0], row[1], row[4]) for row in listings.parties_by_run(runs)]
    assert shown == [
        ("storage (traffic)", "a", "2.00"),
        ("web", "a", "1.00"),
        ("storage (tenant)", "a", "4.00"),
        ("", "b", "5.00"),
    ]


def test_attackers_and_victims_are_named_as_in_the_table():
    runs = {label: {"roles": [party("attacker", 2.0), party("victim", 3.0)]} for label in "ab"}
    names = {row[0].split(":")[0] for row in baseline.rows(runs, "a")}
    assert names == {row[0] for row in listings.parties_by_run(runs) if row[0]}
    assert names == {"attackers", "victims"}


def test_percentiles_of_too_few_are_marked():
    def run(count, p99):
        return {"fct_slowdown": {"all": {"count": count, "p99": p99, "p999": p99}}}

    assert baseline.rows({"a": run(500, 2.0), "b": run(500, 3.0)}, "a") == [
        ["FCT slowdown, p99", "+50 %"],
        ["FCT slowdown, p99.9", "(+50 %)"],
    ]
    few = baseline.rows({"a": run(5000, 2.0), "b": run(50, 3.0)}, "a")
    assert [cell for _, cell in few] == ["(+50 %)", "(+50 %)"]
    assert few[0][1].ink is Ink.BAD


def test_ratios_have_the_baselines_names():
    ratios = baseline.ratios({"a": {"pfc": {"pauses": 0}, "simulated_ps": 4}, "b": {}}, "a")
    assert ratios == {"b": {"pauses": None, "simulated": None}}


def test_a_notebook_shows_the_differences(folders):
    runs = labelled([incast.load(folders[name]) for name in ("star", "star-none")])
    assert "Key figures against hpcc" in Comparison(runs, baseline="hpcc")._repr_html_()
    assert "against" not in Comparison(runs)._repr_html_()
