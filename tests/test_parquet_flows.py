"""Parquet files of flows: from several writers, damaged, and large."""

import re
import subprocess
import sys
from datetime import timedelta

import duckdb
import incast
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from shell import Shell

NETWORK = {"network": {"topology": {"kind": "star", "hosts": 17}}, "cc": {"algorithm": "hpcc"}}
COLUMNS = {
    "source": [0, 1, 2, 3, 3],
    "destination": [16, 16, 16, 16, 15],
    "size_bytes": [1_000_000, 5, 70_000, 20_000, 1],
    "start_us": [0.0, 0.1, 0.1 + 0.2, 20.5, 1000.0],
    "note": ["a", "b", None, "", "e"],
}


def entry(file, kind="parquet"):
    return {"kind": "file", "file": str(file), "format": kind}


def scenario(file, kind="parquet"):
    return incast.Scenario({**NETWORK, "traffic": [entry(file, kind)]})


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The fingerprint of the same flows in a CSV file."""
    file = tmp_path_factory.mktemp("csv") / "flows.csv"
    pd.DataFrame(COLUMNS).to_csv(file, index=False)
    return incast.run(scenario(file, "csv")).fingerprint


def _duckdb(compression):
    def write(file):
        trace = pl.DataFrame(COLUMNS)  # noqa: F841 (DuckDB takes it by its name)
        options = f"FORMAT parquet, COMPRESSION {compression}"
        duckdb.sql(f"COPY (SELECT * FROM trace) TO '{file}' ({options})")

    return write


def _decimals(file):
    """Numbers in SQL are decimals."""
    start = "CASE source WHEN 0 THEN 0.0 WHEN 1 THEN 0.1 WHEN 2 THEN 0.3 ELSE start_us END"
    trace = pl.DataFrame(COLUMNS)  # noqa: F841
    starts = f"CAST({start} AS DECIMAL(18, 6)) AS start_us"
    duckdb.sql(f"COPY (SELECT * REPLACE ({starts}) FROM trace) TO '{file}' (FORMAT parquet)")


WRITERS = {
    "pyarrow": lambda file: pq.write_table(pa.table(COLUMNS), file),
    "pyarrow zstd": lambda file: pq.write_table(pa.table(COLUMNS), file, compression="zstd"),
    "pyarrow gzip": lambda file: pq.write_table(pa.table(COLUMNS), file, compression="gzip"),
    "pyarrow none": lambda file: pq.write_table(pa.table(COLUMNS), file, compression="none"),
    "pyarrow pages": lambda file: pq.write_table(
        pa.table(COLUMNS), file, row_group_size=2, data_page_version="2.0", use_dictionary=False
    ),
    "pandas": lambda file: pd.DataFrame(COLUMNS).to_parquet(file),
    "pandas rows": lambda file: pd.DataFrame(COLUMNS, index=[5, 4, 3, 2, 1]).to_parquet(file),
    "pandas category": lambda file: (
        pd.DataFrame(COLUMNS).astype({"source": "category", "size_bytes": "float"}).to_parquet(file)
    ),
    "polars": lambda file: pl.DataFrame(COLUMNS).write_parquet(file),
    "polars snappy": lambda file: pl.DataFrame(COLUMNS).write_parquet(file, compression="snappy"),
    "polars small": lambda file: (
        pl.DataFrame(COLUMNS)
        .cast({"source": pl.UInt8, "destination": pl.Int16, "size_bytes": pl.UInt32})
        .write_parquet(file, statistics=False)
    ),
    "duckdb": _duckdb("snappy"),
    "duckdb zstd": _duckdb("zstd"),
    "duckdb decimals": _decimals,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_every_writer_is_read(tmp_path, expected, writer):
    file = tmp_path / "flows.parquet"
    WRITERS[writer](file)
    assert incast.run(scenario(file)).fingerprint == expected


def test_commands_take_them(tmp_path, expected):
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "flows.parquet")
    text = incast.toml.dumps({**NETWORK, "traffic": [entry("flows.parquet")]})
    (tmp_path / "mine.toml").write_text(text)
    assert incast.Scenario(tmp_path / "mine.toml").describe()["expected_flows"] == 5
    shell = Shell(tmp_path)
    assert "5 flows" in shell("show", "mine.toml")
    assert expected in shell("run", "mine.toml", "--out", "results", "--no-report")


def test_another_file_is_another_identity(tmp_path):
    file = tmp_path / "flows.parquet"
    pl.DataFrame(COLUMNS).write_parquet(file)
    before = scenario(file).identity
    pl.DataFrame({**COLUMNS, "size_bytes": [1] * 5}).write_parquet(file)
    assert scenario(file).identity != before


def refused(file, kind="parquet"):
    with pytest.raises(incast.ScenarioError) as caught:
        scenario(file, kind)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"source": [0, 1, None, 3, 3]}, r"rows\[2\].source: the value is missing; fill it in"),
        ({"destination": [16, 16, 16, 17, 15]}, r"rows\[3\].destination: host 17 does not exist"),
        ({"size_bytes": [1, 1, 1, 1, 0.5]}, r"rows\[4\].size_bytes: `0.5` is not a whole number"),
        ({"start_us": [0, -1, 2, 3, 4]}, r"rows\[1\].start_us: `-1` is negative"),
        ({"size_bytes": ["1MB"] * 5}, r"size_bytes: the column holds values of type \w*Utf8\w*"),
        ({"start_us": [timedelta(1)] * 5}, r"start_us: the column holds values of type Duration"),
        ({"start_ns": [0] * 5}, "start: `start_ns` and `start_us` both give it"),
    ],
)
def test_mistakes_have_their_column_and_row(tmp_path, changed, message):
    file = tmp_path / "flows.parquet"
    frame = pl.DataFrame({**COLUMNS, **changed}, strict=False)
    frame.write_parquet(file)
    assert re.search(rf"flows.parquet: {message}", refused(file))


def test_no_rows_and_no_columns(tmp_path):
    file = tmp_path / "flows.parquet"
    pl.DataFrame(COLUMNS).clear().write_parquet(file)
    assert "flows.parquet" in refused(file)
    pl.DataFrame({"a": [1]}).write_parquet(file)
    assert "no column of `a` has this name" in refused(file)


def test_other_compressions_are_named(tmp_path):
    file = tmp_path / "flows.parquet"
    pq.write_table(pa.table(COLUMNS), file, compression="brotli")
    assert "flows.parquet: source: the column is compressed with BROTLI" in refused(file)


def test_the_format_is_told_by_content(tmp_path):
    file = tmp_path / "flows.csv"
    pl.DataFrame(COLUMNS).write_parquet(file)
    told = refused(file, "csv")
    assert 'is a Parquet file; write `format = "parquet"`' in told
    assert "traffic[0].format" in told
    pl.DataFrame(COLUMNS).write_csv(file)
    assert "is no Parquet file" in refused(file)


def test_files_that_were_cut_off(tmp_path):
    file = tmp_path / "flows.parquet"
    pl.DataFrame(COLUMNS).write_parquet(file)
    whole = file.read_bytes()
    for length in (5, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        assert "flows.parquet: the file is damaged or cut off" in refused(file)


MEMORY = """
import sys
from pathlib import Path
import incast

def peak():
    # Its own: what getrusage() says begins with the peak of the process that started this one.
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])

def flows(entry):
    network = {"topology": {"kind": "star", "hosts": 17}}
    scenario = {"network": network, "cc": {"algorithm": "hpcc"}, "traffic": [entry]}
    return int(incast.Scenario(scenario).describe()["expected_flows"])

flows({"kind": "incast", "receiver": 16, "sizes": "1KB"})
before = peak()
print(flows({"kind": "file", "file": sys.argv[1], "format": "parquet"}), peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_million_flows_take_little_memory(tmp_path):
    """The decoded flows take 32 MB."""
    flows, file = 1_000_000, tmp_path / "flows.parquet"
    rng = np.random.default_rng(1)
    source = rng.integers(0, 16, flows)
    columns = {
        "source": source,
        "destination": np.full(flows, 16),
        "size_bytes": rng.integers(1, 10**9, flows),
        "start_us": np.sort(rng.random(flows) * 1e6),
    }
    pl.DataFrame(columns).write_parquet(file)
    command = [sys.executable, "-c", MEMORY, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected_flows, kilobytes = map(int, done.stdout.split())
    assert expected_flows == flows
    assert kilobytes < 20_000
