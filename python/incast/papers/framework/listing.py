"""A scoreboard as text: for a terminal, and as Markdown."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence

from incast.papers.framework.paper import Figure, Paper, Scale
from incast.papers.framework.plan import Plan
from incast.papers.framework.result import PaperResult
from incast.papers.framework.scoreboard import Note, Row, Scoreboard, Verdict, merged
from incast.present.units import plural, seconds_text

__all__ = ["listing", "markdown", "scoreboard"]

_NARROWEST, _WIDEST = 80, 180
_SHARES = {"claim": 0.36, "claimed": 0.2, "measured": 0.44}
"""Shares of the width that the fixed columns leave."""

_SCALES = {
    Scale.QUICK: "quick: shorter and smaller than the paper; claims that need its size wait for "
    "--full",
    Scale.FULL: "full: the paper's own size",
}


def scoreboard(result: PaperResult) -> str:
    """The scoreboard: a row for each claim in the order of ids, then notes on those that do not
    hold.
    """
    width = min(max(shutil.get_terminal_size((120, 24)).columns, _NARROWEST), _WIDEST)
    board = result.scoreboard
    parts = [f"{result.paper.title}\n{_SCALES[result.scale]}"]
    if board.rows:
        parts.append(_table(board, width))
    parts += [
        _note(note, width) for note in merged(row for row in board.rows if _is_explained(row))
    ]
    parts += [f"failed: {failure}" for failure in result.failures]
    return "\n\n".join([*parts, board.sentence])


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
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def listing(paper: Paper, quick: Plan, full: Plan) -> str:
    """Figures with their claims, and their runs and durations at both scales."""
    lines = [f"{paper.name}: {paper.title}", f"  {paper.source}", ""]
    width = max(len(figure.id) for figure in paper.figures)
    for figure in paper.figures:
        times = [_duration(figure, each) for each in (quick, full)]
        runs = plural(full.estimate([figure]).runs, "run") if full.runs(figure) else "no runs"
        heading = f"  {figure.id:<{width}}  {figure.title}"
        lines.append(f"{heading} ({runs}; {times[0]} quick, {times[1]} full)")
        lines += [f"  {'':<{width}}    {claim.id}  {claim.says}" for claim in figure.claims]
    totals = [seconds_text(max(1, round(each.estimate().seconds))) for each in (quick, full)]
    count = plural(full.estimate().runs, "run")
    lines += ["", f"  all together: {count}, about {totals[0]} quick, {totals[1]} full"]
    return "\n".join(lines)


def _duration(figure: Figure, each: Plan) -> str:
    seconds = each.estimate([figure]).seconds
    return seconds_text(round(seconds)) if seconds >= 1 else "under 1 s"


def _table(board: Scoreboard, width: int) -> str:
    longest = max(len(row.claim.id) for row in board.rows)
    fixed = {"id": longest, "verdict": len(Verdict.FAILS.value)}
    free = width - sum(fixed.values()) - 2 * (len(fixed) + len(_SHARES) - 1)
    widths = [*fixed.values(), *(int(free * share) for share in _SHARES.values())]
    lines = [_line([*fixed, *_SHARES], widths), "  ".join("─" * each for each in widths)]
    for section in board.sections:
        if section.rows:
            lines += ["", section.title]
        for row in section.rows:
            claim = row.claim
            cells = [claim.id, row.verdict.value, claim.says, claim.claimed, _measured(row)]
            lines += _wrapped(cells, widths)
            for other in board.beside(row):
                says = f"the same, {other.claim.reading}"
                cells = ["", other.verdict.value, says, "", _measured(other)]
                lines += _wrapped(cells, widths)
    return "\n".join(lines)


def _in_readings(board: Scoreboard, row: Row, cell: Callable[[Row], str]) -> str:
    """A cell of a row, and of the same claim in other readings."""
    others = [f"{other.claim.reading}: {cell(other)}" for other in board.beside(row)]
    return "<br>".join([cell(row), *others])


def _measured(row: Row) -> str:
    metric = row.claim.metric
    return f"{metric}: {row.measured}" if metric else row.measured


def _wrapped(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """A row whose cells take as many lines as they need."""
    parts = [
        textwrap.wrap(cell, width, break_long_words=False) or [""]
        for cell, width in zip(cells, widths, strict=True)
    ]
    height = max(map(len, parts))
    filled = [part + [""] * (height - len(part)) for part in parts]
    return [_line(line, widths) for line in zip(*filled, strict=True)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _note(note: Note, width: int) -> str:
    return textwrap.fill(f"{', '.join(note.ids)}  {note.text}", width, subsequent_indent="  ")


def _emphasised(verdict: Verdict) -> str:
    return verdict.value if verdict is Verdict.HOLDS else f"**{verdict.value}**"
