"""A block of equations as a table: a row for each line, with the columns of the source.

Two or more spaces begin a column, except after a comma or a semicolon, and before an arrow or an
equals sign. `(3)` between such gaps is the number of the line. A line that begins below the right
side of the line above is another case of that line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent

from incast_website.equations.mathml import has_formula, html

__all__ = ["Line", "lines", "table"]

_NUMBER = re.compile(r"(?<=\s\s)\((\d+)\)(?=\s\s|$)")
_GAP = re.compile(r"(?<=[^,;\s])\s{2,}(?![←=\s])|(?<=[,;])\s{4,}(?=\S)")
_INDENT_EM = 0.55


@dataclass
class Line:
    """One line of a block: its pieces, each with its start column, and its equation number."""

    pieces: list[tuple[int, str]] = field(default_factory=list)
    number: str = ""

    def is_prose(self) -> bool:
        """Whether the line contains no formula."""
        return not any(has_formula(text) for _, text in self.pieces)


def lines(block: str) -> list[Line]:
    """The lines of a block; an empty line has no pieces."""
    return [_line(text) for text in dedent(block).strip("\n").splitlines()]


def _line(text: str) -> Line:
    number = _NUMBER.search(text)
    if number:
        text = text[: number.start()] + " " * len(number[0]) + text[number.end() :]
    text = text.rstrip()
    line = Line(number=number[1] if number else "")
    at = len(text) - len(text.lstrip())
    for gap in _GAP.finditer(text):
        if gap.start() > at:
            line.pieces.append((at, text[at : gap.start()].rstrip(",")))
            at = gap.end()
    if at < len(text):
        line.pieces.append((at, text[at:]))
    return line


def table(block: str) -> str:
    """The block as an HTML table without blank lines, as Markdown requires."""
    found = lines(block)
    columns = sorted({at for line in found for at, _ in line.pieces[1:]})
    rows = [_row(line, columns) for line in found]
    return "\n".join(['<div class="equations"><table class="lines">', *rows, "</table></div>"])


def _row(line: Line, columns: list[int]) -> str:
    width = len(columns) + 1
    if not line.pieces:
        return f'<tr class="gap"><td colspan="{width + 1}"></td></tr>'
    places = [_place(at, index, columns) for index, (at, _) in enumerate(line.pieces)]
    cells = []
    if places[0]:
        cells.append(f'<td colspan="{places[0]}"></td>')
    for index, (at, text) in enumerate(line.pieces):
        end = places[index + 1] if index + 1 < len(places) else width
        span = f' colspan="{end - places[index]}"' if end - places[index] > 1 else ""
        indent = at * _INDENT_EM if places[index] == 0 else 0
        style = f' style="padding-left:{indent:g}em"' if indent else ""
        cells.append(f"<td{span}{style}>{html(text)}</td>")
    number = f"({line.number})" if line.number else ""
    return f'<tr>{"".join(cells)}<td class="number">{number}</td></tr>'


def _place(at: int, index: int, columns: list[int]) -> int:
    """The column of a piece; 0 for a piece that begins a line at no other line's column."""
    return columns.index(at) + 1 if index or at in columns else 0
