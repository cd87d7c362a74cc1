"""Collectives measured as nccl-tests does."""

import _thread
import math

import incast
import numpy as np
import pytest
from incast.collectives.rows import BandwidthRow

LINE = 50.0
"""The rate of a 400 Gb/s link, in GB/s."""


def test_latency_floor_of_a_ring():
    """Four ranks around one switch, 64 B: parts of 16 B in packets of 64 B. A step crosses two
    links, with 1.28 ns to send and 500 ns of delay on each. So 2·(4 − 1) steps take 1002.56 ns
    each. A rank sends the ACK of a part (60 B: 1.2 ns) before it sends the part on, in all steps
    but the last: 6·1002.56 + 5·1.2 ns.
    """
    tests = incast.nccl_tests("all-reduce", ranks=4, min_bytes=64, max_bytes=64, cc="none")
    assert tests["time_us"] == pytest.approx([6.02136], abs=1e-9)
    assert tests["algbw_gb_per_s"] == pytest.approx([64 / 6021.36])
    assert tests["busbw_gb_per_s"] == pytest.approx([64 / 6021.36 * 1.5])


def test_latency_floor_of_a_ring_over_leaves():
    """64 ranks, eight on each leaf, 1 KiB: a part takes 2·63 steps. Of these, 16 cross four links
    to the next leaf: 110·1002.56 + 16·2005.12 ns, plus at most one ACK of 1.2 ns a step.
    """
    tests = incast.nccl_tests("all-reduce", min_bytes="1K", max_bytes="1K", cc="none")
    assert tests.test.ranks == 64
    floor = (110 * 1002.56 + 16 * 2005.12) / 1e3
    assert floor <= tests["time_us"][0] <= floor + 126 * 1.2e-3


def test_bus_bandwidth_of_large_rings_is_near_the_payload_rate_and_never_above():
    tests = incast.nccl_tests(
        "all-reduce", ranks=8, min_bytes="64K", max_bytes="64M", factor=4, cc="none,hpcc"
    )
    # Packets of 4096 B with headers of 48 B.
    assert tests.payload_gb_per_s == pytest.approx(LINE * 4096 / 4144)
    assert (tests["busbw_gb_per_s"] < tests.payload_gb_per_s).all()
    uncontrolled, hpcc = (rows[-1].busbw_gb_per_s for rows in tests.series.values())
    # A NIC sends an ACK of 60 B for each packet that comes in.
    assert 0.99 < uncontrolled / (LINE * 4096 / (4144 + 60)) < 1
    # Telemetry takes 42 B of packets and ACKs, and HPCC holds links at 95 %.
    assert 0.97 < hpcc / (0.95 * LINE * 4096 / (4186 + 88)) < 1


@pytest.mark.parametrize(
    "operation",
    ["all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all"],
)
def test_numbers_are_those_of_the_results(operation, tmp_path):
    tests = incast.nccl_tests(operation, ranks=8, min_bytes="64K", max_bytes="64K", store=tmp_path)
    (folder,) = tmp_path.iterdir()
    facts = incast.load(folder).summary["collectives"][0]
    (row,) = tests.rows
    assert (facts["hosts"], facts["data_bytes"]) == (8, row.size_bytes)
    assert row.time_us == pytest.approx(facts["time_ps"] / 1e6)
    assert row.algbw_gb_per_s == pytest.approx(facts["algorithm_bandwidth_bps"] / 8e9)
    assert row.busbw_gb_per_s == pytest.approx(facts["bus_bandwidth_bps"] / 8e9)


def test_send_receive_takes_one_step():
    """Every rank sends to the next one: 16 B in a packet of 64 B over two links."""
    tests = incast.nccl_tests("sendrecv_perf", ranks=4, min_bytes=16, max_bytes=16, cc="none")
    assert tests["time_us"] == pytest.approx([1.00256])
    assert tests.rows[0].algorithm == "direct"


def test_trees_win_where_latency_counts_and_rings_where_bandwidth_does():
    tests = incast.nccl_tests(
        "all-reduce", ranks=64, min_bytes="1K", max_bytes="16M", factor=16384, algorithm="ring,tree"
    )
    ring, tree = tests.series["ring"], tests.series["tree"]
    assert tree[0].time_us < 0.3 * ring[0].time_us
    assert tree[-1].time_us > ring[-1].time_us


def test_warm_up_does_not_count_and_iterations_are_averaged():
    """Under persistent QPs of HPCC rounds differ. The counted rounds are measured from the start of
    the first to the end of the last.
    """
    common = {"ranks": 4, "min_bytes": "1M", "max_bytes": "1M"}
    rounds = incast.nccl_tests("all-reduce", iterations=3, **common)["time_us"][0]
    all_five = incast.nccl_tests("all-reduce", iterations=5, **common)["time_us"][0]
    last_three = incast.nccl_tests("all-reduce", iterations=3, warmup=2, **common)["time_us"][0]
    first_two = incast.nccl_tests("all-reduce", iterations=2, **common)["time_us"][0]
    assert rounds > 0
    # Rounds overlap: the first rank begins the third when the last is still in the second.
    assert 5 * all_five <= 3 * last_three + 2 * first_two
    assert 5 * all_five == pytest.approx(3 * last_three + 2 * first_two, rel=0.1)


def test_a_scenario_gives_the_network_and_its_traffic_is_replaced(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        '[network]\ntopology = { kind = "star", hosts = 5, rate = "100Gbps" }\n'
        '[cc]\nalgorithm = "dctcp"\n'
        '[[traffic]]\nkind = "incast"\nreceiver = 4\nsizes = "1GB"\n'
    )
    tests = incast.nccl_tests("broadcast", file, max_bytes="64", root=2, seed=7)
    assert tests.test.ranks == 5
    assert tests.test.network == "mine: 5 hosts, 1 switch, 5 links"
    assert {row.cc for row in tests.rows} == {"dctcp"}
    # Packets of 1000 B with headers of 48 B, at 100 Gb/s.
    assert tests.payload_gb_per_s == pytest.approx(12.5 * 1000 / 1048)
    assert tests["root"].tolist() == [2] * 4


def test_the_network_is_told_as_it_is_after_changes():
    changed = {"network.link_delay": "2us", "network.packets.mtu": "1KB"}
    common = {"ranks": 16, "min_bytes": 256, "max_bytes": 256, "cc": "none"}
    tests = incast.nccl_tests("all-to-all", **common, **changed)
    shape = "leaf-spine, 2 leaves of 8 hosts, 8 spines"
    assert tests.test.network == f"{shape}, 400Gbps, links of 2us, MTU 1KB"
    other = incast.nccl_tests("all-to-all", **common, **{"network.topology": "clos-64"})
    assert other.test.network == "nccl-tests: 64 hosts, 80 switches, 320 links"


def test_a_scenario_needs_no_traffic_of_its_own():
    network = {"topology": {"kind": "star", "hosts": 4}}
    scenario = {"network": network, "cc": {"algorithm": "none"}}
    assert len(incast.nccl_tests("reduce", scenario, max_bytes=16).rows) == 2


def test_hosts_are_ranks_in_their_order(tmp_path):
    incast.nccl_tests("all-reduce", hosts="9,1,0,4-5", min_bytes=64, max_bytes=64, store=tmp_path)
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("nccl-tests-all-reduce-64B-hpcc-")
    assert '"9,1,0,4-5"' in (folder / "scenario.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"ranks": 1}, "ranks: a collective has two ranks or more"),
        ({"hosts": "3"}, "hosts: a collective has two ranks or more"),
        ({"hosts": "0-3", "ranks": 4}, "hosts: ranks and hosts say the same"),
        (
            {"scenario": "STAR", "ranks": 6},
            "ranks: 6 ranks need a host each, and the network has 5",
        ),
        ({"scenario": "STAR", "hosts": "0,7"}, "hosts: host 7 does not exist; the network has"),
        ({"scenario": "FABRIC"}, "scenario: it is of a memory fabric"),
        ({"iterations": 0}, "iterations: `0` operations cannot be timed"),
        ({"warmup": -1}, "warmup: `-1` is not a number"),
        ({"datatype": "floot"}, "datatype: unknown type `floot`; did you mean `float`?"),
        ({"root": 64}, "root: there is no rank 64; give one of 0 to 63"),
        ({"cc": ","}, "cc: names nothing"),
        ({"algorithm": "rign"}, "algorithm: "),
        ({"algorithm": "halving-doubling", "ranks": 6}, "ranks: "),
        ({"algorithm": "hierarchical"}, "node_size: "),
        ({"algorithm": "tree", "rings": 2}, "rings: "),
        ({"cc": "s-perc"}, "nic.qps: one state of `s-perc` cannot serve several flows"),
        ({"thread": 2}, "thread: unknown key"),
        ({"traffic": {"operation": "all-gather"}}, "traffic.0.operation: labels and bandwidths"),
        ({"traffic.0.data": "1B"}, "traffic.0.data: labels and bandwidths are computed"),
        ({"settings": [("traffic.0.rounds", "5")]}, "traffic.0.rounds: labels and bandwidths"),
        ({"traffic.0": {"hosts": "0-1"}}, "traffic.0.hosts: labels and bandwidths are computed"),
        ({"cc": "hpcc,none", "cc.algorithm": "dcqcn"}, "cc.algorithm: the congestion control is"),
    ],
)
def test_wrong_arguments_are_refused_before_the_first_run(arguments, sentence):
    import scenarios

    named = {"STAR": scenarios.as_dict(), "FABRIC": scenarios.FABRIC}
    if "scenario" in arguments:
        arguments = {**arguments, "scenario": named[arguments["scenario"]]}
    with pytest.raises(incast.ScenarioError) as refused:
        incast.nccl_tests("all-reduce", max_bytes=64, **arguments)
    assert str(refused.value).startswith(sentence)


def test_an_algorithm_that_does_not_do_the_operation_is_refused():
    with pytest.raises(incast.ScenarioError) as refused:
        incast.nccl_tests("all-to-all", ranks=8, algorithm="tree", max_bytes="1K")
    assert refused.value.key == "algorithm"
    assert "direct" in str(refused.value)


def test_runs_that_do_not_get_to_their_end_have_no_numbers():
    tests = incast.nccl_tests(
        "all-reduce", ranks=4, min_bytes="1M", max_bytes="1G", factor=1024, stop="1ms"
    )
    assert math.isnan(tests["time_us"][1])
    assert math.isnan(tests["busbw_gb_per_s"][1])
    assert tests["time_us"][0] > 0
    assert tests.notes == ["1 row without numbers: the run was stopped before its end"]
    assert tests.to_dict()["series"][0]["rows"][1]["time_us"] is None
    assert "–" in tests.table()
    assert not tests.failures


def test_keys_of_the_traffic_reach_every_run():
    """A broadcast along a chain has three steps; two of the ranks compute before they send on."""
    common = {"ranks": 4, "min_bytes": 64, "max_bytes": 64, "cc": "none"}
    plain = incast.nccl_tests("broadcast", **common)["time_us"][0]
    for more in ({"traffic": {"compute": "10us"}}, {"traffic.0.compute": "10us"}):
        slow = incast.nccl_tests("broadcast", **common, **more)["time_us"][0]
        # Ranks compute on a received part while its ACK leaves.
        assert slow == pytest.approx(plain + 20, abs=0.01)


def test_a_bus_bandwidth_above_the_payload_rate_is_a_defect():
    """1 MB in 20 us are 50 GB/s, times 1.5: 75 GB/s; a NIC can send 49.42 GB/s."""
    way, data = ("ring", "hpcc"), (1_000_000, 250_000)
    row = BandwidthRow.of_time(way, data, 20e6, 1.5, "")
    assert row.busbw_gb_per_s == pytest.approx(75)
    assert row.unless_impossible("mine", 75.0) is row
    refused = row.unless_impossible("mine", 49.42)
    assert math.isnan(refused.busbw_gb_per_s)
    assert math.isnan(refused.time_us)
    assert refused.failure == (
        "mine: a bus bandwidth of 75.00 GB/s passes the payload rate of a host, 49.42 GB/s; this "
        "is a defect of incast, please report it"
    )
    unfinished = BandwidthRow.of_time(way, data, math.nan, 1.5, "")
    assert unfinished.unless_impossible("mine", 49.42) is unfinished


def test_a_run_that_breaks_that_limit_has_failed(monkeypatch):
    from incast.collectives import running

    monkeypatch.setattr(running, "_slowest", lambda results, hosts: 1e9)
    tests = incast.nccl_tests("all-reduce", ranks=4, min_bytes="1M", max_bytes="1M")
    assert "this is a defect of incast" in tests.failures["ring, hpcc, 1048576 B"]
    assert math.isnan(tests["busbw_gb_per_s"][0])


def test_sizes_that_are_left_out_are_told():
    tests = incast.nccl_tests("all-gather", ranks=8, max_bytes="256")
    assert tests["size_bytes"].tolist() == [128, 256]
    assert tests.left_out == [8, 16, 32, 64]
    assert tests.notes[0].startswith("sizes up to 64 B round to nothing and are left out")


@pytest.fixture(scope="module")
def several():
    return incast.nccl_tests(
        "all-reduce", ranks=4, min_bytes="1K", max_bytes="64K", factor=8, cc=["hpcc", "none"]
    )


def test_table_of_one_series_has_the_columns_of_nccl_tests():
    tests = incast.nccl_tests("all-reduce", ranks=4, min_bytes=64, max_bytes=64, cc="none")
    assert tests.table() == (
        "all-reduce (ring), 4 ranks, none; 1 operation of each size\n"
        "network: 4 hosts on one switch, 400Gbps, links of 500ns, MTU 4KiB\n"
        "payload rate of a host: 49.42 GB/s (10^9 bytes)\n"
        "\n"
        "size (B)  count (elements)   type  redop  root  time (us)  algbw (GB/s)  busbw (GB/s)\n"
        "────────  ────────────────  ─────  ─────  ────  ─────────  ────────────  ────────────\n"
        "      64                16  float    sum    -1       6.02          0.01          0.02\n"
        "\n"
        "Avg bus bandwidth: 0.02 GB/s"
    )


def test_table_of_several_series_has_them_side_by_side(several):
    lines = several.table().splitlines()
    (head,) = [line for line in lines if line.startswith("size (B)")]
    assert head.count("hpcc") == head.count("none") == 2
    assert lines[0].startswith("all-reduce (ring), 4 ranks, hpcc, none; ")
    assert [line.split()[0] for line in lines[6:9]] == ["1024", "8192", "65536"]
    assert lines[-2].endswith("GB/s [hpcc]")
    assert lines[-1].endswith("GB/s [none]")


def test_averages_are_means_over_sizes(several):
    found = several.average_busbw_gb_per_s
    rows = several.series["none"]
    assert found["none"] == pytest.approx(np.mean([row.busbw_gb_per_s for row in rows]))


def test_csv_and_dataset_have_a_row_for_each_run(several, tmp_path):
    text = several.to_csv(tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text() == text
    header, *rows = text.splitlines()
    assert header == (
        "operation,algorithm,cc,ranks,type,redop,root,size_bytes,count,time_us,algbw_gb_per_s,"
        "busbw_gb_per_s"
    )
    assert len(rows) == 6
    assert rows[0].startswith("all-reduce,ring,hpcc,4,float,sum,-1,1024,256,")
    assert several.dataset.num_rows == 6
    assert several.dataset.column_names == header.split(",")
    assert several["cc"].tolist() == ["hpcc"] * 3 + ["none"] * 3
    with pytest.raises(incast.ColumnError, match="did you mean `time_us`"):
        several["time_u"]


def test_a_csv_that_cannot_be_written_is_told(several, tmp_path):
    with pytest.raises(incast.ResultsError):
        several.to_csv(tmp_path / "nowhere" / "all.csv")


def test_charts(several):
    chart = several.chart()
    assert [curve.label for curve in chart.curves] == ["hpcc", "none", "payload rate of a host"]
    assert chart.curves[-1].y.tolist() == [several.payload_gb_per_s] * 2
    assert several.chart("time").curves[0].y == pytest.approx(several["time_us"][:3] / 1e6)
    assert several.plot().axes[0].get_xlabel() == "size"
    with pytest.raises(incast.ResultsError, match="did you mean `time`"):
        several.chart("tim")


def test_a_page_has_charts_table_and_scenario(several, tmp_path):
    text = several.report(tmp_path / "page.html").read_text()
    for part in ("payload rate of a host", "busbw (GB/s)", "one switch", "Avg bus bandwidth"):
        assert part in text
    with pytest.raises(incast.ResultsError):
        several.report(tmp_path / "nowhere" / "page.html")


def test_a_notebook_shows_table_and_chart(several):
    html = several._repr_html_()
    assert "all-reduce (ring), 4 ranks" in html
    assert "data:image/png" in html
    assert repr(several) == "<incast.NcclTests: all-reduce, 4 ranks, 6 rows>"
    assert str(several) == several.table()


def test_results_that_are_kept_are_used_again(tmp_path):
    common = {"ranks": 4, "max_bytes": 32, "store": tmp_path}
    first = incast.nccl_tests("all-reduce", **common)
    written = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*/summary.json")}
    assert len(written) == 3
    again = incast.nccl_tests("all-reduce", **common)
    assert {file: file.stat().st_mtime_ns for file in written} == written
    assert again.to_csv() == first.to_csv()


class Interrupting(incast.Watch):
    """Interrupts once, when two runs are finished."""

    has_interrupted = False

    def advance(self, hops, finished):
        if finished >= 2 and not self.has_interrupted:
            self.has_interrupted = True
            _thread.interrupt_main()


def test_ctrl_c_leaves_what_was_measured():
    with pytest.raises(KeyboardInterrupt) as stopped:
        incast.nccl_tests(
            "all-reduce", ranks=16, max_bytes="16G", factor=4, threads=1, watch=Interrupting()
        )
    tests = stopped.value.tests
    assert isinstance(tests, incast.NcclTests)
    ended = ~np.isnan(tests["time_us"])
    assert 0 < ended.sum() < len(tests.rows)


LOSSY = {
    "network.flow_control": "none",
    "network.buffer.size": "200KB",
    "network.recovery.timeout": "700us",
}
"""Buffers that an all-reduce by halving and doubling overruns under DCQCN."""


def test_what_held_up_the_end_is_told_with_its_timeouts(tmp_path):
    tests = incast.nccl_tests(
        "all-reduce",
        ranks=16,
        min_bytes="4M",
        max_bytes="4M",
        algorithm="halving-doubling",
        cc="dcqcn",
        store=tmp_path,
        **LOSSY,
    )
    [row] = tests.rows
    # The path is one chain from the start to the end of the operation.
    assert row.path.time_ps == pytest.approx(row.time_us * 1e6)
    # The path waits for timeouts of 700 us, counted in the table of flows.
    [folder] = tmp_path.iterdir()
    flows, path = (incast.load(folder).flows, incast.load(folder).critical_path["flow_id"])
    waits = sum(int(flows["timeout_wait_ps"][flows["flow_id"] == flow][0]) for flow in path)
    assert row.path.timeout_ps == waits > 0
    assert waits % 700_000_000 == 0
    by = row.path.by.message
    text = " ".join(tests.table().split())
    assert "What held up the end:" in text
    assert "4194304 B: " in text
    assert f"{by.source} → {by.destination}, " in text
    assert "of 700 µs" in text
    [told] = [rows["critical_path"] for rows in tests.to_dict()["series"][0]["rows"]]
    parts = ("alone_share", "held_up_share", "timeout_share", "computing_share")
    assert sum(told[part] for part in parts) == pytest.approx(1)
    assert told["held_up_by"]["timeouts"] == by.timeouts > 0
    page = tests.report(tmp_path / "page.html").read_text("utf-8")
    assert "<p>What held up the end:</p>" in page


def test_nothing_is_told_where_no_message_stands_out():
    tests = incast.nccl_tests("all-reduce", ranks=4, min_bytes="64K", max_bytes="64K", cc="none")
    assert "held up" not in tests.table()
    assert tests.rows[0].path.timeout_ps == 0


def test_warm_up_is_no_part_of_the_path():
    tests = incast.nccl_tests(
        "all-reduce", ranks=4, min_bytes="64K", max_bytes="64K", iterations=2, warmup=3
    )
    [row] = tests.rows
    assert row.path.time_ps == pytest.approx(2 * row.time_us * 1e6)
    # A ring of four takes 2·3 steps for each operation; messages of the warm-up do not count.
    assert 2 * 6 - 1 <= row.path.messages <= 2 * 6 + 1
