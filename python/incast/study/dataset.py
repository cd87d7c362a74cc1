"""The dataset of a sweep: a row for each run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.files import written_whole
from incast.study.means import SEED, Row

if TYPE_CHECKING:
    import pyarrow

    from incast.study.measures import Measure

__all__ = ["table", "write"]


def table(
    rows: Sequence[Row], keys: Sequence[str], measures: Sequence[Measure], seeds: Sequence[int]
) -> pyarrow.Table:
    """An Arrow table, with a row for each run: varied keys, seed, measures (null where a run has no
    such number), identity, and failure. Nothing in it depends on the speed of the runs.

    Args:
        rows: The runs, in order.
        keys: The varied keys.
        measures: The measures.
        seeds: The seed of each run.
    """
    import pyarrow

    columns = {key: _values([row.values.get(key) for row in rows]) for key in keys}
    # If the seed is varied, this keeps its column in place; otherwise it follows the varied keys.
    columns[SEED] = pyarrow.array(seeds, pyarrow.int64())
    for each in measures:
        numbers = [_present(row.measured.get(each.column)) for row in rows]
        columns[each.column] = pyarrow.array(numbers, pyarrow.float64())
    columns["identity"] = pyarrow.array([row.identity for row in rows], pyarrow.string())
    failures = [row.failure or None for row in rows]
    columns["failure"] = pyarrow.array(failures, pyarrow.string())
    return pyarrow.table(columns)


def write(dataset: pyarrow.Table, file: Path) -> None:
    """Writes the dataset as Parquet, whole or not at all. Equal tables give equal bytes.

    Raises:
        OSError: The file cannot be written.
    """
    from pyarrow import parquet

    # Passed as an open file: PyArrow does not accept paths that are not UTF-8.
    with written_whole(file) as staging, staging.open("wb") as out:
        parquet.write_table(dataset, out, compression="zstd")


def _values(values: Sequence[Any]) -> pyarrow.Array:
    """A column of one type: Booleans, integers or floats; text for any other mix of values."""
    import pyarrow

    from incast.study.quantities import value_text

    kinds = {type(value) for value in values if value is not None}
    for these, arrow in (
        ({bool}, pyarrow.bool_()),
        ({int}, pyarrow.int64()),
        ({int, float}, pyarrow.float64()),
    ):
        if kinds <= these:
            # Large integers among floats are rounded, as the engine rounds them.
            own = [float(each) if type(each) is int else each for each in values]
            return pyarrow.array(own if float in these else values, arrow)
    texts = [None if value is None else value_text(value) for value in values]
    return pyarrow.array(texts, pyarrow.string())


def _present(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
