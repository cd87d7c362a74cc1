"""`incast explain`: selection of flows, output, and refusals."""

import json

import incast
import numpy as np
import pytest
from incast.cli import main

SCENARIO = """\
[network]
topology = { kind = "star", hosts = 5 }

[cc]
algorithm = "dctcp"

[[traffic]]
kind = "incast"
receiver = 4
sizes = "100KB"

[[traffic]]
kind = "flows"
flows = [{ source = 0, destination = 1, size = "1KB" }]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "mine.toml").write_text(SCENARIO)
    assert main(["run", "mine.toml", "--quiet", "--no-report", "--out", "out"]) == 0
    return tmp_path


def said(capsys, *arguments):
    capsys.readouterr()
    code = main(["explain", "out", *arguments, "--quiet"])
    told = capsys.readouterr()
    return code, told.out, told.err


def flows_of(out):
    return [int(line.split()[1].rstrip(",")) for line in out.splitlines() if line[:5] == "flow "]


def test_the_slowest_flow_is_explained(folder, capsys):
    slowest = incast.load("out").slowest(1)["flow_id"].tolist()
    code, out, _ = said(capsys)
    assert code == 0
    assert flows_of(out) == slowest
    assert "dctcp at its sender: window " in out
    assert "switch 5 port 4 → host 4" in out
    assert out.splitlines()[-1].endswith(".")


def test_flows_are_chosen(folder, capsys):
    results = incast.load("out")
    order = results.slowest(5)["flow_id"].tolist()
    assert flows_of(said(capsys, "--flow", "2", "--flow", "1")[1]) == [2, 1]
    assert flows_of(said(capsys, "--slowest", "3")[1]) == order[:3]
    # The median of five flows is the third.
    assert flows_of(said(capsys, "--percentile", "50")[1]) == [order[2]]
    assert flows_of(said(capsys, "--percentile", "100")[1]) == [order[0]]
    assert flows_of(said(capsys, "--sizes", "1B-2KB")[1]) == [4]
    assert flows_of(said(capsys, "--entry", "1")[1]) == [4]
    assert flows_of(said(capsys, "--entry", "flows")[1]) == [4]


def test_json_has_spans_that_add_up(folder, capsys):
    found = json.loads(said(capsys, "--slowest", "2", "--json")[1])
    assert len(found) == 2
    for each in found:
        length = sum(span["end"] - span["start"] for span in each["spans"])
        assert length == sum(part["ps"] for part in each["parts"]) == each["flow"]["fct_ps"]


def test_a_page_has_the_answer_and_charts(folder, capsys):
    code, out, _ = said(capsys, "--slowest", "2", "-o", "why.html")
    page = (folder / "why.html").read_text()
    assert code == 0
    for flow in flows_of(out):
        assert f'<section id="flow-{flow}">' in page
    for title in ("Where the time went", "Its window", "Flows that it met at switch 5 port 4"):
        assert page.count(title) >= 2
    assert len(page) < 1_000_000


def test_charts_draw_what_was_recorded(folder):
    found = incast.load("out").explain()
    charts = {chart.name: chart for chart in found.charts()}
    assert list(charts) == ["where-time-went", "window", "rate", "queues", "company"]
    # The curves of parts end at the sums of parts.
    parts = {}
    for part in found.parts:
        parts[part.part] = parts.get(part.part, 0) + part.ps
    ends = [round(curve.y[-1] * 1e12) for curve in charts["where-time-went"].curves]
    noted = sorted((ps for ps in parts.values() if ps >= 0.01 * found.fct_ps), reverse=True)
    assert ends == pytest.approx(noted, abs=1)
    # The rate of the NIC, over hundredths of the time, adds up to all packets of the flow.
    sent = next(curve for curve in charts["rate"].curves if curve.label == "left its NIC")
    wire = sum(
        event.wire
        for event in found.events
        if event.event == "send" and event.kind == "data" and event.node == found.events[0].node
    )
    assert sent.y.sum() / 100 * found.fct_ps * 1e-12 / 8 == pytest.approx(wire)
    (company,) = charts["company"].curves
    assert len(company.x) == 2 * len(found.company[0].others)
    assert "<table" in found._repr_html_()


def test_shares_of_many_flows_are_means_of_their_parts(folder, capsys):
    """All five flows fit into the sample, and the slowest hundredth is one flow."""
    code, out, _ = said(capsys, "--breakdown", "5", "-o", "why.html", "--json")
    assert code == 0
    (found,) = json.loads(out)
    sample, slowest = found["groups"]
    results = incast.load("out")
    flows = results.explain(*range(5))
    for group, own in ((sample, flows), (slowest, [results.explain()])):
        assert group["flows"] == sum(group["flows_by_size"]) == len(own)
        assert sum(group["shares"].values()) == pytest.approx(1)
        for name, share in group["shares"].items():
            shares = [
                sum(part.ps for part in flow.parts if part.part == name) / flow.fct_ps
                for flow in own
            ]
            assert share == pytest.approx(sum(shares) / len(own))
    # One flow of 1 KB and four of 100 KB.
    assert sample["largest_bytes"] == [1000, 100_000]
    assert sample["flows_by_size"] == [1, 4]
    assert "Where the time went: the slowest 1 %" in (folder / "why.html").read_text()
    table = said(capsys, "--breakdown")[1]
    assert "5 of 5 flows that count, at random" in table
    assert table.splitlines()[-1].split()[:2] == ["all", "1"]


def test_several_runs_are_broken_down_side_by_side(folder, capsys):
    """Each class of size has a row for each run; the sample has the same flows in both runs."""
    main(["run", "mine.toml", "--cc", "dcqcn", "--quiet", "--no-report", "--out", "other"])
    code, out, _ = said(capsys, "other", "--breakdown")
    assert code == 0
    at_random, slowest = out.split("mean share of each part in the FCT, ")[1:]
    assert at_random.splitlines()[:2] == [
        "flows at random",
        "Each run: 5 of 5 flows that count, at random",
    ]
    rows = [line.split() for line in at_random.splitlines() if "%" in line]
    assert [row[:4] for row in rows[:4]] == [
        ["1", "KB", "dctcp", "1"],
        ["1", "KB", "dcqcn", "1"],
        ["100", "KB", "dctcp", "4"],
        ["100", "KB", "dcqcn", "4"],
    ]
    assert [row[:3] for row in rows[4:]] == [["all", "dctcp", "5"], ["all", "dcqcn", "5"]]
    assert "the slowest 1 % of 5 flows that count" in slowest
    code, _, err = said(capsys, "other")
    assert code == 2
    assert "name one folder, or ask for --breakdown" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--flow", "99"], "flow 99 is not there; name one of `flow_id` in results.completed"),
        (["--flow", "x"], "`x` is not a flow"),
        (["--percentile", "0"], "`0` is no percentile; write e.g. 99.9"),
        (["--sizes", "big"], "`big` is no range of sizes; write e.g. 10KB-1MB, or 1MB-"),
        (["--sizes", "1GB-"], "no such flow has completed"),
        (["--entry", "flow"], "`flow` is no traffic entry; did you mean `flows`?"),
        (["--entry", "2"], "`2` is no traffic entry; available: flows, incast"),
        (["--flow", "1", "--entry", "0"], "leave out one or the other"),
        (["--collective", "0"], "the traffic has no collective"),
        (["--breakdown", "501"], "`501` is not a number of flows"),
        (["--breakdown", "--entry", "0"], "leave out one or the other"),
        (["--breakdown", "--flow", "0"], "--breakdown is of many flows; leave it out"),
    ],
)
def test_what_is_wrong_is_told(folder, capsys, arguments, message):
    code, out, err = said(capsys, *arguments)
    assert code == 2
    assert not out
    assert message in err
    assert "Traceback" not in err


def test_results_of_another_run_are_not_explained(folder):
    """The results are of other flows than the scenario's, as if the engine had changed since."""
    results = incast.run("mine.toml")
    results.scenario = results.scenario.replace('sizes = "100KB"', 'sizes = "90KB"')
    with pytest.raises(incast.ResultsError, match="run again, gives other results") as raised:
        results.explain()
    assert "not reproducible" in raised.value.hint
    results.summary["engine"] = "0123"
    with pytest.raises(incast.ResultsError) as raised:
        results.explain()
    assert "of another engine (0123" in raised.value.hint


def test_an_unfinished_flow_is_told(folder, capsys):
    main(["run", "mine.toml", "--quiet", "--no-report", "--out", "out", "--force"])
    arguments = ["--set", "run.stop=30us", "--force", "--quiet", "--no-report", "--out", "out"]
    main(["run", "mine.toml", *arguments])
    code, _, err = said(capsys, "--flow", "0")
    assert code == 2
    assert "flow 0 did not complete" in err


def test_causes_are_of_listed_flows():
    scenario = {
        "network": {"topology": "star"},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": "1KB"}],
        "measure": {"packets": {"causes": True}},
    }
    with pytest.raises(incast.ScenarioError, match="flows that are listed") as raised:
        incast.Scenario(scenario)
    assert raised.value.key == "measure.packets.causes"
    assert "flows = [3, 17]" in raised.value.hint


@pytest.mark.parametrize(("algorithm", "lacks"), [("nscc", "window"), ("rccc", "credit")])
def test_a_full_window_is_no_lack_of_credit(algorithm, lacks):
    """A window and credit both limit the bytes that may leave, for different reasons."""
    scenario = {
        "network": {"topology": "star", "flow_control": "none", "drop": {"trimming": {}}},
        "cc": {"algorithm": algorithm},
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": "500KB"}],
        "measure": {"packets": {"flows": [0], "causes": True}},
    }
    states = incast.run(scenario).senders["state"].tolist()
    assert {"window", "credit"} & set(states) == {lacks}


def test_a_sender_without_a_window_is_stored(tmp_path):
    scenario = {
        "network": {"topology": "star"},
        "cc": {"algorithm": "dcqcn"},
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": "100KB"}],
        "measure": {"packets": {"flows": [0], "causes": True}},
    }
    incast.run(scenario, folder=tmp_path / "run")
    windows = incast.load(tmp_path / "run").senders.numbers("window_bytes")
    assert len(windows) > 1
    assert np.isnan(windows).all()


def test_a_sender_without_a_window_is_explained():
    scenario = {
        "network": {"topology": "star"},
        "cc": {"algorithm": "dcqcn"},
        "traffic": [{"kind": "incast", "receiver": 0, "sizes": "10KB"}],
    }
    found = incast.run(scenario).explain(0)
    assert {state.window for state in found.states} == {-1}


def test_tables_of_causes_are_missing_if_not_asked_for(folder):
    results = incast.load("out")
    for table in ("senders", "company", "pause_causes"):
        with pytest.raises(incast.ResultsError, match="what kept flows was not recorded"):
            getattr(results, table)
