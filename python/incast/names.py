"""Hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

from incast import _core

__all__ = ["hint"]


def hint(name: str, available: Iterable[str]) -> str:
    """The most similar available name, if one is similar, and the list of all. Sentence and measure
    of similarity are the engine's.
    """
    names = sorted(available)
    near = _core.suggestion(_in_utf8(name), [_in_utf8(each) for each in names])
    listed = f"available: {', '.join(names)}"
    return f"did you mean `{near}`? ({listed})" if near else listed


def _in_utf8(name: str) -> str:
    """A name in UTF-8, for the engine: arguments of commands may be in another encoding."""
    return name.encode(errors="backslashreplace").decode()
