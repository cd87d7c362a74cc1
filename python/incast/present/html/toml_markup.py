"""Splits TOML into parts that a style sheet colours."""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["Part", "parts"]

Part: TypeAlias = tuple[str | None, str]
"""The kind of a part (``comment``, ``text``, ``table``, ``key``, ``number``, or ``None``), and its
text.
"""

_PARTS = re.compile(
    r'(?P<comment>\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<table>^\s*\[\[?[^\]\n]*\]\]?)|(?P<key>[A-Za-z0-9_.-]+(?=\s*=))"
    r"|(?P<number>\b(?:true|false|[-+]?\d[\d_.eE+-]*)\b)",
    re.MULTILINE,
)


def parts(toml: str) -> list[Part]:
    """The parts of a TOML text in order. Joined, they give the text."""
    found: list[Part] = []
    end = 0
    for part in _PARTS.finditer(toml):
        found += [(None, toml[end : part.start()]), (part.lastgroup, part[0])]
        end = part.end()
    return [*found, (None, toml[end:])]
