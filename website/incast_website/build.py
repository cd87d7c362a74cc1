"""Builds the site: collects the pages in a folder, and runs MkDocs on them. Warnings count as
errors.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config

from incast_website import (
    algorithms,
    citation,
    commands,
    fences,
    gallery,
    keys,
    mechanisms,
    names,
    offline,
    python_api,
)
from incast_website.links import mended
from incast_website.repository import ROOT, pages

__all__ = ["build", "gather", "make"]

_CONFIGURATION = ROOT / "website/mkdocs.yml"
_ASSETS = ROOT / "website/theme"
_BELOW_TITLES = {
    "algorithms.md": (
        "Each algorithm has a [page of its own](algorithms/index.md) with its equations, sources, "
        "and what supports it."
    ),
}
"""Sentences that only the site has, below the titles of pages for which it has more pages."""


def build(pages_folder: Path, site: Path) -> None:
    """Writes the site.

    Args:
        pages_folder: The folder for the site's Markdown, which is replaced.
        site: The folder for the site's HTML, which is replaced.

    Raises:
        Abort: MkDocs warned: a dead link or anchor, a page outside the navigation.
        BrokenLinkError: A page of the repository links to a file that does not exist.
        NotOfflineError: A page loads something from elsewhere.
        RawFenceError: A page shows a block of code as raw Markdown.
    """
    gather(pages_folder)
    make(pages_folder, site)
    offline.check(site)
    fences.check(site)


def make(pages_folder: Path, site: Path, **changes: Any) -> None:
    """Turns Markdown into a site.

    Args:
        pages_folder: The folder with the Markdown.
        site: The folder for the HTML, which is replaced.
        changes: Settings that replace those of `mkdocs.yml`.

    Raises:
        Abort: MkDocs warned.
    """
    folders = {"docs_dir": str(pages_folder), "site_dir": str(site)}
    config = load_config(str(_CONFIGURATION), strict=True, **folders, **changes)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        mkdocs_build(config)
    finally:
        config.plugins.on_shutdown()


def gather(folder: Path) -> None:
    """Writes all pages of the site as Markdown, with their images."""
    shutil.rmtree(folder, ignore_errors=True)
    for source, place in pages().items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = fences.with_language_alone(mended(text, source))
        title, _, rest = text.partition("\n\n")
        below = _BELOW_TITLES.get(str(place), "")
        _write(folder / place, "\n\n".join([title, below, rest]))
    for name, text in _generated():
        _write(folder / name, text)
    shutil.copytree(ROOT / "docs/images", folder / "images", dirs_exist_ok=True)
    gallery.draw(folder)
    shutil.copytree(_ASSETS, folder / "theme", dirs_exist_ok=True)


def _generated() -> Iterable[tuple[str, str]]:
    """Pages that are generated from the program: for each, its path and its Markdown."""
    yield "algorithms/index.md", algorithms.index()
    yield "algorithms/parts.md", mechanisms.parts_page()
    yield "algorithms/switch-programs.md", mechanisms.programs_page()
    for name in algorithms.names():
        yield f"algorithms/{algorithms.place(name)}", algorithms.page(name)
    yield "reference/keys.md", keys.network_page()
    yield "reference/fabric-keys.md", keys.fabric_page()
    yield "reference/command-line.md", commands.page()
    yield "reference/names.md", names.page()
    for name in python_api.PAGES:
        yield f"reference/python/{name}.md", python_api.page(name)
    yield "examples.md", names.examples_page()
    yield "gallery.md", gallery.page()
    yield "citation.md", citation.page()


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
