"""Tables in a shell and in a notebook."""

import numpy as np
import pyarrow as pa
import pytest
from incast.present.preview import preview, text


def made(**columns):
    """A table of made-up columns."""
    return pa.table({name: np.array(values) for name, values in columns.items()})


def column(**values):
    (found,) = preview(made(**values)).columns
    return found.unit, found.cells


@pytest.mark.parametrize(
    ("values", "unit", "cells"),
    [
        # A column has the unit of its largest number, and as many decimals as tell all numbers
        # apart.
        ({"fct_ps": [4_160_000, 12_000_000]}, "µs", ["4.16", "12.00"]),
        ({"time_ps": [0, 1_000_000, 5_000_000_000]}, "ms", ["0.000", "0.001", "5.000"]),
        ({"size_bytes": [500_000, 1_000_000]}, "MB", ["0.5", "1.0"]),
        ({"rate_bps": [100_000_000_000]}, "Gbps", ["100"]),
        # The largest number has five digits.
        ({"slowdown": [1.0, 7.04187753]}, "", ["1.0000", "7.0419"]),
        ({"fct_ps": [4_160_000.0, np.nan]}, "µs", ["4.16", "–"]),
        ({"flow_id": [7, 33_161]}, "", ["7", "33161"]),
        ({"start_ps": [0, 0]}, "", ["0", "0"]),
        ({"slowdown": [np.nan]}, "", ["–"]),
        ({"label": ["a", "b"]}, "", ["a", "b"]),
        ({"fct_ps": np.array([], dtype=np.uint64)}, "", []),
    ],
)
def test_a_column_has_one_unit(values, unit, cells):
    assert column(**values) == (unit, cells)


def test_long_tables_show_both_ends():
    found = preview(made(flow_id=range(12)))
    assert (found.rows, found.cut_after) == (12, 5)
    assert found.columns[0].cells == ["0", "1", "2", "3", "4", "7", "8", "9", "10", "11"]
    assert preview(made(flow_id=range(11))).cut_after is None


def test_a_shell_shows_what_fits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    labels = ["host 0", "switch 17 port 16 → s"]
    table = made(label=labels, fct_ps=[1_000_000, 2_500_000], slowdown=[1.5, 2.0])
    assert text(table).splitlines() == [
        "<incast.Table: 2 rows × 3 columns>",
        "label                  fct_ps (µs)  slowdown",
        "─────────────────────  ───────────  ────────",
        "host 0                         1.0       1.5",
        "switch 17 port 16 → s          2.5       2.0",
    ]
    monkeypatch.setenv("COLUMNS", "43")
    assert text(table).splitlines()[-1] == "and slowdown"
    assert "1.5" not in text(table)


def test_a_gap_stands_for_what_is_left_out(star):
    lines = repr(star.flows).splitlines()
    assert lines[0].startswith("<incast.Table: 16 rows ×")
    assert set(lines[3 + 5].split()) == {"⋮"}


def test_ten_rows_are_shown_without_the_others(star):
    """A column of millions of rows takes long to convert, and its converted numbers stay in
    memory.
    """
    for table in (star.flows, star.series, star.ports):
        assert len(table) > 11
        repr(table), table._repr_html_()
        assert table._numbers == table._categories == {}
    shown = {each.name: each.cells for each in preview(star.series).columns}
    assert shown["measure"][0] == star.series["measure"][0]
    assert shown["measure"][-1] == star.series["measure"][-1]
