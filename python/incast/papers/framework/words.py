"""The words of a paper: what its figures show and its claims say, as data beside the code.

`claims.toml` of a paper has them by id. Measures, rules and charts are code, which takes the words
of an id from here:

- Claims that differ in some words name a claim whose other words they have: `like`.
- `{name}` in a text stands for a text of the table `texts`, or for a value that the code gives: a
  number of a data file, or a function of the runs.

A file is checked as a whole when it is read. Ids that only one side has are errors, too: of the
code as soon as it asks for one, of the file when the paper is put together.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack

from incast.errors import PaperError
from incast.measure.run import Runs
from incast.names import hint
from incast.papers.framework.claim import Claim, Kind, Measured, Values
from incast.papers.framework.explanation import Recorded, Text
from incast.papers.framework.paper import Figure, Paper, RunPlan, Scale
from incast.papers.framework.variations import Variation

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["FILE", "NO_VALUES", "Words"]

FILE = "claims.toml"
"""Name of the file, in the package of a paper."""
NO_VALUES: Mapping[str, Text] = MappingProxyType({})


@dataclasses.dataclass(frozen=True)
class _Keys:
    """The keys of a table, with the type of each."""

    required: Mapping[str, type]
    optional: Mapping[str, type]

    @property
    def all(self) -> Mapping[str, type]:
        return {**self.required, **self.optional}


_PAPER = _Keys(
    {"name": str, "title": str, "source": str, "figures": dict},
    {"readings": list, "texts": dict, "claims": dict},
)
_FIGURE = _Keys({"title": str, "where": str, "setup": str}, {"scaled": str})
_REMARKS = ("note", "explanation", "replaced")
"""Texts that may depend on the runs."""
_CLAIM = _Keys(
    {"kind": str, "says": str, "claimed": str, "tolerance": str},
    {"where": str, "metric": str, "full_only": bool, **dict.fromkeys(_REMARKS, str)},
)
_RECORDED = _Keys({"text": str, "fingerprints": dict}, {})
_LIKE = "like"
_DIFFERENT = _Keys({_LIKE: str}, _CLAIM.all)
"""A claim that has only some words itself."""
_KINDS = [kind.value for kind in Kind]
_TYPES = {str: "a text", bool: "true or false", dict: "a table", list: "a list"}
_PLACEHOLDER = re.compile(r"\{([a-z]\w*)\}")


class _Code(TypedDict, total=False):
    """What is code of a claim."""

    measure: Callable[[Runs], Measured]
    holds: Callable[[Values], bool]
    trend: Callable[[Values], bool] | None
    show: Callable[[float], str]
    variations: Sequence[Variation]
    distance: Callable[[Values], float] | None


class _FigureCode(TypedDict, total=False):
    """What is code of a figure."""

    runs: Callable[[Scale], Mapping[str, RunPlan]]
    charts: Mapping[str, Callable[[Runs], Chart]]
    claims: Sequence[Claim]


class Words:
    """The words of one paper.

    Args:
        file: Its `claims.toml`.

    Raises:
        PaperError: It is no TOML, or has a key or a type that is not known.
    """

    def __init__(self, file: Traversable) -> None:
        self._file = str(file)
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PaperError(f"cannot be read: {error}", file=self._file) from None
        self._paper = self._checked("", table, _PAPER)
        self._readings = [
            self._text(f"readings.{place}", each)
            for place, each in enumerate(self._paper.get("readings", []))
        ]
        self._texts = {
            name: self._shared(f"texts.{name}", each)
            for name, each in self._paper.get("texts", {}).items()
        }
        for name, text in self._texts.items():
            inside = set(_placeholders(text)) & self._texts.keys()
            self._without(f"texts.{name}", inside, "texts have no other texts in them")
        claims = self._paper.get("claims", {})
        self._claims = {name: self._claim(name, claims) for name in claims}
        self._taken: set[str] = set()
        self._asked: set[str] = set()
        self._given: set[str] = set()
        self._filled: set[str] = set()
        self._figures = {
            name: self._figure(f"figures.{name}", each)
            for name, each in self._paper["figures"].items()
        }

    @classmethod
    def of(cls, package: str) -> Words:
        """The words of the paper of a package."""
        return cls(files(package) / FILE)

    def text(self, name: str, *placeholders: str) -> str:
        """A text of the table `texts`, for code that chooses between several. The code fills these
        placeholders with `str.format`.

        Raises:
            PaperError: There is no such text, or it has other placeholders.
        """
        self._known(name, self._texts, "texts")
        self._taken.add(name)
        found = self._texts[name]
        if not isinstance(found, str):
            self._refuse(f"texts.{name}", "has fingerprints, so only a claim can have it")
        self._filled_from(f"texts.{name}", set(_placeholders(found)), placeholders)
        return found

    def paper(self, figures: Sequence[Figure], colours: Mapping[str, int]) -> Paper:
        """The paper of these figures; all words of the file are to be used.

        Raises:
            PaperError: The file has a figure, a claim or a text that the code does not have.
        """
        known = {claim.id for figure in figures for claim in figure.claims}
        self._all_used("figures", self._figures, {figure.id for figure in figures})
        self._all_used("claims", self._claims, known & self._asked)
        self._all_used("texts", self._texts, self._taken)
        for name in sorted(self._given - self._filled):
            self._refuse("claims", f"none has a placeholder for the value `{name}` of the code")
        return Paper(
            self._paper["name"],
            self._paper["title"],
            self._paper["source"],
            figures,
            self._readings,
            colours,
        )

    def figure(self, name: str, **code: Unpack[_FigureCode]) -> Figure:
        """A figure.

        Raises:
            PaperError: The file has no such figure.
        """
        self._known(name, self._figures, "figures")
        return Figure(name, **self._figures[name], **code)

    def claim(
        self, name: str, *, values: Mapping[str, Text] = NO_VALUES, **code: Unpack[_Code]
    ) -> Claim:
        """A claim.

        Args:
            name: Its id.
            values: What placeholders in its words stand for, by name; others that only its
                neighbours have may be among them.
            code: The other fields of a :class:`Claim`.

        Raises:
            PaperError: The file has no such claim, or a placeholder for which there is no value.
        """
        found: dict[str, Any] = {**code, **self._words(name, values)}
        return Claim(name, **found)

    def again(
        self,
        claim: Claim,
        name: str,
        *,
        values: Mapping[str, Text] = NO_VALUES,
        **code: Unpack[_Code],
    ) -> Claim:
        """A claim with words of its own, and the code of another one where none is given.

        Raises:
            PaperError: As of :meth:`claim`.
        """
        empty: dict[str, Any] = dict.fromkeys(("where", "metric", *_REMARKS), "")
        found = {**empty, "full_only": False, **self._words(name, values), **code}
        return dataclasses.replace(claim, id=name, **found)

    def remarked(self, claim: Claim, name: str, *, values: Mapping[str, Text] = NO_VALUES) -> Claim:
        """A claim with the remarks of another id, such as that of the claim in another reading. If
        the file has no such id, it keeps its note, and has no explanation.

        Raises:
            PaperError: The file has a placeholder for which there is no value.
        """
        if name not in self._claims:
            return dataclasses.replace(claim, explanation="")
        found = self._words(name, values)
        own = {key: found.get(key, "") for key in ("note", "explanation")}
        return dataclasses.replace(claim, **own)

    def _words(self, name: str, values: Mapping[str, Text]) -> dict[str, Any]:
        self._known(name, self._claims, "claims")
        self._asked.add(name)
        needed: set[str] = set()
        found: dict[str, Any] = {}
        for key, text in self._claims[name].items():
            if not isinstance(text, str):
                found[key] = text
                continue
            found[key] = filled = self._filled_text(text, values, needed)
            if not isinstance(filled, str) and key not in _REMARKS:
                self._refuse(f"claims.{name}.{key}", "depends on runs, as only remarks may")
        self._filled_from(f"claims.{name}", needed, values)
        return {**found, "kind": Kind(found["kind"])}

    def _filled_text(self, text: str, values: Mapping[str, Text], needed: set[str]) -> Text:
        """A text with texts and values in it; adds the names of values that it needs."""
        parts = self._parts(text, values, needed)
        plain = [part for part in parts if isinstance(part, str)]
        return "".join(plain) if len(plain) == len(parts) else tuple(parts)

    def _parts(self, text: str, values: Mapping[str, Text], needed: set[str]) -> list[Text]:
        """The same in parts."""
        parts: list[Text] = []
        for place, part in enumerate(_PLACEHOLDER.split(text)):
            if place % 2 == 0:
                parts.append(part)
            elif part in self._texts:
                self._taken.add(part)
                shared = self._texts[part]
                inside = self._parts(shared, values, needed) if isinstance(shared, str) else ()
                parts += inside or [shared]
            else:
                needed.add(part)
                parts.append(values.get(part, ""))
        return [part for part in parts if part != ""]

    def _filled_from(self, key: str, placeholders: set[str], values: Iterable[str]) -> None:
        """Checks that there is a value for each placeholder, and remembers what is not used."""
        for name in sorted(placeholders - set(values)):
            self._refuse(key, f"`{{{name}}}` is no text, and the code has no value for it")
        self._filled |= placeholders
        self._given |= set(values)

    def _figure(self, key: str, value: object) -> dict[str, Any]:
        found = self._checked(key, value, _FIGURE)
        for each, text in found.items():
            needed: set[str] = set()
            found[each] = filled = self._filled_text(text, NO_VALUES, needed)
            self._without(f"{key}.{each}", needed, "only claims have values")
            if not isinstance(filled, str):
                self._refuse(f"{key}.{each}", "has fingerprints, as only remarks of claims may")
        return found

    def _without(self, key: str, placeholders: Iterable[str], why: str) -> None:
        for name in sorted(placeholders):
            self._refuse(key, f"has the placeholder `{{{name}}}`; {why}")

    def _claim(self, name: str, claims: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a claim, with those of the claim that it is like."""
        key = f"claims.{name}"
        if _LIKE in self._table(key, claims[name]):
            own = self._checked(key, claims[name], _DIFFERENT)
            other = own.pop(_LIKE)
            whole = [
                each for each in claims if _LIKE not in self._table(f"claims.{each}", claims[each])
            ]
            if other not in whole:
                what = f"`{other}` is no claim that has all words itself"
                self._refuse(f"{key}.{_LIKE}", what, hint(other, whole))
            found = self._claim(other, claims) | own
        else:
            found = self._checked(key, claims[name], _CLAIM)
        if found["kind"] not in _KINDS:
            self._refuse(f"{key}.kind", f"unknown kind `{found['kind']}`", ", ".join(_KINDS))
        return found

    def _shared(self, key: str, value: object) -> str | Recorded:
        """A text for several places; with fingerprints, if its numbers were measured once."""
        if not isinstance(value, dict):
            return self._text(key, value)
        found = self._checked(key, value, _RECORDED)
        fingerprints = found["fingerprints"]
        for label, each in fingerprints.items():
            self._text(f"{key}.fingerprints.{label}", each)
        return Recorded(found["text"], fingerprints)

    def _checked(self, key: str, value: object, keys: _Keys) -> dict[str, Any]:
        """A table with these keys, its texts on one line."""
        table = self._table(key, value)
        for each in table:
            if each not in keys.all:
                self._refuse(_joined(key, each), "unknown key", hint(each, keys.all))
        for each in keys.required:
            if each not in table:
                self._refuse(_joined(key, each), f"is missing; write {_TYPES[keys.all[each]]}")
        for each, entry in table.items():
            if not isinstance(entry, kind := keys.all[each]):
                self._refuse(_joined(key, each), f"is not {_TYPES[kind]}")
        return {
            each: self._text(_joined(key, each), entry) if isinstance(entry, str) else entry
            for each, entry in table.items()
        }

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        return value if isinstance(value, dict) else self._refuse(key, "is not a table")

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self._refuse(key, "is not a text")
        return " ".join(line.strip() for line in value.splitlines()).strip()

    def _known(self, name: str, table: Iterable[str], kind: str) -> None:
        if name not in table:
            self._refuse(f"{kind}.{name}", "is missing, and the code has it", hint(name, table))

    def _all_used(self, kind: str, table: Iterable[str], used: set[str]) -> None:
        for name in table:
            if name not in used:
                self._refuse(f"{kind}.{name}", "is not in the code", hint(name, used))

    def _refuse(self, key: str, what: str, remedy: str | None = None) -> NoReturn:
        raise PaperError(what, file=self._file, key=key, hint=remedy)


def _placeholders(text: str | Recorded) -> list[str]:
    return _PLACEHOLDER.findall(text) if isinstance(text, str) else []


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
