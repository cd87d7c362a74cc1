"""The tokens of the notation: names with subscripts, numbers, operators, brackets, code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["FUNCTIONS", "Kind", "Token", "tokens"]


class Kind(Enum):
    """The kind of a token."""

    SYMBOL = auto()
    """A quantity: a letter, or a name with a subscript."""
    FUNCTION = auto()
    NUMBER = auto()
    WORD = auto()
    OPERATOR = auto()
    OPEN = auto()
    CLOSE = auto()
    BAR = auto()
    """The bar of an absolute value, |x|."""
    POWER = auto()
    PUNCTUATION = auto()
    CODE = auto()
    """Code between backticks."""


@dataclass(frozen=True)
class Token:
    """A token, and whether white space precedes it."""

    kind: Kind
    text: str
    spaced: bool


FUNCTIONS = frozenset({"max", "min", "argmax"})
_RELATIONS = "←→=≤≥<>≈∈"
_OPERATORS = "+−-±·×/√∑" + _RELATIONS
_POWERS = "²³"
_NAME = r"[^\W\d_²³½₀-₉][\u0300-\u036f]?"
_TOKEN = re.compile(
    rf"""
    (?P<CODE>`[^`]+`)
    | (?P<FIXED>
        CC_MODE | [^\W\d_]+(?:-(?:[A-Za-z]+|\d+))+ | [a-z]+\.[a-z]+
        | §+\s?[\w.]+(?:[-–][A-Z]\d?)?
        | bit/s | [KMGT]b/s | \d[\d ]*\s(?:[KMGT]?B|[KMGT]?b/s|[mµn]?s)\b
    )
    | (?P<NAME>(?:{_NAME})+(?:'(?=[a-z]))?(?:(?<=')[a-z]+)?[₀-₉]*(?:_\w+)*'*)
    | (?P<NUMBER>\d+(?:\.\d+)?[₀-₉]*|½)
    | (?P<OPERATOR>\+=|[{re.escape(_OPERATORS)}])
    | (?P<POWER>[{_POWERS}]+)
    | (?P<OPEN>[(\[⌊])
    | (?P<CLOSE>[)\]⌋])
    | (?P<BAR>\|)
    | (?P<PUNCTUATION>\S)
    """,
    re.VERBOSE,
)
_ARTICLES = frozenset({"a", "A", "I"})


def tokens(text: str) -> list[Token]:
    """The tokens of a text, each with its kind."""
    found = list(_TOKEN.finditer(text))
    kinds = [_kind(match) for match in found]
    for index, match in enumerate(found):
        # `a`, `A` and `I` are words, unless they are operands.
        if match[0] in _ARTICLES and not _is_operand(found, kinds, index):
            kinds[index] = Kind.WORD
    return [
        Token(kind, match[0], match.start() > 0 and text[match.start() - 1].isspace())
        for kind, match in zip(kinds, found, strict=True)
    ]


def _kind(match: re.Match[str]) -> Kind:
    group = match.lastgroup or ""
    if group == "FIXED":
        return Kind.WORD
    return _kind_of_name(match[0]) if group == "NAME" else Kind[group]


def _kind_of_name(name: str) -> Kind:
    base = name.split("_")[0].rstrip("'")
    if name.split("_")[0] in FUNCTIONS and (base == name or base == "argmax"):
        return Kind.FUNCTION
    letters = re.sub(r"[\u0300-\u036f₀-₉]", "", base)
    is_symbol = (
        len(letters) == 1
        or "_" in name
        or (name.endswith("'") and len(letters) <= 3)
        or bool(re.fullmatch(r"Δ\w|d[qtxθ]", letters))
        or bool(re.match(r"[a-z]{2,}[A-Z][a-z]", letters))
    )
    return Kind.SYMBOL if is_symbol else Kind.WORD


def _is_operand(found: list[re.Match[str]], kinds: list[Kind], index: int) -> bool:
    """Whether a token is alone, or is between operators and brackets instead of before a word."""
    after = kinds[index + 1] if index + 1 < len(found) else None
    before = kinds[index - 1] if index else None
    if after is None and before is None:
        return True
    beside = (Kind.OPERATOR, Kind.OPEN, Kind.CLOSE, Kind.POWER)
    return after in beside or (before in beside and after is not Kind.WORD)
