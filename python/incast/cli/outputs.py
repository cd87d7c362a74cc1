"""Files that a command writes beside its printed output. Their paths are checked before anything
runs. If one cannot be written, the printed table and the other files are still produced.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import incast
from incast.cli import messages
from incast.errors import ResultsError
from incast.files import check_spares_results, checked_path, is_stream

__all__ = [
    "UNWRITTEN",
    "Outputs",
    "check_distinct",
    "check_file",
    "check_folder",
    "check_replaced",
]

UNWRITTEN = 2
"""The exit code of a command that could not write a file."""

Written = TypeVar("Written")


class Outputs:
    """Writes files one after the other, and reports those that cannot be written."""

    def __init__(self) -> None:
        self.code = 0

    def write(self, make: Callable[[], Written]) -> Written | None:
        """The result of `make`; ``None`` if a file cannot be written."""
        try:
            return make()
        except incast.Error as error:
            messages.refuse(error, str(error))
            self.code = UNWRITTEN
            return None


def check_file(file: Path, *, force: bool, is_own: Callable[[Path], bool]) -> None:
    """Checks that a file can be written, and that no other file is lost.

    Args:
        file: The path of the file.
        force: Whether any existing file may be replaced.
        is_own: Tells whether an existing file is of the kind that is written.

    Raises:
        ResultsError: The file cannot be written, or another file would be lost.
    """
    checked_path(file)
    if is_stream(file):
        return
    if file.is_dir():
        raise ResultsError("is a folder", file=str(file), hint="name a file in it")
    check_spares_results(file)
    folder = file.parent
    if not folder.exists():
        what = f"there is no folder {folder}"
        raise ResultsError(what, file=str(file), hint="make it, or name another place")
    check_folder(folder)
    check_replaced(file, force=force, is_own=is_own)


def check_replaced(file: Path, *, force: bool, is_own: Callable[[Path], bool]) -> None:
    """Refuses to replace a file that is not of the kind that is written.

    Args:
        file: The path of the file.
        force: Whether any existing file may be replaced.
        is_own: Tells whether an existing file is of that kind.

    Raises:
        ResultsError: The existing file is of another kind.
    """
    if not force and file.is_file() and not is_stream(file) and not _holds(is_own, file):
        hint = "take another name, or replace it with --force"
        raise ResultsError("exists already", file=str(file), hint=hint)


def check_distinct(files: Mapping[str, Path | None]) -> None:
    """Refuses the same path for two files.

    Args:
        files: The path of each option; ``None`` if the option is not given.

    Raises:
        ResultsError: Two options have the same path.
    """
    named: dict[str, str] = {}
    for option, file in files.items():
        if file is None or is_stream(file):
            continue
        first = named.setdefault(os.path.realpath(file), option)
        if first != option:
            what = f"{first} and {option} name the same file"
            raise ResultsError(what, file=str(file), hint="give each a place of its own")


def check_folder(folder: Path) -> None:
    """Checks that files can be written to a folder, which need not exist yet.

    Raises:
        ResultsError: The folder cannot be written to.
    """
    checked_path(folder)
    there = next((each for each in (folder, *folder.parents) if os.path.lexists(each)), Path())
    if not there.is_dir():
        raise ResultsError.unwritable(folder, FileExistsError("exists"))
    if not os.access(there, os.W_OK):
        raise ResultsError("cannot be written to", file=str(there))


def _holds(is_own: Callable[[Path], bool], file: Path) -> bool:
    try:
        return is_own(file)
    except OSError:
        return False
