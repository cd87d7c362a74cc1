"""Makes `help` print signatures as they are written: `scenario: str | Path`, not `'str | Path'`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

__all__ = ["make_readable"]


class _Written(str):
    """An annotation as its source has it. `inspect` prints the `repr` of text, with quotes."""

    def __repr__(self) -> str:
        return str(self)


def make_readable(public: Iterable[object]) -> None:
    """Removes the quotes from the annotations of functions, and of methods of classes."""
    for each in public:
        for function in _functions(each):
            function.__annotations__ = {
                name: _Written(kind) if isinstance(kind, str) else kind
                for name, kind in function.__annotations__.items()
            }


def _functions(public: object) -> Iterator[Any]:
    if isinstance(public, FunctionType):
        yield public
    elif isinstance(public, type):
        members: Mapping[str, object] = vars(public)
        for member in members.values():
            found = member.fget if isinstance(member, property) else member
            found = getattr(found, "__func__", found)
            if isinstance(found, FunctionType):
                yield found
