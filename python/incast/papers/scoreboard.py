"""The scoreboard: claims of a paper, with measured values and verdicts."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from incast.measure.statistics import Average, Median
from incast.papers.claim import Claim, Kind, Measured, Values
from incast.papers.explanation import written
from incast.papers.figure import Figure, Runs, Scale
from incast.papers.mistakes import own_code
from incast.present.units import plural

__all__ = ["Note", "Row", "Scoreboard", "Section", "Tried", "Verdict", "judged", "merged"]


class Verdict(Enum):
    """Verdict on a claim, from best to worst."""

    HOLDS = "holds"
    TREND = "trend only"
    NEEDS_FULL = "needs --full"
    NOT_RUN = "run failed"
    FAILS = "does not hold"

    @classmethod
    def of(cls, claim: Claim, measured: Measured) -> Verdict:
        """The verdict on a claim, given these values."""
        values = _central(measured)
        if claim.holds(values):
            return cls.HOLDS
        return cls.TREND if claim.trend and claim.trend(values) else cls.FAILS

    @classmethod
    def worst(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """The verdict on a claim with several rows, which is the worst."""
        order = list(cls)
        return max(verdicts, key=order.index)


@dataclass(frozen=True)
class Tried:
    """A variation of a claim, with its verdict."""

    name: str
    verdict: Verdict
    values: Measured
    nearest: bool = False
    """Whether the variation is nearer to the claim than all other variations and the row itself."""


@dataclass(frozen=True)
class Row:
    """A claim, or a part of one, with its verdict."""

    claim: Claim
    figure: Figure
    verdict: Verdict
    values: Measured
    notes: Sequence[str] = ()
    """Remarks for readers: the likely reason if a claim does not hold, why a claim could not be
    judged, or the measure that was used before.
    """
    variations: Sequence[Tried] = ()

    @property
    def where(self) -> str:
        """Place of the claim in the paper."""
        return self.claim.where or self.figure.where

    @property
    def note(self) -> str:
        """All remarks about the row."""
        return " ".join(self.notes)

    @property
    def measured(self) -> str:
        """The measured values as text: averages with half of their 95 % interval, medians with
        their range.
        """
        return self.told(self.values)

    def told(self, values: Measured) -> str:
        """Values of this claim, or of a variation, as text."""
        show = self.claim.show
        texts = {label: _text(show, value) for label, value in values.items()}
        return (
            "; ".join(f"{label}: {text}" if label else text for label, text in texts.items()) or "–"
        )

    @property
    def nearest(self) -> Tried | None:
        """The variation nearest to the claim; ``None`` if the row itself is nearest."""
        return next((tried for tried in self.variations if tried.nearest), None)

    def to_dict(self) -> dict[str, Any]:
        """The row for programs, with unrounded numbers. Averages have a `half_width`, that of their
        95 % interval; medians have a `range`, from the lowest to the highest.
        """
        return {
            "id": self.claim.id,
            "number": self.claim.number,
            "figure": self.figure.id,
            "where": self.where,
            "kind": self.claim.kind.value,
            "reading": self.claim.reading,
            "counts": self.claim.kind.counts,
            "claim": self.claim.says,
            "claimed": self.claim.claimed,
            "metric": self.claim.metric,
            **self._measured(self.values),
            "tolerance": self.claim.tolerance,
            "verdict": self.verdict.value,
            "note": self.note,
            "variations": [
                {
                    "name": tried.name,
                    **self._measured(tried.values),
                    "verdict": tried.verdict.value,
                    "nearest": tried.nearest,
                }
                for tried in self.variations
            ],
        }

    def _measured(self, values: Measured) -> dict[str, Any]:
        return {
            "measured": {label: _number(value) for label, value in _central(values).items()},
            "half_width": {
                label: _number(value.half_width)
                for label, value in values.items()
                if isinstance(value, Average)
            },
            "range": {
                label: [_number(value.lowest), _number(value.highest)]
                for label, value in values.items()
                if isinstance(value, Median)
            },
            "measured_text": self.told(values),
        }


@dataclass(frozen=True)
class Section:
    """Rows under a common title."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class Note:
    """A remark, and the ids of its rows."""

    ids: Sequence[str]
    text: str


@dataclass(frozen=True)
class Scoreboard:
    """All judged claims of a paper, in the order of their ids."""

    rows: Sequence[Row]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", sorted(self.rows, key=_place))

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdict on each claim of the paper, by its number: the worst of its rows. Rows that
        are not measured claims of the paper do not count.
        """
        return _by_number([row for row in self.rows if row.claim.kind.counts])

    @property
    def sentence(self) -> str:
        """The tally in words: claims by number, then claims under other readings, then rows that do
        not count.
        """
        counts = Counter(self.verdicts.values())
        claims = f"{_count(counts, 'claim')}: {_in_words(counts)}" if counts else "no claims"
        beside = [
            f"{reading}, {_count(verdicts, 'claim')} ({_in_words(verdicts)})"
            for reading in dict.fromkeys(row.claim.reading for row in self.rows)
            if reading and (verdicts := Counter(_by_number(self._of_reading(reading)).values()))
        ]
        beside += [
            f"{section.title.lower()}, {_count(verdicts, 'row')} ({_in_words(verdicts)})"
            for section in self.sections[1:]
            if (verdicts := Counter(row.verdict for row in section.rows))
        ]
        return f"{claims}; not counted: {'; '.join(beside)}" if beside else claims

    @property
    def sections(self) -> Sequence[Section]:
        """Measured claims of the paper, then the rows that do not count, by kind. Claims under
        other readings are left out; see :meth:`beside`.
        """
        alone = [row for row in self.rows if not row.claim.reading]
        return [
            Section(title, [row for row in alone if row.claim.kind in kinds])
            for title, kinds in _SECTIONS.items()
        ]

    @property
    def notes(self) -> Sequence[Note]:
        """All remarks, each once."""
        return merged(self.rows)

    def beside(self, row: Row) -> list[Row]:
        """The same claim under other readings."""
        return [each for each in self.rows if each.claim.default == row.claim.id]

    def _of_reading(self, reading: str) -> list[Row]:
        return [row for row in self.rows if row.claim.reading == reading]

    def of(self, figure: Figure) -> list[Row]:
        """The rows of a figure."""
        return [row for row in self.rows if row.figure is figure]


_SECTIONS = {
    "Claims of the paper": (Kind.NUMBER, Kind.TREND, Kind.FIGURE),
    "Formulas and inputs": (Kind.THEORY,),
    "Other readings": (Kind.READING,),
    "Our own expectations": (Kind.OURS,),
}
"""Kinds of rows, by the title of their section."""

_IN_WORDS = {
    Verdict.HOLDS: "{} hold",
    Verdict.TREND: "{} hold as a trend only",
    Verdict.NEEDS_FULL: "{} need --full",
    Verdict.NOT_RUN: "{} could not be judged because a run failed",
    Verdict.FAILS: "{} do not hold",
}


def merged(rows: Iterable[Row]) -> list[Note]:
    """The remarks of these rows, each once, with the ids of its rows."""
    ids: dict[str, list[str]] = {}
    for row in rows:
        for text in row.notes:
            ids.setdefault(text, []).append(row.claim.id)
    return [Note(found, text) for text, found in ids.items()]


def judged(figure: Figure, runs: Runs, scale: Scale, failures: Sequence[str]) -> list[Row]:
    """Judges the claims of a figure, given its runs or their failures."""
    if failures:
        reason = "; ".join(failures)
        return [Row(claim, figure, Verdict.NOT_RUN, {}, [reason]) for claim in figure.claims]
    rows = []
    for claim in figure.claims:
        with own_code(figure.package, f"claim {claim.id}"):
            row = _judged(claim, figure, runs, scale)
            # All values are written once, so that what cannot be is told here.
            json.dumps(row.to_dict())
        rows.append(row)
    return rows


def _judged(claim: Claim, figure: Figure, runs: Runs, scale: Scale) -> Row:
    values = claim.measure(runs)
    full = scale is Scale.FULL
    waits = claim.full_only and not full
    verdict = Verdict.NEEDS_FULL if waits else Verdict.of(claim, values)
    texts = [claim.note]
    if verdict in (Verdict.TREND, Verdict.FAILS):
        texts.insert(0, claim.explanation)
    own_size = full or not figure.scaled
    notes = [written(text, runs, own_size=own_size) for text in texts]
    replaced = written(claim.replaced, runs, own_size=own_size)
    if replaced:
        notes.append(f"Replaced measure: {replaced}")
    tried = _tried(claim, runs, values, verdict)
    return Row(claim, figure, verdict, values, [text for text in notes if text], tried)


def _tried(claim: Claim, runs: Runs, values: Measured, verdict: Verdict) -> list[Tried]:
    """Judges the claim's variations by its own rule; they are not judged if the row is not."""
    found = []
    for variation in claim.variations:
        seen = claim.measure(variation.seen(runs))
        waits = verdict is Verdict.NEEDS_FULL
        found.append(Tried(variation.title, verdict if waits else Verdict.of(claim, seen), seen))
    nearest = min(found, key=lambda tried: _far(claim, tried.verdict, tried.values), default=None)
    if nearest is None:
        return []
    nearer = _far(claim, nearest.verdict, nearest.values) < _far(claim, verdict, values)
    return [replace(tried, nearest=nearer and tried is nearest) for tried in found]


def _far(claim: Claim, verdict: Verdict, values: Measured) -> tuple[int, float]:
    """The distance of values from a claim: by verdict first, then by the claim's own distance."""
    distance = claim.distance(_central(values)) if claim.distance else 0.0
    return list(Verdict).index(verdict), math.inf if math.isnan(distance) else distance


def _by_number(rows: Sequence[Row]) -> dict[str, Verdict]:
    """The worst verdict of each claim."""
    return {
        number: Verdict.worst(row.verdict for row in rows if row.claim.number == number)
        for number in dict.fromkeys(row.claim.number for row in rows)
    }


def _place(row: Row) -> tuple[str, int]:
    """The sort key of a row: the letters and the number of its id. Parts of a claim keep the order
    of figures.
    """
    number = row.claim.number
    letters = number.rstrip("0123456789")
    return letters, int(number[len(letters) :] or 0)


def _count(counts: Counter[Verdict], noun: str) -> str:
    return plural(counts.total(), noun)


def _in_words(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(_IN_WORDS[each].format(counts[each]) for each in Verdict if counts.get(each))


def _central(measured: Measured) -> Values:
    return {label: _centre(value) for label, value in measured.items()}


def _centre(value: float | Average | Median) -> float:
    match value:
        case Average():
            return value.mean
        case Median():
            return value.median
    return value


def _text(show: Callable[[float], str], value: float | Average | Median) -> str:
    match value:
        case Average():
            mean = _text(show, value.mean)
            # A single run has no interval. An interval that prints as 0 is left out.
            width = "" if math.isnan(value.half_width) else show(value.half_width)
            return f"{mean} ± {width}" if width and width != show(0.0) else mean
        case Median():
            low, high = _text(show, value.lowest), _text(show, value.highest)
            middle = _text(show, value.median)
            return middle if low == high else f"{middle} ({low} to {high})"
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "never"
    return f"−{show(-value)}" if value < 0 else show(value)


def _number(value: float) -> float | str | None:
    """A number for JSON, which has neither infinity nor NaN."""
    return None if math.isnan(value) else "never" if math.isinf(value) else float(value)
