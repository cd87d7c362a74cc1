"""Variations of a claim: the same measure and the same rule on other runs.

A row is judged under one choice, where the paper or we could have chosen otherwise. A variation is
another choice, which replaces some runs by others. Nothing else of the claim changes, so that
readers see the effect of the choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast.measure.run import Runs
from incast.present.units import plural

__all__ = ["Variation", "varied"]

_SEED, _READING, _PLACE = " #", " [", ", "
"""Separators after which a label may go on: with a seed (``seeds.py``), a reading
(``readings.py``), or a place or rate.
"""


@dataclass(frozen=True)
class Variation:
    """Another choice, with its own runs."""

    name: str
    """The choice in words."""
    swaps: Mapping[str, str]
    """Labels of the runs that the claim sees, each with the label of the run that replaces it.
    Seeds, readings and places are left out, as both labels share them.
    """
    seeds: int = 0
    """The number of seeds, if fewer than the row has."""
    hides: Sequence[str] = ()
    """Labels of runs that the row shows for comparison, and that this variation leaves out."""
    exact: bool = False
    """Whether a label followed by a place or a rate counts as another label."""

    @property
    def title(self) -> str:
        """The name of the variation, with the number of seeds if it differs from the row's."""
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
        """Whether a run has a seed that the variation does not have."""
        _, mark, seed = label.rpartition(_SEED)
        return bool(self.seeds and mark) and int(seed.partition(" ")[0]) > self.seeds

    def replaced(self, label: str) -> str:
        """The label of the run that replaces this one; the same label if none does."""
        for old, new in self.swaps.items():
            if _is_of(label, old, exact=self.exact):
                return f"{new}{label.removeprefix(old)}"
        return label


def _is_of(label: str, base: str, *, exact: bool = False) -> bool:
    """Whether a label is `base`, possibly followed by a seed or a reading or, unless `exact`, by a
    place.
    """
    ends = (_SEED, _READING) if exact else (_SEED, _READING, _PLACE)
    return label == base or label.startswith(tuple(f"{base}{end}" for end in ends))


def varied(name: str, labels: Sequence[str]) -> Variation:
    """A variation whose runs have the labels of the claim, followed by its name in brackets."""
    return Variation(name, {label: f"{label} [{name}]" for label in labels})
