"""Imports experiments of other simulators as scenarios."""

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
    """A setting of the other simulator, and its counterpart in the scenario."""

    line: int | None
    """Line of the setting in its file; ``None`` for a default that the file leaves out."""
    name: str
    value: str
    outcome: str


@dataclass(frozen=True, repr=False)
class Imported:
    """A scenario in TOML, and the settings of the other simulator that it was made from.

    Attributes:
        scenario: The scenario as TOML. Paths in it begin at `folder`.
        folder: The folder of the experiment.
        settings: Settings of the other simulator: ``line``, ``name``, ``value``, and ``outcome``,
            its counterpart in words.
        source: The file that was read first.
    """

    scenario: str
    folder: Path
    settings: list[ImportedSetting]
    source: Path

    def save(self, file: str | Path) -> Path:
        """Writes the scenario to a file, and gives the file's path. Relative paths in the scenario
        begin at the file's folder; in a pipe or a device, at the current folder.

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
        """The outcome of each setting, and the scenario, folded, for a notebook."""
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
        mean_bytes: The mean flow size, interpolated linearly between the points.
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
            ResultsError: The file cannot be written, or is the file that was read.
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
        count: By default, as many flows are read as the first line of the flow file says, as in
            ns-3. ``"ignore"`` reads all of them.
        priorities: ``"ignore"`` reads flows of several priority groups as equals.
        ignore: Keys of the config to ignore.

    Raises:
        ImportFileError: A file cannot be read, or asks for a feature that is not modelled.
    """
    files = (_input(config), _optional(topology), _optional(flows))
    text, settings = _core.import_hpcc_ns3(*files, count, priorities, list(ignore))
    return _imported(text, settings, Path(config))


def import_sizes(
    file: str | Path, *, unit: str | None = None, size_unit: str | None = None
) -> ImportedSizes:
    """Reads a table of flow sizes, as the HPCC artifact, ns-2 and traffic generators have them.

    Args:
        file: The file. Each line has a size, and the share of flows up to this size.
        unit: The unit of the last column, ``"fraction"`` or ``"percent"``. By default it follows
            from the last line, which ends in 1 or in 100.
        size_unit: The unit of sizes: ``"1KB"``, or ``"1460B"`` for packets. Default: a byte. Tables
            with three columns have no default.

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
        algorithm: The congestion control, which htsim takes from its command line.

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
    """Reads an MSCCL algorithm: the steps of a collective. GPUs become hosts of a star topology.

    Args:
        file: The XML file.
        data: The size of the buffers, as in nccl-tests: ``"16MiB"``. Required, as the file does not
            have it.
        algorithm: The congestion control.

    Raises:
        ImportFileError: The file cannot be read, or ``data`` is not a multiple of its number of
            chunks.
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
        options: The options, with files relative to the current folder.
        ignore: Options to ignore.

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
"""A network to check the name of an algorithm with; any network would do."""


def _imported(
    text: str, settings: list[tuple[int | None, str, str, str]], source: Path
) -> Imported:
    return Imported(text, source.parent, [ImportedSetting(*each) for each in settings], source)


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _seen_from(folder: Path, imported: Imported) -> str:
    """The scenario's text for another folder, with relative paths that lead to the same files."""

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
