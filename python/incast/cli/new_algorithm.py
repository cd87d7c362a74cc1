"""`incast new-algorithm`: writes a file to start an algorithm from."""

from __future__ import annotations

import argparse
import importlib.resources
from pathlib import Path

from incast.errors import Error, ResultsError

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_new_algorithm)
    parser.add_argument("name", help="of the file, with or without .py, e.g. mine")


def _new_algorithm(arguments: argparse.Namespace) -> int:
    file = Path(arguments.name)
    if file.suffix != ".py":
        file = file.with_name(f"{file.name}.py")
    template = importlib.resources.files("incast.templates") / "algorithm.py"
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(template.read_text(encoding="utf-8"))
    except FileExistsError:
        raise Error("exists already", file=str(file), hint="take another name") from None
    except OSError as error:
        raise ResultsError.unwritable(file, error) from None
    print(
        f"{file}: AIMD on marks, to be changed\n\n"
        f"  incast run SCENARIO --cc {file}\n"
        f"  incast compare SCENARIO --cc {file},dctcp,hpcc\n"
        f"  incast run SCENARIO --cc {file} --set cc.beta=0.25"
    )
    return 0
