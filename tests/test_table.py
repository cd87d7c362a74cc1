"""Tables in every library, with and without copying."""

import duckdb
import incast
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from incast.table import Table


def test_numbers(star):
    sizes = star.flows.numbers("size_bytes")
    assert sizes.dtype == np.uint64
    assert set(sizes) == {1_000_000}
    assert len(sizes) == len(star.flows) == 16


def test_categories_of_a_dictionary_column(star):
    measures = star.series.categories("measure")
    assert measures.texts[0] == "queue_bytes"
    assert len(measures.texts) == len(set(measures.texts))
    assert len(measures.indices) == len(star.series)


def test_categories_of_a_plain_text_column(star):
    labels = star.ports.categories("label")
    assert labels.texts[labels.indices[16]] == "switch 17 port 16 → host 16"


def test_wrong_kind_of_column(star):
    with pytest.raises(incast.ResultsError, match="column measure holds text"):
        star.series.numbers("measure")
    with pytest.raises(incast.ResultsError, match="column value holds numbers"):
        star.series.categories("value")
    with pytest.raises(incast.ResultsError, match=r"series\.parquet: has no column nope"):
        star.series.numbers("nope")


def test_empty_table(empty):
    assert len(empty.flows) == 0
    assert len(empty.flows.numbers("slowdown")) == 0
    assert empty.series.categories("measure").texts == []
    assert pl.DataFrame(empty.flows).shape == (0, 11)


def test_every_library_reads_the_same(star):
    flows = star.flows
    fct = flows.numbers("fct_ps").tolist()
    assert pl.DataFrame(flows)["fct_ps"].to_list() == fct
    assert pa.table(flows)["fct_ps"].to_pylist() == fct
    assert duckdb.sql("SELECT fct_ps FROM flows").fetchnumpy()["fct_ps"].tolist() == fct
    assert flows.to_pandas()["fct_ps"].tolist() == fct
    assert flows.to_polars()["fct_ps"].to_list() == fct


def test_text_becomes_categorical(star):
    frame = star.series.to_pandas()
    assert isinstance(frame["measure"].dtype, pd.CategoricalDtype)
    assert (frame["measure"] == "rate_bps").sum() == pa.table(star.series).filter(
        pa.compute.field("measure") == "rate_bps"
    ).num_rows


def test_the_schema_alone(star):
    assert pa.schema(star.flows).names == star.flows.columns


def test_a_table_outlives_its_results(star):
    table = pa.table(star.flows)
    del star
    assert table["size_bytes"].to_pylist() == [1_000_000] * 16


def test_a_column_is_an_array(star):
    assert star.flows["fct_ps"].tolist() == star.flows.numbers("fct_ps").tolist()
    labels = star.ports["label"]
    assert (labels.dtype.kind, labels[16]) == ("O", "switch 17 port 16 → host 16")
    assert star.ports["rate_bps"][labels == labels[16]].tolist() == [100_000_000_000]


def test_rows_are_dicts(star):
    rows = list(star.flows)
    assert len(rows) == len(star.flows)
    assert list(rows[3]) == star.flows.columns
    assert rows[3]["fct_ps"] == star.flows["fct_ps"][3]
    assert type(rows[3]["size_bytes"]) is int
    assert pd.DataFrame(star.flows)["fct_ps"].tolist() == star.flows["fct_ps"].tolist()


def test_a_column_that_there_is_not(star):
    assert ("fct_ps" in star.flows, "fct" in star.flows) == (True, False)
    for name, meant in [("fct", "fct_ps"), ("slowdwn", "slowdown"), ("sizebytes", "size_bytes")]:
        with pytest.raises(KeyError, match=f"`{name}`; did you mean `{meant}`") as caught:
            star.flows[name]
        assert isinstance(caught.value, incast.ResultsError)
    with pytest.raises(TypeError, match=r"by its name, such as table\['flow_id'\], not by 0"):
        star.flows[0]


class Counted:
    """A table of the core that counts conversions."""

    def __init__(self, core):
        self.core, self.calls = core, []

    def __getattr__(self, name):
        return getattr(self.core, name)

    def numbers(self, column):
        self.calls.append(column)
        return self.core.numbers(column)


def test_a_column_is_converted_once(star):
    for name, table in [("fct_ps", star.flows), ("measure", star.series)]:
        core = Counted(table._core)
        again = Table(core)
        for _ in range(3):
            again[name]
        assert core.calls == [name]
