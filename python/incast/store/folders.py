"""The folders of a store: which one holds the results of a scenario."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from incast import _core
from incast.errors import ResultsError
from incast.files import file_name
from incast.results import Results, load
from incast.scenario import Scenario

__all__ = ["Folders", "is_whole", "of_other_engines", "stored", "whole"]


_IDENTITY = re.compile(r"(?=([0-9a-f]{16}))")
"""An identity anywhere in a name, also within a longer hexadecimal number."""


class Folders:
    """The folders of several scenarios' results in a store, whose folder is listed once."""

    def __init__(self, store: Path) -> None:
        self._store = store

    def of(self, scenario: Scenario) -> Path:
        """The folder of a scenario's results: a folder that holds them, whatever its name's
        beginning; otherwise ``<name>-<algorithm>-<identity>``.
        """
        return self.whole(scenario) or self._own(scenario)

    def whole(self, scenario: Scenario) -> Path | None:
        """The folder that holds complete results of a scenario, if there is one."""
        own = self._own(scenario)
        if whole(own, scenario.identity):
            return own
        others = self._by_identity.get(scenario.identity, [])
        return next((each for each in others if whole(each, scenario.identity)), None)

    def _own(self, scenario: Scenario) -> Path:
        name, algorithm = file_name(scenario.name), file_name(scenario.algorithm)
        return self._store / f"{name}-{algorithm}-{scenario.identity}"

    @cached_property
    def _by_identity(self) -> dict[str, list[Path]]:
        """Folders by each part of their names that may be an identity."""
        found: dict[str, list[Path]] = {}
        for folder in sorted(self._store.glob("[!.]*")):
            for match in _IDENTITY.finditer(folder.name):
                found.setdefault(match[1], []).append(folder)
        return found


def of_other_engines(store: Path, scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """Results of a scenario in a store that another engine computed, and that no run reuses: the
    folder, and the engine, empty if unknown.
    """
    name, algorithm = file_name(scenario.name), file_name(scenario.algorithm)
    text = scenario.to_toml()
    for folder in sorted(store.glob(f"{glob.escape(f'{name}-{algorithm}')}-*")):
        try:
            results = load(folder)
            is_same = (folder / "scenario.toml").read_text("utf-8") == text
        except (ResultsError, OSError, ValueError):
            continue
        if is_same and results.summary["engine"] != _core.__engine__:
            yield folder, str(results.summary["engine"])


def stored(folder: Path) -> Iterator[tuple[Path, Results | ResultsError]]:
    """Results in a folder and its subfolders, by name: the opened results, or why they cannot be
    read. Names that begin with a dot are left out: they are of killed runs.

    Raises:
        ResultsError: The folder cannot be read.
    """
    try:
        below = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError as error:
        raise ResultsError(error.strerror or str(error), file=str(folder)) from None
    for place in (folder, *below):
        if (place / "summary.json").is_file():
            try:
                yield place, load(place)
            except ResultsError as error:
                yield place, error


def is_whole(folder: Path, identity: str) -> bool:
    """Whether a folder holds complete results of this identity."""
    return whole(folder, identity) is not None


def whole(folder: Path, identity: str) -> Results | None:
    """Complete results of this identity, if the folder holds them."""
    try:
        results = load(folder)
    except ResultsError:
        return None
    if results.partial or results.identity != identity:
        return None
    if not _core.sizes_match(str(folder)):
        return None
    results.reused = True
    return results
