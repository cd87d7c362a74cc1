"""The reference of scenario keys, made from the JSON schema that `incast schema` prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import incast
from incast import toml

from incast_website.markdown import cell, code, table

__all__ = ["fabric_page", "network_page"]

Schema = Mapping[str, Any]

_QUANTITIES = {
    "Bytes": "size",
    "HostId": "host",
    "Hosts": 'hosts: `"all"`, `7`, `"0-15"` or a list of these',
    "Rate": "rate",
    "Threshold": "size or packets",
    "Time": "time",
    "Window": "window",
}
_ELSEWHERE = {
    "CongestionControl": (
        "`algorithm`, and the parameters of that algorithm: [algorithms](../algorithms/index.md)."
    ),
}
"""Definitions that are described on other pages."""

_ORDER = (
    *("run", "network", "fabric", "nic", "cc", "control", "attack", "group", "work", "exception"),
    *("traffic", "fault", "measure"),
)
"""The order of sections on the page, as in scenarios."""


def network_page() -> str:
    """The keys of scenarios with a `[network]`."""
    return _Reference(
        "Scenario",
        "# Keys of a scenario",
        "Every key, with its type and its default, generated from the schema that `incast schema` "
        "prints. [The scenario file](../scenario.md) explains them, with examples.",
    ).page()


def fabric_page() -> str:
    """The keys of scenarios with a `[fabric]`."""
    return _Reference(
        "FabricScenario",
        "# Keys of a memory fabric's scenario",
        "Every key, with its type and its default, generated from the schema that `incast schema` "
        "prints. [The memory fabric](../fabric.md) explains them.",
    ).page()


class _Reference:
    """Writes one page. Each section has a heading, and below it the headings of its tables. Tables
    that occur in several places are described once, at the end.
    """

    def __init__(self, root: str, *opening: str) -> None:
        self._definitions: Schema = incast.schema()["$defs"]
        self._root = self._definitions[root]
        self._opening = opening
        self._uses = Counter(self._references(self._root, set()))
        self._shared: list[str] = []
        self._listed: set[str] = set()

    def page(self) -> str:
        """The page in Markdown."""
        pieces = list(self._opening)
        properties = self._root["properties"]
        for key in sorted(properties, key=_ORDER.index):
            found = properties[key]
            is_list = found.get("type") == "array"
            title = f"[[{key}]]" if is_list else f"[{key}]"
            pieces.append(_heading(2, title, key))
            pieces += self._section(found["items"] if is_list else found, key)
        if self._shared:
            pieces.append("## Values that stand in several places")
        while self._shared:
            name = self._shared.pop(0)
            pieces.append(f"### {_title(name).capitalize()} {{ #{name.lower()} }}")
            pieces += self._section(self._definitions[name], name.lower())
        return "\n\n".join(pieces) + "\n"

    def _references(self, found: object, seen: set[str]) -> Iterable[str]:
        """The names of definitions that a schema refers to, once per reference."""
        for value in _values(found):
            name = _reference(value) if isinstance(value, Mapping) else ""
            if name:
                yield name
                if name not in seen:
                    seen.add(name)
                    yield from self._references(self._definitions[name], seen)
            else:
                yield from self._references(value, seen)

    def _section(self, found: Schema, path: str, level: int = 3) -> Iterable[str]:
        """The description of a key's value: its own keys, or its forms."""
        if "items" in found:
            found = {**found["items"], "description": _described(found)}
        name = _reference(found)
        if name in _ELSEWHERE:
            yield _ELSEWHERE[name]
            return
        found = {**self._definitions[name], **_with_something(found)} if name else found
        if text := _described(found):
            yield text
        if "properties" in found:
            yield from self._table(found, path, level)
        if plain := self._plain_forms(found):
            yield plain
        for form in self._tables_of(found):
            yield from self._form(form, path, level)

    def _form(self, form: Schema, path: str, level: int) -> Iterable[str]:
        """The description of one of several forms that are tables. A key with a constant value
        names the form.
        """
        properties = dict(form["properties"])
        for key in ("kind", "algorithm"):
            if constant := _constant(properties.get(key, {})):
                path = f"{path}-{constant}"
                yield _heading(level, f'{key} = "{constant}"', path)
                level += 1
                del properties[key]
                break
        if text := _described(form):
            yield text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
        if properties:
            yield from self._table({**form, "properties": properties}, path, level)

    def _table(self, found: Schema, path: str, level: int) -> Iterable[str]:
        required = set(found.get("required", []))
        rows, below = [], []
        for key, each in found["properties"].items():
            default = "must be given" if key in required else _default(each)
            meaning = " ".join([_described(each), *self._meanings(each)])
            place = f"{path}.{key}"
            rows.append((code(key), self._type(each, place), default, meaning))
            if self._has_place(each):
                below.append((place, each))
        yield table(["key", "type", "default", "meaning"], rows)
        for place, each in below:
            title = place.rpartition(".")[2] if "-" in place.rpartition(".")[0] else place
            yield _heading(level, title, place)
            yield from self._section(_without_description(each), place, level + 1)

    def _has_place(self, found: Schema) -> bool:
        """Whether a key's value is a table that occurs nowhere else."""
        return any(self._uses[name] == 1 for name in self._tables_in(found))

    def _tables_in(self, found: Schema) -> list[str]:
        """The names of definitions in a value that are tables, or have forms that are tables."""
        if "items" in found:
            return self._tables_in(found["items"])
        name = _reference(found)
        if name:
            return [name] if self._is_table(self._definitions[name]) else []
        return [inner for form in _forms(found) for inner in self._tables_in(form)]

    def _is_table(self, found: Schema) -> bool:
        return (
            "properties" in found
            or any(self._tables_in(form) for form in _forms(found))
            or any("properties" in form for form in _forms(found))
        )

    def _tables_of(self, found: Schema) -> list[Schema]:
        """The forms of a value that are tables."""
        tables = []
        for form in _forms(found):
            name = _reference(form)
            whole = self._definitions[name] if name else form
            if "properties" in whole:
                tables.append(whole)
            elif _forms(whole):
                tables += self._tables_of(whole)
        return tables

    def _plain_forms(self, found: Schema) -> str:
        """The forms of a value that are not tables, as a list."""
        listed = []
        for form in _forms(found):
            name = _reference(form)
            whole = self._definitions[name] if name else form
            if "properties" in whole:
                continue
            if _forms(whole):
                listed.append(self._plain_forms(whole))
            else:
                text = _described(whole)
                listed.append(f"- {self._type(form, '')}" + (f": {cell(text)}" if text else ""))
        return "\n".join(each for each in listed if each)

    def _meanings(self, found: Schema) -> Iterable[str]:
        """The meanings of the words that a key accepts, if they have descriptions."""
        if self._tables_in(found):
            return
        name = _reference(found)
        whole = self._definitions[name] if name else found
        for form in _forms(whole):
            if "const" in form and form.get("description"):
                yield f"`{form['const']}`: {_described(form)}"
            else:
                yield from self._meanings(form)

    def _type(self, found: Schema, place: str) -> str:
        """The type of a key's value in words, with links to tables."""
        name = _reference(found)
        if name in _QUANTITIES:
            return _QUANTITIES[name]
        if name and self._is_table(self._definitions[name]):
            return self._table_type(name, place)
        if name:
            return self._type(_without_description(self._definitions[name]), place)
        if "const" in found:
            return code(f'"{found["const"]}"')
        if "enum" in found:
            return ", ".join(code(f'"{each}"') for each in found["enum"])
        if _forms(found):
            return ", ".join(dict.fromkeys(self._type(each, place) for each in _forms(found)))
        if found.get("type") == "array":
            return f"list of {self._type(found.get('items', {}), place)}"
        return _plain(found)

    def _table_type(self, name: str, place: str) -> str:
        if self._uses[name] == 1 and place:
            return f"[table](#{_anchor(place)})"
        if name not in self._listed:
            self._listed.add(name)
            self._shared.append(name)
        return f"[{_title(name)}](#{name.lower()})"


def _heading(level: int, title: str, anchor: str) -> str:
    return f"{'#' * level} `{title}` {{ #{_anchor(anchor)} }}"


def _anchor(place: str) -> str:
    return place.replace(".", "-")


def _values(found: object) -> Iterable[object]:
    if isinstance(found, Mapping):
        yield from found.values()
        if "$ref" in found:
            return
    elif isinstance(found, list):
        yield from found


def _forms(found: Schema) -> list[Schema]:
    return [*found.get("oneOf", []), *found.get("anyOf", [])]


def _reference(found: Schema) -> str:
    return str(found.get("$ref", "")).rpartition("/")[2]


def _with_something(found: Schema) -> Schema:
    """The parts that a schema adds to the definition it refers to."""
    return {key: value for key, value in found.items() if value and key != "$ref"}


def _without_description(found: Schema) -> Schema:
    return {key: value for key, value in found.items() if key != "description"}


def _constant(found: Schema) -> str:
    """The only value of a key; empty if it may have several."""
    values = [found["const"]] if "const" in found else found.get("enum", [])
    return str(values[0]) if len(values) == 1 else ""


def _default(found: Schema) -> str:
    return code(toml.inline(found["default"])) if "default" in found else ""


def _described(found: Schema) -> str:
    """The description without its example, as guides have examples."""
    text = re.sub(r"```.*?```", "", found.get("description", ""), flags=re.DOTALL)
    return " ".join(text.split())


def _plain(found: Schema) -> str:
    kind = found.get("type", "")
    if isinstance(kind, list):
        kind = kind[0]
    names = {"integer": "whole number", "number": "number", "boolean": "`true` or `false`"}
    name = names.get(kind, "text")
    low, high = found.get("minimum"), found.get("maximum")
    if low is not None and high is not None and high < 2**16 - 1:
        return f"{name}, {low:g} to {high:g}"
    return f"{name}, at least {low:g}" if low else name


def _title(name: str) -> str:
    """The name of a definition as words: `RoundTripMeasure` becomes `round trip measure`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
