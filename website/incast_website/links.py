"""Links of the repository's pages: each leads to a file there, and in the site to a page.

A link to a file that is no page of the site (source code) is its text alone, because the site
stands for itself, without a forge. A link to nothing is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os.path import relpath
from pathlib import PurePosixPath

from incast_website.repository import ROOT, page_of

__all__ = ["BrokenLinkError", "mended", "named"]

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


class BrokenLinkError(Exception):
    """A link leads to a file that is not there."""


def mended(text: str, source: PurePosixPath) -> str:
    """A page's text with its links as they are in the site.

    Args:
        text: Markdown.
        source: The page's place in the repository.
    """
    done, at = [], 0
    for fence in _FENCE.finditer(text):
        done += [_mended_prose(text[at : fence.start()], source), fence[0]]
        at = fence.end()
    return "".join([*done, _mended_prose(text[at:], source)])


def named(text: str, link: Callable[[str, PurePosixPath], str]) -> str:
    """A text in which names of pages, as in `see docs/sweeps.md`, are links.

    Args:
        text: What the program says of itself.
        link: The link to a page, of its title and its place in the site.
    """

    def linked(match: re.Match[str]) -> str:
        source = PurePosixPath(match[0])
        place = page_of(source)
        if place is None or not (ROOT / source).exists():
            raise BrokenLinkError(f"the program names {source}, which is no page")
        first = (ROOT / source).read_text(encoding="utf-8").partition("\n")[0]
        return link(first.removeprefix("# "), place)

    return re.sub(r"\bdocs/[\w/-]+\.md\b", linked, text)


def _mended_prose(text: str, source: PurePosixPath) -> str:
    def mend(match: re.Match[str]) -> str:
        image, label, target = match.groups()
        if "://" in target or target.startswith(("#", "mailto:")):
            return match[0]
        path, _, anchor = target.partition("#")
        found = _resolved(source.parent / path)
        if not (ROOT / found).exists():
            raise BrokenLinkError(f"{source}: the link to {target} leads to nothing")
        place = page_of(found)
        if place is None:
            return label
        here = page_of(source)
        assert here is not None, f"{source} is no page"
        link = relpath(place, here.parent)
        if place == PurePosixPath("examples.md"):
            anchor = found.stem if found.suffix == ".toml" else ""
        return f"{image}[{label}]({link}{'#' + anchor if anchor else ''})"

    return _LINK.sub(mend, text)


def _resolved(path: PurePosixPath) -> PurePosixPath:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)
