"""The table of nccl-tests as text, for the terminal and for notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from incast.collectives import held_up
from incast.collectives.rows import BandwidthRow, Bandwidths
from incast.present.columns import columns
from incast.present.terminal import filled
from incast.present.units import plural

__all__ = ["averages", "cells", "head", "header", "table"]


def table(measured: Bandwidths) -> str:
    """The heading, the rows and the mean bus bandwidths."""
    alone = len(measured.series) == 1
    rows = cells(measured)
    names = header(measured)
    if not alone:
        # If the table is split into several blocks, the first column is repeated, which needs it to
        # be text.
        width = max(len(row[0]) for row in [names, *rows])
        rows = [[row[0].rjust(width), *row[1:]] for row in rows]
    lines = [filled(line) for line in head(measured)]
    found = columns(names, rows, text=0 if alone else 1)
    return "\n".join([*lines, "", found, "", *averages(measured), *_held_up(measured)])


def _held_up(measured: Bandwidths) -> list[str]:
    found = [filled(each, first="  ", indent="    ") for each in held_up.sentences(measured)]
    return ["", filled(held_up.heading(measured)), *found] if found else []


def head(measured: Bandwidths) -> list[str]:
    """The header of the table: the operation, the network and the ranks."""
    test = measured.test
    algorithms = list(dict.fromkeys(row.algorithm for row in measured.rows))
    controls = list(dict.fromkeys(row.cc for row in measured.rows))
    timed = plural(test.iterations, "operation")
    warm = f" after {test.warmup} for warm-up" if test.warmup else ""
    lines = [
        f"{test.operation} ({', '.join(algorithms)}), {plural(test.ranks, 'rank')}, "
        f"{', '.join(controls)}; {timed} of each size{warm}",
        f"network: {test.network}",
    ]
    if not math.isnan(measured.payload_gb_per_s):
        lines.append(f"payload rate of a host: {measured.payload_gb_per_s:.2f} GB/s (10^9 bytes)")
    return lines


def header(measured: Bandwidths) -> list[str]:
    """Names of the columns: those of nccl-tests, or size and count, and two columns for each
    series.
    """
    if len(measured.series) == 1:
        kinds = ["type", "redop", "root"]
        return ["size (B)", "count (elements)", *kinds, "time (us)", _ALGBW, _BUSBW]
    pairs = ([f"{label} time (us)", f"{label} {_BUSBW}"] for label in measured.series)
    return ["size (B)", "count (elements)", *(name for pair in pairs for name in pair)]


_ALGBW, _BUSBW = "algbw (GB/s)", "busbw (GB/s)"


def cells(measured: Bandwidths) -> list[list[str]]:
    """A row for each size."""
    series = list(measured.series.values())
    if len(series) > 1:
        return [
            [
                str(alike[0].size_bytes),
                str(alike[0].count),
                *(text for row in alike for text in (_time(row.time_us), _rate(row))),
            ]
            for alike in zip(*series, strict=True)
        ]
    test = measured.test
    return [
        [
            str(row.size_bytes),
            str(row.count),
            test.datatype,
            test.redop,
            str(test.root),
            _time(row.time_us),
            _number(row.algbw_gb_per_s),
            _rate(row),
        ]
        for row in measured.rows
    ]


def averages(measured: Bandwidths) -> list[str]:
    """The last line of nccl-tests' output, for each series."""
    alone = len(measured.series) == 1
    return [
        f"Avg bus bandwidth: {_number(mean)} GB/s" + ("" if alone else f" [{label}]")
        for label, mean in measured.averages().items()
    ]


def _rate(row: BandwidthRow) -> str:
    return _number(row.busbw_gb_per_s)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _time(microseconds: float) -> str:
    """A time with as many decimals as nccl-tests shows."""
    if math.isnan(microseconds):
        return "–"
    decimals: Sequence[tuple[float, int]] = ((10000, 0), (100, 1), (0, 2))
    return f"{microseconds:.{next(n for least, n in decimals if microseconds >= least)}f}"
