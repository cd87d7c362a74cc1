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
    """An Arrow table: what is varied, the seed, what is measured (empty where a run has no such
    number), identity, and why a run failed. Nothing in it depends on how fast the runs were.

    Args:
        rows: In order.
        keys: What is varied.
        measures: What is measured.
        seeds: Of each row's run.
    """
    import pyarrow

    columns = {key: _values([row.values.get(key) for row in rows]) for key in keys}
    # In the place at which it is varied, or behind what is.
    columns[SEED] = pyarrow.array(seeds, pyarrow.int64())
    for each in measures:
        numbers = [_present(row.measured.get(each.column)) for row in rows]
        columns[each.column] = pyarrow.array(numbers, pyarrow.float64())
    columns["identity"] = pyarrow.array([row.identity for row in rows], pyarrow.string())
    failures = [row.failure or None for row in rows]
    columns["failure"] = pyarrow.array(failures, pyarrow.string())
    return pyarrow.table(columns)


def write(dataset: pyarrow.Table, file: Path) -> None:
    """Writes it as Parquet, whole or not at all; the same bytes for the same table.

    Raises:
        OSError: It cannot be written.
    """
    from pyarrow import parquet

    # Open: PyArrow takes no path that is not in UTF-8.
    with written_whole(file) as staging, staging.open("wb") as out:
        parquet.write_table(dataset, out, compression="zstd")


def _values(values: Sequence[Any]) -> pyarrow.Array:
    """A column of one type: truth values, whole numbers, numbers; if there is another, of text."""
    import pyarrow

    from incast.study.quantities import value_text

    kinds = {type(value) for value in values if value is not None}
    for these, arrow in (
        ({bool}, pyarrow.bool_()),
        ({int}, pyarrow.int64()),
        ({int, float}, pyarrow.float64()),
    ):
        if kinds <= these:
            # As the engine has whole numbers among others, the large ones rounded.
            own = [float(each) if type(each) is int else each for each in values]
            return pyarrow.array(own if float in these else values, arrow)
    texts = [None if value is None else value_text(value) for value in values]
    return pyarrow.array(texts, pyarrow.string())


def _present(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
