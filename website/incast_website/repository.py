"""The repository: its path, and the files that become pages."""

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
"""Pages from the root folder, with their paths in the site. The site's first page is
`docs/README.md`, in place of the README.
"""

_GENERATED_FROM = {"CITATION.cff": "citation.md", "LICENSE": "citation.md"}
"""Files that are no pages themselves, with the page that is made from them."""


def pages() -> dict[PurePosixPath, PurePosixPath]:
    """The Markdown files of the repository that are pages, each with its path in the site."""
    files = [ROOT / name for name in _AT_THE_ROOT if name != "README.md"]
    files += sorted((ROOT / "docs").rglob("*.md"))
    paths = [PurePosixPath(file.relative_to(ROOT).as_posix()) for file in files]
    return {path: place for path in paths if (place := page_of(path))}


def page_of(path: PurePosixPath) -> PurePosixPath | None:
    """The page in the site for a file or folder of the repository; ``None`` if there is none."""
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
