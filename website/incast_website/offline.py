"""Whether a built site stands for itself: pages that load nothing from elsewhere."""

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
    """A page loads something from a server."""


def check(site: Path) -> None:
    """Looks for scripts, styles, fonts and pictures that come from elsewhere.

    Raises:
        NotOfflineError: There is one.
    """
    for pattern, ending in ((_LOADED, "html"), (_IMPORTED, "css")):
        for file in sorted(site.rglob(f"*.{ending}")):
            found = pattern.search(file.read_text(encoding="utf-8"))
            if found:
                raise NotOfflineError(f"{file.relative_to(site)} loads {found[1]}")
