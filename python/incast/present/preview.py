"""The first and last rows of a table, for a shell and for a notebook, with one unit per column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from incast.present import terminal
from incast.present.units import common_unit, plural
from incast.time_units import PICOSECOND

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Column", "Preview", "Rows", "preview", "text"]

ENDS = 5
"""The number of rows shown at each end."""
_SIGNIFICANT = 5
"""Significant digits of the largest number in a column."""
_QUANTITIES = {"_ps": (PICOSECOND, "s"), "_bytes": (1.0, "B"), "_bps": (1.0, "bps")}
"""Endings of column names: the size of their unit in the base unit, and the base unit."""
_MISSING = "–"
_GAP = "⋮"

_Values: TypeAlias = "np.ndarray[Any, Any]"


class Rows(Protocol):
    """A table as a preview reads it: Arrow data, of which single rows can be read."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


@dataclass(frozen=True)
class Column:
    """A column of a preview."""

    name: str
    unit: str
    """The unit in which the numbers are shown; empty if they have none."""
    is_text: bool
    cells: list[str]


@dataclass(frozen=True)
class Preview:
    """The rows of a table that are shown."""

    columns: list[Column]
    rows: int
    """The number of rows of the table."""
    cut_after: int | None
    """The number of rows before the gap; `None` if all rows are shown."""

    @property
    def size(self) -> str:
        """The numbers of rows and columns, in words."""
        return f"{plural(self.rows, 'row')} × {plural(len(self.columns), 'column')}"


def preview(table: Rows) -> Preview:
    """The first and the last rows of a table; all rows if there are few."""
    import pyarrow as pa

    # Only the shown rows are converted, as there may be millions.
    every = pa.table(table)
    rows, cut_after = len(every), None
    shown = every
    if rows > 2 * ENDS + 1:
        shown, cut_after = pa.concat_tables([every[:ENDS], every[rows - ENDS :]]), ENDS
    found = [_column(name, shown[name].to_numpy()) for name in shown.column_names]
    return Preview(found, rows, cut_after)


def text(table: Rows) -> str:
    """A listing as wide as the terminal. Columns that do not fit are named below it."""
    found = preview(table)
    shown = _fitting(found.columns, terminal.width())
    lines = zip(*(_in_lines(each, found.cut_after) for each in shown), strict=True)
    left_out = [each.name for each in found.columns[len(shown) :]]
    return "\n".join(
        [
            f"<incast.Table: {found.size}>",
            *("  ".join(cells).rstrip() for cells in lines),
            *([f"and {', '.join(left_out)}"] if left_out else []),
        ]
    )


def _in_lines(column: Column, cut_after: int | None) -> list[str]:
    """The lines of a column, heading first, padded to the same width."""
    cells = list(column.cells)
    if cut_after is not None:
        cells.insert(cut_after, _GAP)
    width = max(map(len, [_heading(column), *cells]))
    lines = [_heading(column), "─" * width, *cells]
    return [each.ljust(width) if column.is_text else each.rjust(width) for each in lines]


def _fitting(found: Sequence[Column], width: int) -> Sequence[Column]:
    """The first columns, as many as fit, but at least one."""
    used = 0
    for place, column in enumerate(found):
        used += max(map(len, [_heading(column), *column.cells])) + 2
        if used - 2 > width and place:
            return found[:place]
    return found


def _heading(column: Column) -> str:
    return f"{column.name} ({column.unit})" if column.unit else column.name


def _column(name: str, values: _Values) -> Column:
    import numpy as np

    if values.dtype.kind in "OU":
        return Column(name, "", is_text=True, cells=values.tolist())
    one, quantity = next(
        (found for ending, found in _QUANTITIES.items() if name.endswith(ending)), (1.0, "")
    )
    if not quantity and values.dtype.kind in "iu":
        return Column(name, "", is_text=False, cells=[str(value) for value in values.tolist()])
    found = values[np.isfinite(values)] * one
    largest = float(np.abs(found).max()) if len(found) else 0.0
    scale, unit = common_unit(quantity, largest) if largest else (1.0, "")
    decimals = _decimals(found / scale)
    shown = values * one / scale
    cells = [f"{each:.{decimals}f}" if math.isfinite(each) else _MISSING for each in shown.tolist()]
    return Column(name, unit, is_text=False, cells=cells)


def _decimals(values: _Values) -> int:
    """The fewest decimals that show all significant digits of the largest number."""
    largest = float(abs(values).max()) if len(values) else 0.0
    if not largest:
        return 0
    most = min(max(_SIGNIFICANT - 1 - math.floor(math.log10(largest)), 0), 9)
    exact = values.round(most)
    return next(places for places in range(most + 1) if (values.round(places) == exact).all())
