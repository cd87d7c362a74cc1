"""The measured bandwidths for users: table, CSV, charts."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.collectives.rows import COLUMNS, BandwidthRow, Bandwidths, BandwidthTest, present
from incast.errors import ColumnError, ResultsError
from incast.files import checked_path, write_whole
from incast.names import hint

if TYPE_CHECKING:
    import numpy as np
    import pyarrow
    from matplotlib.figure import Figure

    from incast.present.charts import Chart

__all__ = ["NcclTests"]


class NcclTests:
    """Bandwidth of a collective over the size of its data, as nccl-tests defines it.

    ``tests["busbw_gb_per_s"]`` is a column as a NumPy array, with a value for each row;
    ``print(tests)`` prints the table, a notebook shows it with the chart.
    """

    def __init__(self, found: Bandwidths) -> None:
        self._found = found

    @property
    def test(self) -> BandwidthTest:
        """The test: ``operation``, ``ranks``, ``network``, ``datatype``, ``redop``, ``root``,
        ``iterations`` and ``warmup``.
        """
        return self._found.test

    @property
    def rows(self) -> list[BandwidthRow]:
        """The rows, ordered by algorithm, congestion control and size. A row has ``algorithm``,
        ``cc``, ``size_bytes``, ``count``, ``time_us``, ``algbw_gb_per_s``, ``busbw_gb_per_s`` (10^9
        bytes per second; NaN if the run did not complete), ``failure``, empty if the run succeeded,
        and ``path``, the critical path of its messages.
        """
        return list(self._found.rows)

    @property
    def series(self) -> dict[str, list[BandwidthRow]]:
        """Rows by algorithm, congestion control, or both, depending on which differ."""
        return self._found.series

    @property
    def payload_gb_per_s(self) -> float:
        """Payload rate of the slowest host, all NICs together, with full packets without telemetry.
        It is an upper bound on bus bandwidths. NaN if no run has completed.
        """
        return self._found.payload_gb_per_s

    @property
    def average_busbw_gb_per_s(self) -> dict[str, float]:
        """Mean bus bandwidth over all sizes, by series, as in the last line of nccl-tests'
        output.
        """
        return self._found.averages()

    @property
    def left_out(self) -> list[int]:
        """Sizes in bytes that were asked for, and are rounded down to nothing."""
        return list(self._found.left_out)

    @property
    def failures(self) -> dict[str, str]:
        """For each failed run, by its label, the reason."""
        return self._found.failures()

    @property
    def notes(self) -> list[str]:
        """Notes on what is missing in the table, in sentences."""
        return self._found.notes()

    @property
    def dataset(self) -> pyarrow.Table:
        """A row for each size, algorithm and congestion control. An Arrow table:
        ``polars.DataFrame(tests.dataset)``, ``tests.dataset.to_pandas()``.
        """
        import pyarrow

        rows = self._found.records()
        return pyarrow.table({name: [row[name] for row in rows] for name in COLUMNS})

    def table(self) -> str:
        """The table of nccl-tests as text, for a terminal; several series are side by side."""
        from incast.collectives import listing

        return listing.table(self._found)

    def to_csv(self, file: str | Path | None = None) -> str:
        """Gives the rows as CSV, and writes them to a file if one is given.

        Raises:
            ResultsError: The file cannot be written.
        """
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._found.records())
        if file is not None:
            target = checked_path(file)
            try:
                write_whole(target, text.getvalue())
            except OSError as error:
                raise ResultsError.unwritable(target, error) from None
        return text.getvalue()

    def report(self, file: str | Path) -> Path:
        """Writes a self-contained HTML file with charts and table, and gives the file's path.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.collectives import page

        target = checked_path(file)
        try:
            write_whole(target, page.page(self._found))
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        return target

    def chart(self, name: str = "busbw") -> Chart:
        """A chart as data: ``busbw``, bus bandwidth over size, or ``time``.

        Raises:
            ResultsError: There is no such chart.
        """
        from incast.collectives import charts

        if name not in charts.CHARTS:
            what = f"there is no chart `{name}` of collectives"
            raise ResultsError(what, hint=hint(name, charts.CHARTS))
        return charts.CHARTS[name](self._found)

    def plot(self, name: str = "busbw") -> Figure:
        """A chart as a matplotlib figure of a journal's column width.

        Args:
            name: ``busbw``, bus bandwidth over size, or ``time``.

        Raises:
            ResultsError: There is no such chart.
        """
        from incast.present import matplotlib

        return matplotlib.draw(self.chart(name))

    def to_dict(self) -> dict[str, Any]:
        """All measured numbers, for programs. Missing numbers are ``None``."""
        from incast.collectives import held_up

        means = self.average_busbw_gb_per_s
        return {
            "operation": self.test.operation,
            "ranks": self.test.ranks,
            "network": self.test.network,
            "type": self.test.datatype,
            "redop": self.test.redop,
            "root": self.test.root,
            "iterations": self.test.iterations,
            "warmup": self.test.warmup,
            "payload_gb_per_s": present(self.payload_gb_per_s),
            "failures": self.failures,
            "series": [
                {
                    "label": label,
                    "algorithm": rows[0].algorithm,
                    "cc": rows[0].cc,
                    "average_busbw_gb_per_s": present(means[label]),
                    "rows": [
                        {**row.numbers(), "critical_path": held_up.facts(row.path)} for row in rows
                    ],
                }
                for label, rows in self.series.items()
            ],
        }

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column of the dataset as a NumPy array, with a value for each row; NaN where a run has
        no such number.

        Raises:
            ColumnError: There is no such column.
        """
        import numpy as np

        if column not in COLUMNS:
            what = f"there is no column `{column}`"
            raise ColumnError(what, hint=hint(str(column), COLUMNS))
        values = [row[column] for row in self._found.records()]
        return np.array([math.nan if value is None else value for value in values])

    # Without this, `iter` would fall back to `__getitem__` with 0, 1, 2, …
    __iter__ = None

    def __repr__(self) -> str:
        test = self.test
        return f"<incast.NcclTests: {test.operation}, {test.ranks} ranks, {len(self.rows)} rows>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """The table and the chart, for a notebook."""
        from incast.collectives import page

        return page.in_notebook(self._found)
