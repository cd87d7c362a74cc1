"""The place of a run's results: looked at before the run, taken after it."""

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
        """Lets go of the results, for those who want the sentence alone: they take memory."""
        del self.results, self.comparison


class Place:
    """Where the results of one run go, step by step: ``earlier``, ``claim``, the run, ``keep``.

    Args:
        folder: Of the results.
        identity: Of the run.
        force: Whether the run takes place even if its results are there, and may replace whole
            results of another run.
    """

    def __init__(self, folder: Path, identity: str, *, force: bool = False) -> None:
        self._folder = folder
        self._identity = identity
        self._force = force

    @property
    def beside(self) -> Path:
        """The folder in which theirs is, or will be."""
        return self._folder.parent

    def earlier(self) -> Results | None:
        """Whole results that make the run needless, once what killed runs have left is back: in the
        folder or, if that could not be taken, elsewhere; then a warning says so.

        Raises:
            ResultsError: Another process keeps the folder's parent locked.
        """
        recover(self._folder)
        if self._force:
            return None
        with late_warnings() as warn:
            return self._whole(warn)

    def claim(self) -> None:
        """Makes sure, before the run and not after it, that its results can go there.

        Raises:
            ResultsError: They cannot.
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
        """Stores results there or, if the folder cannot be taken, elsewhere, with a warning.

        Whole results stay where they are: those of the same identity, which another process has put
        there meanwhile, are given back. Results of an interrupted run stay beside those of a run
        that was interrupted sooner. If the run was forced, its whole results replace others.

        Args:
            results: Of the run, which has ended.
            warn: Gives the warning, and raises nothing: what is not stored yet would be lost.
            ending: Whether the run was asked to end: then no lock is waited for at length.

        Raises:
            UnstoredError: There is no place that can be written to.
        """
        replaces = self._force and not results.partial
        if not (replaces or results.partial) and (found := self._whole(warn)):
            return found
        wait = LockWait(warn, lambda: ending.requests if ending else 0)
        # What stands there is judged in the moment of replacement: another process may be faster.
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
        """Whole results of the run, wherever they had to go."""
        if found := whole(self._folder, self._identity):
            return found
        for place, where in elsewhere.known(self._folder, self._identity):
            if found := whole(place, self._identity):
                what = f"the results of this run are {where}, because it could not be taken"
                warn(f"{self._folder}: {what}: in {place}", 4)
                return found
        return None


def recover(folder: Path) -> None:
    """Brings back what killed runs have left beside a results folder; a warning says so.

    Raises:
        ResultsError: Another process keeps the folder's parent locked.
    """
    with late_warnings() as warn:
        for leftover in _core.recover(str(folder), LockWait(warn)):
            what = f"{folder}: a run that was killed had left files in {leftover}; they are back"
            warn(what, 3)


def is_storing(thread: int) -> bool:
    """Whether a thread is about to store results: then it ends by itself, and is left to it."""
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_code is not Place.keep.__code__:
        frame = frame.f_back
    return frame is not None


def _check_spares_current(folder: Path) -> None:
    """Refuses the current folder, and those that hold it."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        what = "the current folder has been removed"
        raise ResultsError(what, hint="change to another one") from None
    # Of links that lead in a circle, too: what they name stands in the way, as is told then.
    if (own := Path(os.path.realpath(folder))) == here or own in here.parents:
        what = "is the current folder, or holds it, and would be replaced as a whole"
        raise ResultsError(what, file=str(folder), hint="name a folder in it")


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


def _keep_elsewhere(results: Results, folder: Path, taken: ResultsError, wait: LockWait) -> Path:
    tried = [str(taken)]
    try:
        for other in elsewhere.places(results, folder):
            try:
                return results.save_sparing(other, "better", wait)
            except ResultsError as error:
                tried.append(str(error))
    except OSError as error:
        # Of the temporary folder.
        tried.append(error.strerror or str(error))
    raise UnstoredError(results, tried)
