"""Ratios to a baseline, paired by seed, in words: for comparisons over seeds and for sweeps."""

from __future__ import annotations

from collections.abc import Sequence

from incast.measure.paired import FEWEST_SEEDS, MOST_SEEDS, PairedRatio
from incast.present.baseline import Better, difference_text, ink_of
from incast.present.terminal import Ink, Inked
from incast.present.units import count_text, percent_text

__all__ = ["DIFFERENCE", "interval_text", "note", "ratio_text", "seeds_text", "verdict"]

DIFFERENCE = 0.05
"""The relative difference that seeds are counted for, unless another is named."""


def ratio_text(found: PairedRatio) -> str:
    """``+5.5 %``; ``–`` where there is no ratio."""
    return difference_text(found.ratio) if found.ratio == found.ratio else "–"


def interval_text(found: PairedRatio) -> str:
    """``[+3.5 %, +7.6 %]``; nothing where there are too few seeds."""
    if not found.has_interval:
        return ""
    return f"[{difference_text(found.low)}, {difference_text(found.high)}]"


def verdict(found: PairedRatio, better: Better, difference: float = DIFFERENCE) -> str:
    """``different``, or ``not told apart; 12 would find 5 %``; in colour where one of two that
    differ is the better one.
    """
    if not found.seeds:
        return "no seed has both numbers"
    if found.equal and found.seeds > 1:
        return "equal with every seed"
    if found.zeros:
        return f"no ratio: one is 0 in {count_text(found.zeros)} of {found.seeds} seeds"
    if found.seeds == 1:
        return "one seed: no interval"
    if not found.has_interval:
        return f"no interval of fewer than {FEWEST_SEEDS} seeds"
    if found.is_different:
        ink = ink_of(better, found.ratio)
        return Inked("different", ink) if ink else "different"
    return Inked(_not_told_apart(found, difference), Ink.FAINT)


def _not_told_apart(found: PairedRatio, difference: float) -> str:
    begin = "not told apart"
    share = percent_text(difference)
    if found.is_within(difference):
        return f"{begin}; within {share}"
    enough = found.seeds_to_tell(difference)
    if enough is None:
        return f"{begin}; more than {count_text(MOST_SEEDS)} would find {share}"
    if enough <= found.seeds:
        return f"{begin}; enough to find {share}"
    return f"{begin}; {count_text(enough)} would find {share}"


def seeds_text(seeds: Sequence[int]) -> str:
    """``seed 3``, ``seeds 1 to 5``, ``seeds 1, 2, 7``."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"seeds {seeds[0]} to {seeds[-1]}"
    return f"seeds {', '.join(map(str, seeds))}"


def note(difference: float = DIFFERENCE) -> str:
    """What the words mean, in a few sentences."""
    share = percent_text(difference)
    return (
        "Ratios are geometric means over seeds: runs of one seed have the same flows, if their "
        "traffic is the same. In brackets: Student's 95 % interval of the logarithms of the "
        "ratios. Each is for one number alone: of 20 numbers without a difference, one is told "
        f"different by chance. “N would find {share}”: so many seeds, those here among them, find "
        f"a true difference of {share} in 80 of 100 cases."
    )
