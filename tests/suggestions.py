"""Corrects a document as the hint of an error message suggests."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import incast

Path = tuple[str | int, ...]
"""The path of a value in a document: keys, and indices of lists."""

UNREADABLE = re.compile(
    r"unknown |has no unit|is not a number|is no (set|ratio|number)|is neither|is missing"
    r"|is (text|a number|a boolean|a fraction)|this is a|has \d+ entries|is out of range"
    r"|is negative|is not in this version"
)
"""Errors about a value that is refused whatever the rest of the document says."""


def path_of(key: str | None) -> Path:
    """Splits `traffic[0].load` into steps from the top of the document."""
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", key or "")
    return tuple(int(number) if number else name for number, name in steps)


def at(document: Any, path: Path) -> Any:
    """The value at a path."""
    for step in path:
        document = document[step]
    return document


def paths(document: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all values of a document."""
    steps = document.items() if isinstance(document, dict) else enumerate(document)
    for step, value in steps:
        yield (*path, step)
        if isinstance(value, dict | list):
            yield from paths(value, (*path, step))


def suggested(document: dict[str, Any], error: incast.Error) -> Iterator[dict[str, Any]]:
    """The document after each correction that the message suggests."""
    place = path_of(error.key)
    names = re.findall(r"did you mean `([^`]*)`", error.hint)
    listed = re.search(r"available: ([^;)]*)", error.hint)
    names += listed[1].split(", ") if listed else []
    for name in names:
        yield from _named(document, place, error, name)
    yield from _added(document, place, error.hint)
    for value in values(error.hint):
        yield from _replaced(document, place, error, value)


def values(hint: str) -> list[Any]:
    """The values that a hint tells the reader to write."""
    told = _TOLD.search(hint)
    if not told or "mean" in hint:
        return []
    rest = told[1]
    numbers = re.match(r"([\d.]+)(?: to ([\d.]+))?(?=$|[;,:])", rest)
    written = [*filter(None, numbers.groups())] if numbers else []
    written += re.findall(r"\{ \w+ = [^}…]* \}", rest)
    written += ["true", "false"] if rest == "true or false" else []
    quoted = re.findall(r"`\"([^\"]*)\"`|`([^`]*)`|\"([^\"]*)\"", _NO_VALUE.sub("", rest))
    texts = [next(filter(None, each)) for each in quoted]
    return [tomllib.loads(f"x = {each}")["x"] for each in written] + texts


_TOLD = re.compile(
    r"(?:^|[;:] )(?:(?:write|list)(?: one of| e\.g\.| at least| at most)?"
    r"|give (?:e\.g\.|at least|at most)) (.*)"
)
_NO_VALUE = re.compile(r"\{[^}]*\}|\w+ = (\[[^\]]*\]|\"[^\"]*\"|`[^`]*`|\S+)|\[[^\]]*\]|with `\w+`")
"""Parts of a hint that are no values: tables, lists, assignments, names of keys."""


def _named(
    document: dict[str, Any], place: Path, error: incast.Error, name: str
) -> Iterator[dict[str, Any]]:
    """The document with a name in place of a key, of a value, or of the unit of a value."""
    unit = re.search(r"unknown unit `([^`]*)`", error.what)
    if "unknown key" in error.what:
        changed = copy.deepcopy(document)
        parent = at(changed, place[:-1])
        parent.setdefault(name, parent.pop(place[-1]))
        yield changed
    elif unit:
        written = str(at(document, place))
        yield from _replaced(document, place, error, written.removesuffix(unit[1]) + name)
    else:
        yield from _replaced(document, place, error, name)


def _added(document: dict[str, Any], place: Path, hint: str) -> Iterator[dict[str, Any]]:
    """The document with the assignments of a hint such as
    `add e.g. [cc] with algorithm = "hpcc"`.
    """
    told = re.match(
        r"(?:add|write) (?:all three, )?(?:e\.g\. )?(?:(\[+)(\w+)\]+ with )?`?(\w+ = .*)", hint
    )
    if not told or "…" in hint:
        return
    brackets, section, rest = told.groups()
    lines = re.split(r", or .*|, (?=\w+ = )| and |(?<=\"), or ", rest.rstrip("`"))
    try:
        table = tomllib.loads("\n".join(line for line in lines if line))
    except tomllib.TOMLDecodeError:
        return
    if section:
        table = {section: [table] if brackets == "[[" else table}
    changed = copy.deepcopy(document)
    parent = (
        at(changed, place) if isinstance(_at(changed, place), dict) else at(changed, place[:-1])
    )
    parent.update(table)
    yield changed


def _at(document: Any, path: Path) -> Any:
    try:
        return at(document, path)
    except (KeyError, IndexError, TypeError):
        return None


def _replaced(
    document: dict[str, Any], place: Path, error: incast.Error, value: Any
) -> Iterator[dict[str, Any]]:
    """The document with a value in place of another; in a list, in place of each unknown entry."""
    before = _at(document, place)
    if isinstance(before, list) and before and isinstance(value, str):
        of = re.findall(r"`([^`]*)`", error.what)
        value = [value if each in of or not set(of) & set(before) else each for each in before]
    changed = copy.deepcopy(document)
    parent = at(changed, place[:-1])
    if isinstance(parent, dict | list):
        parent[place[-1]] = value
        yield changed
