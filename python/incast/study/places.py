"""Finds the line of a key in a study's file; the standard library's parser does not tell it."""

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
    """The source of a study: a file or a dict.

    Attributes:
        file: The name of the file; ``None`` for a dict.
        text: The text of the file, if it is TOML.
    """

    file: str | None
    text: str = ""

    def at(self, *path: str | int) -> Place:
        """The place of a key."""
        return Place(self, path)


@dataclass(frozen=True)
class Place:
    """The place of a value in its source: a key, or a line."""

    source: Source
    path: Sequence[str | int] = ()
    line: int | None = None

    def error(self, what: str, *, key: str | None = None, hint: str | None = None) -> StudyError:
        """An error at this place."""
        line = self.line or line_of(self.source.text, self.path)
        # Indices in arrays are left out: readers look for the key.
        named = ".".join(each for each in self.path if isinstance(each, str))
        return StudyError(what, file=self.source.file, line=line, key=key or named, hint=hint)


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, counted from 1, at which the value of a key begins in a TOML text. The parts of the
    key are names, and indices in arrays. ``None`` if there is no such value.
    """
    ends = _ends(text)

    def is_there(end: int) -> bool:
        return _has(tomllib.loads(text[:end]), path)

    # A value that a prefix of the text has is in every longer prefix, so bisection parses only
    # about a dozen prefixes of thousands of statements.
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
"""Pieces of TOML that decide where a statement ends: strings and comments, which are skipped,
brackets, and ends of lines.
"""


def _ends(text: str) -> list[int]:
    """Ends of statements, comments and empty lines: the ends of lines that are outside of
    brackets.
    """
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
