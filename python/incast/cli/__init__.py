"""The command line: argument parsing over the public API. Each module beside this one is a command:
it has `add`, which describes its arguments and names the function that carries it out.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

import incast
from incast.cli import (
    compare,
    demo,
    imports,
    lists,
    os_signals,
    plots,
    reports,
    reproduce,
    run,
    schema,
    show,
    validate,
)
from incast.errors import printable

__all__ = ["main"]

_COMMANDS = (
    demo,
    run,
    compare,
    reproduce,
    show,
    lists,
    reports,
    plots,
    imports,
    schema,
    validate,
)
_FAILED, _BAD_INPUT = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Carries out a command line and gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A terminal may have no character for µ.
        sys.stdout.reconfigure(errors="backslashreplace")
    parsed = _parser().parse_args(arguments)
    try:
        with os_signals.caught(), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = _warn
            code: int = parsed.execute(parsed)
        sys.stdout.flush()
    except incast.Error as error:
        if isinstance(error, incast.UnstoredError):
            # Their key figures, at least.
            print(error.results.table(), flush=True)
        _complain(_sentence(error, parsed))
        return _FAILED if isinstance(error, incast.RunError) else _BAD_INPUT
    except KeyboardInterrupt:
        return os_signals.exit_code(os_signals.INTERRUPTED)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except BaseException as error:
        if isinstance(error, SystemExit) or "INCAST_TRACEBACK" in os.environ:
            raise
        _complain(_of_our_own(error))
        return _FAILED
    return os_signals.exit_code(code)


def _of_our_own(error: BaseException) -> str:
    """A defect of incast: users need not read a traceback, but we want to."""
    kind = type(error).__name__
    return (
        f"incast {incast.__version__} failed ({kind}: {error}); this is a defect of incast, please "
        "report it, with what INCAST_TRACEBACK=1 in the environment makes it print"
    )


def _sentence(error: incast.Error, parsed: argparse.Namespace) -> str:
    # A wrong value that stands in no file came from the command line.
    changed = isinstance(error, incast.ScenarioError) and not error.file and error.key
    return f"--set {error}" if changed and getattr(parsed, "settings", []) else str(error)


def _warn(message: Warning | str, *_place: object, **_source: object) -> None:
    """A warning without the line of our own code that gives it."""
    print(f"warning: {printable(str(message))}", file=sys.stderr)


def _complain(sentence: str) -> None:
    print(f"error: {sentence}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Complains as all of incast does."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{printable(message)}; see `{self.prog} --help`")
        raise SystemExit(_BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="incast",
        description="A packet-level laboratory for congestion control in datacenter networks.",
        epilog="`incast COMMAND --help` says more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"incast {incast.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add(commands)
    return parser
