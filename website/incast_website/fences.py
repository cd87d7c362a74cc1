"""Fenced blocks of code: removes marks that tests of pages use and MkDocs does not know."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

__all__ = ["RawFenceError", "check", "with_language_alone"]

_OPENING = re.compile(r"^([ ]*(?:```+|~~~+)[\w-]+)[ \t]+\S.*$", re.MULTILINE)


class RawFenceError(Exception):
    """A page shows a block of code as raw Markdown."""


def with_language_alone(text: str) -> str:
    """A page's text, in which ```` ```toml wrong ```` becomes ```` ```toml ````. MkDocs does not
    accept further words at the beginning of a block.
    """
    return _OPENING.sub(r"\1", text)


def check(site: Path) -> None:
    """Checks that no line of text begins with the mark of a block of code.

    Raises:
        RawFenceError: A line begins with it.
    """
    for file in sorted(site.rglob("*.html")):
        text = unescape(re.sub(r"<[^>]*>", "", file.read_text(encoding="utf-8")))
        found = re.search(r"^\s*(?:```|~~~).*", text, re.MULTILINE)
        if found:
            raise RawFenceError(f"{file.relative_to(site)} shows {found[0].strip()!r}")
