"""A statement of the notation as HTML: formulas in MathML, and text between them.

    R ← R_c / c + R_AI   if c ≥ 1      a fraction, a word, a comparison

A fraction is stacked. Its numerator is the whole product before the slash if there are spaces
around the slash; otherwise it is only the adjacent operand. Parentheses that only enclose an
operand are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from html import escape

from incast_website.equations.tokens import Kind, Token, tokens

__all__ = ["Setting", "has_formula", "html"]


class Setting(Enum):
    """Where a statement is set."""

    DISPLAYED = auto()
    """On a line of its own: fractions are stacked."""
    INLINE = auto()
    """In a sentence: fractions keep their slash, and words are not operands."""


class _Role(Enum):
    OPERAND = auto()
    TEXT = auto()
    OPERATOR = auto()
    SLASH = auto()
    PUNCTUATION = auto()


@dataclass(frozen=True)
class _Item:
    """A finished piece: its MathML or text, and its role for adjacent pieces."""

    role: _Role
    markup: str
    spaced: bool
    inner: str = ""
    """The contents of the parentheses, if the item is in parentheses."""


_CLOSING = {"(": ")", "[": "]", "⌊": "⌋"}
_HATS = {"\u0302": "^", "\u0303": "~"}
_THIN = '<mspace width="0.17em"/>'


def html(statement: str, setting: Setting = Setting.DISPLAYED) -> str:
    """A statement as HTML."""
    items = _Reader(tokens(statement), setting).items()
    return "".join(_runs(items, setting))


def has_formula(statement: str) -> bool:
    """Whether a statement contains a formula."""
    return "<math" in html(statement)


class _Reader:
    """Reads tokens into items. Brackets with their contents become one item."""

    def __init__(self, found: list[Token], setting: Setting) -> None:
        self._tokens = found
        self._at = 0
        self._setting = setting

    def items(self, until: str = "") -> list[_Item]:
        """The items up to a closing bracket, which is consumed."""
        found: list[_Item] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if until and token.text == until:
                break
            self._add(found, token)
        return _with_fractions(found) if self._setting is Setting.DISPLAYED else found

    def _add(self, found: list[_Item], token: Token) -> None:
        match token.kind:
            case Kind.POWER if found and found[-1].role is _Role.OPERAND:
                exponent = token.text.translate(str.maketrans("²³", "23"))
                found.append(_raised(found.pop(), exponent))
            case Kind.OPEN if self._closes(_CLOSING[token.text]):
                group = self._group(token, _CLOSING[token.text])
                found += _applied(found, group, token)
            case Kind.BAR if self._closes("|"):
                found += self._group(token, "|")
            case Kind.OPERATOR if token.text == "√" and self._at < len(self._tokens):
                found.append(self._root(token))
            case Kind.OPERATOR if token.text in "+−-" and not _is_infix(found):
                sign = f'<mo form="prefix">{token.text}</mo>'
                found.append(_Item(_Role.OPERATOR, sign, token.spaced))
            case _:
                found.append(_item(token))

    def _closes(self, bracket: str) -> bool:
        return any(token.text == bracket for token in self._tokens[self._at :])

    def _group(self, token: Token, closing: str) -> list[_Item]:
        """The contents of brackets as one operand; text in parentheses stays text."""
        inside = self.items(until=closing)
        roles = {item.role for item in inside}
        if _Role.TEXT in roles and not roles & {_Role.OPERATOR, _Role.SLASH}:
            if token.spaced and token.text == "(":
                opening = _Item(_Role.PUNCTUATION, token.text, token.spaced)
                return [opening, *inside, _Item(_Role.PUNCTUATION, closing, False)]
            if roles == {_Role.TEXT}:
                text = token.text + " ".join(item.markup for item in inside) + closing
                return [_Item(_Role.TEXT, text, token.spaced)]
        inner = _row(inside)
        if self._setting is Setting.INLINE and re.fullmatch(r"<mn>\d+</mn>", inner):
            # A number of an equation, such as (3).
            return [_Item(_Role.TEXT, f"({inner[4:-5]})", token.spaced)]
        flat = "" if "<mfrac>" in inner else ' stretchy="false"'
        fences = f"<mo{flat}>{token.text}</mo>{inner}<mo{flat}>{closing}</mo>"
        kept = inner if token.text == "(" else ""
        return [_Item(_Role.OPERAND, f"<mrow>{fences}</mrow>", token.spaced, kept)]

    def _root(self, token: Token) -> _Item:
        operand: list[_Item] = []
        following = self._tokens[self._at]
        self._at += 1
        self._add(operand, following)
        return _Item(_Role.OPERAND, f"<msqrt>{_bare(operand[0])}</msqrt>", token.spaced)


def _applied(before: list[_Item], group: list[_Item], token: Token) -> list[_Item]:
    """Joins a group with the adjacent name before it, if the group is an index in brackets
    (`table[τ]`) or the arguments of a function (`max(a, b)`). Otherwise gives the group.
    """
    if not before or token.spaced or before[-1].role in (_Role.OPERATOR, _Role.PUNCTUATION):
        return group
    if token.text == "[" or before[-1].markup.endswith(_THIN):
        name = before.pop()
        markup = f"<mrow>{_in_formula(name)}{_row(group)}</mrow>"
        return [_Item(_Role.OPERAND, markup, name.spaced)]
    return group


def _is_infix(before: list[_Item]) -> bool:
    """Whether a sign after these items is between two operands."""
    return bool(before) and before[-1].role in (_Role.OPERAND, _Role.TEXT)


def _item(token: Token) -> _Item:
    match token.kind:
        case Kind.SYMBOL | Kind.FUNCTION:
            return _Item(_Role.OPERAND, _symbol(token), token.spaced)
        case Kind.NUMBER:
            return _Item(_Role.OPERAND, f"<mn>{token.text}</mn>", token.spaced)
        case Kind.OPERATOR if token.text == "/":
            return _Item(_Role.SLASH, "<mo>/</mo>", token.spaced)
        case Kind.OPERATOR:
            return _Item(_Role.OPERATOR, f"<mo>{escape(token.text)}</mo>", token.spaced)
        case Kind.CODE:
            return _Item(_Role.TEXT, token.text, token.spaced)
        case Kind.WORD:
            return _Item(_Role.TEXT, token.text, token.spaced)
        case _:
            return _Item(_Role.PUNCTUATION, token.text, token.spaced)


def _symbol(token: Token) -> str:
    """A name with its subscripts, primes and hat."""
    name = token.text.rstrip("'")
    primes = "′" * (len(token.text) - len(name))
    base, *parts = re.sub(r"([₀-₉]+)", r"_\1", name).split("_")
    below = "_".join(parts).translate(str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789"))
    markup = _letters(base)
    if primes:
        markup = f'<mrow>{markup}<mo lspace="0" rspace="0">{primes}</mo></mrow>'
    if below:
        low = f"<mn>{below}</mn>" if below.isdigit() else f"<mi>{below}</mi>"
        markup = f"<msub>{markup}{low}</msub>"
    return markup + (_THIN if token.kind is Kind.FUNCTION else "")


def _letters(base: str) -> str:
    for hat, drawn in _HATS.items():
        if hat in base:
            return f'<mover accent="true"><mi>{base.replace(hat, "")}</mi><mo>{drawn}</mo></mover>'
    if re.fullmatch(r"Δ\w|d[qtxθ]", base):
        return f"<mrow><mi>{base[0]}</mi><mi>{base[1]}</mi></mrow>"
    return f"<mi>{base}</mi>"


def _raised(item: _Item, exponent: str) -> _Item:
    markup = f"<msup>{item.markup}<mn>{exponent}</mn></msup>"
    return _Item(_Role.OPERAND, markup, item.spaced)


def _with_fractions(found: list[_Item]) -> list[_Item]:
    """The items, in which each slash and its operands become one item."""
    items = _joined_words(found)
    done: list[_Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        after = items[at + 1] if at + 1 < len(items) else None
        is_fraction = item.role is _Role.SLASH and done and after is not None
        if is_fraction and _can_stand(done[-1]) and after is not None and _can_stand(after):
            at += 1
            below = _bare(after)
            # A number next to a letter is a product: 2r.
            while at + 1 < len(items) and _touches(items[at], items[at + 1]):
                at += 1
                below = f"<mrow>{below}{items[at].markup}</mrow>"
            above = _numerator(done) if item.spaced else [done.pop()]
            top = _bare(above[0]) if len(above) == 1 else _row(above)
            fraction = f"<mfrac><mrow>{top}</mrow><mrow>{below}</mrow></mfrac>"
            done.append(_Item(_Role.OPERAND, fraction, above[0].spaced))
        else:
            done.append(item)
        at += 1
    return done


def _numerator(done: list[_Item]) -> list[_Item]:
    """Removes the product at the end of the items, and gives it."""
    taken = [done.pop()]
    while done and (done[-1].role is _Role.OPERAND or done[-1].markup == "<mo>·</mo>"):
        taken.insert(0, done.pop())
    return taken


def _joined_words(items: list[_Item]) -> list[_Item]:
    """The items, in which adjacent words become one item."""
    joined: list[_Item] = []
    for item in items:
        if item.role is _Role.TEXT and joined and joined[-1].role is _Role.TEXT:
            before = joined.pop()
            text = before.markup + (" " if item.spaced else "") + item.markup
            joined.append(_Item(_Role.TEXT, text, before.spaced))
        else:
            joined.append(item)
    return joined


def _can_stand(item: _Item) -> bool:
    """Whether an item can be a numerator or denominator."""
    return item.role is _Role.OPERAND or (item.role is _Role.TEXT and len(item.markup) < 30)


def _touches(before: _Item, after: _Item) -> bool:
    return before.markup.startswith("<mn>") and after.role is _Role.OPERAND and not after.spaced


def _bare(item: _Item) -> str:
    """An operand, without parentheses that only enclose it."""
    return item.inner or _in_formula(item)


def _row(items: Iterable[_Item]) -> str:
    """Items side by side. Spaces of the source are kept, and operators are spaced."""
    markup = ""
    before: _Item | None = None
    for item in items:
        roles = {before.role, item.role} if before else set()
        if item.spaced and roles <= {_Role.TEXT, _Role.OPERAND} and not markup.endswith(_THIN):
            markup += '<mspace width="0.3em"/>' if before else ""
        markup += _in_formula(item)
        before = item
    return markup


def _in_formula(item: _Item) -> str:
    if item.role is _Role.TEXT:
        tag = "mtext" if " " in item.markup else "mi"
        return f"<{tag}>{escape(item.markup).replace('`', '')}</{tag}>"
    if item.role is _Role.PUNCTUATION:
        tag = "mo" if item.markup in ",;" else "mtext"
        return f"<{tag}>{escape(item.markup)}</{tag}>"
    return item.markup


def _runs(items: list[_Item], setting: Setting) -> Iterable[str]:
    """Formulas, and the text between them."""
    formula: list[_Item] = []
    for index, item in enumerate(items):
        if _is_formula(items, index, setting):
            formula.append(item)
            continue
        yield from _formula(formula, setting)
        formula = []
        space = " " if item.spaced else ""
        yield space + _prose(item.markup)
    yield from _formula(formula, setting)


def _is_formula(items: list[_Item], index: int, setting: Setting) -> bool:
    """Whether an item belongs to a formula. A short text belongs to it if it is an operand."""
    item = items[index]
    if item.role is not _Role.TEXT or setting is Setting.INLINE:
        return item.role not in (_Role.TEXT, _Role.PUNCTUATION)
    sides = [items[at].role for at in (index - 1, index + 1) if 0 <= at < len(items)]
    return len(item.markup) < 30 and _Role.OPERATOR in sides


def _formula(items: list[_Item], setting: Setting) -> Iterable[str]:
    if not items:
        return
    space = " " if items[0].spaced else ""
    if all(item.markup.startswith("<mn>") and item.inner == "" for item in items):
        yield space + re.sub("<[^>]*>", "", items[0].markup)
        return
    style = ' displaystyle="true"' if setting is Setting.DISPLAYED else ""
    yield f"{space}<math{style}><mrow>{_row(items)}</mrow></math>"


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
