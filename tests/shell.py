"""Runs incast commands, and gives their output."""

from __future__ import annotations

import contextlib
import io
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from incast.cli import main

PROGRAM = [sys.executable, "-m", "incast"]


class Said(NamedTuple):
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str


def given(*arguments) -> Said:
    """Runs a command in this process, which has loaded all modules already."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*map(str, arguments)])
    for stream in (out, err):
        stream.flush()
    return Said(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


class Shell:
    """Runs commands, and gives their standard output, or standard error where they are to fail.

    Args:
        folder: The working directory of the commands.
        words: The first words of each command.
    """

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.words = words

    def __call__(self, *arguments, code=0):
        """In this process."""
        with contextlib.chdir(self.folder):
            return _expected(code, given(*self.words, *arguments))

    def process(self, *arguments, code=0):
        """Runs a command in a process of its own, as users do."""
        command = [*PROGRAM, *self.words, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        return _expected(code, Said(done.returncode, done.stdout, done.stderr))

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.folder.glob(pattern))


def _expected(code: int, said: Said) -> str:
    assert said.code == code, said.err + said.out
    assert "Traceback" not in said.err
    return said.out if code == 0 else said.err


def rest(terminal: int) -> bytes:
    """Reads all that a terminal still holds: a terminal gives it in parts, and then an error."""
    shown = b""
    with contextlib.suppress(OSError):
        while select.select([terminal], [], [], 0)[0] and (part := os.read(terminal, 10_000)):
            shown += part
    return shown
