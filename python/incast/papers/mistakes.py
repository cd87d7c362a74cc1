"""Exceptions of a paper's own code, as errors with the line of that code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

from incast.errors import Error, PaperError, exception_text
from incast.papers.figure import Figure

__all__ = ["own_code"]


@contextmanager
def own_code(figure: Figure, what: str) -> Iterator[None]:
    """An exception of a paper's own code in this block becomes a :class:`PaperError`, with the line
    of that code. Errors of incast, lack of memory and Ctrl-C pass, and so does an exception where
    no line of the paper is involved.

    Args:
        figure: The figure whose code the block calls.
        what: The part of the figure that the block calls.

    Raises:
        PaperError: The paper's own code raised an exception, which is the cause.
    """
    try:
        yield
    except (Error, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        frames = extract_tb(error.__traceback__)
        own = [each for each in frames if figure.home in Path(each.filename).parents]
        if not own:
            raise
        raised = f"{what} raised {exception_text(error)}"
        raise PaperError(raised, file=own[-1].filename, line=own[-1].lineno) from error
