"""Keys of scenarios that hold free text, which is no quantity and no number, however it looks: a
run may be named ``1KB``, and a tenant ``5``. The scenario's schema tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from incast.scenario import schema

__all__ = ["is_text", "may_be_text"]


def may_be_text(key: str) -> bool:
    """Whether text under a key is free, as the name of a host, which can be given by number."""
    return True in _of_names().get(_name(key), ())


def is_text(key: str) -> bool:
    """Whether a key holds free text and nothing else, as the name of a run."""
    return _of_names().get(_name(key)) == {True}


def _name(key: str) -> str:
    return key.rpartition(".")[2]


@cache
def _of_names() -> Mapping[str, set[bool]]:
    """By the last part of a key, whether each of the values that it may have is free text."""
    whole, found = schema(), defaultdict[str, set[bool]](set)
    for name, described in _properties(whole):
        found[name] |= {_is_free(each) for each in _choices(described, whole["$defs"])}
    return found


def _properties(part: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The properties of all tables in a part of the schema."""
    if isinstance(part, Mapping):
        yield from (pair for pair in part.get("properties", {}).items())
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _properties(each)


def _choices(
    described: Mapping[str, Any], definitions: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """What a value may be."""
    if reference := described.get("$ref"):
        yield from _choices(definitions[reference.rpartition("/")[2]], definitions)
        return
    choices = [*described.get("anyOf", ()), *described.get("oneOf", ())]
    if not choices:
        yield described
    for each in choices:
        yield from _choices(each, definitions)


def _is_free(described: Mapping[str, Any]) -> bool:
    return described.get("type") == "string" and not {"enum", "const", "pattern"} & described.keys()
