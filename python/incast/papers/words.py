"""The texts of a paper's figures and claims, which are data beside the code.

`claims.toml` of a paper has texts by id. Measures, rules and charts are code, which takes the texts
of an id from here. `{name}` in a text stands for a text of the table `texts`, or for a value that
the code gives: a number of a data file, or a function of the runs.

An id that only the code or only the file has is an error. The code's is reported when it is asked
for, the file's when the paper is put together.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from incast.measure.run import Runs
from incast.papers.claim import Claim, Kind, Measured, Values
from incast.papers.claims_file import REMARKS, ClaimsFile
from incast.papers.explanation import Text
from incast.papers.figure import Figure, Paper, RunPlan, Scale
from incast.papers.variations import Variation

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["FILE", "NO_VALUES", "Words"]

FILE = "claims.toml"
"""Name of the file, in the package of a paper."""
NO_VALUES: Mapping[str, Text] = MappingProxyType({})
_NO_COLOURS: Mapping[str, int] = MappingProxyType({})

_PLACEHOLDER = re.compile(r"\{([a-z]\w*)\}")


class _Code(TypedDict, total=False):
    """The parts of a claim that are code."""

    measure: Callable[[Runs], Measured]
    holds: Callable[[Values], bool]
    trend: Callable[[Values], bool] | None
    show: Callable[[float], str]
    variations: Sequence[Variation]
    distance: Callable[[Values], float] | None


class _FigureCode(TypedDict, total=False):
    """The parts of a figure that are code."""

    runs: Callable[[Scale], Mapping[str, RunPlan]]
    charts: Mapping[str, Callable[[Runs], Chart]]
    claims: Sequence[Claim]


class Words:
    """The texts of a paper."""

    def __init__(self, file: Traversable, package: str = "") -> None:
        self._file = ClaimsFile(file)
        self._package = package.partition(".")[0]
        self._taken: set[str] = set()
        """Names of the texts used so far."""
        self._asked: set[str] = set()
        """Ids of the claims used so far."""
        self._given: set[str] = set()
        self._filled: set[str] = set()
        """Names of values that the code gives, and of values that texts need."""
        for name, text in self._file.texts.items():
            inside = _PLACEHOLDER.findall(text) if isinstance(text, str) else ()
            for each in self._file.texts.keys() & inside:
                self._file.refuse(f"texts.{name}", f"has the text `{{{each}}}` in it; write it out")
        self._figures = {
            name: {key: self._of_figure(f"figures.{name}.{key}", text) for key, text in own.items()}
            for name, own in self._file.figures.items()
        }

    @classmethod
    def of(cls, package: str) -> Words:
        """The texts of the paper in a package."""
        return cls(files(package) / FILE, package)

    def text(self, name: str, *placeholders: str) -> str:
        """A text of the table `texts`, for code that chooses between texts. The code fills its
        placeholders with `str.format`.

        Raises:
            PaperError: There is no such text, or its placeholders are not those given.
        """
        self._file.known("texts", name)
        self._taken.add(name)
        found = self._file.texts[name]
        if not isinstance(found, str):
            self._file.refuse(f"texts.{name}", "has fingerprints, so only a claim can have it")
        self._note(f"texts.{name}", set(_PLACEHOLDER.findall(found)), placeholders)
        return found

    def paper(self, figures: Sequence[Figure], colours: Mapping[str, int] = _NO_COLOURS) -> Paper:
        """Makes the paper of these figures, and checks that all texts of the file are used.

        Raises:
            PaperError: The file has a figure, a claim or a text that the code does not have.
        """
        ids = {claim.id for figure in figures for claim in figure.claims}
        self._file.all_used("figures", {figure.id for figure in figures})
        self._file.all_used("claims", ids & self._asked)
        self._file.all_used("texts", self._taken)
        for name in sorted(self._given - self._filled):
            what = f"none has a placeholder for the value `{name}` of the code"
            self._file.refuse("claims", what)
        return Paper(
            **self._file.paper,
            figures=figures,
            readings=self._file.readings,
            colours=colours,
        )

    def figure(self, name: str, **code: Unpack[_FigureCode]) -> Figure:
        """Makes a figure, with its texts.

        Raises:
            PaperError: The file has no such figure.
        """
        self._file.known("figures", name)
        return Figure(name, **self._figures[name], **code, package=self._package)

    def claim(
        self, name: str, *, values: Mapping[str, Text] = NO_VALUES, **code: Unpack[_Code]
    ) -> Claim:
        """Makes a claim, with its texts.

        Args:
            name: The id of the claim.
            values: Values for the placeholders in its texts, by name. It may have more values,
                which other claims use.
            code: The other fields of a :class:`Claim`.

        Raises:
            PaperError: The file has no such claim, or a placeholder for which there is no value.
        """
        found: dict[str, Any] = {**code, **self._of_claim(name, values)}
        return Claim(name, **found)

    def again(
        self,
        claim: Claim,
        name: str,
        *,
        values: Mapping[str, Text] = NO_VALUES,
        **code: Unpack[_Code],
    ) -> Claim:
        """Makes a claim with its own texts. Code that is not given is taken from another claim.

        Raises:
            PaperError: See :meth:`claim`.
        """
        empty: dict[str, Any] = dict.fromkeys(("where", "metric", *REMARKS), "")
        found = {**empty, "full_only": False, **self._of_claim(name, values), **code}
        return dataclasses.replace(claim, id=name, **found)

    def remarked(self, claim: Claim, name: str, *, values: Mapping[str, Text] = NO_VALUES) -> Claim:
        """A claim with the remarks of another id, such as that of the claim under another reading.
        If the file has no such id, the claim keeps its note, and loses its explanation.

        Raises:
            PaperError: The file has a placeholder for which there is no value.
        """
        if name not in self._file.claims:
            return dataclasses.replace(claim, explanation="")
        found = self._of_claim(name, values)
        own = {key: found.get(key, "") for key in ("note", "explanation")}
        return dataclasses.replace(claim, **own)

    def _of_claim(self, name: str, values: Mapping[str, Text]) -> dict[str, Any]:
        self._file.known("claims", name)
        self._asked.add(name)
        needed: set[str] = set()
        found = dict(self._file.claims[name])
        for key, text in found.items():
            if isinstance(text, str):
                found[key] = filled = self._with_values(text, values, needed)
                if not isinstance(filled, str) and key not in REMARKS:
                    self._file.refuse(
                        f"claims.{name}.{key}", "depends on runs, as only remarks may"
                    )
        self._note(f"claims.{name}", needed, values)
        return {**found, "kind": Kind(found["kind"])}

    def _of_figure(self, key: str, text: str) -> str:
        needed: set[str] = set()
        found = self._with_values(text, NO_VALUES, needed)
        for name in sorted(needed):
            self._file.refuse(key, f"`{{{name}}}` is no text; only claims have values")
        if not isinstance(found, str):
            self._file.refuse(key, "has fingerprints, as only remarks of claims may")
        return found

    def _with_values(self, text: str, values: Mapping[str, Text], needed: set[str]) -> Text:
        """A text with its placeholders replaced; adds the names of the values it needs to
        `needed`.
        """
        parts = self._parts(text, values, needed)
        plain = [part for part in parts if isinstance(part, str)]
        return "".join(plain) if len(plain) == len(parts) else tuple(parts)

    def _parts(self, text: str, values: Mapping[str, Text], needed: set[str]) -> list[Text]:
        """The parts of a text, with placeholders replaced."""
        parts: list[Text] = []
        for place, part in enumerate(_PLACEHOLDER.split(text)):
            if place % 2 == 0:
                parts.append(part)
            elif part in self._file.texts:
                self._taken.add(part)
                shared = self._file.texts[part]
                inside = self._parts(shared, values, needed) if isinstance(shared, str) else ()
                parts += inside or [shared]
            else:
                needed.add(part)
                parts.append(values.get(part, ""))
        return [part for part in parts if part != ""]

    def _note(self, key: str, placeholders: set[str], values: Iterable[str]) -> None:
        """Checks that each placeholder has a value, and records unused values."""
        for name in sorted(placeholders - set(values)):
            self._file.refuse(key, f"`{{{name}}}` is no text, and the code has no value for it")
        self._filled |= placeholders
        self._given |= set(values)
