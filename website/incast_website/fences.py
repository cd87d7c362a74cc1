"""Fenced blocks of code: what the tests of pages know of one, and MkDocs does not."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

__all__ = ["RawFenceError", "check", "with_language_alone"]

_OPENING = re.compile(r"^([ ]*(?:```+|~~~+)[\w-]+)[ \t]+\S.*$", re.MULTILINE)


class RawFenceError(Exception):
    """A page shows the Markdown of a block of code."""


def with_language_alone(text: str) -> str:
    """A page's text, in which ```` ```toml wrong ```` begins with its language alone: with more
    after it, MkDocs takes no line for the beginning of a block.
    """
    return _OPENING.sub(r"\1", text)


def check(site: Path) -> None:
    """Looks for lines of text that begin as blocks of code do.

    Raises:
        RawFenceError: There is one.
    """
    for file in sorted(site.rglob("*.html")):
        text = unescape(re.sub(r"<[^>]*>", "", file.read_text(encoding="utf-8")))
        found = re.search(r"^\s*(?:```|~~~).*", text, re.MULTILINE)
        if found:
            raise RawFenceError(f"{file.relative_to(site)} shows {found[0].strip()!r}")
