"""A scenario in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incast.present import key_figures
from incast.present.estimate import effort, thinning
from incast.present.html.toml_markup import parts
from incast.present.notebook.box import box

__all__ = ["html"]


def html(name: str, facts: Mapping[str, Any], estimate: Mapping[str, Any], toml: str) -> str:
    """A scenario's facts, and the scenario with every default filled in, folded."""
    lines = [
        key_figures.settings(facts),
        key_figures.network(facts),
        key_figures.work(facts),
        effort(estimate),
        *thinning(estimate),
    ]
    return box(
        "scenario.html",
        title=name,
        lines=lines,
        settings=None,
        fold="With every default filled in",
        toml=parts(toml),
    )
