"""Standard output and standard error of a command. A stream that cannot be written to, because it
is closed, its reader has gone or its disk is full, does not end the command.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO, cast

from incast.errors import printable

__all__ = ["ESCAPED", "Lasting", "lasting", "place", "shown"]

ESCAPED = "incast.escaped"
"""Name of the error handler for characters that an encoding lacks. Any space becomes a plain space,
and dashes and lines of tables become hyphens, so that columns stay aligned. Other characters are
escaped.
"""
_DASHES = "\N{EN DASH}\N{EM DASH}\N{BOX DRAWINGS LIGHT HORIZONTAL}"


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    text, place = error.object, error.start
    if text[place].isspace():
        return " ", place + 1
    if text[place] in _DASHES:
        return "-", place + 1
    alone = UnicodeEncodeError(error.encoding, text, place, place + 1, error.reason)
    return codecs.backslashreplace_errors(alone)


codecs.register_error(ESCAPED, _escaped)


class Lasting(io.TextIOBase):
    """A stream that records its first error, and raises no exception.

    Attributes:
        failure: The first error; ``None`` if there was none.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """Writes a text, or as much of it as possible."""
        if self._stream is None or self._stream.closed:
            self.failure = self.failure or OSError("it is closed")
        self._try(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flushes the underlying stream."""
        self._try(lambda stream: stream.flush())

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return bool(self._try(lambda stream: stream.isatty()))

    def fileno(self) -> int:
        """The number of the open file.

        Raises:
            OSError: The stream has no open file.
        """
        return super().fileno() if self._stream is None else self._stream.fileno()

    def finish(self) -> None:
        """Flushes the stream. After an error, discards the rest, as Python would report the error
        again at exit.
        """
        self.flush()
        if self.failure is not None:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())

    def _try(self, work: Callable[[TextIO], object]) -> object:
        if self._stream is None or self._stream.closed:
            return None
        try:
            return work(self._stream)
        except OSError as error:
            self.failure = self.failure or error
            return None


_USED_BY_THREADS: list[Lasting] = []
"""Streams into which a thread may still print, as of an algorithm that does not return. Python may
crash if a stream is freed meanwhile.
"""


@contextmanager
def lasting() -> Iterator[tuple[Lasting, Lasting]]:
    """Replaces standard output and standard error by such streams inside a block."""
    out, err = Lasting(sys.stdout), Lasting(sys.stderr)
    try:
        with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
            yield out, err
    finally:
        if threading.active_count() > 1:
            _USED_BY_THREADS.extend((out, err))


def place(label: str, path: Path | None, remark: str = "") -> None:
    """Prints the path of a stored file; on standard error if standard output cannot be written to.
    If the reader of standard output has gone, nothing is printed.
    """
    line = f"{label:<7}  {shown(path)}{remark}"
    print(line, flush=True)
    failure = sys.stdout.failure if isinstance(sys.stdout, Lasting) else None
    if failure is not None and not isinstance(failure, BrokenPipeError):
        print(line, file=sys.stderr)


def shown(path: Path | None) -> str:
    """A path for a terminal: unprintable characters are escaped, nothing is cut."""
    return "".join(map(printable, str(path)))
