"""The rows of a test, one for each size, and their grouping into series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from incast.measure.critical_path import CriticalPath
from incast.present.units import plural

__all__ = ["COLUMNS", "BandwidthRow", "BandwidthTest", "Bandwidths", "present"]

_NUMBERS = ("size_bytes", "count", "time_us", "algbw_gb_per_s", "busbw_gb_per_s")
COLUMNS = ("operation", "algorithm", "cc", "ranks", "type", "redop", "root", *_NUMBERS)
"""Columns of the CSV file and of the dataset."""

_ROUNDING = 1e-9
"""Relative rounding error that floating-point numbers may have."""


@dataclass(frozen=True)
class BandwidthTest:
    """The facts of a test that all of its rows share."""

    operation: str
    ranks: int
    network: str
    datatype: str
    redop: str
    root: int
    """The root rank; −1 if the operation has none, as in nccl-tests."""
    iterations: int
    warmup: int


@dataclass(frozen=True)
class BandwidthRow:
    """One measured size. Numbers are NaN if the run did not complete."""

    algorithm: str
    cc: str
    size_bytes: int
    count: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    failure: str = ""
    path: CriticalPath | None = None
    """The critical path; ``None`` if the run did not complete, or the path was not recorded."""

    @classmethod
    def of_time(
        cls,
        way: tuple[str, str],
        data: tuple[int, int],
        picoseconds: float,
        bus_factor: float,
        failure: str,
    ) -> BandwidthRow:
        """The row of a run.

        Args:
            way: The algorithm and the congestion control.
            data: The size in bytes, and the count of elements.
            picoseconds: The time of one operation; NaN if the run did not complete.
            bus_factor: The ratio of bus bandwidth to algorithm bandwidth.
            failure: Why the run failed; empty if it succeeded.
        """
        bandwidth = data[0] / picoseconds * 1e3
        return cls(*way, *data, picoseconds / 1e6, bandwidth, bandwidth * bus_factor, failure)

    def unless_impossible(self, name: str, payload_gb_per_s: float) -> BandwidthRow:
        """The row, or a failure if its bus bandwidth exceeds what the slowest host can send,
        because then an invariant of the model does not hold.

        Args:
            name: The name of the run.
            payload_gb_per_s: The payload rate of the slowest host.
        """
        if not self.busbw_gb_per_s > payload_gb_per_s * (1 + _ROUNDING):
            return self
        what = (
            f"{name}: a bus bandwidth of {self.busbw_gb_per_s:.2f} GB/s passes the payload rate of "
            f"a host, {payload_gb_per_s:.2f} GB/s; this is a defect of incast, please report it"
        )
        none = math.nan
        found = replace(self, failure=what, path=None)
        return replace(found, time_us=none, algbw_gb_per_s=none, busbw_gb_per_s=none)

    def numbers(self) -> Mapping[str, Any]:
        """Numbers by column; missing numbers are ``None``."""
        return {name: present(getattr(self, name)) for name in _NUMBERS}


@dataclass(frozen=True)
class Bandwidths:
    """All rows of a test."""

    test: BandwidthTest
    rows: Sequence[BandwidthRow]
    payload_gb_per_s: float
    """Payload rate of the slowest host; NaN if no run has completed."""
    left_out: Sequence[int]
    """Requested sizes that are rounded down to nothing."""
    scenario: str
    """The scenario of the first run, with every default filled in."""

    @cached_property
    def series(self) -> dict[str, list[BandwidthRow]]:
        """Rows by algorithm, congestion control, or both, depending on which differ."""
        named = {
            "algorithm": len({row.algorithm for row in self.rows}) > 1,
            "cc": len({row.cc for row in self.rows}) > 1,
        }
        found: dict[str, list[BandwidthRow]] = {}
        for row in self.rows:
            parts = [getattr(row, key) for key, differs in named.items() if differs]
            found.setdefault(", ".join(parts) or row.cc, []).append(row)
        return found

    def averages(self) -> dict[str, float]:
        """Mean bus bandwidth over the sizes that have one, by series."""
        return {label: _mean(rows) for label, rows in self.series.items()}

    def failures(self) -> dict[str, str]:
        """For each failed run, by its label, the reason."""
        return {
            f"{row.algorithm}, {row.cc}, {row.size_bytes} B": row.failure
            for row in self.rows
            if row.failure
        }

    def notes(self) -> list[str]:
        """Notes on what is missing, in sentences."""
        notes = []
        if self.left_out:
            what = f"sizes up to {max(self.left_out)} B round to nothing and are left out: "
            each = f"a part for each of {self.test.ranks} ranks is a multiple of 16 B"
            notes.append(what + each)
        cut = [row for row in self.rows if math.isnan(row.time_us) and not row.failure]
        if cut:
            rows = plural(len(cut), "row")
            notes.append(f"{rows} without numbers: the run was stopped before its end")
        return notes

    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts, by column."""
        test = self.test
        return [
            {
                "operation": test.operation,
                "algorithm": row.algorithm,
                "cc": row.cc,
                "ranks": test.ranks,
                "type": test.datatype,
                "redop": test.redop,
                "root": test.root,
                **row.numbers(),
            }
            for row in self.rows
        ]


def present(value: float) -> float | None:
    """The number; ``None`` if it is missing (NaN)."""
    return None if math.isnan(value) else value


def _mean(rows: Sequence[BandwidthRow]) -> float:
    found = [row.busbw_gb_per_s for row in rows if not math.isnan(row.busbw_gb_per_s)]
    return sum(found) / len(found) if found else math.nan
