"""Functions that take settings of a scenario as keywords, beside arguments of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from incast import _core
from incast.errors import ScenarioError
from incast.scenario import Scenario

__all__ = ["scenario_for"]


def scenario_for(
    function: Callable[..., Any],
    source: str | Path | Mapping[str, Any] | Scenario,
    settings: Mapping[str, Any],
) -> Scenario:
    """The scenario with the settings that a function was given as keywords.

    Raises:
        ScenarioError: The scenario is not valid. For an unknown keyword, the hint names an argument
            of the function with a similar name: ``threads`` for ``thread``.
    """
    try:
        return Scenario(source, **settings)
    except ScenarioError as error:
        if error.key in settings and error.what.startswith("unknown key"):
            from inspect import signature

            near = _core.suggestion(str(error.key), [*signature(function).parameters])
            if near is not None:
                names = str(error.hint).removeprefix("available: ")
                meant = f"did you mean the argument `{near}` of `{function.__name__}`?"
                error.hint = f"{meant} (keys of scenarios: {names})"
        raise
