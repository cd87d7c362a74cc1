"""`incast schema`: for editors that complete and check scenario files."""

from __future__ import annotations

import argparse
import json

import incast
from incast.cli.options import Commands, add_command

__all__ = ["add"]


def add(commands: Commands) -> None:
    """Describes the command."""
    add_command(
        commands,
        "schema",
        _schema,
        "Print the JSON Schema of scenario files. Editors complete and check TOML with it.",
    )


def _schema(arguments: argparse.Namespace) -> int:
    print(json.dumps(incast.schema(), indent=2, ensure_ascii=False))
    return 0
