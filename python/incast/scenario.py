"""Scenarios: what is to be simulated. The schema lives in the engine; here they are only built."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from incast import _core, toml
from incast.errors import ScenarioError

__all__ = ["Scenario", "schema"]


class Scenario:
    """A scenario that has been checked and can be run.

    Args:
        source: A TOML file; or a dict of the same shape; or a scenario to change.
        overrides: Settings that replace what the source says. Nested dicts are merged into it:
            ``seed=3``, ``network={"link_delay": "2us"}``, ``**{"traffic.0.load": 0.7}``.
            ``cc="hpcc"`` stands for ``cc={"algorithm": "hpcc"}``.

    Raises:
        ScenarioError: The scenario is not valid.
    """

    def __init__(
        self, source: str | Path | Mapping[str, Any] | Scenario, **overrides: object
    ) -> None:
        if isinstance(source, Scenario):
            self._text, self._file, self._folder = source._text, source._file, source._folder
            self._overrides = source._overrides + _overrides(overrides)
        else:
            self._text, self._file, self._folder = _read(source)
            self._overrides = _overrides(overrides)
        self._core = _core.Scenario.from_toml(
            self._text, self._file, str(self._folder), self._overrides
        )

    @property
    def name(self) -> str:
        """What the scenario is called, in tables and folder names."""
        return self._core.name

    @property
    def identity(self) -> str:
        """A hash of the checked scenario, its seed and the engine: same identity, same results."""
        return self._core.identity

    def to_toml(self) -> str:
        """The scenario with every default filled in."""
        return self._core.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The scenario with every default filled in, as a dict."""
        return tomllib.loads(self.to_toml())

    def describe(self) -> dict[str, Any]:
        """Facts that follow from the scenario: hosts, links, base RTT, BDP."""
        return self._core.describe()

    def __repr__(self) -> str:
        return f"<incast.Scenario {self.name!r}, identity {self.identity}>"


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    loaded: dict[str, Any] = json.loads(_core.schema())
    return loaded


def _read(source: str | Path | Mapping[str, Any]) -> tuple[str, str, Path]:
    """Text, file name for messages, and the folder at which relative paths start."""
    if isinstance(source, Mapping):
        return _from_dict(source), "<dict>", Path()
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8"), str(source), path.parent
    except FileNotFoundError:
        raise ScenarioError("no such file", file=str(source), hint=_hint(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "is not text in UTF-8"
        raise ScenarioError(what, file=str(source)) from None


def _from_dict(source: Mapping[str, Any]) -> str:
    try:
        return toml.dumps(source)
    except TypeError as error:
        raise ScenarioError(str(error), file="<dict>") from None


def _overrides(settings: Mapping[str, object]) -> list[tuple[str, str]]:
    if isinstance(settings.get("cc"), str):
        settings = {**settings, "cc": {"algorithm": settings["cc"]}}
    try:
        return list(toml.dotted(settings))
    except TypeError as error:
        raise ScenarioError(str(error)) from None


def _hint(path: Path) -> str | None:
    """Scenario files near a path that does not exist."""
    folder = path.parent
    near = sorted(file.name for file in folder.glob("*.toml")) if folder.is_dir() else []
    return f"in {folder} there are {', '.join(near[:5])}" if near else None
