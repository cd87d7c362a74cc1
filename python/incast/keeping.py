"""Where the results of a run are kept: whole, once, and whatever stands in the way."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from incast.errors import ResultsError
from incast.results import Results, load

__all__ = ["claim", "earlier", "keep"]

_PLACES = 9
"""Numbered places beside a folder that cannot be taken."""


def claim(folder: Path) -> None:
    """Makes sure, before a run and not after it, that its results can go there.

    Raises:
        ResultsError: They cannot.
    """
    in_the_way = folder.is_file() or (
        folder.is_dir() and any(folder.iterdir()) and not (folder / "summary.json").exists()
    )
    if in_the_way:
        what = "exists and is not a results folder"
        raise ResultsError(what, file=str(folder), hint="name another, or remove it")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder.parent, error) from None
    if not os.access(folder.parent, os.W_OK):
        raise ResultsError("cannot be written to", file=str(folder.parent))


def earlier(folder: Path, identity: str) -> Results | None:
    """Whole results of this identity, if the folder holds them."""
    try:
        results = load(folder)
    except ResultsError:
        return None
    if results.partial or results.identity != identity:
        return None
    results.reused = True
    return results


def keep(results: Results, folder: Path) -> Results:
    """Stores results in a folder or, if that cannot be taken, beside it, with a warning.

    Whole results of the same identity stay where they are: they are given back if another process
    has put them there meanwhile, and results of an interrupted run go beside them.

    Raises:
        ResultsError: There is no place that can be written to.
    """
    if results.partial and earlier(folder, results.identity):
        taken = ResultsError("holds the whole run", file=str(folder))
        return _beside(results, folder, taken)
    try:
        results.save(folder)
    except ResultsError as error:
        return earlier(folder, results.identity) or _beside(results, folder, error)
    return results


def _beside(results: Results, folder: Path, taken: ResultsError) -> Results:
    for place in _places(results, folder):
        try:
            results.save(place)
        except ResultsError:
            continue
        run = "the interrupted run" if results.partial else "the run"
        warnings.warn(f"{taken}; the results of {run} are in {place}", stacklevel=4)
        return results
    raise taken


def _places(results: Results, folder: Path) -> Iterator[Path]:
    """Other places for results: one for interrupted runs, or the next free one beside the folder;
    a short name, in case that one is too long; the folder for temporary files.
    """
    if results.partial:
        yield folder.with_name(f"{folder.name}-interrupted")
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in range(2, 2 + _PLACES))
    yield from (place for place in numbered if not _is_taken(place))
    yield folder.with_name(results.identity)
    yield Path(tempfile.gettempdir()) / f"incast-{results.identity}"


def _is_taken(place: Path) -> bool:
    """Whether something is there, a link to nowhere included, or nothing can be."""
    try:
        return os.path.lexists(place)
    except (OSError, ValueError):
        return True
