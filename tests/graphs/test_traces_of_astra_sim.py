"""Traces of ASTRA-sim with their network, system and process groups, from files to results."""

import json
from pathlib import Path

import incast

NETWORK = "topology: [ Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"
SYSTEM = {"all-reduce-implementation": ["ring"], "roofline-enabled": 1, "peak-perf": 900}


def varint(value):
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


def field(number, held):
    if isinstance(held, int):
        return varint(number << 3) + varint(held)
    return varint(number << 3 | 2) + varint(len(held)) + held


def attribute(name, number, held):
    return field(10, field(1, name.encode()) + field(number, held))


def message(held):
    return varint(len(held)) + held


def trace(group):
    """The trace of a rank: 1.8·10⁹ operations, then an all-reduce of 1 MB in its group."""
    work = field(1, 1) + field(3, 4) + attribute("num_ops", 9, 1_800_000_000)
    reduce = field(1, 2) + field(3, 7) + field(4, 1) + attribute("comm_type", 9, 0)
    reduce += attribute("comm_size", 9, 1_000_000) + attribute("pg_name", 29, group.encode())
    return message(field(1, b"0.0.4")) + message(work) + message(reduce)


def test_an_experiment_runs_from_its_files(tmp_path, monkeypatch):
    """At 900 TFLOPS the operations take 2 us; then the ranks of two groups each send two halves."""
    monkeypatch.chdir(tmp_path)
    folder = Path("astra")
    folder.mkdir()
    (folder / "network.yml").write_text(NETWORK)
    (folder / "system.json").write_text(json.dumps(SYSTEM))
    (folder / "comm_group.json").write_text('{"0": [0, 1], "1": [2, 3]}')
    for rank, group in enumerate(["0", "0", "1", "1"]):
        (folder / f"job.{rank}.et").write_bytes(trace(group))
    imported = incast.import_astra_sim(
        folder / "network.yml",
        system=folder / "system.json",
        workload=folder / "job",
        groups=folder / "comm_group.json",
    )
    saved = imported.save("run.toml")
    assert 'groups = { file = "astra/comm_group.json" }' in saved.read_text()
    flows = incast.run(saved).flows
    assert sorted(flows["size_bytes"]) == [500_000] * 8
    assert min(flows["start_ps"]) == 2_000_000
    pairs = set(zip(flows["source"], flows["destination"], strict=True))
    assert pairs == {(0, 1), (1, 0), (2, 3), (3, 2)}
