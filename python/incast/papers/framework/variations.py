"""Variations of a claim: the same measure and the same rule on other runs.

A row is one choice among those that a paper leaves open, or that were ours. A variation names
another one, and says which runs take the place of which. Nothing else of the claim changes, so
that a reader who doubts a choice sees what it decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast.measure.run import Runs
from incast.present.units import plural

__all__ = ["Variation", "varied"]

_SEED, _READING, _PLACE = " #", " [", ", "
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
    seeds: int = 0
    """How many seeds it has, if fewer than the row."""
    hides: Sequence[str] = ()
    """Labels of runs that the row shows for comparison, and that have nothing to do with this."""
    exact: bool = False
    """Whether a label that goes on with a place or a rate is that of another run."""

    @property
    def title(self) -> str:
        """Its name, with the number of seeds if that is not the row's."""
        return f"{self.name} ({plural(self.seeds, 'seed')})" if self.seeds else self.name

    def seen(self, runs: Runs) -> Runs:
        """The runs as a claim sees them under this variation."""
        return {
            label: runs.get(self.replaced(label), run)
            for label, run in runs.items()
            if not (self._is_beyond(label) or self._is_hidden(label))
        }

    def _is_hidden(self, label: str) -> bool:
        return any(_is_of(label, hidden) for hidden in self.hides)

    def _is_beyond(self, label: str) -> bool:
        """Whether this is a run of a seed that the variation does not have."""
        _, mark, seed = label.rpartition(_SEED)
        return bool(self.seeds and mark) and int(seed.partition(" ")[0]) > self.seeds

    def replaced(self, label: str) -> str:
        """The label of the run that takes the place of this one; the same if none does."""
        for old, new in self.swaps.items():
            if _is_of(label, old, exact=self.exact):
                return f"{new}{label.removeprefix(old)}"
        return label


def _is_of(label: str, base: str, *, exact: bool = False) -> bool:
    """Whether a label is this one, for a seed, a reading or, unless it is to be exact, a place."""
    ends = (_SEED, _READING) if exact else (_SEED, _READING, _PLACE)
    return label == base or label.startswith(tuple(f"{base}{end}" for end in ends))


def varied(name: str, labels: Sequence[str]) -> Variation:
    """A variation whose runs have the labels of the claim, and its name in brackets."""
    return Variation(name, {label: f"{label} [{name}]" for label in labels})
