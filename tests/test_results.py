"""Results folders: reading, writing, and refusals."""

import copy
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import incast
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scenarios
from incast.present.units import count_text


def test_what_a_folder_says(star, folders):
    assert (star.name, star.algorithm, star.partial) == ("star16", "hpcc", False)
    assert star.folder == folders["star"]
    assert "algorithm = " in star.scenario
    assert repr(star) == "<incast.Results of 'star16': hpcc, 16 flows>"


def test_a_partial_run_says_so(folders):
    assert repr(incast.load(folders["partial"])).endswith("6 flows, interrupted>")


def test_save_copies(star, tmp_path):
    copy = incast.load(star.save(tmp_path / "deep" / "copy"))
    assert copy.summary == star.summary
    assert copy.flows.numbers("fct_ps").tolist() == star.flows.numbers("fct_ps").tolist()


def test_save_where_nothing_can_be(star, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(incast.ResultsError):
        star.save(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        (None, r"summary.json: no such file; a results folder is what `incast run` writes"),
        ("{\n,", r"summary.json:2: is not JSON"),
        ("[1]", r"summary.json:1: is no summary of results: invalid type: sequence, expected an o"),
        (
            "1",
            r"summary.json:1: is no summary of results: invalid type: integer `1`, expected an o",
        ),
        ("[" * 100_000, r"summary.json:1: is not JSON: recursion limit exceeded"),
        ('{"seed": ' + "1" * 5_000 + "}", r"summary.json:1: is not JSON: number out of range"),
        (b'{"name": "\xff"}', r"summary.json: is not text in UTF-8"),
        ("{}", r"summary.json:1: is no summary of results: missing field `incast`; it is damaged"),
    ],
)
def test_not_a_results_folder(tmp_path, summary, message):
    if isinstance(summary, bytes):
        (tmp_path / "summary.json").write_bytes(summary)
    elif summary is not None:
        (tmp_path / "summary.json").write_text(summary)
    with pytest.raises(incast.ResultsError, match=message):
        incast.load(tmp_path)


def test_another_run_in_the_place_of_one_that_was_opened_is_told(tmp_path):
    """Without the check, the tables would be of one run and the summary of another."""
    here = tmp_path / "here"
    incast.run(scenarios.as_dict(), folder=here)
    opened, read = incast.load(here), incast.load(here)
    times = read.flows.numbers("fct_ps")
    incast.run(scenarios.as_dict(), folder=here, force=True)
    assert list(opened.flows.numbers("fct_ps")) == list(times), "the same run"
    incast.run(scenarios.as_dict(), folder=here, force=True, cc="none")
    for use in (lambda: opened.series, lambda: opened.save(tmp_path / "copy")):
        with pytest.raises(incast.ResultsError, match="another run has taken the place") as caught:
            use()
        assert caught.value.file == str(here)
    assert list(read.flows.numbers("fct_ps")) == list(times)
    assert incast.load(here).algorithm == "none"


def test_results_reach_other_processes(tmp_path):
    stored = incast.run(scenarios.as_dict(), folder=tmp_path / "here")
    found = pickle.loads(pickle.dumps(stored))
    assert list(found.flows.numbers("fct_ps")) == list(stored.flows.numbers("fct_ps"))
    unstored = incast.run(scenarios.as_dict())
    found = pickle.loads(pickle.dumps(unstored))
    assert found.summary == unstored.summary
    for use in (lambda: found.flows, lambda: found.save(tmp_path / "there")):
        with pytest.raises(incast.ResultsError, match="tables are in the process of the run"):
            use()


def test_a_missing_table_is_told_when_it_is_read(folders, tmp_path):
    shutil.copytree(folders["star"], tmp_path / "copy")
    (tmp_path / "copy" / "series.parquet").unlink()
    results = incast.load(tmp_path / "copy")
    assert len(results.flows) == 16
    with pytest.raises(incast.ResultsError, match=r"series\.parquet"):
        _ = results.series


def test_a_broken_table_is_told(folders, tmp_path):
    shutil.copytree(folders["star"], tmp_path / "copy")
    (tmp_path / "copy" / "flows.parquet").write_bytes(b"not Parquet at all")
    with pytest.raises(incast.ResultsError, match=r"flows\.parquet"):
        _ = incast.load(tmp_path / "copy").flows


def test_summary_is_the_file(star, folders):
    assert star.summary == json.loads((folders["star"] / "summary.json").read_text())


@pytest.fixture
def stored(tmp_path):
    return incast.run(scenarios.as_dict(), folder=tmp_path / "run").folder


def changed(file, old, new):
    file.write_bytes(file.read_bytes().replace(old, new, 1))


@pytest.mark.parametrize("name", ["summary.json", "scenario.toml"])
def test_a_text_that_differs_from_what_was_written_is_told(stored, name):
    changed(stored / name, b"hpcc", b"hpcd")
    with pytest.raises(incast.ResultsError, match=f"{name}: differs from what was written; run"):
        incast.load(stored)
    (stored / "checksums.json").unlink()
    assert incast.load(stored).name == "scenario"


@pytest.mark.parametrize("table", ["flows", "series", "ports"])
def test_a_table_that_differs_from_what_was_written_is_told(stored, table):
    file = stored / f"{table}.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    results = incast.load(stored)
    with pytest.raises(incast.ResultsError, match=rf"{table}\.parquet: differs from what was"):
        getattr(results, table)
    with pytest.raises(incast.ResultsError, match="differs from what was written"):
        results.save(stored.parent / "copy")
    assert not (stored.parent / "copy").exists()


def test_damaged_checksums_are_told(stored):
    (stored / "checksums.json").write_text("[")
    with pytest.raises(incast.ResultsError, match=r"checksums\.json: differs from what was"):
        incast.load(stored)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"finished": ', b'"finished": -', "invalid value"),
        (b'"partial": false', b'"partial": "no"', "invalid type"),
        (b'"max":', b'"max": {}, "maximum":', "invalid type"),
        (b'"seed"', b'"sead"', "missing field `seed`"),
        (b'"identity": "', b'"identity": "x', "not 16 hexadecimal digits"),
        (b'"wall_seconds": ', b'"wall_seconds": Infinity, "x": ', "expected value"),
    ],
)
def test_a_summary_of_strangers_is_one_error(stored, old, new, message):
    changed(stored / "summary.json", old, new)
    (stored / "checksums.json").unlink()
    with pytest.raises(incast.ResultsError, match=rf"summary\.json:[0-9]+: is no.*{message}"):
        incast.load(stored)


def test_a_summary_of_an_older_version_is_read(stored):
    changed(stored / "summary.json", b'"measuring_window": null,', b"")
    (stored / "checksums.json").unlink()
    assert incast.load(stored).table() == incast.run(scenarios.as_dict(), folder=stored).table()


def test_a_table_of_strangers_is_one_error(stored):
    (stored / "checksums.json").unlink()
    _rewritten(stored / "flows.parquet", lambda table: table.drop_columns(["slowdown"]))
    with pytest.raises(incast.ResultsError, match=r"flows\.parquet: has no column slowdown"):
        incast.load(stored).report(stored / "report.html")


@pytest.mark.parametrize("times", [lambda time: 7, lambda time: 2**40 - time])
def test_samples_of_strangers_at_one_moment_are_one_error(stored, times):
    def change(table):
        place = table.schema.get_field_index("time_ps")
        changed = [times(time) for time in table.column(place).to_pylist()]
        return table.set_column(place, "time_ps", pa.array(changed, pa.uint64()))

    (stored / "checksums.json").unlink()
    _rewritten(stored / "series.parquet", change)
    results = incast.load(stored)
    told = "series.parquet: column time_ps: active_flows has a sample at "
    assert told in results._repr_html_()
    with pytest.raises(incast.ResultsError, match=told):
        results.report(stored / "report.html")


def test_texts_of_strangers_that_are_missing_are_one_error(stored):
    (stored / "checksums.json").unlink()
    nothing = pa.array([None, None], pa.string()).dictionary_encode()
    pq.write_table(pa.table({"label": nothing}), stored / "ports.parquet")
    with pytest.raises(incast.ResultsError, match=r"ports\.parquet: column label, row 0"):
        _ = incast.load(stored).ports


def _rewritten(file, change):
    """Replaces a table of results by one with other values of the same types."""
    table = pq.read_table(file)
    pq.write_table(change(table), file)


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("slowdown", float("nan"), "NaN is no value that a run writes"),
        ("slowdown", 1e308, "1000.* is no value that a run writes"),
        ("slowdown", -2.0, "-2 is no value that a run writes"),
        ("start_ps", 2**64 - 1, "18446744073709551615 is no value that a run writes"),
        ("size_bytes", None, "the value is missing"),
        ("fct_ps", None, "the value is missing, but row 1 has one"),
    ],
)
def test_values_that_no_run_writes_are_one_error(stored, column, value, what):
    def change(table):
        place = table.schema.get_field_index(column)
        cells = [value, *table.column(place).to_pylist()[1:]]
        return table.set_column(place, column, pa.array(cells, table.schema.field(place).type))

    (stored / "checksums.json").unlink()
    _rewritten(stored / "flows.parquet", change)
    place = rf"flows\.parquet: column {column}, row 0 \(counted from 0\): {what}"
    with pytest.raises(incast.ResultsError, match=place):
        incast.load(stored).report(stored / "report.html")


def test_tables_that_do_not_fit_the_summary_are_one_error(stored):
    (stored / "checksums.json").unlink()
    _rewritten(stored / "flows.parquet", lambda table: table.slice(1))
    with pytest.raises(incast.ResultsError, match=r"flows\.parquet: has \d+ rows, and summary"):
        _ = incast.load(stored).flows


def test_absurdly_many_rows_are_refused_before_they_take_memory(stored):
    """A small file may hold any number of equal rows: 50 million rows of 16 bytes take some KB."""
    (stored / "checksums.json").unlink()
    million = pa.table({name: pa.repeat(pa.scalar(7, pa.uint64()), 10**6) for name in "ab"})
    with pq.ParquetWriter(stored / "ports.parquet", million.schema) as writer:
        for _ in range(50):
            writer.write_table(million)
    assert (stored / "ports.parquet").stat().st_size < 10**6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("incast.results.available_memory", lambda: 10**8)
        refused = r"ports\.parquet: its 50000000 rows would take 0\.8 GB, more than there is memory"
        with pytest.raises(incast.ResultsError, match=refused):
            _ = incast.load(stored).ports


def test_a_pipe_in_the_place_of_a_summary_is_refused(tmp_path):
    os.mkfifo(tmp_path / "summary.json")
    with pytest.raises(incast.ResultsError, match=r"summary\.json: is no regular file"):
        incast.load(tmp_path)


@pytest.mark.parametrize(
    ("damaged", "message"),
    [("[run\n", ": Expected .*"), ("traffic = [1]", ""), ("traffic = 1", "")],
)
def test_a_damaged_scenario_is_named(stored, damaged, message):
    """Key figures include a description of the scenario."""
    # Older versions stored no checksums.
    (stored / "checksums.json").unlink()
    (stored / "scenario.toml").write_text(damaged)
    refused = rf"scenario\.toml: no run of .* has written this{message}; it is damaged; run it"
    with pytest.raises(incast.ResultsError, match=refused):
        incast.load(stored).table()


def test_pipes_in_the_place_of_files_are_refused(tmp_path):
    """Opening a pipe would wait forever, deaf to Ctrl-C."""
    scenario = {**scenarios.as_dict(), "measure": {"packets": True}}
    stored = incast.run(scenario, folder=tmp_path / "stored").folder
    (tmp_path / "again.toml").write_text(incast.load(stored).scenario)
    incast.load(stored).report(stored / "report.html")
    files = sorted(file.name for file in stored.iterdir())
    assert {"flows.parquet", "packets.parquet", "report.html"} < set(files)
    for name in files:
        damaged = tmp_path / name
        shutil.copytree(stored, damaged)
        (damaged / name).unlink()
        os.mkfifo(damaged / name)
        # `show` does not read the report.
        run = ("run", tmp_path / "again.toml", "--out")
        line = run if name == "report.html" else ("show",)
        words = [sys.executable, "-m", "incast", *line, damaged]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert done.returncode == 2, done.stderr
        assert f"{name}: " in done.stderr
        if name != "checksums.json":
            assert "is no regular file" in done.stderr
        with pytest.raises(incast.ResultsError):
            incast.load(damaged).save(tmp_path / "copy")


def test_read_only_files_can_be_copied():
    """A copy of a read-only file is not open for writing when it is flushed, either."""
    place = Path(tempfile.mkdtemp())
    folder = incast.run(scenarios.as_dict(), folder=place / "run").folder
    for file in folder.iterdir():
        file.chmod(0o444)
    other_user = 65534
    place.chmod(0o777)
    # Root may write to any file.
    before = os.geteuid()
    if before == 0:
        os.seteuid(other_user)
    try:
        copy = incast.load(folder).save(place / "copy")
        assert incast.load(copy).fingerprint == incast.load(folder).fingerprint
    finally:
        os.seteuid(before)
        shutil.rmtree(place)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_results_of_another_user_are_replaced_where_both_may_write():
    place = Path(tempfile.mkdtemp())
    place.chmod(0o777)
    folder = place / "run"
    first, second, third = (incast.run(scenarios.as_dict(), seed=seed) for seed in (1, 2, 3))
    first_user, second_user, third_user = 65532, 65533, 65534

    def saved(results, user):
        os.seteuid(user)
        try:
            results.save(folder)
        finally:
            os.seteuid(0)
        return incast.load(folder).summary["seed"], sorted(each.name for each in place.iterdir())

    left = f".run.replaced-{first_user}"
    try:
        assert saved(first, first_user) == (1, ["run"])
        assert saved(second, second_user) == (2, [left, "run"])
        again = saved(third, third_user)
        assert again == (3, [left, f".run.replaced-{second_user}", "run"])
        # The first user can remove their own earlier results.
        mine, theirs = saved(first, first_user)
        others = [f".run.replaced-{third_user}", f".run.replaced-{second_user}"]
        assert (mine, theirs) == (1, sorted([*others, "run"]))
        # Results that another user has not yet removed stay.
        assert saved(second, second_user)[0] == 2
        assert saved(third, third_user)[0] == 3
        assert saved(second, second_user)[0] == 2
        (place / f".run.replaced-{third_user}" / "notes.txt").write_text("theirs")
        saved(third, third_user)
        _, others = saved(first, first_user)
        assert {f".run.replaced-{third_user}", f".run.replaced-2-{third_user}"} < {*others}
        _, others = saved(third, third_user)
        assert f".run.replaced-{third_user}" in others
        assert f".run.replaced-2-{third_user}" not in others
        # A file that another user has put beside results is not removed.
        (folder / "notes.txt").write_text("mine")
        with pytest.raises(incast.ResultsError, match="cannot write: Permission denied"):
            saved(second, second_user)
        assert (folder / "notes.txt").read_text() == "mine"
    finally:
        shutil.rmtree(place)


def test_a_stop_that_is_not_reached_changes_nothing():
    star = {
        "network": {"topology": {"kind": "star", "hosts": 3, "delay": "100us"}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1MB"}]}],
    }
    alone, stopped = incast.run(star), incast.run(star, stop="1s")
    changing = ("identity", "wall_seconds", "cpu_seconds", "packet_hops_per_cpu_second")
    facts = [
        {key: value for key, value in run.summary.items() if key not in changing}
        for run in (alone, stopped)
    ]
    assert facts[0] == facts[1]
    assert stopped.summary["simulated_ps"] == stopped.flows.numbers("fct_ps")[0]
    cut = incast.run(star, stop="300us")
    assert cut.summary["simulated_ps"] == 300_000_000


def test_a_column_of_the_flows_is_an_array(star, folders):
    assert star["slowdown"].tolist() == star.flows["slowdown"].tolist()
    assert ("slowdown" in star, "fct" in star) == (True, False)
    with pytest.raises(KeyError, match="`fct`; did you mean `fct_ps`"):
        star["fct"]
    with pytest.raises(TypeError):
        iter(star)
    partial = incast.load(folders["partial"])
    assert np.isnan(partial["slowdown"]).sum() == len(partial.flows) - len(partial.completed) == 10


def test_a_column_of_a_fabric_is_that_of_its_operations():
    results = incast.run(scenarios.FABRIC)
    name = results.operations.columns[-1]
    assert results[name].tolist() == results.operations[name].tolist()


def test_print_shows_the_key_figures(star):
    assert str(star) == star.table()
    assert repr(star) == "<incast.Results of 'star16': hpcc, 16 flows>"


@pytest.mark.parametrize(("run", "compute"), [({"stop": "1ms"}, "1ms"), ({}, "1000000s")])
def test_ranks_that_do_not_come_to_their_end_are_told(run, compute) -> None:
    """Rank 0 sends, and then computes for longer than the run takes, or than any run can take (106
    days). No flow is under way.
    """
    send = {"id": "send", "rank": 0, "send": 1, "size": "1KB"}
    receive = {"rank": 1, "receive": 0, "size": "1KB"}
    long = [{"id": f"{i}", "rank": 0, "compute": compute, "after": ["send"]} for i in range(10)]
    results = incast.run(
        {
            "run": run,
            "network": {"topology": {"kind": "star", "hosts": 2}},
            "cc": {"algorithm": "hpcc"},
            "traffic": [{"kind": "tasks", "tasks": [send, receive, *long]}],
        }
    )
    assert results.summary["flows"]["finished"] == 1
    assert results.summary["unfinished_ranks"] == 1
    shown = results.table()
    assert "all that began finished" in shown
    assert "1 rank was not done when the run ended" in shown


def test_repeats_of_unfinished_flows_count() -> None:
    """A buffer of 100 KB for four flows at line rate; the run stops before all of them are done."""
    results = incast.run(
        {
            "run": {"stop": "1ms"},
            "network": {
                "topology": {"kind": "star", "hosts": 5},
                "flow_control": "none",
                "buffer": {"size": "100KB"},
            },
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "receiver": 4, "sizes": "5MB"}],
        }
    )
    unfinished = np.isnan(results["fct_ps"])
    assert unfinished.sum() == 4 - results.summary["flows"]["finished"] > 0
    assert results["retransmitted_packets"][unfinished].sum() > 1000
    by_flow = results["retransmitted_packets"].sum()
    assert results.summary["packets"]["retransmitted"] == by_flow


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_within_a_process_have_their_tables(star, tmp_path, copied):
    again = copied(star)
    assert again["fct_ps"].tolist() == star["fct_ps"].tolist()
    assert (again.summary, again.folder) == (star.summary, star.folder)
    assert (again.summary is star.summary) == (copied is copy.copy)
    stored = incast.load(star.save(tmp_path / "kept"))
    stored.reused = True
    again = copied(stored)
    assert (again.folder, again.reused) == (tmp_path / "kept", True)
    assert again["fct_ps"].tolist() == star["fct_ps"].tolist()
    assert again.save(tmp_path / "copy").is_dir()


def test_packets_that_are_dropped_speculatively_are_told():
    """The summary has the dropped packets, and so has the terminal."""
    results = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 5}},
            "cc": {"algorithm": "s-perc+1rc+weights"},
            "traffic": [{"kind": "all-to-all", "sizes": "77777B"}],
        }
    )
    dropped = results.summary["packets"]["speculative_dropped"]
    assert dropped > 0
    told = f"dropped {dropped} {dropped} of them speculative"
    assert told in " ".join(results.table().split())


def test_trimmed_packets_are_told():
    """The terminal, ports, flows, and a measure of studies have the trimmed packets."""
    results = incast.run(
        {
            "network": {
                "topology": {"kind": "star", "hosts": 9},
                "flow_control": "none",
                "drop": {"queue_limit": "20KB", "trimming": {"header": "64B"}},
            },
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "senders": "0-7", "receiver": 8, "sizes": "100KB"}],
        }
    )
    trimming = results.summary["packets"]["trimming"]
    assert trimming["trimmed"] == trimming["at_last_hop"] == results.ports["trimmed"].sum() > 100
    assert trimming["nacks"] == results["nacks"].sum() == trimming["trimmed"]
    assert trimming["headers_dropped"] == results.summary["packets"]["dropped"] == 0
    assert results["trimmed_bytes"].sum() == trimming["trimmed_bytes"]
    told = f"trimmed {count_text(trimming['trimmed'])} packets,"
    assert " ".join(told.split()) in " ".join(results.table().split())


def test_percentiles_are_those_of_the_tables(star):
    """Of 1 to 10 the median is at index 5, and p99 at ⌊9.9⌋ = 9; of two values both are the
    larger.
    """
    assert incast.Results.percentile(range(1, 11), 50) == 6
    assert incast.Results.percentile([[1, 2], [float("nan"), 4]], 50) == 2
    assert incast.Results.percentile([2.0, 1.0], 50) == 2
    assert math.isnan(incast.Results.percentile([], 50))
    told = star.summary["fct_slowdown"]["all"]
    for percent, key in ((50, "p50"), (95, "p95"), (99, "p99"), (99.9, "p999")):
        assert star.percentile(star["slowdown"], percent) == pytest.approx(told[key])
    for wrong in (-1, 101, float("nan")):
        with pytest.raises(ValueError, match="is not from 0 to 100"):
            star.percentile([1.0], wrong)
