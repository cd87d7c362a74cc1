"""Tables of results: columns as NumPy arrays, and Arrow data that other libraries take over.

``table["fct_ps"]`` is a column. ``pyarrow.table(table)``, ``polars.DataFrame(table)`` and DuckDB
(``FROM table``) read a :class:`Table` through the Arrow PyCapsule interface, without copying and
without any library in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from incast.errors import ColumnError, ResultsError
from incast.names import hint

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl

    from incast import _core

__all__ = ["Categories", "Table"]

_T = TypeVar("_T")
_DAMAGED = "it is damaged; run the scenario again, with --force"


class Categories(NamedTuple):
    """A column of text: the distinct texts, and for each row the index of its text."""

    texts: list[str]
    indices: np.ndarray[Any, np.dtype[np.uint32]]

    def are(self, text: str) -> np.ndarray[Any, Any]:
        """For each row whether it has this text."""
        # An index that no row has stands for a text that does not occur.
        place = self.texts.index(text) if text in self.texts else len(self.texts)
        found: np.ndarray[Any, Any] = self.indices == place
        return found


class Table:
    """A table of results, such as the flows of a run.

    ``table["fct_ps"]`` is a column as a NumPy array; names end in their unit: ``_ps``, ``_bytes``,
    ``_bps``. ``len(table)`` is the number of rows, ``for row in table`` gives each as a dict, and
    ``"tenant" in table`` says whether there is such a column. ``pyarrow.table(table)``,
    ``polars.DataFrame(table)``, ``pandas.DataFrame(table)`` and DuckDB (``FROM table``) read it. A
    shell and a notebook show its first and last rows, each column in one unit.
    """

    def __init__(self, core: _core.Table | _Taken, file: Path | None = None) -> None:
        self._core = core
        self._file = file
        # Converted columns, as charts use the same ones again and again.
        self._numbers: dict[str, np.ndarray[Any, Any]] = {}
        self._categories: dict[str, Categories] = {}

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._core.column_names

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column as a NumPy array of ``len(table)`` values; texts are objects. Missing numbers,
        such as the FCT of an unfinished flow, are NaN.

        Raises:
            ColumnError: There is no such column.
        """
        if not isinstance(column, str):
            raise TypeError(
                f"a column is asked for by its name, such as table[{self.columns[0]!r}], not by "
                f"{column!r}; rows are those of `for row in table`"
            )
        if column not in self.columns:
            what = f"the table has no column `{column}`"
            raise ColumnError(what, hint=hint(column, self.columns))
        if not self._is_text(column):
            return self.numbers(column)
        import numpy as np

        texts, indices = self.categories(column)
        # Rows with equal texts share one object, so that each row takes 8 bytes.
        found: np.ndarray[Any, Any] = np.array(texts, dtype=object)[indices]
        return found

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Rows, each a dict of its values by column."""
        names = self.columns
        values = zip(*(self[name].tolist() for name in names), strict=True)
        return (dict(zip(names, row, strict=True)) for row in values)

    def __repr__(self) -> str:
        from incast.present import preview

        return preview.text(self)

    def _repr_html_(self) -> str:
        """The first and the last rows, for a notebook."""
        from incast.present.notebook.table import html

        return html(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._core.__arrow_c_schema__()

    def head(self, rows: int) -> Table:
        """The first rows, without copying them."""
        return self if rows >= len(self) else Table(self._core.head(rows), self._file)

    def take(self, rows: Sequence[int] | np.ndarray[Any, Any]) -> Table:
        """Some rows, in the order given.

        Args:
            rows: The numbers of the rows, counted from 0.
        """
        return Table(_Taken(self._core, rows), self._file)

    def numbers(self, column: str) -> np.ndarray[Any, Any]:
        """A column of numbers, read-only. If some are missing, they are NaN and the column holds
        floats.

        Raises:
            ResultsError: The column holds text, or the file lacks it, and so is damaged.
        """
        if column not in self._numbers:
            self._numbers[column] = self._column(self._converted, column)
        return self._numbers[column]

    def _converted(self, column: str) -> np.ndarray[Any, Any]:
        import numpy as np

        code, values = self._core.numbers(column)
        return np.frombuffer(values, dtype=code)

    def categories(self, column: str) -> Categories:
        """A column of text as numbers: the distinct texts, and for each row the index of its text.
        ``table[column]`` has the texts themselves.

        Raises:
            ResultsError: The column holds numbers, or the file lacks it, and so is damaged.
        """
        import numpy as np

        if column not in self._categories:
            texts, indices = self._column(self._core.categories, column)
            self._categories[column] = Categories(texts, np.frombuffer(indices, dtype="<u4"))
        return self._categories[column]

    def refuse(self, wrong: np.ndarray[Any, Any], column: str, what: str) -> None:
        """Refuses a table in which a column's values contradict the rest of the results.

        Args:
            wrong: For each row, whether its value is wrong.
            column: The column.
            what: What is wrong, for the error.

        Raises:
            ResultsError: A row is wrong.
        """
        if wrong.any():
            raise self.error(f"column {column}, row {wrong.argmax()} (counted from 0): {what}")

    def error(self, what: str) -> ResultsError:
        """The error for a damaged table."""
        file = None if self._file is None else str(self._file)
        return ResultsError(what, file=file, hint=_DAMAGED)

    def _column(self, read: Callable[[str], _T], column: str) -> _T:
        """Reads a column. A file that lacks it, or has it with another type, is damaged."""
        try:
            return read(column)
        except (KeyError, TypeError) as error:
            if self._file is None:
                raise
            what = f"has no column {column}" if isinstance(error, KeyError) else str(error)
            raise ResultsError(what, file=str(self._file)) from None

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas data frame; text becomes categorical. Needs pandas installed."""
        import pandas as pd

        return pd.DataFrame({column: self._to_pandas_column(column) for column in self.columns})

    def to_polars(self) -> pl.DataFrame:
        """The table as a Polars data frame. Needs Polars installed."""
        import polars as pl

        return pl.DataFrame(self)

    def _to_pandas_column(self, column: str) -> object:
        import pandas as pd

        if not self._is_text(column):
            return self.numbers(column)
        texts, indices = self.categories(column)
        return pd.Categorical.from_codes(indices.astype("i4"), categories=texts)

    def _is_text(self, column: str) -> bool:
        if column not in self._numbers and column not in self._categories:
            try:
                self._numbers[column] = self._converted(column)
            except TypeError:
                return True
        return column not in self._numbers


class _Taken:
    """Some rows of a table, with the methods of the engine's own tables."""

    def __init__(
        self, table: _core.Table | _Taken, rows: Sequence[int] | np.ndarray[Any, Any]
    ) -> None:
        import numpy as np

        self._table, self._rows = table, np.asarray(rows, dtype=np.int64)
        self.column_names: list[str] = table.column_names

    def __len__(self) -> int:
        return len(self._rows)

    def head(self, rows: int) -> _Taken:
        return _Taken(self._table, self._rows[:rows])

    def numbers(self, name: str) -> tuple[str, bytes]:
        code, values = self._table.numbers(name)
        return code, self._of(values, code)

    def categories(self, name: str) -> tuple[list[str], bytes]:
        texts, indices = self._table.categories(name)
        return texts, self._of(indices, "<u4")

    def _of(self, values: bytes, code: str) -> bytes:
        import numpy as np

        return np.frombuffer(values, dtype=code)[self._rows].tobytes()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import pyarrow as pa

        return pa.table(self._table).take(self._rows).__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()
