"""`incast schema`: a JSON Schema with which editors complete and check scenario files."""

from __future__ import annotations

import argparse
import json

import incast

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_schema)


def _schema(arguments: argparse.Namespace) -> int:
    print(json.dumps(incast.schema(), indent=2, ensure_ascii=False))
    return 0
