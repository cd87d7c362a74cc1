"""Keys of scenarios that hold free text, according to the schema. Such text is never read as a
number or quantity: a run may be named ``1KB``, and a tenant ``5``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from incast.scenario import schema

__all__ = ["is_text", "may_be_text"]


def may_be_text(key: str) -> bool:
    """Whether text under a key may be free, such as a host's name; a host may also be a number."""
    return True in _of_names().get(_name(key), ())


def is_text(key: str) -> bool:
    """Whether a key holds only free text, such as the name of a run."""
    return _of_names().get(_name(key)) == {True}


def _name(key: str) -> str:
    return key.rpartition(".")[2]


@cache
def _of_names() -> Mapping[str, set[bool]]:
    """For each last part of a key: for each of the types that its value may have, whether it is
    free text.
    """
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
    """The alternative types of a value."""
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
