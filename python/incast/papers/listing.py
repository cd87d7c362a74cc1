"""A scoreboard as text: for a terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from incast.papers.figure import Figure, Paper, Scale
from incast.papers.outlines import Outline
from incast.papers.result import PaperResult
from incast.papers.scoreboard import Note, Row, Scoreboard, Verdict, merged
from incast.present.terminal import Ink, filled, paint
from incast.present.units import plural, seconds_text

__all__ = ["listing", "markdown", "scoreboard"]

_INKS = {
    Verdict.HOLDS: Ink.GOOD,
    Verdict.TREND: Ink.DOUBTFUL,
    Verdict.NEEDS_FULL: Ink.FAINT,
    Verdict.NOT_RUN: Ink.BAD,
    Verdict.FAILS: Ink.BAD,
}
_VERDICT_WIDTH = max(len(verdict.value) for verdict in Verdict)
_SCALES = {
    Scale.QUICK: "quick: shorter and smaller than the paper; claims that need its size wait for "
    "--full",
    Scale.FULL: "full: the paper's own size",
}


def scoreboard(result: PaperResult) -> str:
    """The scoreboard: all claims in the order of ids, then notes on claims that do not hold."""
    board = result.scoreboard
    title = paint(filled(result.paper.title), Ink.HEADING)
    parts = [f"{title}\n{filled(_SCALES[result.scale])}"]
    for section in board.sections:
        if section.rows:
            parts.append(paint(section.title, Ink.HEADING))
        parts += [_claim(board, row) for row in section.rows]
    parts += [_note(note) for note in merged(row for row in board.rows if _is_explained(row))]
    parts += [paint(filled(f"failed: {failure}"), Ink.BAD) for failure in result.failures]
    return "\n\n".join([*parts, filled(board.sentence)])


def _is_explained(row: Row) -> bool:
    return row.verdict in (Verdict.FAILS, Verdict.TREND, Verdict.NOT_RUN)


def markdown(result: PaperResult) -> str:
    """The scoreboard as a Markdown document: a table for each kind of row, notes below."""
    board = result.scoreboard
    parts = [f"{board.sentence}; {_SCALES[result.scale]}."]
    for section in board.sections:
        if section.rows:
            parts += [f"## {section.title}", _markdown_table(board, section.rows)]
    if board.notes:
        notes = [f"- **{', '.join(note.ids)}**: {note.text}" for note in board.notes]
        parts += ["## Notes", "\n".join(notes)]
    if any(row.variations for row in board.rows):
        parts += ["## Variations", _variations(board)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(board: Scoreboard, rows: Sequence[Row]) -> str:
    lines = [
        "| id | where | claim | claimed | metric | measured | tolerance | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            row.claim.id,
            row.where,
            row.claim.says,
            row.claim.claimed,
            row.claim.metric,
            _in_readings(board, row, lambda each: each.measured),
            row.claim.tolerance,
            _in_readings(board, row, lambda each: _emphasised(each.verdict)),
        ]
        lines.append(_markdown_row(*cells))
    return "\n".join(lines)


def _variations(board: Scoreboard) -> str:
    """The variations of all claims, in one table that readers unfold."""
    lines = [
        "<details><summary>Other choices, by the same measures and rules; in bold the one that "
        "comes nearest to the claim, if one comes nearer than the row</summary>",
        "",
        "| id | variation | measured | verdict |",
        "|---|---|---|---|",
    ]
    for row in board.rows:
        if row.variations:
            lines.append(_markdown_row(row.claim.id, "the row", row.measured, row.verdict.value))
        for tried in row.variations:
            name = f"**{tried.name}**" if tried.nearest else tried.name
            measured = row.told(tried.values)
            lines.append(_markdown_row(row.claim.id, name, measured, tried.verdict.value))
    return "\n".join([*lines, "", "</details>"])


def _markdown_row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def listing(paper: Paper, quick: Outline, full: Outline) -> str:
    """Figures with their claims, and their runs and durations at both scales."""
    heading = filled(f"{paper.name}: {paper.title}")
    head = [filled(each, indent="  ") for each in (paper.summary, paper.source)]
    lines = [paint(heading, Ink.HEADING), *head, ""]
    width = max(len(figure.id) for figure in paper.figures)
    for figure in paper.figures:
        times = [_duration(figure, each) for each in (quick, full)]
        runs = plural(full.estimate([figure]).runs, "run") if full.runs(figure) else "no runs"
        says = f"{figure.title} ({runs}; with --quick {times[0]}, in full {times[1]})"
        lines.append(filled(says, first=f"  {figure.id:<{width}}  ", indent=" " * (width + 4)))
        lines += [
            filled(claim.says, first=f"{'':<{width + 6}}{claim.id}  ", indent=" " * (width + 8))
            for claim in figure.claims
        ]
    totals = [seconds_text(max(1, round(each.estimate().seconds))) for each in (quick, full)]
    count = plural(full.estimate().runs, "run")
    cost = f"{count}, about {totals[0]} with --quick, {totals[1]} in full"
    lines += ["", filled(f"all together: {cost}", indent="  ")]
    return "\n".join(lines)


def _duration(figure: Figure, each: Outline) -> str:
    seconds = each.estimate([figure]).seconds
    return seconds_text(round(seconds)) if seconds >= 1 else "under 1 s"


def _claim(board: Scoreboard, row: Row) -> str:
    """A claim: its id, verdict, statement and measured values; also under other readings."""
    longest = max(len(each.claim.id) for each in board.rows)
    head = f"{row.claim.id:<{longest}}  {row.verdict.value:<{_VERDICT_WIDTH}}  "
    margin = " " * len(head)
    lines = [
        _with_verdict(filled(row.claim.says, first=head, indent=margin), row.verdict),
        _labelled(margin, "claimed", row.claim.claimed),
        _labelled(margin, "measured", _measured(row)),
    ]
    if row.nearest:
        nearest = f"{row.nearest.name} ({row.nearest.verdict.value})"
        lines.append(_labelled(margin, "nearest", nearest))
    for other in board.beside(row):
        head = f"{'':<{longest}}  {other.verdict.value:<{_VERDICT_WIDTH}}  "
        says = filled(f"the same, {other.claim.reading}", first=head, indent=margin)
        lines += [
            _with_verdict(says, other.verdict),
            _labelled(margin, "measured", _measured(other)),
        ]
    return "\n".join(lines)


def _with_verdict(text: str, verdict: Verdict) -> str:
    return text.replace(verdict.value, paint(verdict.value, _INKS[verdict]), 1)


def _labelled(margin: str, label: str, text: str) -> str:
    return filled(text, first=f"{margin}{label:<8}  ", indent=margin + " " * 10)


def _in_readings(board: Scoreboard, row: Row, cell: Callable[[Row], str]) -> str:
    """A cell of a row, with the cells of the same claim under other readings."""
    others = [f"{other.claim.reading}: {cell(other)}" for other in board.beside(row)]
    return "<br>".join([cell(row), *others])


def _measured(row: Row) -> str:
    metric = row.claim.metric
    return f"{metric}: {row.measured}" if metric else row.measured


def _note(note: Note) -> str:
    return filled(note.text, first=f"{', '.join(note.ids)}  ", indent="  ")


def _emphasised(verdict: Verdict) -> str:
    return verdict.value if verdict is Verdict.HOLDS else f"**{verdict.value}**"
