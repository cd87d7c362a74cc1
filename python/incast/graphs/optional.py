"""Libraries that only some formats need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from incast.errors import ImportFileError

__all__ = ["needed"]


def needed(module: str, form: str) -> Any:
    """A library.

    Raises:
        ImportFileError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        packages = {"yaml": "pyyaml"}
        what = f"{form} is read by {packages.get(module, module)}, which is not installed"
        hint = "install it: pip install 'incast[graphs]'"
        raise ImportFileError(what, hint=hint) from None
