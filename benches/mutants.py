"""Changes to a crate that its tests should notice: a sample of them, and how many are noticed.

    ./dev mutants incast-net 100                               # about a quarter of an hour
    ./dev mutants incast-net 100 --files 'src/switch/**' --tests-of incast-sim
    ./dev mutants incast-net 100 --skip properties::           # without tests of this name

cargo-mutants lists the changes. All changes of a sample are compiled at once: a changed function
has its changed bodies beside its own, and the variable MUTANT of a process chooses one. So a change
costs a run of the tests, up to the first that fails or never ends. Tests are those that cargo
compiles: no examples in comments, and none of Python.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import functools
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "target" / "mutants"
TREE = FOLDER / "tree"
"""A copy of the project, with the changes. It is built apart: cargo takes the same crates of two
copies for one.
"""
NEVER_ENDS = "never ends"
MEMORY = 8 << 30
"""Bytes that the tests of a change may take."""
PATIENCE = (3, 30)
"""How often the usual time of all tests, and how many seconds more, a program of tests may take."""
CHOICE = """
pub(crate) fn chosen_mutant() -> u32 {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("MUTANT").map_or(0, |text| text.parse().unwrap_or(0)))
}
"""
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)
"""Comments, texts and characters, whose braces are none of the code."""
ARM = re.compile(r"(\d+) => ")
"""How a changed body begins, at the begin of a line: other arms of a `match` are indented."""


@dataclass(frozen=True)
class Span:
    """A part of a file's text, by index of its characters."""

    begin: int
    end: int

    @classmethod
    def of(cls, told: dict[str, Any], lines: Sequence[int]) -> Span:
        """From the lines and columns of cargo-mutants; `lines`: where each line begins."""
        places = (told["start"], told["end"])
        return cls(*(lines[place["line"] - 1] + place["column"] - 1 for place in places))

    def contains(self, other: Span) -> bool:
        """Whether the other part is inside this one, or the same."""
        return self.begin <= other.begin and other.end <= self.end


@dataclass(frozen=True)
class Mutant:
    """A change: in this file and function, this part has another text."""

    number: int
    name: str
    file: Path
    function: Span
    part: Span
    text: str


@functools.cache
def source(file: Path) -> str:
    """The text of a file of the project, as it is when a run first needs it."""
    return (ROOT / file).read_text()


def listed(crate: str, files: Sequence[str]) -> list[dict[str, Any]]:
    """All changes that cargo-mutants knows for the library of a crate."""
    program = ROOT / "target" / "cargo-mutants" / "bin" / "cargo-mutants"
    chosen = [word for pattern in files for word in ("--file", f"crates/{crate}/{pattern}")]
    command = [program, "mutants", "--list", "--json", "--package", crate, *chosen]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    own = re.compile(rf"crates/{crate}/src/(?!bin/|main\.rs)")
    return [each for each in json.loads(done.stdout) if own.match(each["file"])]


def numbered(sample: Sequence[dict[str, Any]]) -> list[Mutant]:
    """The changes of a sample that a process can choose: those in functions."""
    found = []
    for number, each in enumerate(sample, start=1):
        if each["function"] is None:
            continue
        file = Path(each["file"])
        lines = begins_of_lines(source(file))
        function, part = (Span.of(told["span"], lines) for told in (each["function"], each))
        text = each["replacement"]
        found.append(Mutant(number, each["name"], file, function, part, text))
    return found


def begins_of_lines(text: str) -> list[int]:
    """Where each line of a text begins."""
    begins = [0]
    for line in text.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    return begins


def body_of(text: str, function: Span) -> Span | None:
    """The braces of a function and what is between; `None` if there cannot be several bodies.

    A constant function cannot read a variable, and each body would give an `impl Trait` of its own.
    """
    whole = text[function.begin : function.end]
    code = NO_CODE.sub(lambda found: " " * len(found[0]), whole)
    depth = 0
    for place in range(len(code) - 1, -1, -1):
        depth += {"}": 1, "{": -1}.get(code[place], 0)
        if depth == 0:
            break
    alone = re.search(r"\bconst (unsafe )?fn\b|->.*\bimpl\b", code[:place], re.DOTALL)
    return None if alone else Span(function.begin + place, function.end)


def with_changes(text: str, mutants: Sequence[Mutant]) -> tuple[str, list[Mutant]]:
    """A file with all of these changes, and the changes that it has."""
    spans = {mutant.function for mutant in mutants}
    outer = [one for one in spans if not any(one != two and two.contains(one) for two in spans)]
    taken = []
    for function in sorted(outer, key=lambda span: span.begin, reverse=True):
        body = body_of(text, function)
        if body is None:
            continue
        arms = []
        for mutant in (each for each in mutants if function.contains(each.function)):
            before, after = text[body.begin : mutant.part.begin], text[mutant.part.end : body.end]
            arms.append(f"{mutant.number} => {before}{mutant.text}{after}")
            taken.append(mutant)
        own, rest = text[body.begin : body.end], text[body.end :]
        choice = "\n".join(["{ match crate::chosen_mutant() {", *arms, f"_ => {own}", "} }"])
        text = text[: body.begin] + choice + rest
    return text, taken


def write_tree(crate: str, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Writes the project with these changes into the copy; returns the changes that it has."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    wanted = {Path(name) for name in names.split("\0") if name and (ROOT / name).is_file()}
    taken: list[Mutant] = []
    changed: dict[Path, str] = {}
    for file in {mutant.file for mutant in mutants}:
        of_file = [mutant for mutant in mutants if mutant.file == file]
        changed[file], those = with_changes(source(file), of_file)
        taken += those
    library = Path("crates") / crate / "src" / "lib.rs"
    changed[library] = changed.get(library, source(library)) + CHOICE
    for copy in sorted(TREE.rglob("*"), reverse=True):
        if copy.is_dir() and not any(copy.iterdir()):
            copy.rmdir()
        elif not copy.is_dir() and copy.relative_to(TREE) not in wanted:
            copy.unlink()
    for name in wanted:
        text = changed[name].encode() if name in changed else (ROOT / name).read_bytes()
        copy = TREE / name
        # What is written is newer than what was compiled of it.
        if not copy.is_file() or copy.read_bytes() != text:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)
    return sorted(taken, key=lambda mutant: mutant.number)


def cargo(*arguments: str) -> tuple[bool, list[dict[str, Any]]]:
    """Runs cargo in the copy: whether all was well, and its messages."""
    command = ["cargo", *arguments, "--quiet", "--message-format", "json"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(FOLDER / "target")}
    done = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode and not told:
        raise SystemExit(f"{done.stderr}error: cargo failed")
    return done.returncode == 0, told


def refused(messages: Iterable[dict[str, Any]]) -> set[int]:
    """The numbers of the changes that the compiler refuses."""
    numbers = set()
    for told in messages:
        message = told.get("message")
        if not isinstance(message, dict) or message["level"] != "error":
            continue
        for place in (span for span in message["spans"] if span["is_primary"]):
            while not (TREE / place["file_name"]).is_file() and place["expansion"]:
                place = place["expansion"]["span"]
            if (TREE / place["file_name"]).is_file():
                lines = (TREE / place["file_name"]).read_text().splitlines()
                before = reversed(lines[: place["line_start"]])
                found = next((arm for line in before if (arm := ARM.match(line))), None)
                numbers |= {int(found[1])} if found else set()
    return numbers


def compiled(crate: str, mutants: list[Mutant]) -> tuple[list[Mutant], int]:
    """Writes the copy; returns the changes that the compiler accepts, and how many it refuses."""
    mutants = write_tree(crate, mutants)
    possible = len(mutants)
    while True:
        accepted, messages = cargo("check", "--package", crate, "--lib")
        if accepted:
            return mutants, possible - len(mutants)
        numbers = refused(messages) & {mutant.number for mutant in mutants}
        if not numbers:
            texts = [told["message"]["rendered"] for told in messages if told.get("message")]
            raise SystemExit("".join(texts) + "error: the copy cannot be compiled")
        fit = [mutant for mutant in mutants if mutant.number not in numbers]
        mutants = write_tree(crate, fit)


def programs(crates: Sequence[str]) -> list[tuple[Path, Path]]:
    """The test programs of these crates, unit tests first, each with the folder that it runs in."""
    packages = [word for crate in crates for word in ("--package", crate)]
    accepted, messages = cargo("test", "--no-run", *packages)
    if not accepted:
        raise SystemExit("error: the tests cannot be compiled")
    tests = [told for told in messages if told.get("executable") and told["profile"]["test"]]
    tests.sort(key=lambda told: "lib" not in told["target"]["kind"])
    return [(Path(told["executable"]), Path(told["manifest_path"]).parent) for told in tests]


def limit_memory() -> None:
    """Limits the memory of this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def first_failure(
    tests: Sequence[tuple[Path, Path]], number: int, skips: Sequence[str], seconds: float | None
) -> str | None:
    """The first test that fails with a change; number 0 is no change."""
    arguments = [word for skip in skips for word in ("--skip", skip)]
    environment = {
        **os.environ,
        "MUTANT": str(number),
        "PROPTEST_MAX_SHRINK_ITERS": "0",
        "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
        "PROPTEST_RNG_SEED": "1",
    }
    for program, folder in tests:
        process = subprocess.Popen(
            [program, *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=limit_memory,
            start_new_session=True,
        )
        timer = threading.Timer(seconds or threading.TIMEOUT_MAX, end, [process])
        timer.daemon = True
        timer.start()
        assert process.stdout is not None
        failed = None
        try:
            for line in process.stdout:
                if found := re.match(r"test (\S+) .*FAILED", line):
                    failed = found[1]
                    break
            else:
                process.wait()
        finally:
            late = not timer.is_alive()
            timer.cancel()
            if process.poll() is None:
                end(process)
            process.wait()
        if failed or late or process.returncode:
            return failed or (NEVER_ENDS if late else "the tests end early")
    return None


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process, and those that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def main() -> None:
    """Tries the changes of a sample, and prints those that no test notices."""
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("crate", nargs="?", default="incast-cc", help="default: incast-cc")
    parser.add_argument("count", nargs="?", type=int, default=50, help="changes; default: 50")
    parser.add_argument(
        "--files",
        action="append",
        default=[],
        metavar="GLOB",
        help="only changes to these files of the crate, e.g. 'src/switch/**'",
    )
    parser.add_argument(
        "--tests-of",
        action="append",
        default=[],
        metavar="CRATE",
        help="run the tests of this crate, too",
    )
    parser.add_argument(
        "--skip", action="append", default=[], metavar="TEST", help="tests that are not run"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sample; default: 1")
    arguments = parser.parse_args()
    crate = arguments.crate
    if arguments.count < 1:
        parser.error(f"{arguments.count} changes are no sample; write e.g. 50")
    for each in (crate, *arguments.tests_of):
        if not (ROOT / "crates" / each / "Cargo.toml").is_file():
            parser.error(f"there is no crate `{each}`; crates/ has them")

    # So that what a test has started ends with this process.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = (FOLDER / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        parser.error(f"another run uses {FOLDER.relative_to(ROOT)}; wait for it")
    changes = listed(crate, arguments.files)
    if not changes:
        parser.error("no change is possible in these files")
    known = len(changes)
    random.Random(arguments.seed).shuffle(changes)
    sample = changes[: arguments.count]
    mutants, unfit = compiled(crate, numbered(sample))
    tests = programs([crate, *arguments.tests_of])
    began = time.monotonic()
    if failed := first_failure(tests, 0, arguments.skip, None):
        raise SystemExit(f"error: without any change, a test fails: {failed}")
    usual = time.monotonic() - began
    apart = len(sample) - len(mutants) - unfit
    print(
        f"{len(mutants)} of {len(sample)} changes are tried, of {known} in all: {unfit} do not "
        f"compile, {apart} are in constants or where a function gives an `impl Trait`",
        flush=True,
    )

    missed = 0
    log = FOLDER / f"{crate}.txt"
    with log.open("w") as written:
        for mutant in mutants:
            seconds = PATIENCE[0] * usual + PATIENCE[1]
            by = first_failure(tests, mutant.number, arguments.skip, seconds)
            if by == NEVER_ENDS:
                # Unless other work took the time.
                by = first_failure(tests, mutant.number, arguments.skip, 2 * seconds)
            missed += by is None
            print(f"{by or 'MISSED'}\t{mutant.name}", file=written, flush=True)
            if by is None:
                print(f"missed: {mutant.name}", flush=True)
    tried, noticed = len(mutants), len(mutants) - missed
    share = f" ({noticed / tried:.0%})" if tried else ""
    print(f"{noticed} of {tried} are noticed{share}, by the tests in {log.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
