"""Runs the Python blocks of a page, one after the other in one process. The process imports only
the packages that `pip install incast` brings, and those that the page installs before.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.metadata
import io
import multiprocessing
import os
import re
import sys
import traceback
from pathlib import Path

HANGS = 900
"""Seconds after which code is taken to hang, even on a busy machine."""


class Missing(importlib.abc.MetaPathFinder):
    """Refuses packages that these tests have and a reader does not have."""

    def __init__(self, packages):
        self.packages = set(packages)

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.packages:
            raise ModuleNotFoundError(
                f"no module named {name!r}: the page has to say `pip install`", name=name
            )
        return


class Interpreter:
    """A Python process in a folder."""

    def __init__(self, folder: Path, missing: set[str]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, folder, missing), daemon=True)
        self.process.start()

    def run(self, code: str, place: str, installed: set[str]) -> tuple[str, str]:
        """Runs code; gives its output, and its traceback if it failed."""
        self.pipe.send((code, place, installed))
        if not self.pipe.poll(HANGS):
            return "", f"does not end within {HANGS} s"
        return self.pipe.recv()

    def close(self) -> None:
        self.process.kill()
        self.process.join()


def _serve(pipe, folder, missing):
    # A daemon could start no processes of its own, and the code of a page does.
    multiprocessing.current_process()._config["daemon"] = False
    os.chdir(folder)
    os.environ["MPLBACKEND"] = "agg"
    finder = Missing(missing)
    sys.meta_path.insert(0, finder)
    namespace = {"__name__": "__main__"}
    while True:
        code, place, installed = pipe.recv()
        finder.packages -= installed
        printed, failure = io.StringIO(), ""
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, place, "exec"), namespace)
        except BaseException:
            failure = traceback.format_exc()
        pipe.send((printed.getvalue(), failure))


def development_packages(pyproject: dict) -> set[str]:
    """Modules of the optional extras, which `pip install incast` does not bring."""
    base = {_name(each) for each in pyproject["project"]["dependencies"]}
    extras = pyproject["project"]["optional-dependencies"].values()
    named = {_name(each) for extra in extras for each in extra} - base
    return named | {"dask"}


def _name(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9_.-]+", requirement)[0].replace("-", "_").lower()
