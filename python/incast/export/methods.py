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
            file: Where to; compressed if its name ends in ``.gz``.
            ports: At which ports, as in ``"switch 17 port 16"`` or ``"host 3"``; by default, all.
            snap_length: How many bytes of each packet are kept; by default, all.
            overwrite: Whether a file that exists is replaced.

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
        """Does as :meth:`write_pcapng`, with a file for each port; gives their paths.

        Args:
            folder: Where to.
            ports: At which ports; by default, all.
            snap_length: How many bytes of each packet are kept; by default, all.
            overwrite: Whether files that exist are replaced.

        Raises:
            ResultsError: As there.
        """
        from incast.export import capture

        return capture.write_each(self, Path(folder), ports, snap_length, overwrite)

    def write_timeline(
        self: Run, file: str | Path, *, limit: int = 200_000, overwrite: bool = False
    ) -> Path:
        """Writes flows by host, collectives, pauses and queues as a timeline, for Perfetto, and
        gives the file's path. Warnings say what was left out.

        Args:
            file: Where to, as JSON; compressed if its name ends in ``.gz``.
            limit: At most so many flows, pauses, rounds, ranks, and samples of counters, each.
            overwrite: Whether a file that exists is replaced.

        Raises:
            ResultsError: They are of a memory fabric, or the file exists or cannot be written.
        """
        from incast.export import timeline

        return timeline.write(self, Path(file), limit, overwrite)
