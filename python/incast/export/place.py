"""Writes exported files, whole or not at all, and never over other files by accident."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from incast.errors import ResultsError
from incast.files import check_spares_results, checked_path, is_stream, written_whole

__all__ = ["checked_target", "stored"]


def checked_target(file: Path, *, overwrite: bool) -> None:
    """Checks that a file may be written.

    Raises:
        ResultsError: The file exists, or cannot be written.
    """
    checked_path(file)
    if file.is_dir():
        what = "is a folder"
        raise ResultsError(what, file=str(file), hint="name a file in it")
    check_spares_results(file)
    if not overwrite and file.exists() and not is_stream(file):
        hint = "take another name, or replace it: --force, in Python overwrite=True"
        raise ResultsError("exists already", file=str(file), hint=hint)


@contextmanager
def stored(file: Path) -> Iterator[IO[bytes]]:
    """Gives an open file, which appears under its name at the end of the block. It is compressed if
    its name ends in .gz.

    Raises:
        ResultsError: The file cannot be written.
    """
    try:
        with written_whole(file) as staging, staging.open("wb") as plain:
            if file.suffix != ".gz":
                yield plain
                return
            # Without a time and a name in the header, equal contents give equal files.
            with gzip.GzipFile("", "wb", 6, plain, 0) as packed, io.BufferedWriter(packed) as out:
                yield out
    except OSError as error:
        raise ResultsError.unwritable(file, error) from None
