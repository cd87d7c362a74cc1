"""Jinja2's environment for HTML templates, which escapes every value."""

from __future__ import annotations

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from incast.present import palette

__all__ = ["environment"]


@cache
def environment(package: str = __package__) -> Environment:
    """An environment with the templates of a package, and those of this package."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(__package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["palette_size"] = palette.SIZE
    return environment
