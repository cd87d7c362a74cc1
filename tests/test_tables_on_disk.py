"""Files of tables have the same contents as tables in memory, in every library that reads them."""

import incast
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

NETWORK = {"topology": {"kind": "star", "hosts": 5}}
INCAST = {"kind": "incast", "receiver": 4, "sizes": "100KB"}
SCENARIOS = {
    "packets": {
        "network": {**NETWORK, "buffer": {"size": "250KB"}},
        "cc": {"algorithm": "hpcc"},
        "traffic": [INCAST],
        "measure": {"packets": {"flows": [0, 3], "causes": True}, "round_trips": True},
    },
    "unfinished": {
        "run": {"stop": "20us"},
        "network": NETWORK,
        "cc": {"algorithm": "hpcc"},
        "traffic": [INCAST],
        "attack": {"kind": "parallel", "qps": 2, "attackers": {"larger_than": "1KB"}},
    },
    "collective": {
        "network": NETWORK,
        "cc": {"algorithm": "dcqcn"},
        "traffic": [
            {"kind": "collective", "operation": "all-reduce", "algorithm": "ring", "data": "50KB"}
        ],
    },
}
TABLES = {
    "packets": {
        *("flows", "series", "ports", "packets", "senders", "company", "pause_causes"),
        "round_trips",
    },
    "unfinished": {"flows", "series", "ports", "messages"},
    "collective": {"flows", "series", "ports", "collectives", "ranks", "critical_path"},
}


@pytest.fixture(scope="module", params=SCENARIOS)
def stored(request, tmp_path_factory):
    """The results of a run in memory, and its files by name of the table."""
    folder = tmp_path_factory.mktemp("results") / request.param
    results = incast.run(SCENARIOS[request.param])
    results.save(folder)
    files = {file.stem: file for file in folder.glob("*.parquet")}
    assert set(files) == TABLES[request.param]
    return {name: (getattr(results, name), file) for name, file in files.items()}


def plain(column):
    """A type without its dictionary: PyArrow reads keys of 8 bits as 32."""
    return column.value_type if pa.types.is_dictionary(column) else column


def test_pyarrow_reads_the_same_columns_types_and_values(stored):
    for name, (table, file) in stored.items():
        there, here = pq.read_table(file), pa.table(table)
        assert there.schema.names == here.schema.names, name
        for found, expected in zip(there.schema, here.schema, strict=True):
            place = f"{name}: {found.name}"
            assert found.nullable == expected.nullable, place
            assert plain(found.type) == plain(expected.type), place
            assert pa.types.is_dictionary(found.type) == pa.types.is_dictionary(expected.type)
            assert there[found.name].to_pylist() == here[found.name].to_pylist(), place


def test_pandas_and_polars_read_the_same_values(stored):
    for name, (table, file) in stored.items():
        expected = pa.table(table).to_pylist()
        assert pl.read_parquet(file).to_dicts() == expected, name
        frame = pd.read_parquet(file, dtype_backend="pyarrow")
        cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
        assert cells == expected, name


def test_the_engine_reads_what_pyarrow_wrote(stored, tmp_path):
    for name, (table, file) in stored.items():
        copy = tmp_path / file.name
        pq.write_table(pq.read_table(file), copy, compression="zstd", row_group_size=7)
        again = pa.table(incast._core.read_table(str(copy)))
        assert again.to_pylist() == pa.table(table).to_pylist(), name
