"""A validation against uet-htsim as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING

from incast.present.columns import columns
from incast.present.terminal import Ink, Inked, paint
from incast.present.units import count_text, seconds_text
from incast.time_units import PICOSECOND

if TYPE_CHECKING:
    from incast.validate.uet_outcome import ExactOutcome, Quantity, SeededOutcome

__all__ = ["validation"]

_HEADINGS = {
    "mean_ps": "mean FCT",
    "tail_ps": "last",
    "trimmed": "trimmed",
    "retransmitted": "sent again",
    "marked_acks": "marked",
    "acks": "ACKs",
}
"""Column headings by quantity; the first two quantities are times."""


def validation(
    exact: Sequence[ExactOutcome], seeded: Sequence[SeededOutcome], seconds: float, passed: bool
) -> str:
    """A listing of exact cases, then of experiments over seeds, then the verdict.

    Args:
        exact: Outcomes of the cases that do not depend on the seed.
        seeded: Outcomes of the experiments over several seeds.
        seconds: The wall time of all experiments.
        passed: Whether all results agree with the recordings.
    """
    verdicts = [each.passed for each in exact] + [each.passed for each in seeded]
    parts = [_exact(exact), _seeded(seeded), _verdict(verdicts, seconds, passed)]
    return "\n\n".join(part for part in parts if part)


def _exact(outcomes: Sequence[ExactOutcome]) -> str:
    header = ["the same for every seed", "mode", "cases", "to the ps", "worst", "ACKs", "verdict"]
    rows = [
        [
            outcome.group,
            outcome.mode,
            count_text(outcome.cases),
            f"{outcome.same} of {outcome.cases}",
            f"{outcome.worst_ps:+d} ps" if outcome.worst_ps else "0 ps",
            "" if outcome.acks is None else "{} of {}".format(*outcome.acks),
            _word(outcome.passed),
        ]
        for outcome in outcomes
    ]
    return columns(header, rows, text=2, remarks=1) if rows else ""


def _seeded(outcomes: Sequence[SeededOutcome]) -> str:
    header = ["over seeds: recorded → incast", *_HEADINGS.values(), "verdict"]
    rows = [
        [outcome.name, *_cells(outcome.quantities), _word(outcome.passed)] for outcome in outcomes
    ]
    return columns(header, rows, text=1, remarks=1) if rows else ""


def _cells(quantities: Sequence[Quantity]) -> list[str]:
    found = {quantity.name: _cell(quantity) for quantity in quantities}
    return [found.get(name, "") for name in _HEADINGS]


def _cell(quantity: Quantity) -> str:
    recorded, ours = mean(quantity.recorded), mean(quantity.ours)
    texts = [_number(quantity, value) for value in (recorded, ours)]
    mark = "" if quantity.passed else " !"
    return f"{texts[0]} → {texts[1]}{mark}"


def _number(quantity: Quantity, value: float) -> str:
    if quantity.name.endswith("_ps"):
        return f"{value * PICOSECOND * 1e6:.1f} us"
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"


def _word(passed: bool) -> Inked:
    return Inked("ok", Ink.GOOD) if passed else Inked("BEYOND", Ink.BAD)


def _verdict(verdicts: Sequence[bool], seconds: float, passed: bool) -> str:
    word = "all as recorded" if passed else "NOT all as recorded"
    verdict = paint(
        f"{word}: {sum(verdicts)} of {len(verdicts)} rows", Ink.GOOD if passed else Ink.BAD
    )
    return f"time     {seconds_text(seconds)}\nverdict  {verdict}"
