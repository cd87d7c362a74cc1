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
        if not self._out:
            return None
        return _Line(self._out, scenario.describe(), scenario.estimate(), label)


class _Line:
    """A progress line that overwrites itself."""

    def __init__(
        self,
        out: TextIO,
        description: dict[str, Any],
        estimate: dict[str, Any],
        label: str,
    ) -> None:
        self._out = out
        self._label = f"{label}: " if label else ""
        fabric = description["kind"] == "fabric"
        self._what = "operations" if fabric else "flows"
        self._hops = "flit-hops" if fabric else "packet-hops"
        self._done = "operations_completed" if fabric else "flows_finished"
        self._expected = float(description[f"expected_{self._what}"])
        self._stop = description.get("stop_ps")
        self._expected_hops = estimate[self._hops.replace("-", "_")]
        self._begin = time.monotonic()

    def __call__(self, done: dict[str, Any]) -> None:
        elapsed = time.monotonic() - self._begin
        share = self._share(done)
        known = share > 0 and elapsed > _FIRST_SECONDS
        left = f"{seconds_text(round(elapsed * (1 - share) / share))} left" if known else ""
        parts = [
            f"{time_text(done['time_ps'])} simulated",
            f"{count_text(done[self._done])} of {count_text(self._expected)} {self._what}",
            f"{count_text(done['hops'] / max(elapsed, 1e-3))} {self._hops}/s",
            left,
        ]
        rewrite(self._out, self._label + " · ".join(part for part in parts if part))

    def _share(self, done: dict[str, Any]) -> float:
        """The share that is done: of the packet-hops expected, while there are fewer; beyond, of
        flows or operations. Or of the time until the run is stopped, if that ends it first.
        """
        flows = done[self._done] / self._expected if self._expected else 0.0
        hops = done["hops"] / self._expected_hops if self._expected_hops else 1.0
        shares = [hops if hops < 1 else flows]
        if self._stop:
            shares.append(done["time_ps"] / self._stop)
        return min(max(shares), 1.0)


_FIRST_SECONDS = 1.0
"""Before, nothing is said of the time that is left."""


def rewrite(out: TextIO, text: str) -> None:
    """Puts a text in the place of the terminal's line, as much as fits."""
    columns = shutil.get_terminal_size().columns - 1
    out.write(f"\r\x1b[K{text[:columns]}")
    out.flush()
