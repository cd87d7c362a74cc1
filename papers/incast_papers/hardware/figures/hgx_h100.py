"""NCCL's ring all-reduce in an HGX-H100."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from incast.measure.run import Runs
from incast.papers.claim import Claim, Measured, Values
from incast.papers.figure import RunPlan
from incast.papers.panels import Panel
from incast.papers.readings import claims_under, labelled, runs_under
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, ratio_text

from incast_papers.hardware.metrics import MEASURED, MIB, bus_bandwidth, geomean, launched
from incast_papers.hardware.networks import LINE_RATE, ring, ring_at
from incast_papers.hardware.words import WORDS

_RING = MEASURED["ring"]
_GPUS = (2, 4, 8)
_JUDGED = tuple(int(size) for size in _RING["sizes_mib"])
_DRAWN = (32, 64, *_JUDGED)
_LOW, _HIGH = _RING["large"]["busbw_gb_per_s"]
_OURS, _ASTRA_SIM, _HARDWARE = "ours", "ASTRA-sim", "hardware"


def _of(gpus: int) -> dict[str, Any]:
    found: dict[str, Any] = _RING["gpus"][str(gpus)]
    return found


def _worst_reading(gpus: int) -> float:
    """The largest error of reading a time from the plot, relative to the shortest time."""
    found = _of(gpus)
    return float(_RING["pixels"] * found["us_per_pixel"] / min(found["hardware_us"]))


def _plan() -> dict[str, RunPlan]:
    return {
        labelled(ring_at(gpus, size), reading): ring(gpus, size, reading)
        for reading, sizes in (("", _DRAWN), (LINE_RATE, _JUDGED))
        for gpus in _GPUS
        for size in sizes
    }


def _errors(runs: Runs, gpus: int) -> list[float]:
    """The relative error of our time, for each size."""
    measured = _of(gpus)["hardware_us"]
    return [
        launched(runs[ring_at(gpus, size)]) * 1e6 / time - 1
        for size, time in zip(_JUDGED, measured, strict=True)
    ]


def _astra_sims_errors(gpus: int) -> list[float]:
    found = _of(gpus)
    pairs = zip(found["astra_sim_us"], found["hardware_us"], strict=True)
    return [theirs / time - 1 for theirs, time in pairs]


def _geomeans(runs: Runs, gpus: int) -> Measured:
    return {
        _OURS: geomean(_errors(runs, gpus)),
        _ASTRA_SIM: geomean(_astra_sims_errors(gpus)),
    }


def _smaller(values: Values) -> bool:
    return values[_OURS] < values[_ASTRA_SIM]


def _time(gpus: int) -> Claim:
    limit = _worst_reading(gpus)
    return WORDS.claim(
        f"H01-{gpus}",
        measure=lambda runs: _geomeans(runs, gpus),
        holds=lambda values: values[_OURS] <= limit and _smaller(values),
        trend=_smaller,
        show=percent_text,
        values={
            "limit": percent_text(limit),
            "published": percent_text(_of(gpus)["astra_sim_error"]),
            "ours": lambda runs: _by_size(runs, gpus),
            "theirs": ", ".join(_in_percent(_astra_sims_errors(gpus))),
            "tested": lambda runs: _tested(runs, gpus),
        },
    )


def _in_percent(errors: Sequence[float]) -> list[str]:
    return [f"{error * 100:+.1f} %" for error in errors]


def _by_size(runs: Runs, gpus: int) -> str:
    errors = zip(_JUDGED, _in_percent(_errors(runs, gpus)), strict=True)
    return ", ".join(f"{size} MiB {error}" for size, error in errors)


_TESTED = WORDS.text("tested_at_line_rate", "line")


def _tested(runs: Runs, gpus: int) -> str:
    """A remark on what the claim tests; empty for the runs at line rate."""
    at_line_rate = runs_under(runs, LINE_RATE)
    if not at_line_rate:
        return ""
    return _TESTED.format(line=percent_text(geomean(_errors(at_line_rate, gpus))))


def _large(runs: Runs) -> Measured:
    return {
        f"{gpus} GPUs": bus_bandwidth(gpus, _JUDGED[-1], launched(runs[ring_at(gpus, _JUDGED[-1])]))
        for gpus in _GPUS
    }


def _bandwidth(gpus: int) -> Panel:
    def draw(runs: Runs) -> Chart:
        found = _of(gpus)
        times = np.array(found["hardware_us"], dtype=float) * 1e-6
        off = _RING["pixels"] * found["us_per_pixel"] * 1e-6
        ends = (_over_sizes(gpus, times + off), _over_sizes(gpus, times - off))
        judged, drawn = _sizes(_JUDGED), _sizes(_DRAWN)
        theirs = np.array(found["astra_sim_us"], dtype=float) * 1e-6
        ours = np.array([launched(runs[ring_at(gpus, size)]) for size in _DRAWN])
        line = [launched(runs[labelled(ring_at(gpus, size), LINE_RATE)]) for size in _JUDGED]
        at_line = _over_sizes(gpus, np.array(line))
        return Chart(
            "busbw",
            f"Ring all-reduce, {gpus} H100 behind NVSwitches",
            Axis("size of data", Quantity.SIZE, log=True),
            Axis("bus bandwidth (GB/s)", Quantity.RATIO, lower=250, upper=450),
            [
                Curve(_OURS, drawn, _over_sizes(gpus, ours, _DRAWN), 0),
                Curve("ours, 25 GB/s of each link", judged, at_line, 5, dash="dotted"),
                Curve(_ASTRA_SIM, judged, _over_sizes(gpus, theirs), 1, dash="dashed"),
                Curve(
                    _HARDWARE,
                    judged,
                    _over_sizes(gpus, times),
                    6,
                    mark="dots",
                    spread=ends,
                ),
            ],
            note="Hardware and ASTRA-sim are read off pictures; bars: how far readings may be off.",
        )

    return draw


def _sizes(mebibytes: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(mebibytes, dtype=float) * MIB


def _over_sizes(
    gpus: int, times: np.ndarray[Any, np.dtype[np.float64]], sizes: tuple[int, ...] = _JUDGED
) -> np.ndarray[Any, np.dtype[np.float64]]:
    pairs = zip(sizes, times, strict=True)
    return np.array([bus_bandwidth(gpus, size, float(time)) for size, time in pairs])


_TIMES = [_time(gpus) for gpus in _GPUS]

FIGURE = WORDS.figure(
    "hgx_h100",
    runs=lambda scale: _plan(),
    charts={f"busbw-{gpus}": _bandwidth(gpus) for gpus in _GPUS},
    claims=[
        *_TIMES,
        *claims_under(LINE_RATE, "line", _TIMES),
        WORDS.claim(
            "H02",
            measure=_large,
            holds=lambda values: all(_LOW <= each <= _HIGH for each in values.values()),
            trend=lambda values: all(
                0.95 * _LOW <= each <= 1.05 * _HIGH for each in values.values()
            ),
            show=ratio_text,
        ),
    ],
)
