"""Checks that a built site works offline: its pages load nothing from other servers."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["NotOfflineError", "check"]

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link(?=[^>]*rel="?(?:stylesheet|preload|preconnect)))"""
    r"""[^>]*\s(?:src|href)="?((?:https?:)?//[^"\s>]+)"""
)
_IMPORTED = re.compile(r"""(?:@import\s+|url\()["']?((?:https?:)?//[^"')\s]+)""")


class NotOfflineError(Exception):
    """A page loads something from another server."""


def check(site: Path) -> None:
    """Checks that scripts, styles, fonts and pictures are files of the site.

    Raises:
        NotOfflineError: One of them is loaded from another server.
    """
    for pattern, ending in ((_LOADED, "html"), (_IMPORTED, "css")):
        for file in sorted(site.rglob(f"*.{ending}")):
            found = pattern.search(file.read_text(encoding="utf-8"))
            if found:
                raise NotOfflineError(f"{file.relative_to(site)} loads {found[1]}")
