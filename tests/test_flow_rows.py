"""Results with rows of some flows: what stays exact, what is approximate, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import incast
import numpy as np
import pytest
from incast import machine
from incast.cli import main
from incast.present import charts

POISSON: dict[str, Any] = {
    "network": {"topology": {"kind": "star", "hosts": 16}},
    "cc": {"algorithm": "hpcc"},
    "traffic": [
        {
            "kind": "poisson",
            "name": "small",
            "sizes": "web-search",
            "load": 0.3,
            "duration": "3ms",
            "tenant": "one",
        },
        {"kind": "poisson", "name": "tiny", "sizes": "2KB", "load": 0.1, "duration": "3ms"},
    ],
}
"""Open-loop traffic of two entries: only some flows count, and some of these are late."""


def with_rows(rows: str, **more: Any) -> incast.Results:
    return incast.run(POISSON, measure={"flows": {"rows": rows}}, **more)


@pytest.fixture(scope="module")
def whole() -> incast.Results:
    return with_rows("all")


@pytest.fixture(scope="module")
def slowest() -> incast.Results:
    return with_rows("slowest 50")


def same_but(one: Any, other: Any, path: str = "") -> None:
    """Compares two summaries: percentiles may be at most 0.2 % above the exact ones, all else is
    equal.
    """
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            same_but(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for place, pair in enumerate(zip(one, other, strict=True)):
            same_but(*pair, path=f"{path}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        key = path.rpartition(".")[2]
        if key in ("p50", "p95", "p99", "p999", "at_least", "at_most"):
            assert one <= other <= one * (1 + 1 / 512), path
        elif key == "older_than_warm_up":
            assert abs(one - other) <= 0.002, path
        else:
            assert math.isclose(one, other, rel_tol=1e-9), path
    elif path.endswith("steady_duration_ps"):
        assert abs(one - other) <= 0.01 * one, path
    else:
        assert one == other, path


_OWN = ("identity", "wall_seconds", "cpu_seconds", "packet_hops_per_cpu_second", "flow_rows")


@pytest.mark.parametrize("rows", ["slowest 50", "sample 10 %", "none"])
def test_statistics_are_those_of_all_flows(whole, rows):
    """Statistics include late flows with brackets, sizes, entries and tenants."""
    found = with_rows(rows)
    told = found.summary["flow_rows"]
    assert (told["of"], told["for_memory"], told["percentiles_within"]) == (rows, False, 1 / 512)
    assert whole.summary["fct_slowdown"]["all"]["late"]["count"] > 0
    first, second = (
        {key: value for key, value in each.summary.items() if key not in _OWN}
        for each in (whole, found)
    )
    same_but(first, second)


def test_the_slowest_are_those_of_all_rows(whole, slowest):
    kept = slowest.kept_completed
    order = np.argsort(-whole.completed.numbers("slowdown"), kind="stable")[:50]
    expected = whole.completed.numbers("flow_id")[np.sort(order)]
    assert kept.numbers("flow_id").tolist() == expected.tolist()
    assert slowest.slowest(7)["flow_id"].tolist() == whole.slowest(7)["flow_id"].tolist()
    assert slowest.fingerprint == whole.fingerprint


def test_a_sample_is_a_part_of_all_rows(whole):
    kept = with_rows("sample 10 %").kept_flows.numbers("flow_id")
    flows = whole.flows.numbers("flow_id")
    assert 0.05 * len(flows) < len(kept) < 0.15 * len(flows)
    places = np.flatnonzero(np.isin(flows, kept))
    assert flows[places].tolist() == kept.tolist()


def test_flows_that_have_not_completed_follow():
    stopped = {"run": {"stop": "1ms"}}
    every = incast.run({**POISSON, **stopped})
    some = incast.run({**POISSON, **stopped}, measure={"flows": {"rows": "slowest 5"}})
    unfinished = len(every.flows) - len(every.completed)
    assert unfinished > 0
    assert (len(some.kept_completed), len(some.kept_flows)) == (5, 5 + unfinished)


@pytest.mark.parametrize(
    "needs_all",
    [
        lambda results: results.flows,
        lambda results: results.completed,
        lambda results: results["slowdown"],
        lambda results: results.slowest(51),
        lambda results: results.explain(),
        lambda results: results.replay("never.html"),
    ],
)
def test_what_needs_all_rows_is_refused(slowest, needs_all):
    with pytest.raises(incast.ResultsError, match=r'measure\.flows\.rows is "slowest 50"'):
        needs_all(slowest)


def test_the_slowest_of_a_sample_are_not_those_of_all():
    with pytest.raises(incast.ResultsError, match=r'measure\.flows\.rows is "sample 10 %"'):
        with_rows("sample 10 %").slowest(3)


def test_stored_results_are_the_same(slowest, tmp_path):
    slowest.save(tmp_path / "kept")
    again = incast.load(tmp_path / "kept")
    assert len(again.kept_flows) == len(slowest.kept_flows)
    with pytest.raises(incast.ResultsError, match=r"measure\.flows\.rows"):
        _ = again.flows


def test_texts_and_reports_say_which_rows_there_are(slowest, whole, tmp_path):
    text = " ".join(slowest.table().split())
    assert 'measure.flows.rows is "slowest 50": flows.parquet has 50 rows.' in text
    assert "at most 0.195 % above the true ones" in text
    assert "Slowest of" in text
    assert "measure.flows.rows" not in whole.table()
    page = slowest.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "flows.parquet has 50 rows" in page
    assert "this needs a row of every flow" in page
    both = incast.Comparison({"all": whole, "some": slowest})
    assert "slowest 50" in str(both)
    both.report(tmp_path / "comparison.html")


def test_collectives_keep_their_times_and_critical_paths():
    """Without the row of a message, the cause of its delay is not known, so that part is left
    out.
    """
    collective = {"kind": "collective", "operation": "all-reduce", "data": "256KiB"}
    scenario = {**POISSON, "traffic": [collective]}
    every = incast.run(scenario)
    none = incast.run(scenario, measure={"flows": {"rows": "none"}})
    for name in ("collectives", "ranks", "critical_path"):
        one, other = getattr(every, name), getattr(none, name)
        assert one.columns == other.columns
        for column in one.columns:
            assert np.array_equal(one.numbers(column), other.numbers(column)), (name, column)
    assert "critical path" in every.table()
    assert "critical path" not in none.table()
    tests = incast.nccl_tests(
        "all-reduce",
        ranks=8,
        min_bytes="64K",
        max_bytes="64K",
        measure={"flows": {"rows": "none"}},
    )
    assert [(row.failure, row.path) for row in tests.rows] == [("", None)]


def test_a_chart_of_all_flows_says_why_it_is_empty(slowest):
    for name in ("slowdown", "slowdown-p99", "traffic-cdf", "fct-cdf", "finish"):
        chart = charts.chart(name, slowest.runs)
        assert chart.empty, name
        assert "measure.flows.rows" in chart.missing, name
    assert not charts.chart("goodput", slowest.runs).empty
    slowest.plot("fct-cdf")


def sweep(rows: str, measures: list[str], store: Path) -> incast.Sweep:
    scenario = {**POISSON, "measure": {"flows": {"rows": rows}}}
    study = {"scenario": scenario, "vary": {"seed": [1, 2]}, "measure": measures}
    return incast.sweep(study, store=store, jobs=1)


def test_studies_take_what_summaries_have(tmp_path):
    exact = ["slowdown.mean", "fct.max", "goodput.per-flow"]
    close = ["slowdown.p99", "fct.p50"]
    every = sweep("all", exact + close, tmp_path / "all")
    some = sweep("none", exact + close, tmp_path / "none")
    for measure in exact:
        assert np.allclose(every[measure], some[measure], rtol=1e-9), measure
    for measure in close:
        known = ~np.isnan(every[measure])
        assert known.tolist() == (~np.isnan(some[measure])).tolist(), measure
        error = some[measure][known] / every[measure][known] - 1
        assert ((error >= 0) & (error <= 1 / 512)).all(), measure


def test_studies_refuse_what_summaries_do_not_have(tmp_path):
    failures = sweep("none", ["slowdown.p90"], tmp_path / "none").failures
    assert len(failures) == 2
    assert all("measure.flows.rows" in failure for failure in failures.values())


def test_rows_that_do_not_fit_into_memory_are_left_out(monkeypatch):
    """There is memory for half of the rows. `memory = "any"` keeps all."""
    many = {"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 20_000}
    scenario = {**POISSON, "traffic": [many]}
    estimate = incast.Scenario(scenario).estimate()
    needed = estimate["memory_bytes"] - estimate["memory_parts"]["process"]
    rows = estimate["memory_parts"]["rows"]
    monkeypatch.setattr(machine, "resident_memory", lambda: 10**12)
    monkeypatch.setattr(machine, "available_memory", lambda: int(needed - rows / 2))
    results = incast.run(scenario)
    told = results.summary["flow_rows"]
    assert (told["of"], told["for_memory"]) == ("slowest 10000", True)
    assert "would not have fitted into memory" in " ".join(results.table().split())
    assert results.identity == incast.Scenario(scenario).identity
    monkeypatch.setattr(machine, "available_memory", lambda: int(needed) + 1)
    assert "flow_rows" not in incast.run(scenario).summary
    monkeypatch.setattr(machine, "available_memory", lambda: int(needed - rows / 2))
    assert "flow_rows" not in incast.run(scenario, memory="any").summary


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("some", "`some` does not say of which flows to keep rows; write `auto`, `all`"),
        ("slowest 0", "`0` is not a number of flows; write e.g. `slowest 10000`"),
        ("sample 1", "`1` is no share of all flows; write e.g. `sample 1 %`"),
    ],
)
def test_other_choices_are_refused(rows, message):
    with pytest.raises(incast.ScenarioError) as error:
        incast.Scenario(POISSON, measure={"flows": {"rows": rows}})
    assert message in str(error.value)
    assert error.value.key == "measure.flows.rows"


def test_commands_do_what_the_rows_allow(tmp_path, capsys):
    file = tmp_path / "folded.toml"
    file.write_text(
        'network = { topology = { kind = "star", hosts = 16 } }\n'
        'cc = { algorithm = "hpcc" }\n'
        'measure = { flows = { rows = "slowest 20" } }\n'
        "[[traffic]]\n"
        'kind = "incast"\nsenders = "1-15"\nreceiver = 0\nsizes = "20KB"\n'
        'rounds = { count = 3, every = "50us" }\n',
        encoding="utf-8",
    )
    folder = tmp_path / "results"
    assert main(["run", str(file), "--out", str(folder)]) == 0
    assert 'measure.flows.rows is "slowest 20"' in " ".join(capsys.readouterr().out.split())
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["flow_rows"]["completed"] == 20
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 0
    assert main(["explain", str(folder), "--slowest", "1"]) != 0
    assert "measure.flows.rows" in capsys.readouterr().err
    assert Path(tmp_path / "page.html").is_file()
