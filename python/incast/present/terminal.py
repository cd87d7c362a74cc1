"""A terminal's width and colours, and text that fits."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import TextIO

__all__ = ["Ink", "Inked", "filled", "has_colours", "paint", "painting", "width", "wrapped"]

_WITHOUT_TERMINAL = 100
_NARROWEST = 20
_UNTOLD = 80
_WIDEST_PROSE = 100


def width() -> int:
    """The width of the terminal in characters; 100 without a terminal, 80 if it does not tell its
    width. ``COLUMNS`` overrides all.
    """
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named) > 0:
        return max(int(named), _NARROWEST)
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                columns = os.get_terminal_size(stream.fileno()).columns
                return max(columns or _UNTOLD, _NARROWEST)
        except (OSError, ValueError):
            continue  # The stream is closed, or is no terminal.
    return _WITHOUT_TERMINAL


def filled(text: str, *, indent: str = "", first: str | None = None) -> str:
    """A paragraph, wrapped between words to the terminal's width.

    Args:
        text: The paragraph.
        indent: The beginning of every line.
        first: The beginning of the first line, in place of `indent`.
    """
    columns = min(width(), _WIDEST_PROSE)
    begin = indent if first is None else first
    lines = textwrap.wrap(
        text,
        columns,
        initial_indent=begin,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def wrapped(text: str, columns: int) -> list[str]:
    """Lines of at most `columns` characters, broken at blanks. Longer words are broken after a
    sign, such as the slash of a path.
    """
    columns = max(columns, 1)
    lines: list[str] = []
    for line in textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False):
        lines += [line] if len(line) <= columns else _pieces(line, columns)
    return lines or [""]


def _pieces(word: str, columns: int) -> list[str]:
    """A word in as few lines as possible, broken after signs, or cut if it has none."""
    lines = [""]
    for piece in _BETWEEN_SIGNS.findall(word):
        if lines[-1] and len(lines[-1]) + len(piece) > columns:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1]) > columns:
            lines[-1:] = [lines[-1][:columns], lines[-1][columns:]]
    return lines


_BETWEEN_SIGNS = re.compile(r"[^/_,.:=-]*[/_,.:=-]+|[^/_,.:=-]+")


class Ink(Enum):
    """Meanings that colours express."""

    GOOD = "32"
    DOUBTFUL = "33"
    BAD = "31"
    HEADING = "1"
    FAINT = "2"


class Inked(str):
    """A text that is coloured on a terminal, and is plain text elsewhere."""

    ink: Ink

    def __new__(cls, text: str, ink: Ink) -> Inked:
        """Makes the text, and keeps its colour."""
        inked = super().__new__(cls, text)
        inked.ink = ink
        return inked


def has_colours(stream: TextIO) -> bool:
    """Whether output to a stream is coloured: on a terminal unless ``NO_COLOR`` is set, elsewhere
    if ``FORCE_COLOR`` is set.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def painting(stream: TextIO) -> Iterator[None]:
    """Inside the block, texts are coloured if this stream shows colours."""
    before = _painting.set(has_colours(stream))
    try:
        yield
    finally:
        _painting.reset(before)


_painting: ContextVar[bool] = ContextVar("painting", default=False)


def paint(text: str, ink: Ink | None = None) -> str:
    """The text in a colour, by default its own; unchanged if colours are off."""
    chosen = ink or getattr(text, "ink", None)
    if chosen is None or not text.strip() or not _painting.get():
        return str(text)
    return f"\x1b[{chosen.value}m{text}\x1b[0m"
