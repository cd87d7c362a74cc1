"""Rows of what was measured, a row for each size, and what tells them apart."""

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
"""Columns of CSV and dataset."""

_ROUNDING = 1e-9
"""The relative rounding error of floating-point numbers."""


@dataclass(frozen=True)
class BandwidthTest:
    """What is measured."""

    operation: str
    ranks: int
    network: str
    datatype: str
    redop: str
    root: int
    """Rank; −1 where there is none, as in nccl-tests."""
    iterations: int
    warmup: int


@dataclass(frozen=True)
class BandwidthRow:
    """One size. Numbers are NaN if the run did not get to the end."""

    algorithm: str
    cc: str
    size_bytes: int
    count: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float
    failure: str = ""
    path: CriticalPath | None = None
    """What held up the end; none if there is no number, or it was not recorded."""

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
            way: Algorithm and congestion control.
            data: Bytes and elements.
            picoseconds: Of one operation; NaN if the run did not get to the end.
            bus_factor: Bus bandwidth over algorithm bandwidth.
            failure: Why it failed; empty if it did not.
        """
        bandwidth = data[0] / picoseconds * 1e3
        return cls(*way, *data, picoseconds / 1e6, bandwidth, bandwidth * bus_factor, failure)

    def unless_impossible(self, name: str, payload_gb_per_s: float) -> BandwidthRow:
        """The row; if its bus bandwidth passes what the slowest NIC can send, an invariant of the
        model does not hold: then a failure, without numbers.

        Args:
            name: Of the run.
            payload_gb_per_s: What the slowest host can send of payload.
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
        """By column; missing ones are none."""
        return {name: present(getattr(self, name)) for name in _NUMBERS}


@dataclass(frozen=True)
class Bandwidths:
    """All that was measured."""

    test: BandwidthTest
    rows: Sequence[BandwidthRow]
    payload_gb_per_s: float
    """What the slowest host can send of payload; NaN if no run has ended."""
    left_out: Sequence[int]
    """Sizes that round to nothing."""
    scenario: str
    """That of the first run, with every default filled in."""

    @cached_property
    def series(self) -> dict[str, list[BandwidthRow]]:
        """Rows by what tells them apart: algorithm, congestion control, or both."""
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
        """Mean bus bandwidth over sizes that have one, by series."""
        return {label: _mean(rows) for label, rows in self.series.items()}

    def failures(self) -> dict[str, str]:
        """Why runs failed, by their labels."""
        return {
            f"{row.algorithm}, {row.cc}, {row.size_bytes} B": row.failure
            for row in self.rows
            if row.failure
        }

    def notes(self) -> list[str]:
        """What is missing, in sentences."""
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
        """Rows by column."""
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
    """A number, or none."""
    return None if math.isnan(value) else value


def _mean(rows: Sequence[BandwidthRow]) -> float:
    found = [row.busbw_gb_per_s for row in rows if not math.isnan(row.busbw_gb_per_s)]
    return sum(found) / len(found) if found else math.nan
