"""Errors, one class per kind. Each names the mistake, its place and a remedy; the parts are
attributes, so that programs need not read the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from incast import _core

__all__ = [
    "AlgorithmError",
    "ClusterError",
    "CodeError",
    "ColumnError",
    "Error",
    "FlowRowsError",
    "ImportFileError",
    "LabelError",
    "PaperError",
    "RemoteTraceback",
    "ResultsError",
    "RunError",
    "ScenarioError",
    "StudyError",
    "exception_text",
    "let_go",
    "printable",
    "traceback_text",
]


def printable(text: str) -> str:
    """A text for a terminal, as the engine has it: unprintable characters and line breaks are
    escaped, long text is cut.
    """
    return _core.printable(text.encode(errors="backslashreplace").decode())


def traceback_text(error: BaseException) -> str:
    """The traceback of an exception in the user's own code. Long lines are cut, and so are the
    lines in the middle of a long traceback.
    """
    from traceback import format_exception

    if isinstance(error, RemoteTraceback):
        return str(error)
    try:
        text = "".join(format_exception(error))
    except Exception:
        text = exception_text(error)
    lines = [printable(line) for line in text.splitlines()]
    if len(lines) > 2 * _LINES:
        left = len(lines) - 2 * _LINES
        lines[_LINES:-_LINES] = [f"  … {left} lines …"]
    return "\n".join(lines)


_LINES = 100
"""Lines of a long traceback that are shown at its beginning, and as many at its end."""


def exception_text(error: BaseException) -> str:
    """The class of an exception in the user's own code, and its text if it has one."""
    kind = type(error).__name__
    try:
        return f"{kind}: {error}".removesuffix(": ")
    except Exception:
        return kind


class Error(Exception):
    """An input that incast refuses, or a run that fails.

    Attributes:
        what: The mistake.
        file: The file that has the mistake, if there is one.
        line: The line in that file, from 1.
        key: The setting, dotted, such as ``traffic.0.load``.
        hint: The remedy.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.file = file
        self.line = line
        self.key = key
        self.hint = hint

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[Any, ...]]:
        """Pickles an error with all of its attributes, whatever the arguments of its class, and
        with the traceback of its cause as text.
        """
        cause = "" if self.__cause__ is None else traceback_text(self.__cause__)
        return _again, (type(self), self.args, self.__dict__, cause)

    def __str__(self) -> str:
        """``file:line: key: what; hint``, without the parts that are unknown."""
        place = self.file or ""
        if place and self.line is not None:
            place += f":{self.line}"
        parts = (place, self.key, self.what)
        sentence = ": ".join(printable(part) for part in parts if part)
        return f"{sentence}; {printable(self.hint)}" if self.hint else sentence


def _again(
    kind: type[Error], args: tuple[Any, ...], attributes: dict[str, Any], cause: str
) -> Error:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    error.__cause__ = RemoteTraceback(cause) if cause else None
    return error


class RemoteTraceback(Exception):  # noqa: N818
    """The traceback of an exception in another process, as text."""


class ScenarioError(Error):
    """A scenario that cannot be run: unknown key, missing unit, impossible value."""


class CodeError(ScenarioError):
    """An algorithm is in a Python file, where no code of scenarios may be run."""


class ImportFileError(Error):
    """A file of another simulator that cannot be read."""


class PaperError(Error):
    """An unknown paper or figure, or a mistake in a paper: texts that do not match its code, a
    wrong scenario, an exception of its code, which is the cause.
    """


class ResultsError(Error):
    """A results folder that cannot be read or written."""

    @classmethod
    def unwritable(cls, place: Path, error: OSError) -> ResultsError:
        """The error for a path to which the system refused to write.

        Args:
            place: The file or folder that was to be made.
            error: The system's error. It is unclear if a file is where a folder should be.
        """
        folders = list(place.parents)
        if isinstance(error, FileExistsError):
            folders.insert(0, place)
        for folder in folders:
            # For a name that is too long, `is_dir` raises, too; the system's error says enough.
            with suppress(OSError):
                if not folder.is_dir() and (folder.exists() or folder.is_symlink()):
                    kind = "a file" if folder.exists() else "a link to nothing"
                    what = f"is {kind}; nothing can be stored below it"
                    return cls(what, file=str(folder), hint="name another place, or remove it")
        return cls(error.strerror or str(error), file=str(place))


class FlowRowsError(ResultsError):
    """Rows of flows were asked for that were not kept, or are too many to load unasked."""

    @classmethod
    def of(cls, name: str, kept: Mapping[str, Any]) -> FlowRowsError:
        """The error for a run that does not have, or does not load, a row for every flow.

        Args:
            name: The name of the run.
            kept: ``flow_rows`` of its summary: which flows have rows.
        """
        if kept["of"] == "all":
            count = kept["completed"] + kept["unfinished"]
            what = f"{name}: this loads a row of every flow, {count}, more than measure.rows"
            hint = (
                "`kept_flows` has them, if they fit into memory, and `summary` statistics of all; "
                "or raise measure.rows, and run it again"
            )
            return cls(what, hint=hint)
        what = f'{name}: this needs a row of every flow, and measure.flows.rows is "{kept["of"]}"'
        hint = (
            'run it with measure.flows.rows = "all" (--memory any if they may not fit into '
            "memory); `summary` has statistics of all flows, `kept_flows` the rows that there are"
        )
        return cls(what, hint=hint)


class ColumnError(ResultsError, KeyError):
    """A column that a table of results does not have."""


class LabelError(ResultsError, KeyError):
    """A comparison has no run with this label."""


class StudyError(Error):
    """A study that cannot be swept: an unknown key or measure, a file that cannot be read."""


class ClusterError(Error):
    """A cluster that cannot be reached, or whose workers would give other results."""


class RunError(Error):
    """A run that was stopped because an invariant of the model was violated."""


class AlgorithmError(RunError):
    """A run that ended because an algorithm in Python raised an exception, which is the cause.

    Attributes:
        method: The method that raised it.
        flow: The number of the flow.
        time_ps: The simulated time.
    """

    def __init__(self, what: str, *, method: str, flow: int, time_ps: int) -> None:
        super().__init__(what)
        self.method = method
        self.flow = flow
        self.time_ps = time_ps

    def __str__(self) -> str:
        """The message, with a hint if the method used a signal that the class did not ask for."""
        self.keep_hint()
        return super().__str__()

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[Any, ...]]:
        """Pickles the error with its hint."""
        self.keep_hint()
        return super().__reduce__()

    def keep_hint(self) -> None:
        """Stores the hint, which needs the cause."""
        self.hint = self.hint or _signal_not_asked_for(self.__cause__)


def let_go(error: BaseException) -> None:
    """Drops the traceback and the cause of an error, and keeps its message. The frames of a
    traceback hold all of their variables in memory.
    """
    if isinstance(error, AlgorithmError):
        error.keep_hint()
    error.__traceback__ = error.__cause__ = error.__context__ = None


def _signal_not_asked_for(cause: BaseException | None) -> str | None:
    """The hint for a method that used an ACK's round trip without having asked for timestamps."""
    if not isinstance(cause, TypeError) or "NoneType" not in str(cause):
        return None
    from traceback import walk_tb

    for frame, _ in walk_tb(cause.__traceback__):
        needs = getattr(frame.f_locals.get("self"), "needs", None)
        if needs and not needs.timestamps and "round_trip_ps" in frame.f_code.co_names:
            return "`ack.round_trip_ps` is None unless the class has needs = Needs(timestamps=True)"
    return None
