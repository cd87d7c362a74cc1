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
        ({"source": range(100_001)}, "at most 100000 rows, not 100001; write them to a CSV file"),
    ],
)
def test_what_a_scenario_cannot_hold(columns, message):
    with pytest.raises(TypeError, match=message):
        frames.rows(pa.table(columns))


def test_columns_that_flows_do_not_have_are_told():
    columns = {**COLUMNS, "port": [1, 2]}
    with pytest.raises(incast.ScenarioError, match=r"traffic\[0\].flows\[0\].*port.*"):
        scenario(pl.DataFrame(columns))
