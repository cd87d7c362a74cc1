"""Data frames in scenarios: each row becomes a dict. Units come from the names of columns.

The columns ``size_bytes`` and ``start_us`` become the keys ``size`` and ``start``, with units.
"""

from __future__ import annotations

import math
import re

__all__ = ["rows"]

# More flows than this are read faster, and in constant memory, from a file.
MOST_ROWS = 100_000
_SUFFIXES = re.compile(r"(.+)_(bytes|ps|ns|us|ms|s|bps)")
_WRITTEN_UNITS = {"bytes": "B"}
_DECIMALS = {"s": 12, "ms": 9, "us": 6, "ns": 3, "ps": 0}
"""Digits after the decimal point of a time in each unit, down to picoseconds."""


def rows(frame: object) -> list[dict[str, object]]:
    """The rows of a data frame of Polars, pandas or PyArrow, or of a table of results.

    Raises:
        TypeError: The frame has too many rows, or missing values; or a column with a unit is not
            numeric. Bytes and bit/s must be whole numbers; times are rounded to picoseconds.
    """
    import pyarrow as pa

    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        what = f"a data frame cannot be read as a table: {error}"
        raise TypeError(f"{what}; use columns of whole numbers and floats") from None
    if len(table) > MOST_ROWS:
        remedy = 'write them to a Parquet file, and name it (kind = "file", format = "parquet")'
        raise TypeError(f"a scenario holds at most {MOST_ROWS} rows, not {len(table)}; {remedy}")
    columns = [
        _column(name, column.to_pylist())
        for name, column in zip(table.column_names, table.columns, strict=True)
        # pandas adds its index as a column, unless it is 0, 1, 2, …
        if not name.startswith("__index_level_")
    ]
    keys = [key for key, _ in columns]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise TypeError(f"two columns of the data frame say `{twice}`; leave one out")
    values = zip(*(values for _, values in columns), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in values]


def _column(name: str, values: list[object]) -> tuple[str, list[object]]:
    """The column's key in a scenario, and its values with the unit of its name."""
    if None in values:
        row = values.index(None)
        raise TypeError(f"column {name}, row {row} (counted from 0) has no value; fill it in")
    if (match := _SUFFIXES.fullmatch(name)) is None:
        # A column of integers with missing values, as after a merge, holds floats in pandas.
        return name, [
            _plain(name, row, each) if isinstance(each, float) else each
            for row, each in enumerate(values)
        ]
    key, unit = match[1], match[2]
    written = _WRITTEN_UNITS.get(unit, unit)
    return key, [f"{_number(name, unit, row, each)}{written}" for row, each in enumerate(values)]


def _number(column: str, unit: str, row: int, value: object) -> str:
    """A number as scenarios write a quantity: digits, without exponent."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, float):
        raise _no_number(column, row, value)
    number = _plain(column, row, value)
    if isinstance(number, int):
        return str(number)
    if unit not in _DECIMALS:
        what = f"{value!r} is no whole number of {unit.replace('bps', 'bit/s')}; round the column"
        raise TypeError(f"{_place(column, row)}: {what}")
    # Adding 0 turns -0.0 into 0.0.
    text = f"{round(number, _DECIMALS[unit]) + 0.0:.{_DECIMALS[unit]}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(column: str, row: int, value: float) -> float | int:
    """A float; an int if it is a whole number."""
    if not math.isfinite(value):
        raise _no_number(column, row, value)
    return int(value) if value.is_integer() else value


def _no_number(column: str, row: int, value: object) -> TypeError:
    what = f"{value!r} is no number; write one, in the unit of the column"
    return TypeError(f"{_place(column, row)}: {what}")


def _place(column: str, row: int) -> str:
    return f"column {column}, row {row} (counted from 0)"
