"""The commands and their parser. Each command is a module beside this one, imported only when it is
used. The module's function `add` describes the arguments, and names the function that executes the
command.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Container, Sequence
from importlib import import_module
from typing import Any, NoReturn, TypeAlias

import incast
from incast import _core
from incast.cli import messages
from incast.errors import printable

__all__ = ["BAD_INPUT", "COMMANDS", "Commands", "add_command", "load", "parser"]

BAD_INPUT = 2
"""The exit code after wrong input."""

COMMANDS = {
    "demo": (
        "demo",
        "See what incast does. Runs two scenarios: sixteen flows that meet at one host, and a "
        "fat tree of 320 hosts under a load of many small and a few large flows.",
    ),
    "run": (
        "run",
        "Run a scenario. Prints the key figures and writes a results folder: tables (Parquet), "
        "a summary (JSON) and a report (HTML). What was run before is not run again.",
    ),
    "compare": (
        "compare",
        "Run a scenario under several algorithms, attacks, or both, or several scenarios. Prints "
        "their key figures side by side, attackers and victims apart, and writes one report with "
        "their curves over each other.",
    ),
    "sweep": (
        "sweep",
        "Run a scenario with everything that a study varies. Measures each run, and writes one "
        "dataset (Parquet), a page with means over seeds and their confidence intervals, and a "
        "figure of each measure. What was run before is not run again: after Ctrl-C, or a kill, "
        "the same command goes on from there. The exit code is 1 if a run failed.",
    ),
    "nccl-tests": (
        "nccl_tests",
        "Measure a collective over sizes of data, as nccl-tests does. Prints its table: size, "
        "count, time, algorithm and bus bandwidth, of a network that is built for the ranks, or "
        "of a scenario, whose traffic is replaced. The exit code is 1 if a run failed, or no row "
        "has numbers.",
    ),
    "reproduce": (
        "reproduce",
        "Reproduce a paper. Runs what its figures need, draws them, and prints which of the "
        "paper's claims hold. What was run before is not run again, and what Ctrl-C interrupts "
        "goes on with the same command. The exit code is 1 only if a run failed, not if a claim "
        "does not hold.",
    ),
    "show": (
        "show",
        "Show a scenario, results, or what scenarios name. Of a scenario: the network's facts, and "
        "every setting with defaults filled in. Of a results folder: its key figures. Of an "
        "algorithm: its parameters and the named sets of them. Of a topology or a kind of "
        "traffic: its keys.",
    ),
    "list": (
        "lists",
        "List what scenarios may name, the charts of results, and what studies can measure, each "
        "with a line on what it is.",
    ),
    "report": ("reports", "Write a report on results. Several runs are drawn over each other."),
    "plot": (
        "plots",
        "Draw charts of results for a paper. They are a column wide; several runs are drawn over "
        "each other.",
    ),
    "explain": (
        "explain",
        "Explain why flows took as long as they did. Runs the scenario again with what kept these "
        "flows, and splits each FCT exactly, along its critical path: sending, a full window, its "
        "pace, queues, pauses, losses; and says whose packets it waited for.",
    ),
    "replay": (
        "replay",
        "Play a short time of a small network. Writes a page (HTML) on which packets move along "
        "links and queues grow at ports, with drops, trims and pauses: to pause, to step through, "
        "and to follow one flow. What was not traced is run again.",
    ),
    "export": (
        "export",
        "Write results for Wireshark, or for Perfetto. Packets that were traced become RoCEv2 "
        "frames in a pcapng file; flows, collectives, pauses and queues become a timeline.",
    ),
    "import": (
        "imports",
        "Turn an experiment of another simulator into a scenario. Prints every setting it has "
        "and its result.",
    ),
    "new-algorithm": (
        "new_algorithm",
        "Write a Python file with an algorithm of congestion control, for you to change. Wherever "
        "the name of an algorithm goes, the file's goes, too.",
    ),
    "check-algorithm": (
        "check_algorithm",
        "Check an algorithm of congestion control. Random events, reproducibility, a flow alone, "
        "fairness and convergence of two and sixteen flows, an incast, links from 10 to 800 Gb/s, "
        "losses: each a line with a verdict, and a chart. The exit code is 1 if a check fails.",
    ),
    "schema": (
        "schema",
        "Print the JSON Schema of scenario files. Editors complete and check TOML with it.",
    ),
    "completion": (
        "completion",
        "Print a script with which a shell completes commands, options, names and files. Of bash, "
        "it goes to ~/.local/share/bash-completion/completions/incast; of zsh, to the file "
        "_incast in a folder of $fpath; of fish, to ~/.config/fish/completions/incast.fish.",
    ),
    "validate": ("validate", "Compare with the recorded results of other simulators."),
}
"""For each command, its module and its description. The first sentence is shown in the list of
commands.
"""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The subparsers to which a command adds its own parser."""


def load(asked: Container[str]) -> dict[str, Any]:
    """Imports the modules of these commands; gives them by command."""
    return {
        name: import_module(f"incast.cli.{module}")
        for name, (module, _) in COMMANDS.items()
        if name in asked
    }


def parser(given: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line.

    Args:
        given: A command line. The parser then only has the arguments of its command.
    """
    whole = _Parser(
        prog="incast",
        description="A packet-level laboratory for congestion control in datacenter networks.",
        epilog="`incast COMMAND --help` says more about a command.",
    )
    version = f"incast {incast.__version__}, engine {_core.__engine__}"
    whole.add_argument("--version", action="version", version=version)
    plain: argparse.ArgumentParser = whole
    commands = plain.add_subparsers(title="commands", metavar="COMMAND", required=True)
    loaded = load(COMMANDS if given is None else given)
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        command = _described(commands, name, COMMANDS[name][1])
        if name in loaded:
            loaded[name].add(command)
            if "--set " in command.format_usage():
                whole.settable.append(command.prog)
    return whole


def add_command(
    commands: Commands, name: str, execute: Callable[[Any], int], description: str
) -> argparse.ArgumentParser:
    """Adds a command below a command, and gives its parser."""
    parser = _described(commands, name, description)
    parser.set_defaults(execute=execute)
    return parser


def _described(commands: Commands, name: str, description: str) -> argparse.ArgumentParser:
    """Adds a parser without arguments, and takes its summary from the description."""
    summary = description.split(". ")[0].rstrip(".")
    summary = summary[0].lower() + summary[1:]
    return commands.add_parser(name, help=summary, description=description)


class _Parser(argparse.ArgumentParser):
    """A parser that reports errors in incast's format."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.settable: list[str] = []
        """Names of the commands that accept `--set`."""

    def error(self, message: str) -> NoReturn:
        import difflib

        told = _WRONG_CHOICE.match(message)
        if told and (near := difflib.get_close_matches(told["name"], _names(told["names"]), 1)):
            what = f"{told['argument']}: unknown `{told['name']}`; did you mean `{near[0]}`?"
        else:
            what = f"{message};"
        if len(self.settable) == 1 and message.startswith("unrecognized arguments: --"):
            what += " settings of the scenario go after --set, e.g. --set traffic.0.load=0.7;"
        messages.complain(f"{printable(what)} see `{self._asked} --help`")
        raise SystemExit(BAD_INPUT)

    @property
    def _asked(self) -> str:
        """The command to ask for help: the only one that accepts `--set`, otherwise the program."""
        return self.settable[0] if len(self.settable) == 1 else self.prog


_WRONG_CHOICE = re.compile(
    r"(?P<argument>argument [^:]+): invalid choice: '(?P<name>[^']*)' \(choose from (?P<names>.*)\)"
)


def _names(listed: str) -> list[str]:
    return [name.strip(" '") for name in listed.split(",")]
