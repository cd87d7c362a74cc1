"""Experiments of other simulators, as scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from incast import _core

__all__ = ["Imported", "ImportedKey", "import_hpcc_ns3", "import_htsim"]


class ImportedKey(NamedTuple):
    """A setting of the other simulator, and what became of it."""

    key: str
    value: str
    used: str


class Imported(NamedTuple):
    """A scenario in TOML, and what became of each setting that led to it."""

    scenario: str
    settings: list[ImportedKey]


def import_hpcc_ns3(
    config: str | Path, *, topology: str | Path | None = None, flows: str | Path | None = None
) -> Imported:
    """Reads an experiment of the HPCC ns-3 artifact.

    Args:
        config: Its ``config.txt``.
        topology: Its topology file, if not where the config says.
        flows: Its flow file, if not where the config says.

    Raises:
        ImportFileError: A file cannot be read.
    """
    text, keys = _core.import_hpcc_ns3(str(config), _optional(topology), _optional(flows))
    return Imported(text, [ImportedKey(*key) for key in keys])


def import_htsim(
    matrix: str | Path, *, topology: str | Path | None = None, start_unit: str = "ps"
) -> Imported:
    """Reads a connection matrix of htsim.

    Args:
        matrix: The ``.cm`` file.
        topology: The topology file that goes with it.
        start_unit: The unit of start times, ``us`` or ``ps``; versions of htsim differ.

    Raises:
        ImportFileError: A file cannot be read.
    """
    text, keys = _core.import_htsim(str(matrix), _optional(topology), start_unit)
    return Imported(text, [ImportedKey(*key) for key in keys])


def _optional(path: str | Path | None) -> str | None:
    return None if path is None else str(path)
