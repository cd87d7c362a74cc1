"""`incast validate`: comparisons with recorded results, and the reported differences."""

import dataclasses
import gzip
import json
import os

import incast
import numpy as np
import pytest
from incast.cli import main
from incast.errors import ImportFileError
from incast.validate import artifact
from incast.validate.comparison import (
    FlowComparison,
    PauseComparison,
    compare_flows,
    compare_packets,
    compare_queue,
)
from incast.validate.outcome import judge
from incast.validate.recordings import Tolerance, read_csv, recordings
from incast.validate.validation import Validation

STAR = """\
[network]
profile = "hpcc-ns3"
topology = { kind = "star", hosts = 3 }

[cc]
algorithm = "hpcc"

[measure]
queues = { ports = ["switch 3 port 2"] }

[[traffic]]
kind = "flows"
flows = [
    { source = 0, destination = 2, size = "100KB" },
    { source = 1, destination = 2, size = "100KB" },
    { source = 0, destination = 2, size = "2KB", start = "50us" },
]
"""


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    file = tmp_path_factory.mktemp("star") / "star.toml"
    file.write_text(STAR)
    return incast.run(file)


def recorded_of(run, **changes):
    """The results that the artifact would have recorded if it agreed, except for the changes."""
    flows = run.flows
    columns = {
        name: flows.numbers(name).astype(np.int64)
        for name in ("source", "destination", "source_port", "size_bytes")
    }
    for name, ours in (
        ("start_ns", "start_ps"),
        ("fct_ns", "fct_ps"),
        ("standalone_ns", "ideal_fct_ps"),
    ):
        columns[name] = flows.numbers(ours).astype(np.int64) // 1000
    return {**columns, **changes}


def test_the_quick_recordings_are_met_to_the_nanosecond():
    result = incast.validate.ns3(quick=True)
    assert result.passed, result.table()
    run = [outcome for outcome in result.outcomes if outcome.flows]
    assert {outcome.algorithm for outcome in run} == {"hpcc", "dcqcn", "dctcp", "timely"}
    for outcome in run:
        assert outcome.flows.exact == 1
        assert outcome.flows.starts_differ == outcome.flows.standalone_differ == 0
    assert [outcome.queue.worst_bytes for outcome in run if outcome.queue] == [0, 0, 0, 0]
    (pauses,) = [outcome.pauses for outcome in run if outcome.pauses]
    assert (pauses.recorded, pauses.events, pauses.exact) == (348, 348, 348)


def test_another_run_of_ns3_marks_other_packets():
    (recording,) = (each for each in recordings() if each.name == "s1-incast-dcqcn")
    with recording.scenario(run={"seed": 2}) as scenario:
        results = incast.run(scenario)
    fct = np.sort(results.flows.numbers("fct_ps")) // 1000
    recorded = np.sort(recording.table("flows")["fct_ns"])
    assert (fct != recorded).any()
    # Twenty runs have the mean within 1.2 % and the largest queue within 1.3 %.
    assert fct.mean() == pytest.approx(recorded.mean(), rel=0.02)
    peak = recording.table("queue")["bytes"].max()
    assert results.summary["queue_bytes"]["peak"] == pytest.approx(peak, rel=0.02)


def test_a_pause_that_differs_is_seen():
    same = FlowComparison(1, 0, 0, 1.0, 1.0, 1.0, 0.0, 0.0, 0, 0, [])
    tolerance = Tolerance(pauses=True)
    for recorded, events, exact, passed in [(3, 3, 3, True), (3, 3, 2, False), (3, 4, 3, False)]:
        pauses = PauseComparison(recorded, events, exact)
        (check,) = judge(tolerance, same, pauses=pauses)
        assert check.passed == passed


def test_every_packet_is_where_the_artifact_had_it():
    traced = [recording for recording in recordings() if recording.tolerance.trace]
    assert {recording.algorithm for recording in traced} == {"hpcc", "dcqcn"}
    for recording in traced:
        outcome = incast.validate.ns3_outcome(recording)
        assert outcome.passed
        assert (outcome.packets.recorded, outcome.packets.events) == (140, 140)
        assert outcome.packets.first_difference is None


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["hpcc", "dcqcn"])
def test_every_flow_of_the_fat_tree_is_met_to_the_nanosecond(algorithm):
    (recording,) = (each for each in recordings() if each.name == f"s2-hadoop-{algorithm}")
    outcome = incast.validate.ns3_outcome(recording)
    assert outcome.passed
    assert (outcome.flows.flows, outcome.flows.exact) == (32_921, 1)


def test_an_algorithm_that_is_not_there_is_said_and_not_judged():
    result = incast.validate.ns3(quick=True)
    for outcome in result.outcomes:
        if outcome.algorithm not in incast.algorithms():
            reason = f"algorithm {outcome.algorithm} is not in this version"
            assert outcome.not_run == reason
    assert "left out by --quick" in result.table()


def test_recordings_are_small_and_whole():
    for recording in recordings():
        assert recording.folder.is_dir(), recording.name
        flows = recording.table("flows")
        assert (np.diff(flows["start_ns"]) >= 0).all()
    folder = recordings()[0].folder.parent
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    assert sum(sizes) < 900_000


def test_agreement_is_exact(star):
    comparison = compare_flows(recorded_of(star), star)
    assert (comparison.exact, comparison.worst_ns, comparison.missing) == (1, 0, 0)


def test_a_nanosecond_is_seen(star):
    fct = recorded_of(star)["fct_ns"].copy()
    fct[0] -= 1
    comparison = compare_flows(recorded_of(star, fct_ns=fct), star)
    assert comparison.worst_ns == 1
    assert comparison.exact == pytest.approx(2 / 3)
    assert not all(check.passed for check in judge(Tolerance(each_flow=0.0), comparison))
    assert all(check.passed for check in judge(Tolerance(each_flow=0.002), comparison))


def test_lost_and_surplus_flows_are_counted(star):
    recorded = recorded_of(star)
    fewer = {name: column[1:] for name, column in recorded.items()}
    assert compare_flows(fewer, star).surplus == 1
    other = recorded["source_port"].copy()
    other[0] = 9
    comparison = compare_flows(recorded_of(star, source_port=other), star)
    assert (comparison.missing, comparison.surplus) == (1, 1)
    assert comparison.worst == float("inf")
    assert not judge(Tolerance(each_flow=1.0), comparison)[0].passed


def test_starts_are_compared_from_the_base(star):
    late = recorded_of(star)
    late["start_ns"] = late["start_ns"] + 2_000_000_000
    assert compare_flows(late, star).starts_differ == 3
    assert compare_flows(late, star, base_ns=2_000_000_000).starts_differ == 0


def test_queues_are_compared_at_recorded_times(star):
    series = star.series
    measures = series.categories("measure")
    rows = measures.indices == measures.texts.index("queue_bytes")
    times = series.numbers("time_ps")[rows].astype(np.int64) // 1000
    values = series.numbers("value")[rows].astype(np.int64)
    recorded = {"time_ns": times, "bytes": values + 1090}
    comparison = compare_queue(recorded, star, 1090)
    assert (comparison.worst_bytes, comparison.worst_packets) == (1090, 1)
    after = {"time_ns": np.array([10**9]), "bytes": np.array([0])}
    assert compare_queue(after, star, 1090).worst_bytes == 0


@pytest.mark.parametrize(
    ("column", "difference"),
    [
        ("time_ns", "event 0: time is 0 ps, recorded -1000 ps"),
        ("queue_bytes", "event 0: queue_bytes is 0, recorded -1"),
        ("wire_bytes", "event 0: wire_bytes is 1090, recorded 1089"),
    ],
)
def test_one_wrong_packet_event_is_found(column, difference):
    (recording,) = (each for each in recordings() if each.name == "s0-pair-hpcc")
    with recording.scenario() as scenario:
        packets = incast.run(scenario).packets
    recorded = recording.table("packets")
    assert compare_packets(recorded, packets).first_difference is None
    wrong = recorded[column].copy()
    wrong[0] -= 1
    found = compare_packets({**recorded, column: wrong}, packets)
    assert found.first_difference == difference
    shorter = {name: values[:-1] for name, values in recorded.items()}
    found = compare_packets(shorter, packets).first_difference
    assert found == "the recording ends after 139"


def test_choices_are_compared_with_the_default_profile(capsys):
    (effects,) = incast.validate.profiles(quick=True).experiments.values()
    assert (effects[0].choice, effects[0].fct_same) == ("default", 1)
    by_choice = {effect.choice: effect for effect in effects}
    # With one switch and one flow a host there is nothing to hash.
    assert by_choice["ECMP: murmur3"].fct_same == 1
    # INT takes 42 B of 1090 B on the wire.
    assert by_choice["INT: 0 bytes"].fct_mean_difference < -0.01
    assert main(["validate", "profiles", "--quick"]) == 0
    assert "profile hpcc-ns3" in capsys.readouterr().out


def test_nothing_run_is_no_success():
    assert not Validation([], 0.0, {}).passed


@pytest.fixture
def own(tmp_path):
    """An experiment in the artifact's files: two flows of the recorded s0, at 2 s."""
    (tmp_path / "topology.txt").write_text("3 1 2\n2\n0 2 100Gbps 1000ns 0\n1 2 100Gbps 1000ns 0\n")
    (tmp_path / "flow.txt").write_text("2 \n0 1 3 100 1 2.000000000\n0 1 3 100 1000 2.001000000\n")
    (tmp_path / "config.txt").write_text(
        "CC_MODE 3\nTOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nSIMULATOR_STOP_TIME 2.1\n"
        "HAS_WIN 1\nVAR_WIN 1\nFAST_REACT 1\nMULTI_RATE 0\nMIN_RATE 1000Mb/s\nRATE_AI 50Mb/s\n"
        "L2_ACK_INTERVAL 1\nINT_MULTI 4\nBUFFER_SIZE 32\nKMAX_MAP 1 100000000000 1600\n"
        "KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\n"
    )
    # On each of two links, 91 B take 7 ns, 1090 B take 87 ns, and an ACK of 88 B takes 7 ns; four
    # delays of 1 us.
    (tmp_path / "fct.txt").write_text(
        "0b000001 0b000101 10000 100 1 2000000000 4028 4167\n"
        "0b000001 0b000101 10001 100 1000 2000999999 4188 4243\n"
    )
    return tmp_path


def test_a_recording_of_ones_own(own, capsys):
    arguments = ["--config", str(own / "config.txt"), "--fct", str(own / "fct.txt")]
    assert main(["validate", "ns3", "--json", *arguments]) == 0
    flows = json.loads(capsys.readouterr().out)["outcomes"][0]["flows"]
    assert (flows["exact"], flows["starts_differ"], flows["missing"]) == (1, 0, 0)
    (own / "fct.txt").write_text("0b000001 0b000101 10000 100 1 2000000000 4029 4167\n")
    assert main(["validate", "ns3", *arguments]) == 1
    assert "NOT within tolerance" in capsys.readouterr().out


def test_broken_fct_files_are_told(tmp_path, own):
    cases = {
        "": "holds no flow",
        "1 2 3": "has 3 words instead of 8",
        "x 0b000101 10000 100 1 2 3 4": "holds a word that is no number",
    }
    for text, what in cases.items():
        file = tmp_path / "broken.txt"
        file.write_text(text)
        with pytest.raises(ImportFileError, match=what):
            artifact.read_fct(file)
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(b"no gzip")
    with pytest.raises(ImportFileError):
        artifact.read_fct(packed)
    with pytest.raises(ImportFileError, match=r"packed\.txt\.gz is there"):
        artifact.read_fct(tmp_path / "packed.txt")


def test_recordings_are_regular_files_of_sane_length(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.txt")
    for endless in ("/dev/zero", tmp_path / "pipe.txt"):
        with pytest.raises(ImportFileError, match="is no regular file; give a file, not"):
            artifact.read_fct(endless)
    monkeypatch.setattr(artifact, "_LARGEST", 1 << 20)
    packed = tmp_path / "fct.txt.gz"
    packed.write_bytes(gzip.compress(bytes(2 << 20)))
    with pytest.raises(ImportFileError, match="has more than 1 MiB; name the recording"):
        artifact.read_fct(packed)


def test_half_a_recording_is_refused(own, capsys):
    assert main(["validate", "ns3", "--config", str(own / "config.txt")]) == 2
    assert "--fct is not given" in capsys.readouterr().err


def test_tables_of_words_and_numbers():
    table = read_csv("time_ns,event\n1,pause\n2,resume\n")
    assert table["time_ns"].tolist() == [1, 2]
    assert table["event"].tolist() == ["pause", "resume"]


def test_a_failed_outcome_fails_the_validation():
    outcome = incast.validate.ns3(quick=True).outcomes[0]
    broken = dataclasses.replace(outcome, failed="a reason", flows=None)
    result = Validation([broken], 1.0, {})
    assert not result.passed
    assert "FAILED" in result.table()
