"""Reads a user's own experiments of HPCC's artifact: inputs and outputs, compressed or not."""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incast.errors import ImportFileError
from incast.files import check_readable, checked_path
from incast.importing import import_hpcc_ns3
from incast.scenario import Scenario

if TYPE_CHECKING:
    import numpy as np

__all__ = ["read_fct", "scenario"]

# The most bytes of a file, uncompressed: some three million flows.
_LARGEST = 256 << 20

_COLUMNS = (
    "source",
    "destination",
    "source_port",
    "destination_port",
    "size_bytes",
    "start_ns",
    "fct_ns",
    "standalone_ns",
)
_LINE = "write `source_ip destination_ip source_port destination_port size start fct standalone`"


def read_fct(file: str | Path) -> dict[str, np.ndarray[Any, Any]]:
    """Reads completion times in the artifact's format: a flow per line, with hexadecimal IP
    addresses.

    Raises:
        ImportFileError: The file has another format.
    """
    import numpy as np

    path = checked_path(file, ImportFileError)
    rows = [
        _row(line.split(), path, number)
        for number, line in enumerate(_text(path).splitlines(), start=1)
        if line.strip()
    ]
    if not rows:
        raise ImportFileError("holds no flow", file=str(file), hint=_LINE)
    return dict(zip(_COLUMNS, np.array(rows, dtype=np.int64).T, strict=True))


def _row(words: list[str], path: Path, line: int) -> list[int]:
    if len(words) != len(_COLUMNS):
        what = f"has {len(words)} words instead of {len(_COLUMNS)}"
        raise ImportFileError(what, file=str(path), line=line, hint=_LINE)
    try:
        return [*(_host(word) for word in words[:2]), *(int(word) for word in words[2:])]
    except ValueError:
        what = "holds a word that is no number"
        raise ImportFileError(what, file=str(path), line=line, hint=_LINE) from None


def _host(address: str) -> int:
    """The number of a host from its address: host n is 11.(n / 256).(n mod 256).1."""
    return int(address, 16) >> 8 & 0xFFFF


@contextmanager
def scenario(
    config: str | Path, topology: str | Path | None, flows: str | Path | None
) -> Iterator[tuple[Scenario, int]]:
    """The experiment as a scenario, and the time in the artifact, in ns, at which the scenario's
    time begins.

    Compressed files are decompressed until the context ends.
    """
    with TemporaryDirectory(prefix="incast-") as scratch:
        unpacked = [_unpacked(file, Path(scratch)) for file in (topology, flows)]
        imported = import_hpcc_ns3(config, topology=unpacked[0], flows=unpacked[1])
        target = Path(scratch) / f"{Path(config).stem}.toml"
        imported.save(target)
        written = tomllib.loads(target.read_text(encoding="utf-8"))
        # Only completion times are compared, so nothing else is measured.
        quiet: dict[str, Any] = {
            "measure": {"queues": {"ports": "none"}, "flows": {"which": "none"}}
        }
        base = _nanoseconds(written["traffic"][0].get("base", "0s"))
        yield Scenario(target, **quiet), base


def _nanoseconds(text: str) -> int:
    """Nanoseconds of a time in the engine's notation."""
    digits = text.rstrip("pnums")
    return round(float(digits) * {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[text[len(digits) :]])


def _unpacked(file: str | Path | None, scratch: Path) -> Path | None:
    if file is None or Path(file).suffix != ".gz":
        return None if file is None else Path(file)
    target = scratch / Path(file).stem
    target.write_text(_text(Path(file)), encoding="utf-8")
    return target


def _text(path: Path) -> str:
    try:
        remedy = "name the recording of one run"
        check_readable(path, ImportFileError, largest=_LARGEST, of="a recording", hint=remedy)
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            what = f"has more than {_LARGEST >> 20} MiB"
            raise ImportFileError(what, file=str(path), hint=remedy)
        return content.decode()
    except FileNotFoundError:
        packed = path.with_name(f"{path.name}.gz")
        hint = f"{packed.name} is there: name that" if packed.exists() else None
        raise ImportFileError("no such file", file=str(path), hint=hint) from None
    except (OSError, EOFError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise ImportFileError(what, file=str(path)) from None
    except UnicodeDecodeError:
        raise ImportFileError("is not text", file=str(path)) from None
