"""The texts of a results folder: the summary, the scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from incast import _core
from incast.errors import ResultsError
from incast.files import check_readable

__all__ = ["read_summary", "read_text"]

_MAX_BYTES = 64 << 20
"""The most bytes of a summary or a scenario that are read."""


def read_summary(folder: Path) -> dict[str, Any]:
    """The key figures of the run, checked.

    Raises:
        ResultsError: There is no summary, or it is damaged.
    """
    file = folder / "summary.json"
    summary: dict[str, Any] = json.loads(_core.checked_summary(str(file), read_text(file)))
    return summary


def read_text(file: Path) -> str:
    """The text of a file in the folder, verified by its checksum.

    Raises:
        ResultsError: The file cannot be read, or is not as it was written.
    """
    try:
        check_readable(file, ResultsError, largest=_MAX_BYTES, of="a part of results")
        _core.check_file(str(file))
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        hint = "a results folder is what `incast run` writes"
        raise ResultsError("no such file", file=str(file), hint=hint) from None
    except OSError as error:
        raise ResultsError(error.strerror or str(error), file=str(file)) from None
    except UnicodeDecodeError:
        raise ResultsError("is not text in UTF-8", file=str(file)) from None
