"""The recorded results that come with incast: see ``data/README.md``."""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incast.scenario import Scenario

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Recording", "Tolerance", "read_csv", "recordings"]

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Tolerance:
    """The tolerances of a recording; ``None`` means not checked. See ``data/recordings.toml``."""

    each_flow: float | None = None
    queue_packets: float | None = None
    pauses: bool = False
    """Whether every PFC frame must be equal."""
    trace: bool = False
    """Whether every event of every packet must be equal."""


@dataclass(frozen=True)
class Recording:
    """A recorded experiment of the artifact."""

    name: str
    title: str
    quick: bool
    """Whether the comparison takes under a second."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    packet_bytes: int | None = None
    """Bytes of a full data packet on the wire, to convert queues to packets."""
    flows_from: str | None = None
    """The recording whose flows this one shares; its own files have only their completion times."""

    @property
    def folder(self) -> Path:
        """The folder of the recording's files."""
        return _DATA / self.name

    @cached_property
    def algorithm(self) -> str:
        """Name of the recording's congestion control algorithm."""
        text = (self.folder / "scenario.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["cc"]["algorithm"])

    @contextmanager
    def scenario(self, **overrides: Any) -> Iterator[Scenario]:
        """The experiment as a scenario, whose files exist until the context ends."""
        if (self.folder / "flows.csv").exists():
            yield Scenario(self.folder / "scenario.toml", **overrides)
            return
        with TemporaryDirectory(prefix="incast-") as folder:
            self.unpack(Path(folder))
            yield Scenario(Path(folder) / "scenario.toml", **overrides)

    def unpack(self, folder: Path) -> None:
        """Writes the scenario and its flows to a folder."""
        for file in ("scenario.toml", "flows.csv"):
            (folder / file).write_bytes(self._bytes(file))

    def table(self, name: str) -> dict[str, np.ndarray[Any, Any]] | None:
        """A table of results, such as ``queue``, by column; ``None`` if it was not recorded."""
        try:
            table = read_csv(self._bytes(f"{name}.csv").decode())
        except FileNotFoundError:
            return None
        if name == "flows" and self.flows_from is not None:
            table |= read_csv(self._bytes("fct.csv").decode())
        return table

    def _bytes(self, file: str) -> bytes:
        folder = self.folder
        if file == "flows.csv" and self.flows_from is not None:
            folder = _DATA / self.flows_from
        packed = folder / f"{file}.gz"
        if packed.exists():
            return gzip.decompress(packed.read_bytes())
        return (folder / file).read_bytes()


def recordings() -> list[Recording]:
    """All recordings, in the order in which tables list them."""
    listed = tomllib.loads((_DATA / "recordings.toml").read_text(encoding="utf-8"))["recording"]
    return [
        Recording(**{**each, "tolerance": Tolerance(**each.get("tolerance", {}))})
        for each in listed
    ]


def read_csv(text: str) -> dict[str, np.ndarray[Any, Any]]:
    """Parses a CSV text into columns: of integers, or of words if a value is no integer."""
    import numpy as np

    header, *lines = text.splitlines()
    columns = zip(*(line.split(",") for line in lines), strict=True)
    table = {}
    for name, cells in zip(header.split(","), columns, strict=True):
        numeric = cells[0].lstrip("-").isdigit()
        table[name] = np.array(cells, dtype=np.int64 if numeric else np.str_)
    return table
