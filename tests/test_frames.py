"""Data frames as flows of a scenario."""

import incast
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from incast import frames

COLUMNS = {
    "source": [0, 1],
    "destination": [2, 2],
    "size_bytes": [1_000_000, 500],
    "start_us": [0.0, 2.5],
}
ROWS = [
    {"source": 0, "destination": 2, "size": "1000000B", "start": "0us"},
    {"source": 1, "destination": 2, "size": "500B", "start": "2.5us"},
]


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, pa.table])
def test_frames_of_every_library(frame):
    assert frames.rows(frame(COLUMNS)) == ROWS


def test_small_times_have_no_exponent():
    (row,) = frames.rows(pa.table({"start_s": [1.5e-8]}))
    assert row == {"start": "0.000000015s"}


def scenario(flows):
    return incast.Scenario(
        {
            "network": {"topology": {"kind": "star", "hosts": 3}},
            "cc": {"algorithm": "hpcc"},
            "traffic": [{"kind": "flows", "flows": flows}],
        }
    )


def test_a_frame_is_the_same_scenario_as_its_rows():
    assert scenario(pl.DataFrame(COLUMNS)).identity == scenario(ROWS).identity


def test_flows_of_results_run_again():
    results = incast.run(scenario(ROWS))
    names = ["source", "destination", "size_bytes", "start_ps"]
    again = pl.DataFrame(results.flows).select(names)
    other = incast.run(scenario(again), cc="dctcp")
    assert sorted(other.flows.numbers("size_bytes")) == [500, 1_000_000]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"size_bytes": [1, None]}, r"column size_bytes, row 1 \(counted from 0\) has no value"),
        ({"start_us": [np.nan]}, "column start_us, row 0 .* nan is no number"),
        ({"start_us": ["5"]}, "column start_us, row 0 .* '5' is no number"),
        ({"start_us": [1], "start_ns": [1]}, "two columns of the data frame say `start`"),
        (
            {"source": range(100_001)},
            "at most 100000 rows, not 100001; write them to a Parquet file",
        ),
    ],
)
def test_what_a_scenario_cannot_hold(columns, message):
    with pytest.raises(TypeError, match=message):
        frames.rows(pa.table(columns))


def test_columns_that_flows_do_not_have_are_told():
    columns = {**COLUMNS, "port": [1, 2]}
    with pytest.raises(incast.ScenarioError, match=r"traffic\[0\].flows\[0\].*port.*"):
        scenario(pl.DataFrame(columns))


UNITS = {"s": 1e-12, "ms": 1e-9, "us": 1e-6, "ns": 1e-3, "ps": 1.0}


@pytest.mark.parametrize("unit", UNITS)
def test_computed_times_are_rounded_to_picoseconds(unit):
    times = np.random.default_rng(1).uniform(0, 1e9, 20) * UNITS[unit]
    columns = {"source": [0] * 20, "destination": [2] * 20, "size_bytes": [500] * 20}
    frame = pa.table({**columns, f"start_{unit}": times})
    assert len(scenario(frame).to_dict()["traffic"][0]["flows"]) == 20


@pytest.mark.parametrize(
    ("column", "value", "written"),
    [
        ("start_us", 5.365145131863, "5.365145us"),
        ("start_s", 1e-13, "0s"),
        ("start_s", -1e-13, "0s"),
        ("start_ns", 0.0016, "0.002ns"),
        ("start_ps", 10.4, "10ps"),
        ("size_bytes", 1e6, "1000000B"),
    ],
)
def test_floats(column, value, written):
    (row,) = frames.rows(pa.table({column: [value]}))
    assert list(row.values()) == [written]


@pytest.mark.parametrize(("column", "unit"), [("size_bytes", "bytes"), ("rate_bps", "bit/s")])
def test_no_part_of_a_byte_or_of_a_bit(column, unit):
    with pytest.raises(TypeError, match=rf"{column}, row 1 .* 0.5 is no whole number of {unit}"):
        frames.rows(pa.table({column: [1.0, 0.5]}))


def test_whole_floats_without_unit_are_integers():
    (row,) = frames.rows(pd.DataFrame({"source": [1.0], "share": [0.5]}))
    assert (repr(row["source"]), row["share"]) == ("1", 0.5)
    with pytest.raises(TypeError, match=r"column source, row 0 .* nan is no number"):
        frames.rows(pa.table({"source": [np.nan]}))


def test_rows_of_pandas_that_were_chosen_or_sorted():
    frame = pd.DataFrame(COLUMNS)
    assert frames.rows(frame[frame.size_bytes < 1000]) == ROWS[1:]
    assert frames.rows(frame.sort_values("size_bytes")) == ROWS[::-1]


def test_a_column_that_stands_twice_is_told():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["source", "source"])
    with pytest.raises(TypeError, match="two columns of the data frame say `source`"):
        frames.rows(table)


def test_a_class_is_no_frame():
    with pytest.raises(incast.ScenarioError, match="cannot hold the class DataFrame"):
        scenario(pd.DataFrame)


def test_columns_that_arrow_does_not_have_are_told():
    frame = pd.DataFrame({"source": [object()]})
    with pytest.raises(TypeError, match="a data frame cannot be read as a table"):
        frames.rows(frame)
