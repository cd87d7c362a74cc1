"""The reference of the command line, made from its argument parser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

from incast.cli import parser

from incast_website.links import named
from incast_website.markdown import code, table

__all__ = ["page"]


def page() -> str:
    """The page of all commands."""
    whole = parser()
    pieces = [
        "# The command line",
        f"{whole.description} `incast COMMAND --help` prints what stands here. The exit code is 0; "
        "1 if a run failed, or a check did; 2 if the input is wrong; 128 plus the number of the "
        "signal that ended the program.",
        table(["command", "what"], _summaries(whole)),
    ]
    for name, command in _commands(whole).items():
        pieces += _command(f"incast {name}", command, level=2)
    return "\n\n".join(pieces) + "\n"


def _command(title: str, command: argparse.ArgumentParser, level: int) -> Iterable[str]:
    yield f"{'#' * level} `{title}` {{ #{title.removeprefix('incast ').replace(' ', '-')} }}"
    if command.description:
        yield _sentences(command.description)
    below = _commands(command)
    if not below:
        usage = " ".join(command.format_usage().split()).removeprefix("usage: ")
        yield f"```text\n{usage.replace('[-h] ', '')}\n```"
    yield from _arguments(command)
    if command.epilog:
        yield _sentences(command.epilog)
    for name, each in below.items():
        yield from _command(f"{title} {name}", each, level + 1)


def _arguments(command: argparse.ArgumentParser) -> Iterable[str]:
    rows = [
        (code(_written(action)), _sentences(action.help or ""))
        for action in command._actions
        if action.dest != "help" and not isinstance(action, argparse._SubParsersAction)
    ]
    if rows:
        yield table(["argument", "meaning"], rows)


def _written(action: argparse.Action) -> str:
    """An argument as users write it."""
    if not action.option_strings:
        name = str(action.metavar or action.dest)
        return f"{name} …" if action.nargs in ("*", "+") else name
    option = ", ".join(action.option_strings)
    if action.nargs == 0:
        return option
    choices = "{" + ",".join(map(str, action.choices or [])) + "}"
    return f"{option} {action.metavar or (choices if action.choices else action.dest.upper())}"


def _commands(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The subcommands of a command, by name."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _summaries(whole: argparse.ArgumentParser) -> Iterable[tuple[str, str]]:
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                yield f"[`incast {each.dest}`](#{each.dest})", _sentences(each.help or "")


def _sentences(text: str) -> str:
    """Help as one line with links. Angle brackets are escaped, as they are not HTML."""
    line = re.sub(r"<([\w ]+)>", r"&lt;\1&gt;", " ".join(text.replace("%%", "%").split()))
    return named(line, lambda title, place: f"[{title}](../{place})")
