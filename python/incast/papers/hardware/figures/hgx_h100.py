"""NCCL's ring all-reduce in an HGX-H100."""

from __future__ import annotations

from typing import Any

import numpy as np

from incast.measure.run import Runs
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.panels import Panel
from incast.papers.framework.paper import Figure, RunPlan
from incast.papers.framework.readings import claims_under, labelled, runs_under
from incast.papers.hardware.metrics import MEASURED, MIB, bus_bandwidth, geomean, launched
from incast.papers.hardware.networks import LINE_RATE, ring, ring_at
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, ratio_text

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
    """By how much a time may be misread, as a share of the shortest one."""
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
    """Of each size: our time over the measured one, less 1."""
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
    return Claim(
        f"H01-{gpus}",
        f"time of a ring all-reduce of {gpus} GPUs, 128 MiB to 2 GiB",
        claimed=f"a curve; ASTRA-sim errs by {percent_text(_of(gpus)['astra_sim_error'])} over 29 "
        "sizes from 8 B on",
        metric="geometric mean of errors",
        measure=lambda runs: _geomeans(runs, gpus),
        holds=lambda values: values[_OURS] <= limit and _smaller(values),
        trend=_smaller,
        tolerance=f"{percent_text(limit)}, by which the shortest time may be misread; as a trend, "
        "less than ASTRA-sim's curve over the same sizes",
        kind=Kind.NUMBER,
        show=percent_text,
        note=lambda runs: _listed(runs, gpus),
        explanation="NVLink has packets, too: of 25 GB/s on the wire NCCL reckons with 20.6.",
    )


def _listed(runs: Runs, gpus: int) -> str:
    found = ", ".join(
        f"{size} MiB {error * 100:+.1f} %"
        for size, error in zip(_JUDGED, _errors(runs, gpus), strict=True)
    )
    theirs = ", ".join(f"{error * 100:+.1f} %" for error in _astra_sims_errors(gpus))
    curves = f"Ours: {found}. ASTRA-sim's curve: {theirs}."
    at_line_rate = runs_under(runs, LINE_RATE)
    if not at_line_rate:
        return curves
    line = percent_text(geomean(_errors(at_line_rate, gpus)))
    return (
        f"{curves} From 128 MiB on only the bandwidth is tested, and it is an input: NCCL's own "
        f"{MEASURED['nccl']['nvlink_gb_per_s']:g} GB/s of each of 18 links. ASTRA-sim's "
        f"curve is of 400 GB/s. At the line rate, 450 GB/s, ours errs by {line}. So this tests "
        "NCCL's number and the arithmetic, not a network of packets."
    )


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

FIGURE = Figure(
    id="hgx_h100",
    title="Ring all-reduce in an HGX-H100",
    where="ASTRA-sim's documentation, validation on HGX-H100",
    setup="A GPU is a host behind one link to one switch: 18 links of NVLink 4, 450 GB/s on the "
    "wire, of which 20.6/25 are payload, as NCCL reckons. A step of the ring takes 3.4 µs beside "
    "its bytes, the launch 8.4 µs, as NCCL reckons for its protocol Simple.",
    runs=lambda scale: _plan(),
    charts={f"busbw-{gpus}": _bandwidth(gpus) for gpus in _GPUS},
    claims=[
        *_TIMES,
        *claims_under(LINE_RATE, "line", _TIMES),
        Claim(
            "H02",
            "bus bandwidth of large all-reduces, from 2 to 8 GPUs",
            where="NVIDIA/nccl, issue 1455",
            claimed="about 365 to 370 GB/s",
            metric="bus bandwidth at 2 GiB, GB/s",
            measure=_large,
            holds=lambda values: all(_LOW <= each <= _HIGH for each in values.values()),
            trend=lambda values: all(
                0.95 * _LOW <= each <= 1.05 * _HIGH for each in values.values()
            ),
            tolerance="the range itself; as a trend, 5 % beside it",
            kind=Kind.NUMBER,
            show=ratio_text,
        ),
    ],
)
