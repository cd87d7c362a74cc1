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
    "ResultsError",
    "RunError",
    "ScenarioError",
    "StudyError",
    "let_go",
    "printable",
    "traceback_text",
]


def printable(text: str) -> str:
    """A text for a terminal, as the engine has it: what does not print, line breaks included, is
    escaped, what is long is cut.
    """
    return _core.printable(text.encode(errors="backslashreplace").decode())


def traceback_text(error: BaseException) -> str:
    """What Python prints of an exception of the user's own code: no line is endless, nor are there
    more of them than anybody reads.
    """
    from traceback import format_exception

    lines = [printable(line) for line in "".join(format_exception(error)).splitlines()]
    if len(lines) > 2 * _LINES:
        left = len(lines) - 2 * _LINES
        lines[_LINES:-_LINES] = [f"  … {left} lines …"]
    return "\n".join(lines)


_LINES = 100
"""So many first and as many last lines of a traceback are shown."""


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
        """For other processes: with all attributes, whatever an error is made from."""
        return _again, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        """``file:line: key: what; hint``, as far as known."""
        place = self.file or ""
        if place and self.line is not None:
            place += f":{self.line}"
        parts = (place, self.key, self.what)
        sentence = ": ".join(printable(part) for part in parts if part)
        return f"{sentence}; {printable(self.hint)}" if self.hint else sentence


def _again(kind: type[Error], args: tuple[Any, ...], attributes: dict[str, Any]) -> Error:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error


class ScenarioError(Error):
    """A scenario that cannot be run: unknown key, missing unit, impossible value."""


class CodeError(ScenarioError):
    """An algorithm is in a Python file, where no code of scenarios may be run."""


class ImportFileError(Error):
    """A file of another simulator that cannot be read."""


class PaperError(Error):
    """A paper or a figure that incast does not have; words of a paper that do not fit its code."""


class ResultsError(Error):
    """A results folder that cannot be read or written."""

    @classmethod
    def unwritable(cls, place: Path, error: OSError) -> ResultsError:
        """The error for a place at which the system refused to store anything.

        Args:
            place: The file or folder that was to be made.
            error: The system's own, which says little if a file is where a folder should be.
        """
        folders = list(place.parents)
        if isinstance(error, FileExistsError):
            folders.insert(0, place)
        for folder in folders:
            # Of a name that is too long, the system says that and nothing else.
            with suppress(OSError):
                if not folder.is_dir() and (folder.exists() or folder.is_symlink()):
                    kind = "a file" if folder.exists() else "a link to nothing"
                    what = f"is {kind}; nothing can be stored below it"
                    return cls(what, file=str(folder), hint="name another place, or remove it")
        return cls(error.strerror or str(error), file=str(place))


class FlowRowsError(ResultsError):
    """Rows of flows that are asked for and were not kept, or are too many to be loaded unasked."""

    @classmethod
    def of(cls, name: str, kept: Mapping[str, Any]) -> FlowRowsError:
        """The error of a run whose statistics are not of rows.

        Args:
            name: Of the run.
            kept: Of which flows there are rows, as ``flow_rows`` of its summary says it.
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
    """A run that a comparison does not have."""


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
        """With a hint, where it took a signal for a number that the class did not ask for."""
        hint = _signal_not_asked_for(self.__cause__)
        return f"{super().__str__()}; {hint}" if hint else super().__str__()


def let_go(error: BaseException) -> None:
    """Lets go of where an exception was raised, and of what caused it, without a change of what it
    says: frames hold all that they worked with.
    """
    if isinstance(error, AlgorithmError):
        error.hint = error.hint or _signal_not_asked_for(error.__cause__)
    error.__traceback__ = error.__cause__ = error.__context__ = None


def _signal_not_asked_for(cause: BaseException | None) -> str | None:
    """The hint on a method that uses the round trip of an ACK, and an algorithm without one."""
    if not isinstance(cause, TypeError) or "NoneType" not in str(cause):
        return None
    from traceback import walk_tb

    for frame, _ in walk_tb(cause.__traceback__):
        needs = getattr(frame.f_locals.get("self"), "needs", None)
        if needs and not needs.timestamps and "round_trip_ps" in frame.f_code.co_names:
            return "`ack.round_trip_ps` is None unless the class has needs = Needs(timestamps=True)"
    return None
