"""Variations of a claim: the same measure and the same rule on other runs.

A row is one choice among those that a paper leaves open, or that were ours. A variation names
another one, and says which runs take the place of which. Nothing else of the claim changes, so
that a reader who doubts a choice sees what it decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast.measure.run import Runs

__all__ = ["Variation", "varied"]

_ENDS = (" #", " [", ", ")
"""What a label may go on with, if with anything: a seed (``seeds.py``), a reading
(``readings.py``), a place or a rate.
"""


@dataclass(frozen=True)
class Variation:
    """Another choice, with runs of its own."""

    name: str
    """The choice in words."""
    swaps: Mapping[str, str]
    """Labels of the runs that the claim sees, and of those that it sees instead: without seeds,
    readings and places, which both share.
    """

    def seen(self, runs: Runs) -> Runs:
        """The runs as a claim sees them under this variation."""
        return {label: runs.get(self.replaced(label), run) for label, run in runs.items()}

    def replaced(self, label: str) -> str:
        """The label of the run that takes the place of this one; the same if none does."""
        for old, new in self.swaps.items():
            rest = label.removeprefix(old)
            if label == old or (rest != label and rest.startswith(_ENDS)):
                return f"{new}{rest if label != old else ''}"
        return label


def varied(name: str, labels: Sequence[str]) -> Variation:
    """A variation whose runs have the labels of the claim, and its name in brackets."""
    return Variation(name, {label: f"{label} [{name}]" for label in labels})
