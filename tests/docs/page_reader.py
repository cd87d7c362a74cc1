"""A reader of a page, who types in the code that the page shows, in a folder of their own."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import incast
from incast import cli
from incast.papers.words import Words
from incast.study.study import Study
from page_blocks import Block
from page_interpreter import HANGS, Interpreter, development_packages

ROOT = Path(__file__).parents[2]
CPU_SECONDS = 120
"""Above the CPU time of any process of a page's commands, even on a busy machine."""
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
AROUND = {
    "network": {"topology": "star"},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "1MB"}],
}
"""Completes a part of a scenario, unless the page has its reader save a whole scenario."""


class Reader:
    """Has the `examples` of a checkout, `incast` on the path, and the files that the page had
    saved.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.installed: set[str] = set()
        self.printed = self.message = ""
        self.around = AROUND
        self._interpreter: Interpreter | None = None
        shutil.copytree(ROOT / "examples", folder / "examples")
        self._programs()

    def close(self) -> None:
        if self._interpreter:
            self._interpreter.close()

    def read(self, block: Block) -> str:
        """Does what a block says; gives what is wrong with the block, or an empty text."""
        for name, source in block.given.items():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, self.folder / name, dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, self.folder / name)
        if block.saved:
            (self.folder / block.saved).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / block.saved).write_text(block.text, encoding="utf-8")
        if block.output:
            return difference(block.text, self.printed)
        if block.reason:
            return self._arguments(block)
        if block.shorter:
            return self._arguments(block) or self._shell(block.shorter, block.refused)
        if block.whole:
            return self._stands_in(block)
        act = getattr(self, f"_{block.language}", None)
        return act(block) if act else f"a block of `{block.language}` is not known here"

    def _sh(self, block: Block) -> str:
        wrong = self._arguments(block)
        if wrong:
            return wrong
        for name in re.findall(r"^pip install (.*?)(?: *#.*)?$", block.text, re.MULTILINE):
            self.installed |= {word.strip("'\"").split("[")[0] for word in name.split()}
        return self._shell(block.text, block.refused)

    def _console(self, block: Block) -> str:
        """Runs the command of each line after `$`, and compares the output below the line."""
        parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
        for command, printed in zip(parts[::2], parts[1::2], strict=True):
            wrong = self._shell(command, block.refused)
            if wrong or (printed.strip() and (wrong := difference(printed, self.printed))):
                return wrong
        return ""

    def _shell(self, script: str, refused: bool) -> str:
        bin_folder = self.folder / ".venv" / "bin"
        variables = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "COLUMNS": "100"}
        try:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", f"ulimit -t {CPU_SECONDS}\n{script}"],
                cwd=self.folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=HANGS,
            )
        except subprocess.TimeoutExpired:
            return f"does not end within {HANGS} s"
        self.printed = done.stdout if not refused else done.stdout + done.stderr
        if bool(done.returncode) != refused:
            return f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return "" if "Traceback" not in done.stderr else done.stderr

    def _python(self, block: Block) -> str:
        if block.saved:
            # A file that the reader saves, which the page's commands use.
            compile(block.text, block.saved, "exec")
            return ""
        if not self._interpreter:
            missing = development_packages(PYPROJECT)
            self._interpreter = Interpreter(self.folder, missing)
        place = f"<line {block.line}>"
        self.printed, failure = self._interpreter.run(block.text, place, self.installed)
        return failure

    def _toml(self, block: Block) -> str:
        """Checks a study, a project, words of a paper, a whole scenario, or a part of a scenario,
        which is completed first.
        """
        if block.info == "wrong":
            (self.folder / "run.toml").write_text(block.text, encoding="utf-8")
            return self._refused("run.toml")
        parsed = tomllib.loads(block.text)
        try:
            if "project" in parsed:
                pass
            elif "measure" in parsed and "scenario" in parsed:
                file = self.folder / (block.saved or "study.toml")
                file.write_text(block.text, encoding="utf-8")
                Study(file)
            elif "figures" in parsed:
                file = self.folder / (block.saved or "claims.toml")
                file.write_text(block.text, encoding="utf-8")
                Words(file)
            elif "fabric" in parsed:
                incast.Scenario(parsed)
            else:
                self._scenario(parsed)
                if block.saved and parsed.keys() >= AROUND.keys():
                    self.around = parsed
        except incast.Error as error:
            return str(error)
        return ""

    def _refused(self, file: str) -> str:
        try:
            here = Path.cwd()
            os.chdir(self.folder)
            incast.Scenario(file)
        except incast.ScenarioError as error:
            self.message = str(error)
            return ""
        finally:
            os.chdir(here)
        return "is not refused"

    def _scenario(self, parsed: dict) -> None:
        whole = {**self.around, **parsed}
        for section in ("network", "cc"):
            whole[section] = {**self.around[section], **parsed.get(section, {})}
        folder = self.folder / "examples"
        if list(self.folder.glob("*.py")):
            # A page on custom algorithms has its scenario beside the algorithm.
            folder = self.folder
        incast.Scenario(whole, folder=folder)

    def _text(self, block: Block) -> str:
        """Compares a text with the message of the mistake before; other texts are not checked."""
        message, self.message = self.message, ""
        return difference(block.text, message) if message else ""

    def _json(self, block: Block) -> str:
        json.loads(block.text)
        return ""

    def _arguments(self, block: Block) -> str:
        """Parses the incast commands of a block, even of one that is not run."""
        if block.language not in ("sh", "console"):
            return ""
        lines = block.text.replace("\\\n", " ").splitlines()
        return "\n".join(filter(None, map(wrong_arguments, lines)))

    def _stands_in(self, block: Block) -> str:
        source = (ROOT / block.whole).read_text(encoding="utf-8")
        lines = "\n".join(_bare(line) for line in source.splitlines())
        shown = "\n".join(_bare(line) for line in block.text.strip().splitlines())
        return "" if shown in lines else f"does not stand in {block.whole}"

    def _programs(self) -> None:
        """Makes `.venv/bin`: `incast`, `python`, and a `pip` that only installs folders."""
        folder = self.folder / ".venv" / "bin"
        folder.mkdir(parents=True)
        site = self.folder / ".venv" / "site"
        python = f'PYTHONPATH="{site}${{PYTHONPATH:+:$PYTHONPATH}}" exec "{sys.executable}"'
        pip = (
            f"{python} -m pip install --quiet --disable-pip-version-check --no-deps"
            f' --no-build-isolation --target "{site}" "$2"'
        )
        for name, line in {
            "incast": f'{python} -m incast "$@"',
            "python": f'{python} "$@"',
            "pip": f'test "$1" = install\n[ ! -d "$2" ] || {pip}',
        }.items():
            program = folder / name
            program.write_text(f"#!/bin/sh -e\n{line}\n", encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)


def wrong_arguments(line: str) -> str:
    """The objection of incast's own parser to a command line; empty for other commands."""
    command = re.match(r"(?:\$ )?(?:\.venv/bin/)?incast (.*?)(?:\s+#.*)?$", line.strip())
    if command is None:
        return ""
    plain = re.sub(r"\$\(.*?\)", "X", command[1])
    words = shlex.split(re.split(r"\s*[|>]", plain)[0].replace("…", "X"))
    words = ["2" if word == "N" else word for word in words]
    # A sentence may name a command without its file: `incast run`.
    objections = [_objection([*words, *more]) for more in ([], ["X"], ["X", "-o", "X"])]
    return "" if "" in objections else f"`{line.strip()}`: {objections[0]}"


_parser = functools.cache(cli.parser)


def _objection(words: list[str]) -> str:
    with contextlib.redirect_stderr(io.StringIO()) as told:
        try:
            _parser().parse_args(words)
        except SystemExit as ended:
            return told.getvalue() if ended.code else ""
    return ""


def difference(shown: str, printed: str) -> str:
    """Compares the output that a page shows, in which `…` stands for anything, with the real
    output.
    """

    def lines(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = re.escape(lines(shown)).replace("…", ".*")
    if re.fullmatch(pattern, lines(printed), re.DOTALL):
        return ""
    return f"the page shows\n{lines(shown)}\nand what is printed is\n{lines(printed)}"


def _bare(line: str) -> str:
    """A line of source without its indent and the marks of a documentation comment."""
    return re.sub(r"^\s*(//!|///)? ?", "", line).strip()
