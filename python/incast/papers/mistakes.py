"""Exceptions of a paper's own code, as errors with the line of that code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from incast.errors import (
    ColumnError,
    Error,
    FlowRowsError,
    LabelError,
    PaperError,
    ResultsError,
    exception_text,
)

__all__ = ["own_code", "remarked"]


@contextmanager
def own_code(package: str, what: str) -> Iterator[None]:
    """An exception in this block, which calls a paper's code, becomes a :class:`PaperError`.

    It has the line of the paper that the exception passed last, unless it has a place of its own,
    as mistakes in scenarios have. Unreadable results, lack of memory and what ends the program
    pass.

    Args:
        package: The top package of the paper; empty if unknown.
        what: The part of the paper that the block calls.

    Raises:
        PaperError: The block raised an exception, which is the cause.
    """
    try:
        yield
    except (PaperError, MemoryError):
        raise
    except Error as error:
        of_the_code = ColumnError, FlowRowsError, LabelError
        if isinstance(error, ResultsError) and not isinstance(error, of_the_code):
            raise
        told = remarked(error, what)
        if not told.file:
            told.file, told.line = _place(package, error)
        raise told from error
    except Exception as error:
        file, line = _place(package, error)
        hint = None if file else "INCAST_TRACEBACK=1 in the environment shows where"
        raised = f"{what} raised {exception_text(error)}"
        raise PaperError(raised, file=file, line=line, hint=hint) from error


def remarked(error: Error, remark: str) -> PaperError:
    """An error as one of a paper, with a remark on where it was met."""
    what = f"{error.what} ({remark})"
    return PaperError(what, file=error.file, line=error.line, key=error.key, hint=error.hint)


def _place(package: str, error: Exception) -> tuple[str | None, int | None]:
    """The file and line of the package that an exception passed last, if there is one."""
    from traceback import walk_tb

    found: tuple[str | None, int | None] = None, None
    for frame, line in walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        file = frame.f_code.co_filename
        if file == _ANOTHER_PROCESS:
            file = frame.f_globals.get("__file__", file)
        is_generated = file.startswith("<")
        if package and module.partition(".")[0] == package and not is_generated:
            found = file, line
    return found


_ANOTHER_PROCESS = "<dynamic-code>"
"""What cloudpickle has as the file of a function that another process got."""
