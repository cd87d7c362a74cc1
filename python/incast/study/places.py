"""Where something stands in a study's files: the standard library's parsers do not say."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from incast.errors import StudyError

__all__ = ["Place", "Source", "line_of"]


@dataclass(frozen=True)
class Source:
    """A file that was read.

    Attributes:
        file: Its name; ``None`` for a dict of Python's.
        text: What is in it, if that is TOML.
    """

    file: str | None
    text: str = ""

    def at(self, *path: str | int) -> Place:
        """The place of a key."""
        return Place(self, path)


@dataclass(frozen=True)
class Place:
    """Where a value was written: at a key, or in a line."""

    source: Source
    path: Sequence[str | int] = ()
    line: int | None = None

    def error(self, what: str, *, key: str | None = None, hint: str | None = None) -> StudyError:
        """What is wrong there."""
        line = self.line or line_of(self.source.text, self.path)
        # A value's number in an array is no part of what its reader looks for.
        named = ".".join(each for each in self.path if isinstance(each, str))
        return StudyError(what, file=self.source.file, line=line, key=key or named, hint=hint)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, from 1, at which the value of a key begins in a text in TOML; the key is given as
    its parts, those of arrays as numbers. ``None`` if there is no such value.
    """
    ends = _ends(text)

    def is_there(end: int) -> bool:
        return _has(tomllib.loads(text[:end]), path)

    # A value that is there stays there: of thousands of statements a dozen beginnings are parsed.
    place = bisect_left(ends, True, key=is_there)
    if place == len(ends):
        return None
    begin = ends[place - 1] if place else 0
    return text.count("\n", 0, begin) + 1


_PIECE = re.compile(
    r"""
    "{3} (?: \\. | [^\\] )*? "{3,5} | '{3} .*? '{3,5}  # may have quotes before those that end it
    | " (?: \\. | [^"\\] )* " | ' [^']* '
    | \# [^\n]*
    | [\[{] | [\]}] | \n
    """,
    re.DOTALL | re.VERBOSE,
)
"""What tells where statements in TOML end: texts and comments, which are passed over, brackets and
ends of lines.
"""


def _ends(text: str) -> list[int]:
    """Where statements, comments and empty lines end: at ends of lines outside of all brackets."""
    ends, depth = [], 0
    for piece in _PIECE.finditer(text):
        if piece[0] in "[{":
            depth += 1
        elif piece[0] in "]}":
            depth -= 1
        elif piece[0] == "\n" and depth == 0:
            ends.append(piece.end())
    return [*ends, len(text)]


def _has(value: object, path: Sequence[str | int]) -> bool:
    for part in path:
        if isinstance(part, int):
            if not isinstance(value, list) or part >= len(value):
                return False
            value = value[part]
        else:
            if not isinstance(value, dict) or part not in value:
                return False
            value = value[part]
    return True
