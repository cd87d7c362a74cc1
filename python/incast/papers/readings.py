"""Runs, charts and claims of a figure under another reading of the paper.

A reading is a set of assumptions where the paper says nothing. Runs under a reading other than the
default have labels that end with its name. Charts and claims see these runs under the plain labels.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from incast.measure.run import Runs
from incast.papers.claim import Claim, Kind
from incast.papers.explanation import Recorded, Text
from incast.papers.panels import Panel
from incast.papers.seeds import MARK
from incast.present.charts import Chart

__all__ = ["claims_under", "labelled", "panels_under", "runs_under"]


def labelled(label: str, reading: str) -> str:
    """The label of a run under a reading, whose name comes before a seed; the default has no
    name.
    """
    base, mark, seed = label.rpartition(MARK)
    return f"{base}{_mark(reading)}{mark}{seed}" if mark else f"{label}{_mark(reading)}"


def runs_under(runs: Runs, reading: str) -> Runs:
    """The runs under a reading, by their plain labels."""
    mark = _mark(reading)
    return {label.replace(mark, ""): run for label, run in runs.items() if mark in label}


def panels_under(reading: str, suffix: str, panels: Mapping[str, Panel]) -> dict[str, Panel]:
    """Panels of the runs under a reading; their names end with a suffix."""
    return {f"{name}-{suffix}": _panel(reading, panel) for name, panel in panels.items()}


def claims_under(reading: str, suffix: str, claims: Sequence[Claim]) -> list[Claim]:
    """Claims judged by the runs under a reading; their ids end with a suffix."""
    return [_claim(reading, suffix, claim) for claim in claims]


def _panel(reading: str, panel: Panel) -> Panel:
    def draw(runs: Runs) -> Chart:
        drawn = panel(runs_under(runs, reading))
        return dataclasses.replace(drawn, title=f"{drawn.title}, {reading}")

    return draw


def _claim(reading: str, suffix: str, claim: Claim) -> Claim:
    return dataclasses.replace(
        claim,
        kind=Kind.READING,
        id=f"{claim.id}-{suffix}",
        reading=reading,
        measure=lambda runs: claim.measure(runs_under(runs, reading)),
        note=_text(reading, claim.note),
        explanation=_text(reading, claim.explanation),
        replaced="",
    )


def _text(reading: str, text: Text) -> Text:
    match text:
        case str():
            return text
        case Recorded():
            seen = {labelled(label, reading): value for label, value in text.fingerprints.items()}
            return Recorded(text.text, seen)
        case tuple():
            return tuple(_text(reading, part) for part in text)
    return lambda runs: text(runs_under(runs, reading))


def _mark(reading: str) -> str:
    return f" [{reading}]" if reading else ""
