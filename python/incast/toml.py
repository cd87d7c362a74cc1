"""Writes Python values as TOML, so that dicts are checked in the same way as scenario files.

The standard library can only read TOML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from incast import frames

__all__ = ["dotted", "dumps", "inline"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f]*')
"""Text that needs no escape, as nearly all text."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def dumps(table: Mapping[str, object]) -> str:
    """A table as a TOML document, one line for each of its keys."""
    return "".join(f"{_key(key)} = {inline(value)}\n" for key, value in table.items())


def inline(value: object) -> str:
    """A value on one line: ``{kind = "star", hosts = 17}``.

    Raises:
        TypeError: TOML has no such value.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(float(value))
        case str():
            return _quoted(value)
        case dict() | Mapping():
            pairs = (f"{_key(key)} = {inline(item)}" for key, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple() | Sequence() if not isinstance(value, bytes | bytearray):
            return "[" + ", ".join(inline(item) for item in value) + "]"
    if isinstance(value, type):
        hint = 'an algorithm is named by its file, as in cc="mine.py"'
        raise TypeError(f"a scenario cannot hold the class {value.__name__}; {hint}")
    if hasattr(value, "nodes") and hasattr(value, "edges"):
        hint = "write it by networkx.write_graphml, then run `incast import graph FILE`"
        raise TypeError(f"a scenario cannot hold a {type(value).__name__}; {hint}")
    # Paths, NumPy scalars and arrays convert to a type that TOML has.
    if hasattr(value, "__fspath__"):
        return _quoted(str(value))
    if callable(plain := getattr(value, "tolist", None)):
        return inline(plain())
    if hasattr(value, "__arrow_c_stream__"):
        return inline(frames.rows(value))
    raise TypeError(f"a scenario cannot hold a {type(value).__name__}: {value!r}")


def dotted(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Each leaf of nested tables under its dotted key: ``("cc.algorithm", '"hpcc"')``."""
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and value:
            yield from dotted(value, f"{key}.")
        else:
            yield key, inline(value)


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a key of a scenario is text, not {name!r}")
    return name if _BARE_KEY.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    is_control = character < " " or character == "\x7f"
    return f"\\u{ord(character):04x}" if is_control else character
