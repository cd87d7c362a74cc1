"""One line on the terminal while a run goes on."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, TextIO

import incast
from incast.present.units import count_text, seconds_text, time_text

__all__ = ["Progress", "rewrite"]


class Progress:
    """Shows the progress of runs on a terminal; the line is cleared at the end.

    ``with Progress(quiet=False) as shown: incast.run(scenario, progress=shown.of(scenario))``
    """

    def __init__(self, *, quiet: bool) -> None:
        self._out = None if quiet or not sys.stderr.isatty() else sys.stderr

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._out:
            rewrite(self._out, "")

    def of(self, scenario: incast.Scenario, label: str = "") -> incast.experiment.Progress | None:
        """The callback for the progress of one run."""
        return _Line(self._out, scenario.describe(), label) if self._out else None


class _Line:
    """A progress line that overwrites itself."""

    def __init__(self, out: TextIO, description: dict[str, Any], label: str) -> None:
        self._out = out
        self._label = f"{label}: " if label else ""
        self._flows = float(description["expected_flows"])
        self._stop = description["stop_ps"]
        self._begin = time.monotonic()

    def __call__(self, done: dict[str, Any]) -> None:
        elapsed = time.monotonic() - self._begin
        share = self._share(done)
        left = f"{seconds_text(round(elapsed * (1 - share) / share))} left" if share > 0.01 else ""
        parts = [
            f"{time_text(done['time_ps'])} simulated",
            f"{count_text(done['flows_finished'])} of {count_text(self._flows)} flows",
            f"{count_text(done['packet_hops'] / max(elapsed, 1e-3))} packet-hops/s",
            left,
        ]
        rewrite(self._out, self._label + " · ".join(part for part in parts if part))

    def _share(self, done: dict[str, Any]) -> float:
        """The share that is done, of the flows or of the time: of what ends the run first."""
        shares = [done["flows_finished"] / self._flows if self._flows else 0.0]
        if self._stop:
            shares.append(done["time_ps"] / self._stop)
        return min(max(shares), 1.0)


def rewrite(out: TextIO, text: str) -> None:
    """Puts a text in the place of the terminal's line, as much as fits."""
    columns = shutil.get_terminal_size().columns - 1
    out.write(f"\r\x1b[K{text[:columns]}")
    out.flush()
