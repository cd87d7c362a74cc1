"""TOML taken into its parts, for a style sheet to colour."""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["Part", "parts"]

Part: TypeAlias = tuple[str | None, str]
"""A part's kind (``comment``, ``text``, ``table``, ``key``, ``number``; or none), and its text."""

_PARTS = re.compile(
    r'(?P<comment>\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<table>^\s*\[\[?[^\]\n]*\]\]?)|(?P<key>[A-Za-z0-9_.-]+(?=\s*=))"
    r"|(?P<number>\b(?:true|false|[-+]?\d[\d_.eE+-]*)\b)",
    re.MULTILINE,
)


def parts(toml: str) -> list[Part]:
    """The parts of a TOML text in order; together they are the text."""
    found: list[Part] = []
    end = 0
    for part in _PARTS.finditer(toml):
        found += [(None, toml[end : part.start()]), (part.lastgroup, part[0])]
        end = part.end()
    return [*found, (None, toml[end:])]
