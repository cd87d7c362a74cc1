"""The folder of a run's results: checked before the run, written after it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from incast import _core
from incast.comparison import Comparison
from incast.errors import ResultsError
from incast.late_warnings import Warn, late_warnings
from incast.lock_wait import LockWait
from incast.results import Results, Spare
from incast.store import elsewhere
from incast.store.ending import Ending
from incast.store.folders import whole

__all__ = ["Place", "UnstoredError", "is_storing", "recover"]


class UnstoredError(ResultsError):
    """The results of a run could not be stored, neither in their folder nor elsewhere.

    Attributes:
        results: The results of the run, in memory; :meth:`Results.save` stores them.
        comparison: The runs so far, this one included.
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
        """Frees the memory of the results; the message stays."""
        del self.results, self.comparison


class Place:
    """The folder of one run's results. Its methods are called in this order: ``earlier``,
    ``claim``, then the run, then ``keep``.

    Args:
        folder: The folder of the results.
        identity: The identity of the run.
        force: Whether to run even if the results exist, and to replace complete results of another
            run.
    """

    def __init__(self, folder: Path, identity: str, *, force: bool = False) -> None:
        self._folder = folder
        self._identity = identity
        self._force = force

    @property
    def beside(self) -> Path:
        """The folder that contains the results folder."""
        return self._folder.parent

    def earlier(self) -> Results | None:
        """Complete results that make the run unnecessary, if there are any. First restores files
        that killed runs have left. Warns if the results are not in the folder itself.

        Raises:
            ResultsError: Another process holds the lock of the folder's parent.
        """
        recover(self._folder)
        if self._force:
            return None
        with late_warnings() as warn:
            return self._whole(warn)

    def claim(self) -> None:
        """Checks, before the run, that its results can be stored in the folder.

        Raises:
            ResultsError: The results cannot be stored.
        """
        folder = self._folder
        _check_spares_current(folder)
        try:
            in_the_way = _stands(folder) and not _core.may_be_replaced(str(folder))
        except OSError as error:
            raise ResultsError.unwritable(folder, error) from None
        if in_the_way:
            what = "exists and is not a results folder"
            raise ResultsError(what, file=str(folder), hint="name another, or remove it")
        if not self._force and (other := _core.other_run(str(folder), self._identity)):
            what, is_partial = other
            if not is_partial:
                hint = "name another folder, or replace it with --force (in Python force=True)"
                raise ResultsError(what, file=str(folder), hint=hint)
            warnings.warn(
                f"{folder}: {what}; the results of this one will replace it", stacklevel=4
            )
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResultsError.unwritable(folder.parent, error) from None
        if not os.access(folder.parent, os.W_OK):
            raise ResultsError("cannot be written to", file=str(folder.parent))

    def keep(self, results: Results, warn: Warn, ending: Ending | None = None) -> Results:
        """Stores results in the folder or, if that is not possible, elsewhere, with a warning.

        Complete results in the folder stay. If another process has stored this run's results
        meanwhile, those are given back. Earlier results of an interrupted run stay if they say more
        than the new ones. If the run was forced, its complete results replace others.

        Args:
            results: The results of the run, which has ended.
            warn: Gives the warning. It must not raise, as the results would be lost.
            ending: Tells whether the run was asked to end: then waits for locks are short.

        Raises:
            UnstoredError: No place can be written to.
        """
        replaces = self._force and not results.partial
        if not (replaces or results.partial) and (found := self._whole(warn)):
            return found
        wait = LockWait(warn, lambda: ending.requests if ending else 0)
        # The engine checks the folder in the moment of replacement, as another process may be
        # faster.
        spare: Spare = "nothing" if replaces else "better"
        try:
            results.save_sparing(self._folder, spare, wait)
        except ResultsError as error:
            if not results.partial and (found := self._whole(warn)):
                return found
            other = _keep_elsewhere(results, self._folder, error, wait)
            run = "the interrupted run" if results.partial else "the run"
            warn(f"{error}; the results of {run} are in {other}", 3)
        return results

    def _whole(self, warn: Warn) -> Results | None:
        """Complete results of the run, wherever they were stored."""
        if found := whole(self._folder, self._identity):
            return found
        for place, where in elsewhere.known(self._folder, self._identity):
            if found := whole(place, self._identity):
                what = f"the results of this run are {where}, because it could not be taken"
                warn(f"{self._folder}: {what}: in {place}", 4)
                return found
        return None


def recover(folder: Path) -> None:
    """Restores results that killed runs have left beside a results folder, and warns about them.

    Raises:
        ResultsError: Another process holds the lock of the folder's parent.
    """
    with late_warnings() as warn:
        for leftover in _core.recover(str(folder), LockWait(warn)):
            what = f"{folder}: a run that was killed had left files in {leftover}; they are back"
            warn(what, 3)


def is_storing(thread: int) -> bool:
    """Whether a thread is storing results; such a thread ends by itself, and is left alone."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not Place.keep.__code__:
        frame = frame.f_back
    return frame is not None


def _check_spares_current(folder: Path) -> None:
    """Refuses the current folder, and folders that contain it."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        what = "the current folder has been removed"
        raise ResultsError(what, hint="change to another one") from None
    # Links in a circle pass here; they are reported when the folder is claimed.
    if (own := Path(os.path.realpath(folder))) == here or own in here.parents:
        what = "is the current folder, or holds it, and would be replaced as a whole"
        raise ResultsError(what, file=str(folder), hint="name a folder in it")


def _stands(folder: Path) -> bool:
    """Whether the path exists, a dangling link included.

    Raises:
        OSError: Such a path cannot exist: a name is too long, or a parent is a file.
    """
    try:
        folder.lstat()
    except FileNotFoundError:
        return False
    return True


def _keep_elsewhere(results: Results, folder: Path, taken: ResultsError, wait: LockWait) -> Path:
    tried = [str(taken)]
    try:
        for other in elsewhere.places(results, folder):
            try:
                return results.save_sparing(other, "better", wait)
            except ResultsError as error:
                tried.append(str(error))
    except OSError as error:
        # No temporary folder could be made.
        tried.append(error.strerror or str(error))
    raise UnstoredError(results, tried)
