"""The file of a paper's texts: its tables, with the type of every key checked.

This module defines the file's format. `words.py` combines its texts with code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, NoReturn

from incast.errors import PaperError
from incast.names import hint
from incast.papers.claim import Kind
from incast.papers.explanation import Recorded

__all__ = ["REMARKS", "ClaimsFile"]

REMARKS = ("note", "explanation", "replaced")
"""Texts of a claim that may depend on the results of runs."""


@dataclass(frozen=True)
class _Keys:
    """The keys of a table, with their types."""

    required: Mapping[str, type]
    optional: Mapping[str, type]

    @property
    def all(self) -> Mapping[str, type]:
        return {**self.required, **self.optional}


_HEAD = ("name", "title", "summary", "source")
_PAPER = _Keys(
    {**dict.fromkeys(_HEAD, str), "figures": dict},
    {"readings": list, "texts": dict, "claims": dict},
)
_FIGURE = _Keys({"title": str, "where": str}, {"setup": str, "scaled": str})
_CLAIM = _Keys(
    {"kind": str, "says": str, "claimed": str, "tolerance": str},
    {"where": str, "metric": str, "full_only": bool, **dict.fromkeys(REMARKS, str)},
)
_LIKE = "like"
_DIFFERENT = _Keys({_LIKE: str}, _CLAIM.all)
"""The keys of a claim that takes its other texts from another claim."""
_RECORDED = _Keys({"text": str, "fingerprints": dict}, {})
_KINDS = [kind.value for kind in Kind]
_TYPES = {str: "a text", bool: "true or false", dict: "a table", list: "a list"}


class ClaimsFile:
    """A `claims.toml`; each text is on one line.

    Attributes:
        paper: Name, title, summary and source of the paper.
        readings: The readings of the paper.
        texts: Texts that are used in several places, by name.
        figures: The texts of figures, by id.
        claims: The texts of claims, by id; completed from the claim that they refer to.

    Raises:
        PaperError: The file is no TOML, has an unknown key, type or kind, or a summary that is not
            one line.
    """

    def __init__(self, file: Traversable) -> None:
        self._place = str(file)
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PaperError(f"cannot be read: {error}", file=self._place) from None
        whole = self._checked("", table, _PAPER)
        if len(table["summary"].strip().splitlines()) != 1:
            self.refuse("summary", "is not one line", "it stands below the paper's title in lists")
        self.paper = {key: whole[key] for key in _HEAD}
        self.readings = [
            self._text(f"readings.{place}", each)
            for place, each in enumerate(whole.get("readings", []))
        ]
        self.texts = {
            name: self._shared(f"texts.{name}", each)
            for name, each in whole.get("texts", {}).items()
        }
        self.figures = {
            name: self._checked(f"figures.{name}", each, _FIGURE)
            for name, each in whole["figures"].items()
        }
        claims = whole.get("claims", {})
        self.claims = {name: self._claim(name, claims) for name in claims}

    def refuse(self, key: str, what: str, remedy: str | None = None) -> NoReturn:
        """Raises the error for a mistake in the file.

        Args:
            key: The dotted key.
            what: The mistake.
            remedy: A hint on what would be right.
        """
        raise PaperError(what, file=self._place, key=key, hint=remedy)

    def known(self, kind: str, name: str) -> None:
        """Checks that the file has an entry that the code asks for.

        Args:
            kind: The table: `texts`, `figures` or `claims`.
            name: The name of the entry.
        """
        table = getattr(self, kind)
        if name not in table:
            self.refuse(f"{kind}.{name}", "is missing, and the code has it", hint(name, table))

    def all_used(self, kind: str, used: Iterable[str]) -> None:
        """Checks that the code uses all entries of a table."""
        for name in getattr(self, kind):
            if name not in used:
                self.refuse(f"{kind}.{name}", "is not in the code", hint(name, used))

    def _claim(self, name: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        """The texts of a claim, completed from the claim that it refers to."""
        key = f"claims.{name}"
        if _LIKE in self._table(key, claims[name]):
            own = self._checked(key, claims[name], _DIFFERENT)
            other = own.pop(_LIKE)
            whole = [
                each for each in claims if _LIKE not in self._table(f"claims.{each}", claims[each])
            ]
            if other not in whole:
                what = f"`{other}` is no claim that has all words itself"
                self.refuse(f"{key}.{_LIKE}", what, hint(other, whole))
            found = self._claim(other, claims) | own
        else:
            found = self._checked(key, claims[name], _CLAIM)
        if found["kind"] not in _KINDS:
            self.refuse(f"{key}.kind", f"unknown kind `{found['kind']}`", ", ".join(_KINDS))
        return found

    def _shared(self, key: str, value: object) -> str | Recorded:
        """A text for several places; with fingerprints if its numbers were measured once."""
        if not isinstance(value, dict):
            return self._text(key, value)
        found = self._checked(key, value, _RECORDED)
        fingerprints = found["fingerprints"]
        for label, each in fingerprints.items():
            self._text(f"{key}.fingerprints.{label}", each)
        return Recorded(found["text"], fingerprints)

    def _checked(self, key: str, value: object, keys: _Keys) -> dict[str, Any]:
        """Checks the keys of a table, and gives the table."""
        table = self._table(key, value)
        for each in table:
            if each not in keys.all:
                self.refuse(_joined(key, each), "unknown key", hint(each, keys.all))
        for each, kind in keys.required.items():
            if each not in table:
                self.refuse(_joined(key, each), f"is missing; write {_TYPES[kind]}")
        for each, entry in table.items():
            if not isinstance(entry, kind := keys.all[each]):
                self.refuse(_joined(key, each), f"is not {_TYPES[kind]}")
        return {
            each: self._text(_joined(key, each), entry) if isinstance(entry, str) else entry
            for each, entry in table.items()
        }

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        return value if isinstance(value, dict) else self.refuse(key, "is not a table")

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self.refuse(key, "is not a text")
        return " ".join(line.strip() for line in value.splitlines()).strip()


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
