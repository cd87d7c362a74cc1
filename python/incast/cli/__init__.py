"""The command line: argument parsing over the public API."""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

import incast
from incast import shown_warnings
from incast.address_space import address_space_limit
from incast.cli import messages, os_signals, streams
from incast.cli.commands import BAD_INPUT, load, parser
from incast.errors import traceback_text
from incast.present.terminal import painting

__all__ = ["load", "main", "parser", "program"]

_FAILED = 1


def program() -> NoReturn:
    """The program: a command line, and its exit code."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main()
    except KeyboardInterrupt:
        code = os_signals.exit_code(os_signals.INTERRUPTED)
    # All is done. A second Ctrl-C ends it at once, with no traceback from Python's own end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Memory goes with the process: Python need not search it for circles of objects.
    gc.freeze()
    raise SystemExit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carries out a command line and gives the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal may have no character for µ. (In the locale C, errors are not "strict".)
            stream.reconfigure(errors=streams.ESCAPED)
    with streams.lasting() as (out, err):
        try:
            code = _carried_out(arguments)
        finally:
            out.finish()
            if out.failure is not None and not isinstance(out.failure, BrokenPipeError):
                reason = out.failure.strerror or out.failure
                messages.complain(f"cannot write to standard output: {reason}")
            err.finish()
    return code or (_FAILED if out.failure else 0)


def _carried_out(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    whole = parser(given)
    if not given:
        whole.print_help(sys.stderr)
        return BAD_INPUT
    try:
        parsed = whole.parse_args(given)
    except SystemExit as ended:
        # After `--help`, or a mistake.
        return int(ended.code or 0)
    try:
        with os_signals.caught(), warnings.catch_warnings(), painting(sys.stdout):
            shown_warnings.show(messages.warn)
            code: int = _executed(parsed)
    except incast.Error as error:
        if isinstance(error, incast.UnstoredError):
            # Their key figures, at least.
            several = len(error.comparison) > 1
            print((error.comparison if several else error.results).table(), flush=True)
        if isinstance(error, incast.AlgorithmError) and error.__cause__ is not None:
            # The user's own code.
            print(traceback_text(error.__cause__), file=sys.stderr)
        messages.refuse(error, _sentence(error, parsed))
        return _FAILED if isinstance(error, incast.RunError) else BAD_INPUT
    except KeyboardInterrupt:
        return os_signals.exit_code(os_signals.INTERRUPTED)
    except MemoryError as error:
        messages.complain(f"there is too little memory ({str(error) or 'MemoryError'})")
        return _FAILED
    except BaseException as error:
        if isinstance(error, SystemExit) or "INCAST_TRACEBACK" in os.environ:
            raise
        messages.complain(_missing_package(error) or _of_our_own(error))
        return _FAILED
    return os_signals.exit_code(code)


def _executed(parsed: argparse.Namespace) -> int:
    if not getattr(parsed, "no_code", False):
        return int(parsed.execute(parsed))
    from incast.algorithm import without_code

    with without_code():
        return int(parsed.execute(parsed))


def _missing_package(error: BaseException) -> str | None:
    """What is wrong where a package that incast depends on is not installed."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.partition(".")[0]
    if package == incast.__name__:
        return None
    return (
        f"the Python package {package!r} is not installed, on which incast {incast.__version__} "
        "depends; install incast anew, with what it depends on"
    )


def _of_our_own(error: BaseException) -> str:
    """A defect of incast, or a lack of memory: users need not read a traceback, but we want to."""
    what = f"incast {incast.__version__} failed ({type(error).__name__}: {error})"
    report = "please report it, with what INCAST_TRACEBACK=1 in the environment makes it print"
    addresses = address_space_limit()
    # A thread that does not start, a module that cannot be loaded: few errors speak of memory.
    may_lack_memory = isinstance(error, ImportError | OSError | RuntimeError | SystemError)
    if addresses is None or not may_lack_memory:
        return f"{what}; this is a defect of incast, {report}"
    return (
        f"{what}; the addresses of this process (ulimit -v {addresses // 1024}) may be too few; if "
        f"they are not, this is a defect of incast, {report}"
    )


def _sentence(error: incast.Error, parsed: argparse.Namespace) -> str:
    # A wrong value that stands in no file came from the command line.
    changed = isinstance(error, incast.ScenarioError) and not error.file and error.key
    return f"--set {error}" if changed and getattr(parsed, "settings", []) else str(error)
