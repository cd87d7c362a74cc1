"""The result of a comparison with uet-htsim: outcomes of experiments, and one verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from incast.validate import uet_listing
from incast.validate.uet_outcome import ExactOutcome, SeededOutcome

__all__ = ["UetValidation"]


@dataclass(frozen=True)
class UetValidation:
    """The outcome of all experiments."""

    exact: list[ExactOutcome]
    seeded: list[SeededOutcome]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether all results agree with the recordings."""
        exact = all(outcome.passed for outcome in self.exact)
        return exact and all(outcome.passed for outcome in self.seeded)

    def table(self) -> str:
        """The validation as text for a terminal."""
        return uet_listing.validation(self.exact, self.seeded, self.seconds, self.passed)

    def __str__(self) -> str:
        return self.table()

    def to_dict(self) -> dict[str, Any]:
        """The validation as plain numbers and lists, for JSON."""
        exact = [{**asdict(each), "passed": each.passed} for each in self.exact]
        seeded = [
            {
                "name": each.name,
                "passed": each.passed,
                "quantities": [{**asdict(q), "passed": q.passed} for q in each.quantities],
            }
            for each in self.seeded
        ]
        return {"exact": exact, "seeded": seeded, "seconds": self.seconds, "passed": self.passed}
