"""Paths, and files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from incast.errors import Error, ResultsError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "RESULTS_FILES",
    "check_readable",
    "check_spares_results",
    "checked_path",
    "distinct_names",
    "file_name",
    "is_stream",
    "write_whole",
    "written_whole",
]

_SUMMARY, _SCENARIO = "summary.json", "scenario.toml"
_TABLES = (
    *("flows", "series", "ports", "packets", "round_trips", "messages"),
    *("senders", "company", "pause_causes", "entropies"),
    *("collectives", "ranks", "critical_path", "faults", "operations", "controls", "queues"),
)
RESULTS_FILES = frozenset(
    [_SUMMARY, _SCENARIO, "checksums.json", *(f"{name}.parquet" for name in _TABLES)]
)
"""Names of the files in a results folder."""


def checked_path(path: str | Path, error: type[Error] = ResultsError) -> Path:
    """Checks that the system could have such a path.

    Raises:
        Error: The path is invalid. The class is `error`.
    """
    if path == "":
        raise error("the path is empty", hint="name a file or folder")
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        what = "has a character that no path can have"
        raise error(what, file=str(path), hint="name another place")
    try:
        os.lstat(path)
    except OSError as failure:
        if failure.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            what = failure.strerror or str(failure)
            raise error(what, file=str(path), hint="name another place") from None
    return Path(path)


class _MakesErrors(Protocol):
    """A class of errors, or a function that makes them."""

    def __call__(self, what: str, *, file: str, hint: str | None) -> Error: ...


def check_readable(
    file: Path, error: _MakesErrors, *, largest: int, of: str, hint: str | None = None
) -> None:
    """Refuses a pipe or a device, which may never end or block when opened, and a file that is too
    large.

    Args:
        file: The file to be read.
        error: The class of the error.
        largest: The largest size that is accepted, in bytes.
        of: What the file should be, with an article, for the error.
        hint: What to do about a file that is too large.

    Raises:
        OSError: The system has no such file.
        Error: The file is refused. The class is `error`.
    """
    facts = file.stat()
    if not stat.S_ISREG(facts.st_mode):
        remedy = "give a file, not a folder, a pipe or a device"
        raise error("is no regular file", file=str(file), hint=remedy)
    if facts.st_size > largest:
        what = f"{facts.st_size} bytes are too large for {of}"
        raise error(what, file=str(file), hint=hint)


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Replaces a file in one step. The block writes to the path that it is given, beside the file;
    at the end of the block that text is flushed to the disk and takes the file's place. After a
    failure or a power cut the old file is still there. Links stay links, and the file keeps its
    mode. Pipes, devices and open files such as /dev/stdout are written to directly.

    Raises:
        OSError: The file cannot be replaced.
        ResultsError: The path is impossible, or is a file of a results folder.
    """
    checked_path(file)
    number = _descriptor(file)
    if number is not None:
        with _to_descriptor(number, file.suffix) as staging:
            yield staging
    elif is_stream(file):
        yield file
    else:
        check_spares_results(file)
        with _to_file(Path(os.path.realpath(file))) as staging:
            yield staging


def write_whole(file: Path, text: str) -> None:
    """Writes a text to a file, whole or not at all.

    Raises:
        OSError: The file cannot be written.
        ResultsError: The path is impossible.
    """
    with written_whole(file) as staging:
        staging.write_text(text, encoding="utf-8")


def check_spares_results(file: Path) -> None:
    """Refuses to overwrite a file of a results folder.

    Raises:
        ResultsError: The file belongs to the results in its folder.
    """
    target = Path(os.path.realpath(file))
    is_of_results = all((target.parent / name).is_file() for name in (_SUMMARY, _SCENARIO))
    if is_of_results and target.name in RESULTS_FILES:
        what = "belongs to the results in its folder, which would be lost"
        raise ResultsError(what, file=str(file), hint="take another name")


def is_stream(file: Path) -> bool:
    """Whether a path names a pipe, a device or an open file."""
    try:
        is_special = file.exists() and not file.is_file() and not file.is_dir()
        return is_special or _descriptor(file) is not None
    except OSError:
        # A path that the system refuses, for example for its length, is no stream.
        return False


_MAX_LINKS = 40
"""The most links in a row that are followed, as in operating systems."""


def _descriptor(file: Path) -> int | None:
    """The number of this process's open file that a path names, as /dev/stdout does."""
    own = {os.path.realpath(folder) for folder in ("/proc/self/fd", "/dev/fd")}
    for _ in range(_MAX_LINKS):
        if file.name.isdecimal() and os.path.realpath(file.parent) in own:
            return int(file.name)
        if not file.is_symlink():
            return None
        file = file.parent / file.readlink()
    return None


@contextmanager
def _to_descriptor(number: int, suffix: str) -> Iterator[Path]:
    from tempfile import TemporaryDirectory

    sys.stdout.flush()
    with (
        os.fdopen(os.dup(number), "wb") as out,
        TemporaryDirectory(prefix="incast-") as folder,
    ):
        staging = Path(folder) / f"output{suffix}"
        yield staging
        with staging.open("rb") as written:
            shutil.copyfileobj(written, out)


@contextmanager
def _to_file(target: Path) -> Iterator[Path]:
    staging, lock = _reserved(target)
    try:
        yield staging
        with staging.open("rb") as written:
            os.fsync(written.fileno())
        if target.exists():
            _take_after(staging, target)
        staging.replace(target)
    finally:
        staging.unlink(missing_ok=True)
        os.close(lock)


def _take_after(staging: Path, target: Path) -> None:
    """Gives a file the mode of another, and its owner if the system allows that."""
    facts = target.stat()
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(staging, facts.st_uid, facts.st_gid)
    shutil.copymode(target, staging)


def _reserved(target: Path) -> tuple[Path, int]:
    """A new file beside the target, and a handle that keeps the file locked while this process
    lives. Removes such files that killed processes have left in the folder.
    """
    prefix = f".{zlib.crc32(os.fsencode(target.name)):08x}-"
    _remove_abandoned(target.parent)
    while True:
        staging = target.with_name(f"{prefix}{os.urandom(4).hex()}{target.suffix}")
        handle = os.open(staging, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if fcntl:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
        # Another process may have removed the file before it was locked; then try again.
        if staging.exists():
            return staging, handle
        os.close(handle)


_STAGING = re.compile(r"\.[0-9a-f]{8}-[0-9a-f]{8}(\.\w*)?")
"""Pattern of the names of temporary files, for any target."""


def _remove_abandoned(folder: Path) -> None:
    if not fcntl:
        return
    for each in folder.glob(".????????-????????*"):
        if _STAGING.fullmatch(each.name) and each.is_file():
            with suppress(OSError), each.open("rb") as left:
                # Locking succeeds if the process that wrote the file has ended.
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                each.unlink()


def neighbours(path: Path, pattern: str) -> str | None:
    """A hint for a path that does not exist: files of its folder with such names."""
    folder = path.parent
    near = sorted(file.name for file in folder.glob(pattern)) if folder.is_dir() else []
    return f"in {folder} there are {', '.join(near[:5])}" if near else None


_LONGEST_NAME = 150
"""Bytes of a name in a file name. File systems allow 255; identity and suffixes need the rest."""


def file_name(name: str) -> str:
    """A name as part of a file name: without slashes and blanks, and cut if it is too long. A cut
    name ends in a hash, so that different names stay different.
    """
    short = re.sub(r"[^\w.+-]+", "-", name).encode()
    if len(short) <= _LONGEST_NAME:
        return short.decode()
    digest = f"-{zlib.crc32(short):08x}"
    return short[: _LONGEST_NAME - len(digest)].decode(errors="ignore") + digest


def distinct_names(names: Sequence[str]) -> list[str]:
    """Different file names for the given names, even on file systems that ignore case. Of names
    that coincide, all but the first get a number. No name begins with a dot or a hyphen.
    """
    given = [file_name(name).lstrip("-.") or "_" for name in names]
    taken = {name.casefold() for name in given}
    found: dict[str, str] = {}
    for name in given:
        own, number = name, 1
        while own.casefold() in (taken if number > 1 else found):
            number += 1
            own = f"{name}-{number}"
        taken.add(own.casefold())
        found[own.casefold()] = own
    return [*found.values()]
