"""Causes of delay of flows and collectives, for runs computed by hand."""

import incast
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import synthetic
from incast.measure.critical_path import critical_paths
from incast.measure.delays import delays, slowest
from incast.present import causes

US = 1_000_000  # ps


def flows(starts, fct, ideal, **more):
    """Flows of 1 KB to host 16, each from a host of its own; times in µs."""
    count = len(starts)
    table = synthetic.flow_table(np.full(count, 1000), np.zeros(count), np.zeros(count))
    columns = {
        "start_ps": np.array(starts) * US,
        "fct_ps": np.array(fct) * US,
        "ideal_fct_ps": np.array(ideal) * US,
        "slowdown": np.array(fct) / np.array(ideal),
        **more,
    }
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        kind = "f8" if name == "slowdown" else "u8"
        column = pa.array(np.asarray(values).astype(kind))
        table = (
            table.append_column(name, column)
            if place < 0
            else table.set_column(place, name, column)
        )
    return table


def stored(folder, table, series=None, finished=None, **facts):
    """Results with these flows, of which only the first `finished` may have completed."""
    done = table if finished is None else table.slice(0, finished)
    summary = synthetic.summary("made-up", "hpcc", done, started=len(table), hosts=17) | facts
    table = synthetic.with_unfinished(table, len(done))
    ports = synthetic.port_table(1, np.random.default_rng(1))
    synthetic.write(folder, summary, table, synthetic.series_table(series or {}), ports)
    return incast.load(folder)


@pytest.fixture
def one_slow(tmp_path):
    """Eleven flows of 10 µs that start at 0, and a twelfth of 100 µs that starts at 5 µs."""
    starts, fct = [0] * 11 + [5], [10] * 11 + [100]
    waits = {"timeouts": [0] * 11 + [2], "timeout_wait_ps": [0] * 11 + [80 * US]}
    return stored(tmp_path / "one-slow", flows(starts, fct, [5] * 12, **waits))


def test_the_slowest_come_first_and_equal_ones_as_they_completed(one_slow):
    # Slowdowns: eleven flows of 10/5 = 2, one flow of 100/5 = 20.
    assert slowest(one_slow.completed, 3).tolist() == [11, 0, 1]
    assert one_slow.slowest(3)["flow_id"].tolist() == [11, 0, 1]
    assert one_slow.slowest(3)["slowdown"].tolist() == [20, 2, 2]
    assert len(one_slow.slowest(100)) == 12


def test_the_slowest_are_a_table_like_flows(one_slow):
    table = one_slow.slowest(2)
    assert table.columns == one_slow.flows.columns
    assert pa.table(table)["flow_id"].to_pylist() == [11, 0]
    assert [row["timeouts"] for row in table] == [2, 0]
    assert table.head(1)["flow_id"].tolist() == [11]
    assert "2 rows" in repr(table)


def test_less_than_one_flow_is_refused(one_slow):
    with pytest.raises(incast.ResultsError, match="`count` is 0; ask for one flow or more"):
        one_slow.slowest(0)


def test_other_flows_are_averaged_over_the_time_of_a_flow(one_slow):
    [slow] = delays(one_slow, [11])
    # Eleven other flows at the receiver, each for 5 of the slow flow's 100 µs: 11·5/100 = 0.55.
    assert slow.at_destination == pytest.approx(0.55)
    assert slow.at_source == 0
    # The first flow: ten others for all of its 10 µs, and the slow flow for 5 µs.
    [first] = delays(one_slow, [0])
    assert first.at_destination == pytest.approx(10.5)


def test_flows_that_had_not_completed_count_up_to_the_end(tmp_path):
    table = flows([0, 0], [10, 10], [5, 5])
    [delay] = delays(stored(tmp_path / "cut", table, finished=1, simulated_ps=4 * US), [0])
    # The unfinished flow is there for 4 of the 10 µs.
    assert delay.at_destination == pytest.approx(0.4)


def test_the_terminal_lists_them_with_their_causes(one_slow):
    text = one_slow.table()
    assert "Slowest of 12 flows" in text
    [row] = [line for line in text.splitlines() if line.startswith("11 ")]
    cells = [cell.strip() for cell in row.split("  ") if cell.strip()]
    # Flow, hosts, size, start, FCT, slowdown, timeouts, other flows at its receiver.
    assert cells == ["11", "11 → 16", "1 KB", "5 µs", "100 µs", "20.0", "2 (80 µs)", "0.55"]
    # Nothing was sent again, so the table has no column for it.
    assert "sent again" not in text


@pytest.mark.parametrize(("count", "fct"), [(12, 19), (9, 1000)])
def test_nothing_is_listed_where_none_stands_out(tmp_path, count, fct):
    # 19 µs is less than twice the median of 10 µs; nine flows are too few.
    table = flows([0] * count, [10] * (count - 1) + [fct], [5] * count)
    assert "Slowest" not in stored(tmp_path / "even", table).table()


def test_a_damaged_table_is_told_and_key_figures_stay(one_slow):
    (one_slow.folder / "flows.parquet").write_bytes(b"PAR1")
    text = incast.load(one_slow.folder).table()
    assert "What held up flows is not known:" in text
    assert "goodput" in text


@pytest.fixture
def collective(tmp_path):
    """Four messages of one size. The first two are the critical path:

    ======== ===== ==== === ===== ========== ============================ message start end FCT
    ideal in timeouts ======== ===== ==== === ===== ========== ============================ 0 0 20
    22 12 0 then a rank computes for 10 1 30 130 102 12 60 then a rank computes for 10 ========
    ===== ==== === ===== ========== ============================
    """
    waits = {"timeouts": [0, 2, 0, 0], "timeout_wait_ps": [0, 60 * US, 0, 0]}
    table = flows([0, 30, 0, 0], [22, 102, 22, 22], [12] * 4, **waits)
    times = np.array([10, 50, 200]) * US
    series = {
        ("paused_ports", "network"): (times, np.array([5, 3, 9])),
        ("queue_max_bytes", "network"): (times, np.array([9000, 7000, 8000])),
    }
    entry = {"traffic": 0, "hosts": 2, "rounds": 1, "data_bytes": 0, "time_ps": 140.0 * US}
    entry |= {"algorithm_bandwidth_bps": 0.0, "bus_bandwidth_bps": 0.0}
    pfc = {"pauses": 4, "paused_ps": 8 * US, "ports_paused": 9}
    found = stored(tmp_path / "tasks", table, series, collectives=[entry], pfc=pfc)
    rounds = {"traffic": [0], "round": [0], "hosts": [2], "start_ps": [0], "time_ps": [140 * US]}
    path = {
        "traffic": [0, 0],
        "flow_id": [0, 1],
        "source": [0, 1],
        "destination": [16, 16],
        "size_bytes": [1000, 1000],
        "start_ps": [0, 30 * US],
        "end_ps": [20 * US, 130 * US],
        "computing_ps": [10 * US, 10 * US],
    }
    for name, columns in {"collectives": rounds, "critical_path": path}.items():
        arrays = {key: pa.array(values, pa.uint64()) for key, values in columns.items()}
        pq.write_table(pa.table(arrays), found.folder / f"{name}.parquet")
    return found


def test_the_time_of_a_critical_path_goes_to_its_parts(collective):
    [path] = critical_paths(collective)
    assert (path.messages, path.time_ps) == (2, 140 * US)
    # Message 0 took 22 − 12 = 10 longer than on the empty network. Message 1 took 102 − 12 = 90
    # longer, of which timeouts took 60.
    assert path.held_up_ps == (10 + 30) * US
    assert path.timeout_ps == 60 * US
    # Without delays and ACKs: 20 − 10 for message 0, 100 − 90 for message 1.
    assert path.alone_ps == (10 + 10) * US
    # 140 in all, less the 20 and 100 of the messages.
    assert path.computing_ps == 20 * US


def test_the_message_that_held_it_up_is_told_with_its_like(collective):
    [path] = critical_paths(collective)
    assert path.by.message.flow_id == 1
    # The median of 22, 102, 22 and 22.
    assert path.by.usual_ps == 22 * US
    assert path.by.extra_ps == 80 * US
    # There is one sample from 30 to 132 µs: at 50 µs.
    assert (path.by.paused_ports, path.by.longest_queue_bytes) == (3, 7000)
    assert causes.held_up_by(path.by) == (
        "1 KB: 102 µs, where the median of its like is 22 µs; "
        "2 timeouts of 60 µs, up to 3 ports paused, longest queue 7 KB"
    )


def test_rounds_before_the_first_that_counts_are_left_out(collective):
    assert critical_paths(collective, from_round=1) == []


def test_the_terminal_has_the_critical_path(collective):
    lines = collective.table().splitlines()
    [path] = [" ".join(line.split()) for line in lines if line.startswith("critical path")]
    # Of 140 µs: 20, 40, 60 and 20.
    assert path == (
        "critical path 2 messages 14.3 % as on the empty network, 28.6 % held up, "
        "42.9 % waiting for"
    )
    [by] = [line for line in lines if line.startswith("held up by")]
    assert by.split()[:6] == ["held", "up", "by", "1", "→", "16"]


def test_the_report_has_it(collective, one_slow, tmp_path):
    page = collective.report(tmp_path / "tasks.html").read_text("utf-8")
    assert "<dt>held up by</dt><dd>1 → 16<small>flow 1, 1 KB: 102 µs" in page
    page = one_slow.report(tmp_path / "slow.html").read_text("utf-8")
    assert "<caption>Slowest of 12 flows</caption>" in page
    both = {"tasks": collective, "slow": one_slow}
    text = incast.Comparison(both).report(tmp_path / "both.html").read_text("utf-8")
    assert "<summary>Critical paths: tasks</summary>" in text
    assert "<summary>Slowest flows: slow</summary>" in text


def test_a_path_of_a_flow_that_is_not_there_is_refused(collective):
    file = collective.folder / "critical_path.parquet"
    table = pq.read_table(file)
    pq.write_table(table.set_column(1, "flow_id", pa.array([0, 77], pa.uint64())), file)
    with pytest.raises(incast.ResultsError, match=r"flow_id, row 1 .*there is no such flow"):
        critical_paths(incast.load(collective.folder))


def test_parts_of_a_run_add_up():
    """An all-reduce on a ring under Swift with computing ranks: the parts of the critical path add
    up to its time.
    """
    collective = {"kind": "collective", "operation": "all-reduce", "hosts": "0-3", "data": "1MB"}
    results = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 4}},
            "cc": {"algorithm": "swift"},
            "traffic": [{**collective, "algorithm": "ring", "compute": "3us"}],
        }
    )
    [path] = critical_paths(results)
    told = results.critical_path["computing_ps"].sum()
    parts = path.alone_ps + path.held_up_ps + path.timeout_ps + path.computing_ps
    assert parts == pytest.approx(path.time_ps)
    assert path.time_ps == results.summary["collectives"][0]["time_ps"]
    # The computing before the first message of the path has no row.
    assert told <= path.computing_ps <= told + 3 * US
