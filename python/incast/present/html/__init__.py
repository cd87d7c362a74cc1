"""Reports: HTML files without any further files, server or network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from incast.errors import ResultsError
from incast.files import checked_path, is_stream, write_whole
from incast.measure.run import Runs
from incast.present.html.page import page

__all__ = ["is_whole", "write", "write_document", "write_sections"]


def write(
    runs: Runs,
    file: Path,
    *,
    title: str | None = None,
    baseline: str | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Writes a report on runs, which share the charts.

    Args:
        runs: The runs by label.
        file: The file to write.
        title: The title of the page; by default, the names of the scenarios.
        baseline: The label of the run with which the others are compared.
        notes: Sentences before the key figures.

    Raises:
        ResultsError: The file cannot be written.
    """
    names = dict.fromkeys(run.name for run in runs.values())
    title = title or ", ".join(names)
    return write_document(file, lambda: page({"": runs}, title, baseline, notes))


def write_sections(
    sections: Mapping[str, Runs], file: Path, *, title: str, baseline: str | None = None
) -> Path:
    """Writes a report in sections, each on some runs. Only runs of a section share charts."""
    return write_document(file, lambda: page(sections, title, baseline))


def write_document(file: Path, make: Callable[[], str]) -> Path:
    """Writes a page. An existing file is only replaced if it is such a page.

    Args:
        file: The file to write.
        make: Makes the page.

    Raises:
        ResultsError: The file cannot be written.
    """
    checked_path(file)
    try:
        if file.is_file() and not is_stream(file) and not _is_report(file):
            what = "exists and is no report"
            raise ResultsError(what, file=str(file), hint="name another file, or remove it")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, make())
    except OSError as error:
        raise ResultsError.unwritable(file, error) from None
    return file


def _is_report(file: Path) -> bool:
    """Whether a file is an HTML page, or empty."""
    with file.open("rb") as report:
        return report.read(len(_BEGIN)).lower() in (b"", _BEGIN)


def is_whole(file: Path) -> bool:
    """Whether a report is complete. Older versions left an incomplete one if the disk was full."""
    if not file.is_file():
        return False
    try:
        with file.open("rb") as report:
            report.seek(max(0, file.stat().st_size - 4 * len(_END)))
            return report.read().rstrip().endswith(_END)
    except OSError:
        return False


_BEGIN = b"<!doctype html>"
_END = b"</html>"
