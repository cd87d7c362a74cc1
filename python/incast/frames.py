"""Data frames in scenarios: rows of a table, whose columns' names end in units, as dicts.

``size_bytes`` and ``start_us`` become ``size`` and ``start``, with that unit.
"""

from __future__ import annotations

import math
import re

__all__ = ["rows"]

# Flows of more rows are read faster, and in constant memory, from a file.
MOST_ROWS = 100_000
_SUFFIXES = re.compile(r"(.+)_(bytes|ps|ns|us|ms|s|bps)")
_WRITTEN_UNITS = {"bytes": "B"}


def rows(frame: object) -> list[dict[str, object]]:
    """The rows of a data frame of Polars, pandas or PyArrow, or of a table of results.

    Raises:
        TypeError: It has too many rows, values that are missing, or no numbers where a unit asks
            for them.
    """
    import pyarrow as pa

    table = pa.table(frame)
    if len(table) > MOST_ROWS:
        remedy = 'write them to a CSV file, and name it (kind = "file", format = "csv")'
        raise TypeError(f"a scenario holds at most {MOST_ROWS} rows, not {len(table)}; {remedy}")
    columns = [_column(name, table[name].to_pylist()) for name in table.column_names]
    keys = [key for key, _ in columns]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise TypeError(f"two columns of the data frame say `{twice}`; leave one out")
    values = zip(*(values for _, values in columns), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in values]


def _column(name: str, values: list[object]) -> tuple[str, list[object]]:
    """Its key in a scenario, and its values with the unit of its name."""
    if None in values:
        row = values.index(None)
        raise TypeError(f"column {name}, row {row} (counted from 0) has no value; fill it in")
    if (match := _SUFFIXES.fullmatch(name)) is None:
        return name, values
    key, unit = match[1], _WRITTEN_UNITS.get(match[2], match[2])
    return key, [f"{_number(name, row, value)}{unit}" for row, value in enumerate(values)]


def _number(column: str, row: int, value: object) -> str:
    """As scenarios write a quantity: digits, without exponent."""
    place = f"column {column}, row {row} (counted from 0)"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, float) or not math.isfinite(value):
        raise TypeError(f"{place}: {value!r} is no number; write one, in the unit of the column")
    return str(int(value)) if value.is_integer() else f"{value:.12f}".rstrip("0")
