"""Where the results of a run are kept: whole, once, and whatever stands in the way."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

from incast import _core
from incast.comparison import Comparison
from incast.errors import ResultsError
from incast.files import file_name
from incast.late_warnings import Warn, late_warnings
from incast.lock_wait import LockWait
from incast.os_signals import Handler, handled
from incast.results import Results, Spare, load
from incast.scenario import Scenario

__all__ = [
    "Ending",
    "Places",
    "UnstoredError",
    "claim",
    "earlier",
    "is_storing",
    "is_whole",
    "keep",
    "of_other_engines",
    "place",
    "recover",
    "stored",
    "until_kept",
]


class UnstoredError(ResultsError):
    """Results of a run for which no place was found, neither where they were to go nor elsewhere.

    Attributes:
        results: Of the run, in memory; :meth:`Results.save` stores them.
        comparison: Of the runs so far, this one among them.
    """

    def __init__(self, results: Results, tried: Sequence[str]) -> None:
        reasons = "; ".join(dict.fromkeys(tried))
        super().__init__(
            f"the results of {results.name} could be stored nowhere: {reasons}",
            hint="make room, or let TMPDIR name a folder that can be written to, and run again; in "
            "Python, the error's `results.save(folder)` stores them",
        )
        self.results = results
        self.comparison = Comparison({results.name: results})

    def let_go_of_results(self) -> None:
        """For those who want the sentence alone: results take memory."""
        del self.results, self.comparison


def place(store: Path, scenario: Scenario) -> Path:
    """The folder of a scenario's results in a store: the one that has them, whatever the rest of
    its name; else ``<name>-<algorithm>-<identity>``.
    """
    return Places(store).of(scenario)


class Places:
    """The folders of many scenarios' results in a store, which is listed once."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def of(self, scenario: Scenario) -> Path:
        """As :func:`place`."""
        return self.whole(scenario) or self._own(scenario)

    def whole(self, scenario: Scenario) -> Path | None:
        """The folder that holds whole results of a scenario, if one does."""
        own = self._own(scenario)
        if _whole(own, scenario.identity):
            return own
        others = self._by_identity.get(scenario.identity, [])
        return next((each for each in others if _whole(each, scenario.identity)), None)

    def _own(self, scenario: Scenario) -> Path:
        name, algorithm = file_name(scenario.name), file_name(scenario.algorithm)
        return self._store / f"{name}-{algorithm}-{scenario.identity}"

    @cached_property
    def _by_identity(self) -> dict[str, list[Path]]:
        """Folders by what may be an identity in their names."""
        found: dict[str, list[Path]] = {}
        for folder in sorted(self._store.glob("[!.]*")):
            for match in _IDENTITY.finditer(folder.name):
                found.setdefault(match[1], []).append(folder)
        return found


def of_other_engines(store: Path, scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """Results of a scenario in a store that another engine computed, which no run takes: their
    folders, and the engines, empty if not known.
    """
    name, algorithm = file_name(scenario.name), file_name(scenario.algorithm)
    text = scenario.to_toml()
    for folder in sorted(store.glob(f"{glob.escape(f'{name}-{algorithm}')}-*")):
        try:
            results = load(folder)
            is_same = (folder / "scenario.toml").read_text("utf-8") == text
        except (ResultsError, OSError, ValueError):
            continue
        if is_same and results.summary["engine"] != _core.__engine__:
            yield folder, str(results.summary["engine"])


def stored(folder: Path) -> Iterator[tuple[Path, Results | ResultsError]]:
    """Results in a folder and right below it, by name: opened, or why they cannot be read. What
    begins with a dot is left out: runs that were killed.

    Raises:
        ResultsError: The folder cannot be read.
    """
    try:
        below = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError as error:
        raise ResultsError(error.strerror or str(error), file=str(folder)) from None
    for place in (folder, *below):
        if (place / "summary.json").is_file():
            try:
                yield place, load(place)
            except ResultsError as error:
                yield place, error


_IDENTITY = re.compile(r"(?=([0-9a-f]{16}))")
"""Anywhere in a name, also within a longer number."""


class Ending:
    """How often a run was asked to end, and what its progress callback raised."""

    def __init__(self) -> None:
        self.requests = 0
        self.failure: Exception | None = None

    @property
    def wanted(self) -> bool:
        """Whether it was asked to."""
        return self.requests > 0 or self.failure is not None

    def watch(
        self, progress: Callable[[dict[str, Any]], None] | None
    ) -> Callable[[dict[str, Any]], None]:
        """The callback of a run, which ends it if that is wanted, or if `progress` fails."""

        def told(done: dict[str, Any]) -> None:
            try:
                if progress is not None and not self.wanted:
                    progress(done)
            except Exception as error:
                self.failure = error
            if self.wanted:
                # The engine ends at this exception, and gives what has finished.
                raise KeyboardInterrupt

        return told


@contextmanager
def until_kept() -> Iterator[Ending]:
    """Notes Ctrl-C, and other signals that raise KeyboardInterrupt, until results are kept: else
    one that comes between the end of a run and the end of its storing would lose it. Signals reach
    the main thread alone.
    """
    ending = Ending()

    def noting(handler: Any) -> Handler | None:
        if not callable(handler):
            return None

        def note(number: int, frame: FrameType | None) -> None:
            try:
                handler(number, frame)
            except KeyboardInterrupt:
                ending.requests += 1
                if _core.in_algorithm():
                    # It may never return: the exception ends it, and the run is asked to end.
                    raise

        return note

    with handled(("SIGINT", "SIGTERM", "SIGHUP"), noting):
        yield ending


def recover(folder: Path) -> None:
    """Brings back what killed runs have left beside a results folder; a warning says so.

    Raises:
        ResultsError: Another process keeps the folder's parent locked.
    """
    with late_warnings() as warn:
        for leftover in _core.recover(str(folder), LockWait(warn)):
            what = f"{folder}: a run that was killed had left files in {leftover}; they are back"
            warn(what, 3)


def claim(folder: Path, identity: str, *, force: bool = False) -> None:
    """Makes sure, before a run and not after it, that its results can go there.

    Args:
        folder: Their place.
        identity: Of the run.
        force: Whether they may replace whole results of another run.

    Raises:
        ResultsError: They cannot.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:
        what = "the current folder has been removed"
        raise ResultsError(what, hint="change to another one") from None
    # Of links that lead in a circle, too: what they name stands in the way, below.
    if (own := Path(os.path.realpath(folder))) == here or own in here.parents:
        what = "is the current folder, or holds it, and would be replaced as a whole"
        raise ResultsError(what, file=str(folder), hint="name a folder in it")
    try:
        in_the_way = _stands(folder) and not _core.may_be_replaced(str(folder))
    except OSError as error:
        raise ResultsError.unwritable(folder, error) from None
    if in_the_way:
        what = "exists and is not a results folder"
        raise ResultsError(what, file=str(folder), hint="name another, or remove it")
    if not force and (other := _core.other_run(str(folder), identity)):
        what, is_partial = other
        if not is_partial:
            hint = "name another folder, or replace it with --force (in Python force=True)"
            raise ResultsError(what, file=str(folder), hint=hint)
        warnings.warn(f"{folder}: {what}; the results of this one will replace it", stacklevel=4)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError.unwritable(folder.parent, error) from None
    if not os.access(folder.parent, os.W_OK):
        raise ResultsError("cannot be written to", file=str(folder.parent))


def _stands(folder: Path) -> bool:
    """Whether something is there, a link to nowhere included.

    Raises:
        OSError: Nothing can be there: the name is too long, or a file is in its path.
    """
    try:
        folder.lstat()
    except FileNotFoundError:
        return False
    return True


def earlier(folder: Path, identity: str, warn: Warn) -> Results | None:
    """Whole results of this identity: in the folder or, if that could not be taken, beside it or
    among the temporary folders; then a warning says so.
    """
    if found := _whole(folder, identity):
        return found
    beside = [(place, "beside it") for place in _beside(folder, identity)]
    elsewhere = [(place, "in a temporary folder") for place in _in_temporary(folder, identity)]
    for place, where in (*beside, *elsewhere):
        if found := _whole(place, identity):
            what = f"the results of this run are {where}, because it could not be taken"
            warn(f"{folder}: {what}: in {place}", 3)
            return found
    return None


def is_whole(folder: Path, identity: str) -> bool:
    """Whether a folder holds whole results of this identity."""
    return _whole(folder, identity) is not None


def _whole(folder: Path, identity: str) -> Results | None:
    """Whole results of this identity, if the folder holds them."""
    try:
        results = load(folder)
    except ResultsError:
        return None
    if results.partial or results.identity != identity:
        return None
    if not _core.sizes_match(str(folder)):
        return None
    results.reused = True
    return results


def keep(
    results: Results,
    folder: Path,
    *,
    warn: Warn,
    force: bool = False,
    ending: Ending | None = None,
) -> Results:
    """Stores results in a folder or, if that cannot be taken, beside it, with a warning.

    Whole results stay where they are: those of the same identity, which another process has put
    there meanwhile, are given back. Results of an interrupted run stay beside those of a run that
    was interrupted sooner.

    Args:
        results: Of a run that has ended.
        folder: Their place.
        warn: Gives the warning, and raises nothing: what is not stored yet would be lost.
        force: Replace whole results by these, if these are whole.
        ending: Whether the run was asked to end: then no lock is waited for at length.

    Raises:
        UnstoredError: There is no place that can be written to.
    """
    if not (force or results.partial) and (found := earlier(folder, results.identity, warn)):
        return found
    wait = LockWait(warn, lambda: ending.requests if ending else 0)
    # What stands there is judged in the moment of replacement: another process may be faster.
    spare: Spare = "nothing" if force and not results.partial else "better"
    try:
        results.save_sparing(folder, spare, wait)
    except ResultsError as error:
        found = None if results.partial else earlier(folder, results.identity, warn)
        if found is not None:
            return found
        other = _keep_elsewhere(results, folder, error, wait)
        run = "the interrupted run" if results.partial else "the run"
        warn(f"{error}; the results of {run} are in {other}", 3)
    return results


def is_storing(thread: int) -> bool:
    """Whether a thread is about to store results: then it ends by itself, and is left to it."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not keep.__code__:
        frame = frame.f_back
    return frame is not None


def _keep_elsewhere(results: Results, folder: Path, taken: ResultsError, wait: LockWait) -> Path:
    tried = [str(taken)]
    try:
        for other in _places(results, folder):
            try:
                return results.save_sparing(other, "better", wait)
            except ResultsError as error:
                tried.append(str(error))
    except OSError as error:
        # Of the temporary folder.
        tried.append(error.strerror or str(error))
    raise UnstoredError(results, tried)


def _places(results: Results, folder: Path) -> Iterator[Path]:
    """Other places for results: one for interrupted runs, or those beside the folder; a temporary
    folder.

    Raises:
        OSError: There is no temporary folder.
    """
    if results.partial:
        yield folder.with_name(f"{folder.name}-interrupted")
    yield from _beside(folder, results.identity)
    yield _temporary() / _temporary_name(folder, results.identity)


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
    """Of the results of a run that are for this folder; for another one they are made anew."""
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
