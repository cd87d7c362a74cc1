"""Papers that are installed: the entry points of the group `incast.papers`, of any distribution."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import EntryPoint, EntryPoints, distributions

from incast.errors import PaperError, exception_text
from incast.names import hint
from incast.papers.figure import Paper
from incast.papers.mistakes import remarked

__all__ = ["misnamed", "names", "none_installed", "paper"]

_GROUP = "incast.papers"
"""The group of entry points. Each has the name of a paper, and names its :class:`Paper`."""
_RULE = (
    "names have up to 64 lower-case letters, digits, `-`, `_` and `.`, begin with a letter or "
    "digit, are not `runs`, and do not end with `-quick`"
)


def names() -> list[str]:
    """The names of installed papers, in alphabetical order. No paper is imported for them."""
    return sorted({entry.name for entry in _entries() if _allowed(entry.name)})


def misnamed() -> list[PaperError]:
    """The errors of installed papers whose names are refused, in alphabetical order."""
    refused = (entry for entry in _entries() if not _allowed(entry.name))
    return [_misnamed(entry) for entry in sorted(refused, key=lambda entry: entry.name)]


def paper(name: str) -> Paper:
    """A paper with its figures and claims.

    Raises:
        PaperError: There is no such paper, or more than one, its name is refused, or it cannot be
            imported.
    """
    entry = _entry(name)
    if not _allowed(name):
        raise _misnamed(entry)
    found = _imported(entry)
    if not isinstance(found, Paper):
        what = f"{_origin(entry)}: `{entry.value}` is no `incast.papers.Paper`"
        raise PaperError(what, hint="the entry point has to name one")
    if found.name != name:
        what = f"{_origin(entry)}: its `claims.toml` has the name `{found.name}`"
        raise PaperError(what, hint="the entry point has to have the same name")
    for each in found.figures:
        charts: object = each.charts
        if not isinstance(charts, Mapping):
            what = f"{_origin(entry)}: the charts of figure {each.id} are no mapping"
            raise PaperError(what, hint='write e.g. charts={"finish": panels.finish("Finish")}')
        for part in (each.id, *charts):
            if not re.fullmatch(r"\w[\w.-]{,63}", part):
                what = f"{_origin(entry)}: `{part}` cannot be the name of a file"
                rule = "ids of figures and names of charts have letters, digits, `_`, `-` and `.`"
                raise PaperError(what, hint=rule)
    return found


def none_installed() -> PaperError:
    """The error that there is no paper at all."""
    remedy = (
        "those of incast are the distribution `incast-papers`: `pip install` its wheel, or "
        "`./papers` in a checkout"
    )
    return PaperError("no paper is installed", hint=remedy)


def _allowed(name: str) -> bool:
    """Whether a name can be typed, and is a folder beside those of runs and of quick results."""
    fits = re.fullmatch(r"[a-z0-9][a-z0-9._-]{,63}", name) is not None
    return fits and name != "runs" and not name.endswith("-quick")


def _misnamed(entry: EntryPoint) -> PaperError:
    return PaperError(f"{_origin(entry)} has a name that is refused", hint=_RULE)


def _imported(entry: EntryPoint) -> object:
    """The object that an entry point names."""
    module, _, attribute = (part.strip() for part in entry.value.partition(":"))
    if not all(part.isidentifier() for part in f"{module}.{attribute}".split(".")):
        what = f"{_origin(entry)}: `{entry.value}` is no `module:name`"
        raise PaperError(what, hint="as in `my_paper:PAPER`")
    try:
        return entry.load()
    except PaperError as error:
        raise remarked(error, _origin(entry)) from error
    except (Exception, SystemExit) as error:
        what = f"{_origin(entry)} cannot be imported: {exception_text(error)}"
        raise PaperError(what, hint=f'python -c "import {module}" shows where') from error


def _entry(name: str) -> EntryPoint:
    found = [entry for entry in _entries() if entry.name == name]
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


def _entries() -> list[EntryPoint]:
    """The entry points of papers. A distribution that is on the path twice counts once. One whose
    files are broken is left out, as it may have nothing to do with papers.
    """
    found: dict[str, EntryPoints] = {}
    for each in distributions():
        with suppress(Exception):
            name = re.sub(r"[-_.]+", "-", each.name).lower()
            if name not in found:
                found[name] = each.entry_points.select(group=_GROUP)
    return [entry for entries in found.values() for entry in entries]


def _origin(entry: EntryPoint) -> str:
    return f"paper `{entry.name}` of the distribution `{_distribution(entry)}`"


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value
