"""Converts links between files of the repository into links between pages of the site.

A link to a file that is no page, such as source code, becomes plain text, because the site works
without a code host. A link to a file that does not exist is an error.
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
    """A link leads to a file that does not exist."""


def mended(text: str, source: PurePosixPath) -> str:
    """The text of a page, with links as in the site.

    Args:
        text: The Markdown.
        source: The path of the page in the repository.
    """
    done, at = [], 0
    for fence in _FENCE.finditer(text):
        done += [_mended_prose(text[at : fence.start()], source), fence[0]]
        at = fence.end()
    return "".join([*done, _mended_prose(text[at:], source)])


def named(text: str, link: Callable[[str, PurePosixPath], str]) -> str:
    """A text in which names of pages, as in `see docs/sweeps.md`, are links.

    Args:
        text: A text of the program.
        link: Makes a link from a page's title and its path in the site.
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
