"""`incast completion`: makes a shell complete names of commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import incast
from incast import papers
from incast.cli import commands
from incast.cli.options import path

__all__ = ["add"]

_SHELLS = ("bash", "zsh", "fish", "tcsh")


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_completion)
    parser.add_argument(
        "shell", choices=_SHELLS, metavar="SHELL", help=f"one of {', '.join(_SHELLS)}"
    )


def _completion(arguments: argparse.Namespace) -> int:
    import shtab

    whole = commands.parser()
    names = {"cc": [*incast.algorithms()], "paper": papers.names()}
    for action in _actions(whole):
        if action.type is path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        if action.dest in names:
            action.choices = names[action.dest]
    print(shtab.complete(whole, arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser, and of the parsers below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
