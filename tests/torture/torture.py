"""The number of inputs of torture tests, and counts of their outcomes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import scenarios

USUAL = 10_000
INPUTS = int(os.environ.get("INCAST_TORTURE_INPUTS", USUAL))
"""Damaged inputs for each reader; `./dev torture` asks for a million."""
SEED = int(os.environ.get("INCAST_TORTURE_SEED", 1))

PROGRAM = [sys.executable, "-m", "incast"]
SCENARIO = f'[run]\nstop = "2ms"\n{scenarios.hadoop("1ms")}'


def some(share: int) -> int:
    """The rounds of a test that makes one round for every `share` inputs: at least one."""
    return max(1, INPUTS // share)


def dice(name: str) -> random.Random:
    """The random numbers of one test, seeded by its name."""
    return random.Random(f"{SEED} {name}")


def write(file: Path, content: bytes) -> None:
    """Replaces a file. Overwriting it would be slower: ext4 writes a file that was truncated and
    filled again to disk at once, which takes some milliseconds.
    """
    file.unlink(missing_ok=True)
    file.write_bytes(content)


def told(name: str, counts: Counter[str]) -> None:
    """Prints the outcomes of the rounds of a test; pytest shows them with -s."""
    shares = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    print(f"\n{name}: {counts.total()} rounds, {shares}")


def incast(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the program as a shell does."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def message(done: subprocess.CompletedProcess[str]) -> str:
    """The message of a program that failed; asserts that it is no traceback and names no defect."""
    assert done.returncode in (1, 2, 130), (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr, done.stderr
    assert "defect" not in done.stderr, done.stderr
    lines = done.stderr.strip().splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    return errors[0]
