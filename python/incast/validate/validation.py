"""The result of a validation: outcomes of experiments, and one verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from incast.validate import listing
from incast.validate.outcome import Outcome

__all__ = ["Validation"]


@dataclass(frozen=True)
class Validation:
    """The outcomes of all experiments of a validation."""

    outcomes: list[Outcome]
    seconds: float
    artifact_packet_hops_per_cpu_second: dict[str, float]
    """The artifact's own speed, by kind of network."""

    @property
    def passed(self) -> bool:
        """Whether at least one experiment was run, and all are within tolerance."""
        run = [outcome for outcome in self.outcomes if outcome.not_run is None]
        return bool(run) and all(outcome.passed for outcome in run)

    def table(self) -> str:
        """The validation as text for a terminal."""
        return listing.validation(
            self.outcomes, self.seconds, self.artifact_packet_hops_per_cpu_second, self.passed
        )

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """The validation as plain numbers and lists, for JSON."""
        outcomes = [
            {**asdict(outcome), "passed": outcome.passed if outcome.not_run is None else None}
            for outcome in self.outcomes
        ]
        return {**asdict(self), "outcomes": outcomes, "passed": self.passed}
