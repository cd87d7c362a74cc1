"""Names of a package that load when they are first used: few programs use all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

from incast.readable_signatures import make_readable

__all__ = ["late"]


def late(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of a package (PEP 562). Its modules load in the
    same way.

    Args:
        package: Its name.
        homes: For each module, the public names that it defines.
    """
    own = vars(sys.modules[package])
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> object:
        if name not in home:
            return _module(package, name)
        import_module(home[name])
        # Importing the module may load others of the names: `run` also loads `Results`.
        loaded = {each: value for each, value in _loaded(homes) if each not in own}
        make_readable(loaded.values())
        own.update(loaded)
        return own[name]

    def names() -> list[str]:
        return sorted({*own, *own["__all__"]})

    return load, names


def _loaded(homes: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, object]]:
    """The names whose modules are already loaded, and their values."""
    for module, names in homes.items():
        there = vars(sys.modules[module]) if module in sys.modules else {}
        yield from ((name, there[name]) for name in names if name in there)


def _module(package: str, name: str) -> object:
    module = f"{package}.{name}"
    try:
        if not name.startswith("_"):
            return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
