"""The repository whose pages these are: where it is, and which of its files are pages."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

__all__ = ["ROOT", "page_of", "pages"]

ROOT = Path(__file__).parents[2]

_AT_THE_ROOT = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
}
"""The README's place is taken by the site's own first page, `docs/README.md`."""

_GENERATED_FROM = {"CITATION.cff": "citation.md", "LICENSE": "citation.md"}
"""Files that are no pages, but what a page is made from."""


def pages() -> dict[PurePosixPath, PurePosixPath]:
    """The Markdown files of the repository that are pages, each with its place in the site."""
    files = [ROOT / name for name in _AT_THE_ROOT if name != "README.md"]
    files += sorted((ROOT / "docs").rglob("*.md"))
    paths = [PurePosixPath(file.relative_to(ROOT).as_posix()) for file in files]
    return {path: place for path in paths if (place := page_of(path))}


def page_of(path: PurePosixPath) -> PurePosixPath | None:
    """The place in the site of a file or folder of the repository, if it has one."""
    if str(path) in _AT_THE_ROOT:
        return PurePosixPath(_AT_THE_ROOT[str(path)])
    if str(path) in _GENERATED_FROM:
        return PurePosixPath(_GENERATED_FROM[str(path)])
    if path.parts[:1] == ("examples",):
        return PurePosixPath("examples.md")
    if path.parts[:1] != ("docs",):
        return None
    inside = path.relative_to("docs")
    if (ROOT / path).is_dir():
        inside /= "README.md"
    if inside.name == "README.md":
        return inside.with_name("index.md")
    return inside
