"""Exceptions of a paper's own code, as errors with the line of that code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from incast.errors import (
    ColumnError,
    Error,
    FlowRowsError,
    LabelError,
    PaperError,
    ScenarioError,
    exception_text,
)

__all__ = ["own_code"]


@contextmanager
def own_code(package: str, what: str) -> Iterator[None]:
    """An exception in this block, which calls a paper's code, becomes a :class:`PaperError`.

    It has the line of the paper that the exception passed last. Mistakes in scenarios keep their
    own place. Errors on files of results, lack of memory and Ctrl-C pass.

    Args:
        package: The top package of the paper; empty if unknown.
        what: The part of the paper that the block calls.

    Raises:
        PaperError: The block raised an exception, which is the cause.
    """
    try:
        yield
    except ScenarioError as error:
        told = PaperError(f"{error.what} ({what})", hint=error.hint)
        told.file, told.line, told.key = error.file, error.line, error.key
        raise told from error
    except (ColumnError, FlowRowsError, LabelError) as error:
        raised = f"{what} raised {type(error).__name__}: {error.what}"
        raise _placed(PaperError(raised, hint=error.hint), package, error) from error
    except (Error, MemoryError):
        raise
    except Exception as error:
        told = PaperError(f"{what} raised {exception_text(error)}")
        raise _placed(told, package, error) from error


def _placed(told: PaperError, package: str, error: Exception) -> PaperError:
    """The error with the line of the package that an exception passed last, if there is one."""
    for frame, line in walk_tb(error.__traceback__):
        module = frame.f_globals.get("__name__", "")
        if package and module.partition(".")[0] == package:
            # A function that another process got has no file of its own.
            file = frame.f_globals.get("__file__", frame.f_code.co_filename)
            told.file, told.line = file, line
    if told.file is None and told.hint is None:
        told.hint = "INCAST_TRACEBACK=1 in the environment shows where"
    return told
