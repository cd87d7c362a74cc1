"""The line of a file that has an error, with a mark below the wrong part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, TextIO

from incast.errors import Error

__all__ = ["Excerpt", "excerpt"]

_MAX_LINE = 10_000
"""The most characters of a line that are searched."""


class Excerpt(NamedTuple):
    """A line of a file with its number, and the mark for the line below it."""

    line: str
    mark: str


def excerpt(error: Error, width: int) -> Excerpt | None:
    """The line of an error, cut to the terminal's width. ``None`` if the error has no line, or the
    file cannot be read or is not text.
    """
    if error.file is None or error.line is None:
        return None
    text = _read(Path(error.file), error.line)
    if text is None or not text.strip():
        return None
    start, end = _wrong(text, error)
    gutter = f"{error.line:>4} | "
    room = width - len(gutter)
    first = 0 if end <= room else min(max(start - room // 4, 0), len(text) - room)
    shown = text[first : first + room]
    if first:
        shown = "…" + shown[1:]
    if first + room < len(text):
        shown = shown[:-1] + "…"
    mark = "^" * max(min(end - first, room) - (start - first), 1)
    return Excerpt(
        gutter + shown.rstrip(), " " * (len(gutter) - 2) + "| " + " " * (start - first) + mark
    )


def _read(file: Path, number: int) -> str | None:
    """A line of a file, with blanks for characters that cannot be printed."""
    try:
        if not file.is_file() or _is_binary(file):
            return None
        with file.open(encoding="utf-8-sig", errors="replace") as lines:
            if not all(_skips(lines) for _ in range(number - 1)):
                return None
            text = lines.readline(_MAX_LINE)
    except OSError:
        return None
    return "".join(each if each.isprintable() else " " for each in text.rstrip())


def _is_binary(file: Path) -> bool:
    """Whether a file begins with bytes that text does not have. In Parquet, an error's line is a
    row.
    """
    with file.open("rb") as opened:
        return b"\0" in opened.read(_MAX_LINE)


def _skips(lines: TextIO) -> bool:
    """Skips a line of any length; gives whether there was one."""
    piece = begin = lines.readline(_MAX_LINE)
    while piece and not piece.endswith("\n"):
        piece = lines.readline(_MAX_LINE)
    return bool(begin)


def _wrong(text: str, error: Error) -> tuple[int, int]:
    """The begin and end of the wrong part of a line. It is what the message quotes, the key's
    value, or the number with which the message begins (`host 64 does not …`); otherwise the whole
    line.
    """
    value = _value_of(text, error.key or "")
    quoted = [found.rstrip("…") for found in re.findall(r"`([^`]+)`", error.what)]
    number = re.match(r"(?:[^\W\d]+ )?(\d+(?:\.\d+)?)\b", error.what)
    for within in filter(None, (value, (0, len(text)))):
        for piece in quoted:
            if found := _find(text, piece, within):
                return found
    if value is not None:
        return value
    if number and (found := _find(text, number[1], (0, len(text)))):
        return found
    return len(text) - len(text.lstrip()), len(text)


def _find(text: str, piece: str, within: tuple[int, int]) -> tuple[int, int] | None:
    """The first occurrence of a text that is not inside of a longer word."""
    pattern = rf"(?<!\w){re.escape(piece)}(?!\w)" if piece else r"(?!)"
    found = re.compile(pattern).search(text, *within)
    return found.span() if found else None


def _value_of(text: str, key: str) -> tuple[int, int] | None:
    """The position of a key's value: of `rate` in `links[3].rate`, or of the nearest key above it
    that occurs in the line.
    """
    names = (re.sub(r"(\[\d+\])+$", "", part) for part in reversed(key.split(".")))
    found = (_value_after(text, name) for name in names if name)
    return next((place for place in found if place), None)


def _value_after(text: str, name: str) -> tuple[int, int] | None:
    """The position of a key's value in a line of TOML; in a line of words, of the words after the
    key.
    """
    found = re.search(rf"(?<![\w-])[\"']?{re.escape(name)}[\"']?\s*=\s*", text)
    if found is None:
        words = re.match(rf"\s*{re.escape(name)}\s+(?=\S)", text)
        return (words.end(), len(text)) if words else None
    end = _end_of_value(text, found.end())
    return (found.end(), end) if end > found.end() else None


def _end_of_value(text: str, start: int) -> int:
    """The end of a TOML value, which is a string, a bracket with its contents, or a word."""
    string = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'").match(text, start)
    if string:
        return string.end()
    depth, place = 0, start
    while place < len(text):
        letter = text[place]
        if letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
            if depth <= 0:
                return place + 1 if depth == 0 else place
        elif depth == 0 and letter in ",# \t":
            return place
        place += 1
    return len(text.rstrip())
