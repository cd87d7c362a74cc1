"""Schemes of injection control: the dissertation's, and our own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "AIMD",
    "ALONE",
    "BASELINE",
    "COLOURS",
    "PRINTED",
    "REPAIRED",
    "STATIC_64",
    "TUNED",
    "WINDOWS",
    "WINDOW_3",
    "control",
    "window",
]

BASELINE, AIMD = "no control", "AIMD"
WINDOW_3, ALONE = "window of 3", "alone, window"
TUNED, STATIC_64 = "tuned window", "static window of 64"
PRINTED, REPAIRED = "3CPO", "3CPO, repaired"

WINDOWS: Mapping[int, int] = {64: 3, 32: 5, 16: 12, 8: 24, 4: 48, 2: 128, 1: 128}
"""Table 6.1: the tuned window for each number of initiators, among 64 endpoints."""

_SCHEMES: Mapping[str, Mapping[str, Any]] = {
    # Token buckets that are always full, so that only the port limits injection.
    BASELINE: {"scheme": "rate-limit"},
    AIMD: {"scheme": "aimd"},
    PRINTED: {"scheme": "3cpo"},
    REPAIRED: {"scheme": "3cpo-repaired"},
}


def control(label: str, **options: Any) -> dict[str, Any]:
    """The `[control]` section of a scheme."""
    return {**_SCHEMES[label], **options}


def window(size: int) -> dict[str, Any]:
    """The `[control]` section of a static window: limits for reads and for writes."""
    return {"scheme": "window", "window": size}


COLOURS = {
    PRINTED: 0,
    BASELINE: 1,
    TUNED: 2,
    WINDOW_3: 2,
    AIMD: 3,
    STATIC_64: 4,
    ALONE: 4,
    REPAIRED: 5,
}
