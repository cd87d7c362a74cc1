"""Other places for results whose folder cannot be taken: beside it, or a temporary folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from incast.results import Results

__all__ = ["known", "places"]


def places(results: Results, folder: Path) -> Iterator[Path]:
    """Other places for results, in the order to try: for an interrupted run a folder of its own,
    then beside the folder, then in a temporary folder.

    Raises:
        OSError: There is no temporary folder.
    """
    if results.partial:
        yield folder.with_name(f"{folder.name}-interrupted")
    yield from _beside(folder, results.identity)
    yield _temporary() / _temporary_name(folder, results.identity)


def known(folder: Path, identity: str) -> Iterator[tuple[Path, str]]:
    """Places where results for a folder may have been stored instead, each with a description.
    Places of interrupted runs are left out.
    """
    for place in _beside(folder, identity):
        yield place, "beside it"
    for place in _in_temporary(folder, identity):
        yield place, "in a temporary folder"


def _temporary() -> Path:
    """The temporary folder for results: one folder for all runs of a user, closed to other users. A
    new one if another user has taken its name.

    Raises:
        OSError: There is no temporary folder.
    """
    from tempfile import gettempdir, mkdtemp

    folder = _own_temporary(gettempdir())
    if folder is not None:
        with suppress(FileExistsError):
            folder.mkdir(mode=stat.S_IRWXU)
        if _is_own(folder):
            return folder
    return Path(mkdtemp(prefix="incast-"))


def _temporary_name(folder: Path, identity: str) -> str:
    """The name of a run's results in the temporary folder. It depends on the folder that was asked
    for, so that results for another folder are not found.
    """
    from hashlib import sha256

    return f"{identity}-{sha256(os.fsencode(folder.absolute())).hexdigest()[:16]}"


def _in_temporary(folder: Path, identity: str) -> list[Path]:
    """Temporary folders that may hold this run's results for this folder."""
    if not _may_have_temporary():
        return []
    from tempfile import gettempdir

    try:
        temporary = _own_temporary(gettempdir())
        if temporary is None or not _is_own(temporary):
            return []
        return [temporary / _temporary_name(folder, identity)]
    except OSError:
        # There is no temporary folder, or the current folder was removed; storing reports that.
        return []


def _may_have_temporary() -> bool:
    """Whether the user's folder exists where `tempfile` would look first. Importing `tempfile`
    takes milliseconds.
    """
    given = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    own = _own_temporary(next((place for place in given if place), "/tmp"))
    return own is not None and own.is_dir()


def _own_temporary(temporary: str) -> Path | None:
    """The user's folder in a temporary folder; ``None`` where users have no numbers."""
    return Path(temporary, f"incast-{os.getuid()}") if os.name == "posix" else None


def _is_own(folder: Path) -> bool:
    """Whether the path is a folder, not a link, that belongs to this user and is closed to
    others.
    """
    try:
        facts = folder.lstat()
    except OSError:
        return False
    others = facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not others


def _beside(folder: Path, identity: str) -> list[Path]:
    """Places beside a folder, with names that only this run uses. The second name is short, in case
    the first is too long. The current folder and the root have no name, so there are none.
    """
    if not folder.name:
        return []
    return [folder.with_name(f"{folder.name}-{identity}"), folder.with_name(identity)]
