"""The scoreboard: claims of a paper, measured values, verdicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from incast.measure.statistics import Average
from incast.papers.framework.explanation import written
from incast.papers.framework.paper import Claim, Figure, Measured, Runs, Scale, Values

__all__ = ["Row", "Scoreboard", "Verdict", "judged"]


class Verdict(Enum):
    """Verdict on a claim."""

    HOLDS = "holds"
    TREND = "trend only"
    FAILS = "does not hold"
    NEEDS_FULL = "needs --full"
    NOT_RUN = "run failed"

    @classmethod
    def of(cls, claim: Claim, measured: Measured) -> Verdict:
        """The verdict on a claim, given these values."""
        values = _means(measured)
        if claim.holds(values):
            return cls.HOLDS
        return cls.TREND if claim.trend and claim.trend(values) else cls.FAILS


@dataclass(frozen=True)
class Row:
    """One claim, judged."""

    claim: Claim
    figure: Figure
    verdict: Verdict
    values: Measured
    note: str = ""
    """Remarks for the reader: of a claim that does not hold, our best explanation; of one that
    could not be judged, the reason.
    """

    @property
    def where(self) -> str:
        """Place of the claim in the paper."""
        return self.claim.where or self.figure.where

    @property
    def measured(self) -> str:
        """The measured values as text, averages with half of their 95 % interval."""
        show = self.claim.show
        texts = {label: _text(show, value) for label, value in self.values.items()}
        return (
            "; ".join(f"{label}: {text}" if label else text for label, text in texts.items()) or "–"
        )

    def to_dict(self) -> dict[str, Any]:
        """The row for programs; numbers unrounded. `half_width` is that of 95 % intervals, of
        those values that are averages.
        """
        means = _means(self.values)
        return {
            "id": self.claim.id,
            "figure": self.figure.id,
            "where": self.where,
            "kind": self.claim.kind.value,
            "claim": self.claim.says,
            "claimed": self.claim.claimed,
            "measured": {label: _number(value) for label, value in means.items()},
            "half_width": {
                label: _number(value.half_width)
                for label, value in self.values.items()
                if isinstance(value, Average)
            },
            "measured_text": self.measured,
            "tolerance": self.claim.tolerance,
            "verdict": self.verdict.value,
            "note": self.note,
        }


@dataclass(frozen=True)
class Scoreboard:
    """All claims of a paper, judged."""

    rows: Sequence[Row]

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Number of rows by verdict."""
        return Counter(row.verdict for row in self.rows)

    @property
    def sentence(self) -> str:
        """The counts in words."""
        counts = self.counts
        parts = [f"{counts[each]} {_IN_WORDS[each]}" for each in Verdict if counts[each]]
        return f"{len(self.rows)} claims: {', '.join(parts)}" if parts else "no claims"

    def of(self, figure: Figure) -> list[Row]:
        """The rows of one figure."""
        return [row for row in self.rows if row.figure is figure]


_IN_WORDS = {
    Verdict.HOLDS: "hold",
    Verdict.TREND: "hold as a trend only",
    Verdict.FAILS: "do not hold",
    Verdict.NEEDS_FULL: "need --full",
    Verdict.NOT_RUN: "could not be judged because a run failed",
}


def judged(figure: Figure, runs: Runs, scale: Scale, failures: Sequence[str]) -> list[Row]:
    """The claims of a figure, given its runs or their failures."""
    if failures:
        reason = "; ".join(failures)
        return [Row(claim, figure, Verdict.NOT_RUN, {}, reason) for claim in figure.claims]
    return [_judged(claim, figure, runs, scale) for claim in figure.claims]


def _judged(claim: Claim, figure: Figure, runs: Runs, scale: Scale) -> Row:
    values = claim.measure(runs)
    full = scale is Scale.FULL
    verdict = Verdict.of(claim, values) if full or not claim.full_only else Verdict.NEEDS_FULL
    texts = [claim.note]
    if verdict in (Verdict.TREND, Verdict.FAILS):
        texts.insert(0, claim.explanation)
    own_size = full or not figure.scaled
    notes = [written(text, runs, own_size=own_size) for text in texts]
    return Row(claim, figure, verdict, values, " ".join(filter(None, notes)))


def _means(measured: Measured) -> Values:
    return {
        label: value.mean if isinstance(value, Average) else value
        for label, value in measured.items()
    }


def _text(show: Any, value: float | Average) -> str:
    if isinstance(value, Average):
        mean = _text(show, value.mean)
        # Of one run there is no interval, and one that cannot be seen needs no words.
        width = "" if math.isnan(value.half_width) else str(show(value.half_width))
        return f"{mean} ± {width}" if width and width != str(show(0.0)) else mean
    if math.isnan(value):
        return "–"
    return "never" if math.isinf(value) else str(show(value))


def _number(value: float) -> float | str | None:
    """JSON has no infinity."""
    return None if math.isnan(value) else "never" if math.isinf(value) else float(value)
