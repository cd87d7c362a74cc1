"""The methods of results that write formats of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incast.measure.run import Run

__all__ = ["Exports"]


class Exports:
    """Methods of :class:`incast.Results` that write formats of other programs."""

    def write_pcapng(
        self: Run,
        file: str | Path,
        *,
        ports: Sequence[str] | None = None,
        snap_length: int | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Writes the packet trace as RoCEv2 frames, for Wireshark, and gives the file's path.

        Args:
            file: The file to write; compressed if its name ends in ``.gz``.
            ports: Names of ports, such as ``"switch 17 port 16"`` or ``"host 3"``; by default, all
                ports.
            snap_length: The number of bytes kept of each packet; by default, all.
            overwrite: Whether an existing file is replaced.

        Raises:
            ResultsError: Packets were not traced, there is no such port, or the file exists or
                cannot be written.
        """
        from incast.export import capture

        return capture.write(self, Path(file), ports, snap_length, overwrite)

    def write_pcapng_per_port(
        self: Run,
        folder: str | Path,
        *,
        ports: Sequence[str] | None = None,
        snap_length: int | None = None,
        overwrite: bool = False,
    ) -> list[Path]:
        """As :meth:`write_pcapng`, with a file for each port. Gives the files' paths.

        Args:
            folder: The folder to write to.
            ports: Names of ports; by default, all ports.
            snap_length: The number of bytes kept of each packet; by default, all.
            overwrite: Whether existing files are replaced.

        Raises:
            ResultsError: See :meth:`write_pcapng`.
        """
        from incast.export import capture

        return capture.write_each(self, Path(folder), ports, snap_length, overwrite)

    def write_timeline(
        self: Run, file: str | Path, *, limit: int = 200_000, overwrite: bool = False
    ) -> Path:
        """Writes flows by host, collectives, pauses and queues as a timeline, for Perfetto, and
        gives the file's path. Warnings say what was left out.

        Args:
            file: The JSON file to write; compressed if its name ends in ``.gz``.
            limit: The most flows; also the most pauses, rounds, ranks, and samples of counters.
            overwrite: Whether an existing file is replaced.

        Raises:
            ResultsError: The results are of a memory fabric, or the file exists or cannot be
                written.
        """
        from incast.export import timeline

        return timeline.write(self, Path(file), limit, overwrite)
