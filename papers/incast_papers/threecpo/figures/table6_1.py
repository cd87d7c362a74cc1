"""Table 6.1: the window for each number of initiators, with a scan for 128 endpoints."""

from __future__ import annotations

import numpy as np
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.papers.variations import Variation
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import count_text, percent_text

from incast_papers.threecpo.algorithms import WINDOWS, window
from incast_papers.threecpo.metrics import BANDWIDTH, bandwidth, longest, mean
from incast_papers.threecpo.networks import INITIATORS, all_reduce
from incast_papers.threecpo.words import WORDS

_SCANNED = (1, 2, 3, 4, 5, 8, 12, 24, 48, 96, 128)
_SLOWER = {"write_latency": 180, "link_delay": 5}
"""A reading in which writes also take memory's 180 cycles, and links 5 cycles."""
_ENDPOINTS_128 = 128


def _label(initiators: int, size: int, *, slower: bool = False) -> str:
    return f"{initiators} initiators, window {size}{', slower writes' if slower else ''}"


def _scanned_near(initiators: int) -> list[int]:
    """The window of Table 6.1 and the next windows in the scan."""
    place = _SCANNED.index(WINDOWS[initiators])
    return list(_SCANNED[max(place - 2, 0) : place + 2])


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned = {}
    for initiators in INITIATORS:
        for size in scale.pick(quick=_scanned_near(initiators), full=_SCANNED):
            control = window(size)
            planned[_label(initiators, size)] = all_reduce(control, initiators)
            slower = all_reduce(control, initiators, fabric=_SLOWER)
            planned[_label(initiators, size, slower=True)] = slower
    if scale is Scale.FULL:
        for size in _SCANNED:
            run = all_reduce(window(size), _ENDPOINTS_128, endpoints=_ENDPOINTS_128)
            planned[_label(_ENDPOINTS_128, size)] = run
    return planned


_SLOWER_WRITES = Variation(
    "writes take 180 cycles, links 5",
    {
        _label(initiators, size): _label(initiators, size, slower=True)
        for initiators in INITIATORS
        for size in _SCANNED
    },
    exact=True,
)


def _scan(runs: Runs, initiators: int, *, slower: bool = False) -> dict[int, float]:
    return {
        size: bandwidth(runs[_label(initiators, size, slower=slower)])
        for size in _SCANNED
        if _label(initiators, size, slower=slower) in runs
    }


def _share_of_best(runs: Runs, *, slower: bool) -> Values:
    """The effective bandwidth of Table 6.1's window, relative to the best of the scan."""
    found = {}
    for initiators, size in WINDOWS.items():
        scan = _scan(runs, initiators, slower=slower)
        found[f"{initiators}: {size}"] = scan[size] / max(scan.values()) if scan else np.nan
    return found


def smallest(scan: dict[int, float], share: float) -> int:
    """The smallest window with at least this share of the scan's best effective bandwidth."""
    best = max(scan.values())
    return min(size for size, value in scan.items() if value >= share * best)


def _smallest_for_128(runs: Runs) -> Values:
    scan = _scan(runs, _ENDPOINTS_128)
    if not scan:
        return {"99 % of the best": np.nan}
    return {f"{share:.0%} of the best": smallest(scan, share) for share in (0.98, 0.99)}


def _draw(runs: Runs) -> Chart:
    drawn = []
    counts = [*sorted(INITIATORS), _ENDPOINTS_128]
    for place, initiators in enumerate(counts):
        scan = _scan(runs, initiators)
        if scan:
            x, y = np.array(list(scan), float), np.array(list(scan.values()))
            name = f"{initiators} of {max(initiators, 64)}"
            drawn.append(Curve(name, x, y, place / (len(counts) - 1), group=name))
    chosen = np.array([float(size) for size in WINDOWS.values()])
    reached = np.array([_scan(runs, n)[size] for n, size in WINDOWS.items()])
    drawn.append(Curve("Table 6.1", chosen, reached, 1, mark="dots", group="Table 6.1"))
    return Chart(
        "windows",
        "Effective bandwidth by window",
        Axis("window", Quantity.COUNT, log=True),
        BANDWIDTH,
        drawn,
        note="A curve for each number of initiators, of 64 or 128 endpoints.",
    )


def _draw_latency(runs: Runs) -> Chart:
    sizes = np.array([size for size in _SCANNED if _label(64, size) in runs], float)
    drawn = []
    for colour, (name, metric) in enumerate({"mean": mean, "longest": longest}.items()):
        y = np.array([metric(runs[_label(64, int(size))]) for size in sizes])
        drawn.append(Curve(name, sizes, y, colour, group=name))
    return Chart(
        "latency",
        "Latency by window, 64 initiators",
        Axis("window", Quantity.COUNT, log=True),
        Axis("latency (cycles)", Quantity.COUNT, log=True),
        drawn,
    )


FIGURE = WORDS.figure(
    "table6_1",
    runs=_plan,
    charts={"windows": _draw, "latency": _draw_latency},
    claims=[
        WORDS.claim(
            "G09",
            measure=lambda runs: _share_of_best(runs, slower=False),
            holds=lambda values: all(share >= 0.97 for share in values.values()),
            trend=lambda values: all(share >= 0.9 for share in values.values()),
            show=percent_text,
            variations=[_SLOWER_WRITES],
            distance=lambda values: 1 - min(values.values()),
        ),
        WORDS.claim(
            "G09-slower",
            measure=lambda runs: _share_of_best(runs, slower=True),
            holds=lambda values: all(share >= 0.97 for share in values.values()),
            trend=lambda values: all(share >= 0.9 for share in values.values()),
            show=percent_text,
        ),
        WORDS.claim(
            "G09-128",
            measure=_smallest_for_128,
            holds=lambda values: all(size <= 5 for size in values.values()),
            show=count_text,
        ),
    ],
)
