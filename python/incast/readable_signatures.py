"""Signatures that `help` prints as they are written: `scenario: str | Path`, not `'str | Path'`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["make_readable"]


class _Written(str):
    """An annotation as its source has it. `inspect` prints the `repr` of text, with quotes."""

    def __repr__(self) -> str:
        return str(self)


def make_readable(public: Iterable[object]) -> None:
    """Takes the quotes off the annotations of functions, and of the methods of classes."""
    for each in public:
        for function in _functions(each):
            function.__annotations__ = {
                name: _Written(kind) if isinstance(kind, str) else kind
                for name, kind in function.__annotations__.items()
            }


def _functions(public: object) -> Iterator[Any]:
    if inspect.isfunction(public):
        yield public
    elif inspect.isclass(public):
        members: Mapping[str, object] = vars(public)
        for member in members.values():
            found = member.fget if isinstance(member, property) else member
            found = getattr(found, "__func__", found)
            if inspect.isfunction(found):
                yield found
