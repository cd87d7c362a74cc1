"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["write_whole", "written_whole"]


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Gives a path beside a file to write to. At the end of the block, what is there is flushed to
    the disk and takes the place of the file in one step: after a failure, or a power cut, the file
    is as it was before. Links stay links; to pipes and devices, the block writes itself.

    Raises:
        OSError: The file cannot be replaced.
    """
    target = Path(os.path.realpath(file))
    if target.exists() and not target.is_file():
        yield target
        return
    staging = target.with_name(f".{secrets.token_hex(4)}{target.suffix}")
    try:
        yield staging
        with staging.open("rb") as written:
            os.fsync(written.fileno())
        staging.replace(target)
    finally:
        with suppress(FileNotFoundError):
            staging.unlink()


def write_whole(file: Path, text: str) -> None:
    """Writes a text to a file, whole or not at all.

    Raises:
        OSError: The file cannot be written.
    """
    with written_whole(file) as staging:
        staging.write_text(text, encoding="utf-8")
