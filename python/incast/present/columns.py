"""Lays out texts in columns for a terminal; all listings use it.

A listing that is too wide is narrowed in this order. Names of columns take several lines; then text
wraps between words; then columns of numbers move to another block, which repeats the first columns.
Numbers are never broken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from incast.present import terminal
from incast.present.terminal import Ink

__all__ = ["aligned", "columns"]

_GAP = "  "
_LEAST_TEXT = 16
"""Width below which text is only narrowed if nothing else helps, in characters."""
_LAST_TEXT = 8


def columns(
    header: Sequence[str],
    rows: Sequence[Sequence[str] | str],
    *,
    text: int = 1,
    remarks: int = 0,
    width: int | None = None,
) -> str:
    """A listing, with a line for its header.

    Args:
        header: Names of the columns.
        rows: The cells of each row. A row that is a single text is the heading of the rows after
            it.
        text: The number of columns at the beginning that hold text; the others hold numbers.
        remarks: The number of columns at the end that hold text.
        width: The width to keep to; by default, the terminal's.
    """
    limit = width or terminal.width()
    cells = [row for row in rows if not isinstance(row, str)]
    found = [
        _Column(name, [row[place] for row in cells], place < text or place >= len(header) - remarks)
        for place, name in enumerate(header)
    ]
    blocks = _blocks(found, text, limit)
    return "\n\n".join("\n".join(_lines(block, rows)) for block in blocks)


def aligned(rows: Sequence[Sequence[str]], *, indent: str = "", width: int | None = None) -> str:
    """Cells of text below each other, without a header. The last column wraps."""
    limit = (width or terminal.width()) - len(indent)
    # The last cell of a row may be longer than its column.
    widths = [
        max((len(row[place]) for row in rows if any(row[place + 1 :])), default=0)
        for place in range(len(rows[0]) - 1)
    ]
    rest = max(limit - sum(widths) - len(_GAP) * len(widths), _LEAST_TEXT)
    lines = []
    for *cells, remark in rows:
        columns = [[cell] for cell in cells] + [terminal.wrapped(remark, rest)]
        lines += [
            indent + _line(line, [*widths, rest], [True] * (len(widths) + 1))
            for line in _filled_up(columns)
        ]
    return "\n".join(line.rstrip() for line in lines)


class _Column:
    def __init__(self, name: str, cells: Sequence[str], is_text: bool) -> None:
        self.name = name
        self.cells = cells
        self.is_text = is_text
        self.width = self.full

    @property
    def full(self) -> int:
        """The width in which no cell wraps."""
        return max(map(len, [self.name, *self.cells]))

    @property
    def least(self) -> int:
        """The width in which no word is broken. In columns of numbers only the name wraps."""
        name = max(map(len, self.name.split(" ")))
        if not self.is_text:
            return max([name, *map(len, self.cells)])
        words = [len(word) for cell in self.cells for word in cell.split()]
        return max([name, *words, min(self.full, _LEAST_TEXT)])


def _blocks(found: list[_Column], text: int, limit: int) -> list[list[_Column]]:
    """Splits columns into blocks that fit, each with the text columns first. Sets the widths of
    columns.
    """
    if _total(found) <= limit:
        return [found]
    for column in found:
        if not column.is_text:
            column.width = column.least
    _narrow(found, limit, [column.least for column in found])
    if _total(found) <= limit:
        return [found]
    for column in found:
        column.width = column.full if column.is_text else column.least
    keys, rest = found[:text], found[text:]
    if not rest:
        _narrow(found, limit, [_LAST_TEXT] * len(found))
        return [found]
    block = [*keys, max(rest, key=lambda column: column.width)]
    _narrow(block, limit, [column.least for column in block])
    _narrow(block, limit, [_LAST_TEXT] * len(block))
    return _parted(keys, rest, limit)


def _parted(keys: list[_Column], rest: list[_Column], limit: int) -> list[list[_Column]]:
    """Splits columns into as few blocks as possible, with nearly equal numbers of columns."""
    count = len(_greedy(keys, rest, limit, len(rest)))
    most = math.ceil(len(rest) / count)
    even = _greedy(keys, rest, limit, most)
    return even if len(even) == count else _greedy(keys, rest, limit, len(rest))


def _greedy(keys: list[_Column], rest: list[_Column], limit: int, most: int) -> list[list[_Column]]:
    blocks: list[list[_Column]] = [[*keys]]
    for column in rest:
        block = blocks[-1]
        if len(block) > len(keys) and (
            _total([*block, column]) > limit or len(block) - len(keys) >= most
        ):
            blocks.append([*keys])
        blocks[-1].append(column)
    return blocks


def _narrow(found: list[_Column], limit: int, least: Sequence[int]) -> None:
    """Narrows the widest columns of text until all columns fit, or none can be narrowed further."""
    texts = [(each, floor) for each, floor in zip(found, least, strict=False) if each.is_text]
    while _total(found) > limit:
        giving = [each for each, floor in texts if each.width > floor]
        if not giving:
            return
        max(giving, key=lambda each: each.width).width -= 1


def _total(found: Sequence[_Column]) -> int:
    return sum(column.width for column in found) + len(_GAP) * (len(found) - 1)


def _lines(block: Sequence[_Column], rows: Sequence[Sequence[str] | str]) -> list[str]:
    widths = [column.width for column in block]
    left = [column.is_text for column in block]
    names = [terminal.wrapped(column.name, column.width) for column in block]
    height = max(map(len, names))
    names = [[""] * (height - len(name)) + name for name in names]
    lines = [
        terminal.paint(_line(line, widths, left), Ink.HEADING) for line in zip(*names, strict=True)
    ]
    lines.append(terminal.paint(_GAP.join("─" * each for each in widths), Ink.FAINT))
    place = 0
    for row in rows:
        if isinstance(row, str):
            lines += ["", terminal.paint(row, Ink.HEADING)]
            continue
        cells = [column.cells[place] for column in block]
        place += 1
        wrapped = [
            _inked(cell, terminal.wrapped(cell, column.width)) if column.is_text else [cell]
            for cell, column in zip(cells, block, strict=True)
        ]
        lines += [_line(line, widths, left) for line in _filled_up(wrapped)]
    return lines


def _inked(cell: str, lines: list[str]) -> list[str]:
    ink = getattr(cell, "ink", None)
    return [terminal.Inked(line, ink) for line in lines] if ink else lines


def _filled_up(cells: Sequence[list[str]]) -> list[tuple[str, ...]]:
    """The lines of a row, in which shorter cells are filled up with empty lines."""
    height = max(map(len, cells))
    return list(zip(*(cell + [""] * (height - len(cell)) for cell in cells), strict=True))


def _line(cells: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    placed = []
    for cell, width, is_left in zip(cells, widths, left, strict=True):
        room = " " * (width - len(cell))
        shown = terminal.paint(cell)
        placed.append(shown + room if is_left else room + shown)
    return _GAP.join(placed).rstrip()
