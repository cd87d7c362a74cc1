"""Places for results whose folder cannot be taken: beside it, or among the temporary folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from incast.results import Results

__all__ = ["known", "places"]


def places(results: Results, folder: Path) -> Iterator[Path]:
    """Other places for results: one for interrupted runs, or those beside the folder; a temporary
    folder.

    Raises:
        OSError: There is no temporary folder.
    """
    if results.partial:
        yield folder.with_name(f"{folder.name}-interrupted")
    yield from _beside(folder, results.identity)
    yield _temporary() / _temporary_name(folder, results.identity)


def known(folder: Path, identity: str) -> Iterator[tuple[Path, str]]:
    """Where results for a folder may have gone, without those of interrupted runs: the places, and
    where they are, in words.
    """
    for place in _beside(folder, identity):
        yield place, "beside it"
    for place in _in_temporary(folder, identity):
        yield place, "in a temporary folder"


def _temporary() -> Path:
    """The folder for results among the temporary ones: one for all runs of a user, who alone can
    look into it. Where another user has taken its name, a new one.

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
    """The temporary name of a run's results for this folder; results for another folder are made
    anew.
    """
    from hashlib import sha256

    return f"{identity}-{sha256(os.fsencode(folder.absolute())).hexdigest()[:16]}"


def _in_temporary(folder: Path, identity: str) -> list[Path]:
    """Where results of a run that are for this folder may be among the temporary ones."""
    if not _may_have_temporary():
        return []
    from tempfile import gettempdir

    try:
        temporary = _own_temporary(gettempdir())
        if temporary is None or not _is_own(temporary):
            return []
        return [temporary / _temporary_name(folder, identity)]
    except OSError:
        # There is none, or the current folder is gone, which is told where results are stored.
        return []


def _may_have_temporary() -> bool:
    """Whether a user's folder is where `tempfile` looks first: it takes milliseconds to load."""
    given = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    own = _own_temporary(next((place for place in given if place), "/tmp"))
    return own is not None and own.is_dir()


def _own_temporary(temporary: str) -> Path | None:
    """A user's folder there, where users have numbers."""
    return Path(temporary, f"incast-{os.getuid()}") if os.name == "posix" else None


def _is_own(folder: Path) -> bool:
    """Whether it is a folder, no link to one, which its owner alone, this user, can open."""
    try:
        facts = folder.lstat()
    except OSError:
        return False
    others = facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not others


def _beside(folder: Path, identity: str) -> list[Path]:
    """Places beside a folder, by names that only this run has: a short one, too, in case the other
    is too long. None beside the current folder, or the root, which have no name.
    """
    if not folder.name:
        return []
    return [folder.with_name(f"{folder.name}-{identity}"), folder.with_name(identity)]
