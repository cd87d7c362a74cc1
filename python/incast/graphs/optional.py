"""Libraries that only some formats need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from incast.errors import ImportFileError

__all__ = ["needed", "read_yaml"]


def needed(module: str, form: str) -> Any:
    """Imports a library.

    Raises:
        ImportFileError: The library is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        packages = {"yaml": "pyyaml"}
        what = f"{form} is read by {packages.get(module, module)}, which is not installed"
        hint = "install it: pip install 'incast[graphs]'"
        raise ImportFileError(what, hint=hint) from None


def read_yaml(text: str, form: str, else_is: str) -> Any:
    """The value of a text in YAML.

    Args:
        text: The text.
        form: The kind of such files, for the message if the library is missing.
        else_is: The message if the text is not YAML: ``"no YAML"``.

    Raises:
        ImportFileError: The text is not YAML, or the library is not installed.
    """
    yaml = needed("yaml", form)
    hint = "is the file cut off?"
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        what = f"is {else_is}: {error.problem or error}"
        raise ImportFileError(what, line=line, hint=hint) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ImportFileError(f"is {else_is}: {told}", hint=hint) from None
