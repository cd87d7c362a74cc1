"""TOML with its parts marked up, for a style sheet to colour."""

from __future__ import annotations

import html
import re

__all__ = ["markup"]

_PARTS = re.compile(
    r'(?P<comment>\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<table>^\s*\[\[?[^\]\n]*\]\]?)|(?P<key>[A-Za-z0-9_.-]+(?=\s*=))"
    r"|(?P<number>\b(?:true|false|[-+]?\d[\d_.eE+-]*)\b)",
    re.MULTILINE,
)


def markup(toml: str) -> str:
    """HTML of a TOML text: each part in a span whose class names it."""
    pieces, end = [], 0
    for part in _PARTS.finditer(toml):
        pieces.append(html.escape(toml[end : part.start()]))
        pieces.append(f'<span class="toml-{part.lastgroup}">{html.escape(part[0])}</span>')
        end = part.end()
    return "".join([*pieces, html.escape(toml[end:])])
