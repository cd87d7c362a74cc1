"""Ratios to a baseline, paired by seed, in words: for comparisons over seeds and for sweeps."""

from __future__ import annotations

from collections.abc import Sequence

from incast.measure.paired import FEWEST_SEEDS, MOST_SEEDS, PairedRatio
from incast.present.baseline import Better, difference_text, ink_of
from incast.present.terminal import Ink, Inked
from incast.present.units import count_text, percent_text, plural

__all__ = [
    "DIFFERENCE",
    "ONE_DOES",
    "interval_text",
    "note",
    "of_fewer",
    "ratio_text",
    "seeds_text",
    "verdict",
]

ONE_DOES = "One seed is enough; `jitter` in `[[traffic]]` draws starts at random."
"""The advice if all seeds give the same results."""
DIFFERENCE = 0.05
"""Default of the relative difference that matters."""


def ratio_text(found: PairedRatio) -> str:
    """A ratio as a difference: ``+5.5 %``; ``–`` if there is no ratio."""
    return difference_text(found.ratio) if found.ratio == found.ratio else "–"


def interval_text(found: PairedRatio) -> str:
    """The interval, such as ``[+3.5 %, +7.6 %]``; empty if seeds are too few, or make no
    difference.
    """
    if not found.has_interval or found.alike:
        return ""
    return f"[{difference_text(found.low)}, {difference_text(found.high)}]"


def verdict(found: PairedRatio, better: Better, difference: float = DIFFERENCE) -> str:
    """The verdict: ``different``, or ``not told apart; 12 would find 5 %``. A difference is
    coloured if lower or higher is better.
    """
    if not found.seeds:
        return "cut with every seed" if found.cut else "no seed has both numbers"
    if found.equal and found.seeds > 1:
        return "equal with every seed"
    if found.zeros:
        what = "negative or infinite" if found.beyond else "0"
        seeds = f"{count_text(found.beyond or found.zeros)} of {plural(found.seeds, 'seed')}"
        return f"no ratio: one is {what} in {seeds}"
    if found.seeds == 1:
        return "one seed: no interval"
    if not found.has_interval and not found.alike:
        return f"no interval of fewer than {FEWEST_SEEDS} seeds"
    if found.cut:
        return Inked("not told apart: cut", Ink.FAINT)
    if found.is_different or found.alike:
        told = "the same difference with every seed" if found.alike else "different"
        ink = ink_of(better, found.ratio)
        return Inked(told, ink) if ink else told
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


def of_fewer(found: PairedRatio, told: str, most: int) -> str:
    """The text, with the number of seeds if some lack the number."""
    text = f"{told} (of {plural(found.seeds, 'seed')})" if 0 < found.seeds < most else told
    return Inked(text, told.ink) if isinstance(told, Inked) else text


def seeds_text(seeds: Sequence[int]) -> str:
    """Seeds as text: ``seed 3``, ``seeds 1 to 5``, ``seeds 1, 2, 7``."""
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"seeds {seeds[0]} to {seeds[-1]}"
    return f"seeds {', '.join(map(str, seeds))}"


def note(difference: float = DIFFERENCE) -> str:
    """The meaning of the words in the listing, in a few sentences."""
    share = percent_text(difference)
    return (
        "Ratios are geometric means over seeds: runs of one seed have the same flows, if their "
        "traffic is the same. In brackets: Student's 95 % interval of the logarithms of the "
        "ratios. Each is for one number alone: of 20 numbers without a difference, one is told "
        f"different by chance. “N would find {share}”: so many seeds, those here among them, find "
        f"a true difference of {share} in 80 of 100 cases."
    )
