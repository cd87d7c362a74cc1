"""The box that a notebook shows, from a template, with a style of its own."""

from __future__ import annotations

from typing import Any

from incast.present.html.environment import environment
from incast.present.palette import CATEGORIES_ON_EITHER, variables

__all__ = ["box"]


def box(template: str, **values: Any) -> str:
    """A template of this package, filled in. Values are plain text, which is escaped."""
    templates = environment(__package__)
    templates.globals["colours"] = variables(CATEGORIES_ON_EITHER)
    return templates.get_template(template).render(**values)
