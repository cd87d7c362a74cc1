"""Papers that are installed: the entry points of the group `incast.papers`, of any distribution."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from incast.errors import PaperError
from incast.names import hint
from incast.papers.figure import Paper

__all__ = ["names", "none_installed", "paper"]

_GROUP = "incast.papers"
"""The group of entry points. Each has the name of a paper, and names its :class:`Paper`."""


def names() -> list[str]:
    """The names of installed papers, in alphabetical order. No paper is imported for them."""
    return sorted({entry.name for entry in entry_points(group=_GROUP)})


def paper(name: str) -> Paper:
    """A paper with its figures and claims.

    Raises:
        PaperError: There is no such paper, or more than one, or it cannot be imported.
    """
    entry = _entry(name)
    origin = f"paper `{name}` of the distribution `{_distribution(entry)}`"
    try:
        found = entry.load()
    except PaperError:
        raise
    except Exception as error:
        what = f"{origin} cannot be imported: {type(error).__name__}: {error}"
        module = entry.value.partition(":")[0]
        raise PaperError(what, hint=f'python -c "import {module}" shows where') from error
    if not isinstance(found, Paper):
        what = f"{origin}: `{entry.value}` is no `incast.papers.Paper`"
        raise PaperError(what, hint="the entry point has to name one")
    if found.name != name:
        what = f"{origin}: its `claims.toml` has the name `{found.name}`"
        raise PaperError(what, hint="the entry point has to have the same name")
    return found


def none_installed() -> PaperError:
    """The error that there is no paper at all."""
    remedy = (
        "those of incast are the distribution `incast-papers`: `pip install` its wheel, or "
        "`./papers` in a checkout"
    )
    return PaperError("no paper is installed", hint=remedy)


def _entry(name: str) -> EntryPoint:
    found: list[EntryPoint] = [*entry_points(group=_GROUP, name=name)]
    if len(found) == 1:
        return found[0]
    if found:
        homes = " and ".join(sorted(f"`{_distribution(each)}`" for each in found))
        what = f"paper `{name}` is in several distributions: {homes}"
        raise PaperError(what, hint="uninstall all but one of them")
    known = names()
    if not known:
        raise none_installed()
    raise PaperError(f"unknown paper `{name}`", hint=hint(name, known))


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value
