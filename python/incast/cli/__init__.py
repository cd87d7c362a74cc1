"""The command line: argument parsing over the public API."""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import incast
from incast import shown_warnings
from incast.address_space import address_space_limit
from incast.cli import messages, os_signals, streams
from incast.cli.commands import BAD_INPUT, load, parser
from incast.present.terminal import painting

__all__ = ["load", "main", "parser", "program"]

_FAILED = 1


def program() -> NoReturn:
    """The entry point of the program: runs a command line, and exits with its code."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main()
    except KeyboardInterrupt:
        code = os_signals.exit_code(os_signals.INTERRUPTED)
    # The work is done. From now on a second Ctrl-C ends the process at once, without a traceback
    # from Python's shutdown.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The process ends here, so Python need not collect reference cycles.
    gc.freeze()
    if threading.active_count() > 1:
        _end_with_threads(code)
    raise SystemExit(code)


def _end_with_threads(code: int) -> NoReturn:
    """Ends the program while other threads run, such as one in an algorithm that does not return.
    As Python before 3.14 shuts down, it unwinds threads, which aborts the process if they are in
    the engine.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line, and gives the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal's encoding may lack µ. (In the locale C, `errors` is not "strict".)
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
        # argparse exits after `--help`, or after a mistake.
        return int(ended.code or 0)
    try:
        with os_signals.caught(), warnings.catch_warnings(), painting(sys.stdout):
            shown_warnings.show(messages.warn)
            code: int = _executed(parsed)
    except incast.Error as error:
        if isinstance(error, incast.UnstoredError):
            # The results are not stored, so at least their key figures are printed.
            several = len(error.comparison) > 1
            print((error.comparison if several else error.results).table(), flush=True)
        messages.refuse(error, _sentence(error, parsed))
        return _FAILED if isinstance(error, incast.RunError) else BAD_INPUT
    except KeyboardInterrupt:
        return os_signals.exit_code(os_signals.INTERRUPTED)
    except MemoryError as error:
        messages.complain(f"there is too little memory ({str(error) or 'MemoryError'})")
        return _FAILED
    except BaseException as error:
        if isinstance(error, SystemExit) or messages.TRACEBACK in os.environ:
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
    """The message for a missing package that incast depends on; ``None`` for other errors."""
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
    """The message for a defect of incast, or for a lack of memory. It asks for a report with a
    traceback, which users need not read.
    """
    what = f"incast {incast.__version__} failed ({type(error).__name__}: {error})"
    report = "please report it, with what INCAST_TRACEBACK=1 in the environment makes it print"
    addresses = address_space_limit()
    # With little memory, threads fail to start and modules fail to load, with various errors.
    may_lack_memory = isinstance(error, ImportError | OSError | RuntimeError | SystemError)
    if addresses is None or not may_lack_memory:
        return f"{what}; this is a defect of incast, {report}"
    return (
        f"{what}; the addresses of this process (ulimit -v {addresses // 1024}) may be too few; if "
        f"they are not, this is a defect of incast, {report}"
    )


def _sentence(error: incast.Error, parsed: argparse.Namespace) -> str:
    # A wrong value that is in no file came from the command line.
    changed = isinstance(error, incast.ScenarioError) and not error.file and error.key
    return f"--set {error}" if changed and getattr(parsed, "settings", []) else str(error)
