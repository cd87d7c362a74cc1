"""Hosts by their names in the file of the topology, wherever a scenario names hosts."""

from __future__ import annotations

from pathlib import Path

import incast
import polars as pl
import pytest

GRAPH = """hosts gpu0 gpu1 gpu-2 storage
switches tor
link gpu0 tor 100Gbps 1us
link gpu1 tor 100Gbps 1us
link gpu-2 tor 100Gbps 1us
link storage tor 100Gbps 1us
"""


@pytest.fixture
def network(tmp_path: Path) -> dict[str, object]:
    (tmp_path / "own.graph").write_text(GRAPH)
    return {"topology": {"file": str(tmp_path / "own.graph"), "format": "graph"}}


def scenario(network: object, traffic: object) -> dict[str, object]:
    return {"network": network, "cc": {"algorithm": "hpcc"}, "traffic": [traffic]}


def fingerprint(network: object, traffic: object) -> str:
    return incast.run(scenario(network, traffic)).fingerprint


@pytest.mark.parametrize(
    ("named", "numbered"),
    [
        (
            {"kind": "incast", "receiver": "storage", "senders": "gpu-2,gpu0", "sizes": "1MB"},
            {"kind": "incast", "receiver": 3, "senders": [2, 0], "sizes": "1MB"},
        ),
        (
            {"kind": "flows", "flows": [{"source": "gpu0", "destination": 3, "size": "1MB"}]},
            {"kind": "flows", "flows": [{"source": 0, "destination": "3", "size": "1MB"}]},
        ),
        (
            {"kind": "permutation", "hosts": ["gpu0", "1-2"], "sizes": "1MB"},
            {"kind": "permutation", "hosts": "0-2", "sizes": "1MB"},
        ),
        (
            {"kind": "collective", "operation": "broadcast", "data": "1MB", "root": "gpu1"},
            {"kind": "collective", "operation": "broadcast", "data": "1MB", "root": 1},
        ),
    ],
)
def test_names_mean_what_their_numbers_mean(network, named, numbered, tmp_path):
    assert fingerprint(network, named) == fingerprint(network, numbered)
    (tmp_path / "stored.toml").write_text(incast.Scenario(scenario(network, named)).to_toml())
    again = incast.run(tmp_path / "stored.toml")
    assert again.fingerprint == fingerprint(network, numbered)


def test_tables_of_flows_may_name_hosts(network, tmp_path):
    frame = pl.DataFrame(
        {
            "source": ["gpu0", "gpu-2"],
            "destination": ["storage", "storage"],
            "size_bytes": [1_000_000, 2_000_000],
            "start_us": [0.0, 3.5],
        }
    )
    listed = {"source": pl.Series([0, 2]), "destination": pl.Series([3, 3])}
    numbered = fingerprint(network, {"kind": "flows", "flows": frame.with_columns(**listed)})
    found = {"frame": fingerprint(network, {"kind": "flows", "flows": frame})}
    frame.write_csv(tmp_path / "flows.csv")
    frame.write_parquet(tmp_path / "flows.parquet")
    categories = frame.with_columns(pl.col("source", "destination").cast(pl.Categorical))
    categories.write_parquet(tmp_path / "categories.parquet")
    for name in ("flows.csv", "flows.parquet", "categories.parquet"):
        ending = name.partition(".")[2]
        file = {"kind": "file", "file": str(tmp_path / name), "format": ending}
        found[name] = fingerprint(network, file)
    assert found == dict.fromkeys(found, numbered)


def test_results_name_hosts(network):
    flows = [{"source": "gpu-2", "destination": "storage", "size": "1MB"}]
    results = incast.run(scenario(network, {"kind": "flows", "flows": flows}))
    row = results.flows.to_polars().row(0, named=True)
    assert (row["source"], row["source_name"]) == (2, "gpu-2")
    assert (row["destination"], row["destination_name"]) == (3, "storage")


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        (
            {"kind": "incast", "receiver": "gpu3", "sizes": "1MB"},
            r"traffic\[0\]\.receiver: unknown host `gpu3`; did you mean `gpu-2`\?",
        ),
        (
            {"kind": "incast", "receiver": 3, "senders": "gpu0,tor", "sizes": "1MB"},
            r"traffic\[0\]\.senders: unknown host `tor`; hosts are called gpu-2, gpu0, gpu1, stor",
        ),
    ],
)
def test_unknown_names_are_refused(network, traffic, message):
    with pytest.raises(incast.ScenarioError, match=message):
        incast.Scenario(scenario(network, traffic))


def test_a_network_without_names_says_so():
    flows = [{"source": "gpu0", "destination": 1, "size": "1MB"}]
    message = "flows.0..source: unknown host `gpu0`; hosts of this network have no names"
    with pytest.raises(incast.ScenarioError, match=message):
        incast.Scenario(scenario({"topology": "star"}, {"kind": "flows", "flows": flows}))
