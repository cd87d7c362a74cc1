"""Notes and explanations of claims, and the sources of their numbers.

A text quotes numbers in one of three ways, so that no number outlives the engine that it came from:

- settings, and arithmetic on them, stand in plain words (``str``);
- numbers that the figure's own runs have are taken from them, by a function of the runs;
- other measured numbers, from runs that are not the figure's or by means that are not the
  program's, stand in a :class:`Recorded` text, beside the fingerprints of runs of the figure that
  the same engine made. Where a run's fingerprint differs, the text says that it was measured on
  another version.

A text with values is a tuple of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from incast.measure.run import Runs

__all__ = ["OTHER_SIZE", "OTHER_VERSION", "Recorded", "Text", "written"]

OTHER_VERSION = "(Measured on another version.)"
OTHER_SIZE = "(Measured at the paper's own size.)"


@dataclass(frozen=True)
class Recorded:
    """A text with numbers that were measured once."""

    text: str
    fingerprints: Mapping[str, str]
    """For runs of the figure at the paper's own size, by label: their fingerprints at that time."""

    def on(self, runs: Runs, *, own_size: bool) -> str:
        """The text, with a remark unless these runs confirm that its numbers still hold.

        Args:
            runs: The runs of the figure, by label.
            own_size: Whether the runs are at the paper's own size.
        """
        found = {label: run.fingerprint for label, run in runs.items()}
        if self.fingerprints.items() <= found.items():
            return self.text
        return f"{self.text} {OTHER_VERSION if own_size else OTHER_SIZE}"


Text: TypeAlias = "str | Callable[[Runs], str] | Recorded | tuple[Text, ...]"


def written(text: Text, runs: Runs, *, own_size: bool) -> str:
    """The text as a string, with its values filled in."""
    match text:
        case str():
            return text
        case Recorded():
            return text.on(runs, own_size=own_size)
        case tuple():
            return "".join(written(part, runs, own_size=own_size) for part in text).strip()
    return text(runs)
