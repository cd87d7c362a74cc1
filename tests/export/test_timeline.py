"""Timelines for Perfetto: their contents, and their format."""

import gzip
import json
from itertools import pairwise

import incast
import numpy as np
import pytest
import runs
import scenarios
from incast.cli import main
from incast.export.nodes import Nodes
from incast.export.trace_events import Tracks, lanes

COLLECTIVE = {
    "run": {"name": "ring"},
    "network": {"topology": {"kind": "star", "hosts": 4}},
    "cc": {"algorithm": "hpcc"},
    "traffic": [{"kind": "all-reduce", "algorithm": "ring", "data": "40KB", "rounds": 2}],
}
MICROSECOND = 1_000_000


@pytest.fixture(scope="module")
def results():
    queues = {"queues": {"ports": "all", "every": "1us"}}
    return {
        "paused": incast.run({**runs.PAUSED, "measure": queues}),
        "ring": incast.run(COLLECTIVE),
    }


class Rows(list):
    """Rows of a made-up table."""

    def head(self, rows):
        return Rows(self[:rows])


def checked(file):
    """The events of a timeline, checked against the trace event format. Times are in order and in
    whole nanoseconds, slices of a track do not overlap, arrows begin and end in slices, and each
    process and track has a name.
    """
    plain = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    whole = json.loads(plain)
    assert list(whole) == ["traceEvents", "displayTimeUnit", "otherData"]
    events = whole["traceEvents"]
    names = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] in ("process_name", "thread_name")
    }
    there = [each for each in events if each["ph"] != "M"]
    assert events[len(events) - len(there) :] == there, "what has no time comes first"
    assert [each["ts"] for each in there] == sorted(each["ts"] for each in there)
    tracks = {}
    for each in there:
        assert each["ph"] in ("X", "C", "s", "f")
        assert (each["pid"], 0) in names
        assert each["pid"] > 0
        for time in (each["ts"], each.get("dur", 0)):
            assert isinstance(time, int | float)
            assert time >= 0
            assert abs(time * 1000 - round(time * 1000)) < 1e-3
        if each["ph"] == "X":
            assert (each["pid"], each["tid"]) in names
            begin, length = round(each["ts"] * 1000), round(each["dur"] * 1000)
            tracks.setdefault((each["pid"], each["tid"]), []).append((begin, begin + length))
    for spans in tracks.values():
        assert all(one[1] <= other[0] for one, other in pairwise(sorted(spans)))
    for each in there:
        if each["ph"] in "sf":
            at = round(each["ts"] * 1000)
            assert any(begin <= at <= end for begin, end in tracks[each["pid"], each["tid"]])
    ends = [sorted(each["id"] for each in there if each["ph"] == kind) for kind in "sf"]
    assert ends[0] == ends[1] == list(range(1, len(ends[0]) + 1))
    return whole


def named(whole, kind):
    """The names of processes by number, or of tracks by process and number."""
    found = {}
    for each in whole["traceEvents"]:
        if each["name"] == f"{kind}_name":
            key = each["pid"] if kind == "process" else (each["pid"], each["tid"])
            found[key] = each["args"]["name"]
    return found


def slices(whole, kind):
    return [each for each in whole["traceEvents"] if each.get("cat") == kind and each["ph"] == "X"]


def test_flows_are_slices_of_their_hosts(results, tmp_path):
    run = results["paused"]
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    processes, tracks = named(whole, "process"), named(whole, "thread")
    found = {each["args"]["flow_id"]: each for each in slices(whole, "flow")}
    assert len(found) == len(run.flows)
    for row in run.flows:
        own = found[row["flow_id"]]
        assert processes[own["pid"]] == f"host {row['source']}"
        assert tracks[own["pid"], own["tid"]] == "flows"
        assert own["name"] == "→ host 0, 60.5 KB"
        assert own["ts"] == row["start_ps"] // 1000 / 1000
        end = int(row["start_ps"] + row["fct_ps"]) // 1000
        assert round((own["ts"] + own["dur"]) * 1000) == end
        assert own["args"]["slowdown"] == row["slowdown"]
        assert own["args"]["retransmitted_packets"] == 0
    assert whole["otherData"] | {"incast": ""} == {
        "scenario": "paused",
        "algorithm": "none",
        "identity": run.identity,
        "incast": "",
        "left out": [],
    }


def test_pauses_and_queues_are_at_their_ports(results, tmp_path):
    run = results["paused"]
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    processes, tracks = named(whole, "process"), named(whole, "thread")
    paused = {}
    for each in slices(whole, "pause"):
        port = each["args"]["port"]
        node, number = port.split(" → ")[0].split(" port ")
        assert processes[each["pid"]] == node
        assert tracks[each["pid"], each["tid"]] == f"port {number}, pauses"
        paused[port] = paused.get(port, 0) + each["args"]["paused_ps"]
    ports = run.ports
    expected = dict(zip(ports["label"], ports["paused_ps"].tolist(), strict=True))
    assert paused == {label: time for label, time in expected.items() if time}
    # The timeline keeps the greatest sample of a queue.
    series = run.series
    queue = series["measure"] == "queue_bytes"
    samples = [
        each for each in whole["traceEvents"] if each["ph"] == "C" and "bytes" in each["args"]
    ]
    most = max(samples, key=lambda each: each["args"]["bytes"])
    assert most["args"]["bytes"] == series["value"][queue].max()
    label = series["entity"][queue][series["value"][queue].argmax()]
    assert f"{processes[most['pid']]} {most['name']}" == f"{label.split(' → ')[0]}, queue"
    network = {
        each["name"] for each in whole["traceEvents"] if each["pid"] == 1 and each["ph"] == "C"
    }
    assert network == {"flows alive", "goodput"}


def test_rounds_of_collectives(results, tmp_path):
    run = results["ring"]
    whole = checked(run.write_timeline(tmp_path / "a.json.gz"))
    rounds = [each for each in slices(whole, "collective") if each["name"].startswith("round ")]
    assert [each["name"] for each in rounds] == ["round 0", "round 1"]
    assert {named(whole, "process")[each["pid"]] for each in rounds} == {"collectives"}
    table = run.collectives
    assert [each["args"]["start_ps"] for each in rounds] == table["start_ps"].tolist()
    assert [each["args"]["time_ps"] for each in rounds] == table["time_ps"].tolist()


def test_ranks_and_critical_paths(tmp_path):
    """Three flows, of which each but the first waited for the one before; rank 3 has not finished a
    round.
    """
    run = incast.run(COLLECTIVE)
    flows = list(run.flows)[:3]
    flows.sort(key=lambda row: row["start_ps"])
    columns = ("traffic", "flow_id", "source", "destination", "size_bytes", "start_ps")
    run.critical_path = Rows(
        {name: row[name] for name in columns} | {"end_ps": end, "computing_ps": computing}
        for row, end, computing in zip(
            flows,
            (MICROSECOND, 3 * MICROSECOND, 10**9),
            (500_000, 0, 0),
            strict=True,
        )
    )
    for place, row in enumerate(run.critical_path):
        row["start_ps"] = (0, 1_500_000, 3 * MICROSECOND)[place]
    run.ranks = Rows(
        {"traffic": 0, "rank": rank, "host": rank, "rounds": 2 - rank // 3 * 2}
        | {"end_ps": float("nan") if rank == 3 else 1e6 * rank}
        for rank in range(4)
    )
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    tracks = named(whole, "thread")
    path = [
        (each["ts"], each["dur"], each["name"])
        for each in slices(whole, "collective")
        if tracks[each["pid"], each["tid"]] == "traffic 0, critical path"
    ]
    ends = [f"host {row['source']} → host {row['destination']}, 10 KB" for row in flows]
    assert path == [
        (0.0, 1.0, ends[0]),
        (1.0, 0.5, "computing"),
        (1.5, 1.5, ends[1]),
        (3.0, 997.0, ends[2]),
    ]
    arrows = [each for each in whole["traceEvents"] if each["ph"] in "sf"]
    assert sorted(each["ph"] for each in arrows) == ["f", "f", "s", "s"]
    ranks = [each for each in slices(whole, "collective") if "rank" in each["args"]]
    assert {each["args"]["rank"]: each["dur"] for each in ranks} == {
        0: 0.0,
        1: 1.0,
        2: 2.0,
        3: run.summary["simulated_ps"] // 1000 / 1000,
    }
    assert [each["name"] for each in ranks if each["args"]["rank"] == 3] == [
        "traffic 0: rank 3, done with no round"
    ]
    assert all(tracks[each["pid"], each["tid"]].startswith("traffic 0: rank ") for each in ranks)


def test_many_flows_of_a_host_take_as_many_tracks_as_overlap(tmp_path):
    traffic = [
        {"kind": "incast", "senders": "1", "receiver": 0, "sizes": size, "start": start}
        for size, start in (("50KB", "0us"), ("1KB", "1us"), ("1KB", "100us"), ("9KB", "200us"))
    ]
    run = incast.run({**COLLECTIVE, "traffic": traffic})
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    tracks = named(whole, "thread")
    own = [tracks[each["pid"], each["tid"]] for each in slices(whole, "flow")]
    assert own == ["flows", "flows (2)", "flows", "flows"]


def test_lanes():
    """The third span begins when the second ends; the fourth finds the first lane free, too."""
    spans = [(0, 10), (2, 5), (5, 9), (10, 12), (11, 11), (11, 12)]
    assert list(lanes(spans)) == [0, 1, 1, 0, 1, 1]


def test_flows_that_did_not_finish(tmp_path):
    run = incast.run({**runs.PAUSED, "run": {"name": "cut", "stop": "10us"}})
    assert np.isnan(run.flows["fct_ps"]).any()
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    unfinished = [each for each in slices(whole, "flow") if "slowdown" not in each["args"]]
    assert len(unfinished) == np.isnan(run.flows["fct_ps"]).sum()
    assert all(each["name"].endswith("60.5 KB (not finished)") for each in unfinished)
    assert all(each["ts"] + each["dur"] == pytest.approx(10) for each in unfinished)


def test_a_limit_says_what_it_left_out(results, tmp_path):
    run = results["paused"]
    with pytest.warns(UserWarning, match="in the timeline") as told:
        whole = checked(run.write_timeline(tmp_path / "a.json", limit=3))
    sentences = [str(each.message) for each in told]
    assert sentences[:1] == ["paused: of 8 flows, the 3 that took longest are in the timeline"]
    assert any("pauses, the first 3 are in the timeline" in each for each in sentences)
    assert any(
        "samples of queues that follow each other, the largest" in each for each in sentences
    )
    assert [f"paused: {each}" for each in whole["otherData"]["left out"]] == sentences
    kept = {each["args"]["flow_id"] for each in slices(whole, "flow")}
    order = np.lexsort((run.flows["flow_id"], -run.flows["fct_ps"]))
    assert kept == set(run.flows["flow_id"][order[:3]].tolist())
    assert len(slices(whole, "pause")) == 3
    # Peaks of queues are kept.
    values = run.series["value"][run.series["measure"] == "queue_bytes"]
    samples = [each["args"] for each in whole["traceEvents"] if each["ph"] == "C"]
    assert max(each.get("bytes", 0) for each in samples) == values.max()


def test_the_same_results_make_the_same_file(results, tmp_path):
    files = [results["ring"].write_timeline(tmp_path / f"{name}.json.gz") for name in "ab"]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_made_up_results_of_many_flows(folders, tmp_path):
    """33,000 flows of all sizes on 320 hosts; and a run without flows."""
    run = incast.load(folders["fabric"])
    whole = checked(run.write_timeline(tmp_path / "a.json.gz"))
    assert len(slices(whole, "flow")) == len(run.flows)
    checked(incast.load(folders["empty"]).write_timeline(tmp_path / "empty.json"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--timeline", "there"], "there: exists already; take another name, or replace it:"),
        (["--timeline", "a", "--limit", "0"], "argument --limit: `0` is not a number of flows;"),
        (["--timeline", "nowhere/a"], "nowhere/a: No such file or directory"),
        (["--timeline", "/dev/full"], "/dev/full: No space left on device"),
    ],
)
def test_mistakes(arguments, message, results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["ring"].save("run")
    (tmp_path / "there").touch()
    assert main(["export", "run", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_what_cannot_be(results, tmp_path):
    with pytest.raises(incast.ResultsError, match="cannot keep 0 flows"):
        results["ring"].write_timeline(tmp_path / "a", limit=0)
    with pytest.raises(incast.ResultsError, match="a memory fabric has no flows"):
        incast.run(scenarios.FABRIC).write_timeline(tmp_path / "a")


def test_a_series_of_a_port_that_there_is_not(results):
    nodes = Nodes(results["paused"], Tracks())
    assert nodes.port("host 0 port 0 → leaf 0").number == 0
    with pytest.raises(incast.ResultsError, match="no port `host 99 port 0`; it is"):
        nodes.port("host 99 port 0")


def test_the_command(results, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results["paused"].save("run")
    assert main(["export", "run", "--timeline", "a.json", "--limit", "2", "--force"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("a.json  ")
    assert "warning: paused: of 8 flows, the 2 that took longest are in the timeline" in said.err


def test_ranks_with_no_round_of_stored_results(tmp_path):
    """The run stops before the end of a round, so that no rank has an end."""
    incast.run(COLLECTIVE, stop="3us").save(tmp_path / "run")
    run = incast.load(tmp_path / "run")
    assert np.isnan(run.ranks["end_ps"]).all()
    whole = checked(run.write_timeline(tmp_path / "a.json"))
    ranks = [each for each in slices(whole, "collective") if "rank" in each["args"]]
    names = [f"traffic 0: rank {rank}, done with no round" for rank in range(4)]
    assert sorted(each["name"] for each in ranks) == names
    assert {each["dur"] for each in ranks} == {3.0}
