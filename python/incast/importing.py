"""Experiments of other simulators, as scenarios."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from incast import _core
from incast.errors import ImportFileError, ResultsError
from incast.files import checked_path, is_stream, write_whole
from incast.scenario import Scenario, is_in_a_file

__all__ = [
    "Imported",
    "ImportedSetting",
    "ImportedSizes",
    "import_hpcc_ns3",
    "import_htsim",
    "import_htsim_uec",
    "import_msccl",
    "import_sizes",
]


class ImportedSetting(NamedTuple):
    """A setting of the other simulator, and its counterpart here."""

    line: int | None
    """Line of the setting; ``None`` for a default that stands nowhere."""
    name: str
    value: str
    outcome: str


@dataclass(frozen=True, repr=False)
class Imported:
    """A scenario in TOML, and the counterpart of each setting that led to it.

    Attributes:
        scenario: The scenario as TOML. Paths in it begin at `folder`.
        folder: The folder of the experiment.
        settings: Of the other simulator: ``line``, ``name``, ``value``, and ``outcome`` in words.
        source: The file that was read first.
    """

    scenario: str
    folder: Path
    settings: list[ImportedSetting]
    source: Path

    def save(self, file: str | Path) -> Path:
        """Writes the scenario to a file, with paths as seen from there; to a pipe or a device, as
        seen from the current folder. Gives the path of the file.

        Raises:
            ResultsError: The file cannot be written.
        """
        target = checked_path(file)
        if any(_is_same(target, each) for each in self._inputs()):
            what = "is a file of the experiment, and would be lost"
            raise ResultsError(what, file=str(target), hint="name another file")
        folder = Path() if is_stream(target) else target.parent
        try:
            write_whole(target, _seen_from(folder, self))
        except OSError as error:
            raise ResultsError(error.strerror or str(error), file=str(target)) from None
        return target

    def files(self, file: Path) -> list[Path]:
        """The files that :meth:`save` writes."""
        return [file]

    def is_in(self, file: str | Path) -> bool:
        """Whether a file has this scenario, as :meth:`save` writes it."""
        target = checked_path(file)
        try:
            return target.read_text(encoding="utf-8") == _seen_from(target.parent, self)
        except (OSError, UnicodeDecodeError):
            return False

    def __repr__(self) -> str:
        return f"<incast.Imported from {str(self.source)!r}: {len(self.settings)} settings>"

    def _repr_html_(self) -> str:
        """What became of each setting, and the scenario, folded, for a notebook."""
        from incast.present.notebook.imported import html

        rows = [(each.line, each.name, each.value, each.outcome) for each in self.settings]
        return html(self.source.name, rows, self.scenario)

    def _inputs(self) -> list[Path]:
        named = [self.folder / match[1] for match in _FILE.finditer(self.scenario)]
        return [self.source, *named]


@dataclass(frozen=True)
class ImportedSizes:
    """A table of flow sizes of another program.

    Attributes:
        text: The same table as lines of ``bytes percent``, which a scenario reads.
        mean_bytes: The mean, by straight lines between the points.
        unit: What the last column of the file counts: ``"fraction"`` or ``"percent"``.
        columns: How many columns the file has, two or three.
        source: The file.
    """

    text: str
    mean_bytes: float
    unit: str
    columns: int
    source: Path

    def save(self, file: str | Path) -> Path:
        """Writes the table to a file. Gives its path.

        Raises:
            ResultsError: The file cannot be written, or is the table's own.
        """
        target = checked_path(file)
        if _is_same(target, self.source):
            what = "is the file that was read, and would be lost"
            raise ResultsError(what, file=str(target), hint="name another file")
        try:
            write_whole(target, self.text)
        except OSError as error:
            raise ResultsError(error.strerror or str(error), file=str(target)) from None
        return target


def import_hpcc_ns3(
    config: str | Path,
    *,
    topology: str | Path | None = None,
    flows: str | Path | None = None,
    count: str | None = None,
    priorities: str | None = None,
    ignore: Iterable[str] = (),
) -> Imported:
    """Reads an experiment of the HPCC ns-3 artifact.

    Args:
        config: Its ``config.txt``.
        topology: Its topology file, if not where the config says.
        flows: Its flow file, if not where the config says.
        count: How many flows are read: as many as the file says at its top, as ns-3 does, or
            ``"ignore"``: all of them.
        priorities: ``"ignore"`` reads flows of several priority groups as equals.
        ignore: Keys of the config to read over, as if they were not there.

    Raises:
        ImportFileError: A file cannot be read, or asks for a feature that is not modelled.
    """
    files = (_input(config), _optional(topology), _optional(flows))
    text, settings = _core.import_hpcc_ns3(*files, count, priorities, list(ignore))
    return _imported(text, settings, Path(config))


def import_sizes(
    file: str | Path, *, unit: str | None = None, size_unit: str | None = None
) -> ImportedSizes:
    """Reads a table of flow sizes: of the HPCC artifact, of ns-2, of generators of traffic.

    Args:
        file: The file: on each line a size, and how many flows are up to it.
        unit: What the last column counts, ``"fraction"`` or ``"percent"``; default: what its last
            line says, which ends in 1 or in 100.
        size_unit: What a size of 1 is: ``"1KB"``, or ``"1460B"`` for packets. Default: a byte; of
            tables with three columns it must be given.

    Raises:
        ImportFileError: The file cannot be read, or is no such table.
    """
    text, mean, unit, columns = _core.import_sizes(_input(file), unit, size_unit)
    return ImportedSizes(text, mean, unit, columns, Path(file))


def import_htsim(
    matrix: str | Path,
    *,
    topology: str | Path | None = None,
    start_unit: str | None = None,
    algorithm: str = "hpcc",
) -> Imported:
    """Reads a connection matrix of htsim.

    Args:
        matrix: The ``.cm`` file.
        topology: The ``.topo`` file that goes with it, or the name of a topology.
        start_unit: The unit of start times, ``us`` or ``ps``; versions of htsim differ.
        algorithm: The congestion control, which htsim has on its command line.

    Raises:
        ImportFileError: A file cannot be read, or asks for a feature that is not modelled.
        ScenarioError: There is no such algorithm.
    """
    _check_algorithm(algorithm)
    given = (_input(matrix), _optional(topology), start_unit, algorithm)
    try:
        text, settings = _core.import_htsim(*given)
    except UnicodeEncodeError as error:
        raise _not_utf8(error) from None
    return _imported(text, settings, Path(matrix))


def import_msccl(file: str | Path, *, data: str | None = None, algorithm: str = "hpcc") -> Imported:
    """Reads an algorithm of MSCCL: a collective, step by step. The GPUs become hosts of a star.

    Args:
        file: The XML file.
        data: The size of the buffers, as in nccl-tests: ``"16MiB"``. It must be given, as the file
            does not say it.
        algorithm: The congestion control.

    Raises:
        ImportFileError: The file cannot be read, or the data are not a multiple of its chunks.
        ScenarioError: There is no such algorithm.
    """
    _check_algorithm(algorithm)
    try:
        text, settings = _core.import_msccl(_input(file), data, algorithm)
    except UnicodeEncodeError as error:
        raise _not_utf8(error) from None
    return _imported(text, settings, Path(file))


def _check_algorithm(name: str) -> None:
    if not is_in_a_file(name):
        Scenario({**_ANY_NETWORK, "cc": {"algorithm": name}})


def _not_utf8(error: UnicodeEncodeError) -> ImportFileError:
    what = f"`{error.object}` is not text in UTF-8"
    return ImportFileError(what, hint="write, or name, it in UTF-8")


def import_htsim_uec(options: str, *, ignore: Iterable[str] = ()) -> Imported:
    """Reads a command line of ``htsim_uec``, the Ultra Ethernet Consortium's simulator.

    Args:
        options: Its options, with files as seen from the current folder.
        ignore: Options to read over, as if they were not there.

    Raises:
        ImportFileError: A file cannot be read; an option does not exist, or asks for a feature that
            is not modelled.
    """
    (text, settings), matrix = _core.import_htsim_uec(options, list(ignore))
    return _imported(text, settings, Path(matrix))


_ANY_NETWORK = {
    "network": {"topology": {"kind": "star", "hosts": 2}},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "1KB"}],
}
"""A network for checking the name of an algorithm; any will do."""


def _imported(
    text: str, settings: list[tuple[int | None, str, str, str]], source: Path
) -> Imported:
    return Imported(text, source.parent, [ImportedSetting(*each) for each in settings], source)


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _seen_from(folder: Path, imported: Imported) -> str:
    """The scenario for another folder: its relative paths lead to the same files."""

    def moved(match: re.Match[str]) -> str:
        path = os.path.relpath(imported.folder / match[2], folder)
        return f'{match[1]}"{Path(path).as_posix()}"'

    return _RELATIVE_FILE.sub(moved, imported.scenario)


_FILE = re.compile(r'\bfile = "([^"\\]*)"')
_RELATIVE_FILE = re.compile(r'(\bfile = )"([^"/\\][^"\\]*)"')
"""Paths of files as the engine writes them."""


def _optional(path: str | Path | None) -> str | None:
    return None if path is None else _input(path)


def _input(path: str | Path) -> str:
    return str(checked_path(path, ImportFileError))
