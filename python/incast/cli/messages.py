"""Errors, warnings and notes on standard error."""

from __future__ import annotations

import os
import sys

import incast
from incast.cli.excerpt import excerpt
from incast.errors import printable, traceback_text
from incast.present.terminal import Ink, filled, paint, painting, width

__all__ = ["TRACEBACK", "complain", "failed", "interrupted", "note", "refuse", "warn"]

TRACEBACK = "INCAST_TRACEBACK"
"""The variable of the environment with which tracebacks are printed."""


def complain(sentence: str) -> None:
    """An error."""
    _tell("error", sentence, Ink.BAD)


def refuse(error: incast.Error, sentence: str) -> None:
    """Prints an error, and the wrong line of the file if there is one. Before it, the traceback of
    an algorithm's exception or, if asked for, of any other cause.
    """
    is_shown = isinstance(error, incast.AlgorithmError) or TRACEBACK in os.environ
    if is_shown and error.__cause__ is not None:
        print(traceback_text(error.__cause__), file=sys.stderr)
    complain(sentence)
    found = excerpt(error, width())
    if found is not None:
        with painting(sys.stderr):
            print(f"{found.line}\n{paint(found.mark, Ink.BAD)}", file=sys.stderr)


def failed(label: str, error: object) -> None:
    """Prints that one of several runs failed."""
    _tell("failed", f"{printable(label)}: {error}", Ink.BAD)


def warn(sentence: str) -> None:
    """A warning."""
    _tell("warning", printable(sentence), Ink.DOUBTFUL)


def interrupted(sentence: str) -> None:
    """Prints an answer to Ctrl-C, in place of the terminal's line of progress."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    _tell("interrupted", sentence, Ink.DOUBTFUL)


def note(sentence: str) -> None:
    """Prints information that is no warning."""
    _tell("note", sentence, Ink.HEADING)


def _tell(kind: str, sentence: str, ink: Ink) -> None:
    """Prints a message as one line; a terminal breaks it between words."""
    text = f"{kind}: {sentence}"
    if sys.stderr.isatty():
        text = filled(text, indent="  ", first="")
    with painting(sys.stderr):
        line = paint(f"{kind}:", ink) + text.removeprefix(f"{kind}:")
        # One call of `write`: other threads may warn at the same moment.
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
