"""The progress of one run on the terminal."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

import incast
from incast.present.terminal import width
from incast.present.units import count_text, seconds_text, time_text

__all__ = ["BETWEEN", "LOG_EVERY", "Progress", "rewrite"]


class Progress:
    """Shows the progress of runs. On a terminal it is one line, cleared at the end; elsewhere a
    line a minute.

    ``with Progress(quiet=False) as shown: incast.run(scenario, progress=shown.of(scenario))``
    """

    def __init__(self, *, quiet: bool) -> None:
        self._out = None if quiet else sys.stderr
        self._is_terminal = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._out and self._is_terminal:
            rewrite(self._out, "")

    def of(self, scenario: incast.Scenario, label: str = "") -> incast.experiment.Progress | None:
        """The callback for the progress of one run."""
        if not self._out:
            return None
        line = _Line(scenario.describe(), scenario.estimate(), label)
        out = self._out
        if self._is_terminal:
            return lambda done: rewrite(out, line.text(done))
        return _Log(out, line)


class _Log:
    """A callback that prints a line a minute."""

    def __init__(self, out: TextIO, line: _Line) -> None:
        self._out = out
        self._line = line
        self._told = time.monotonic()

    def __call__(self, done: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self._told >= LOG_EVERY:
            self._told = now
            print(self._line.text(done), file=self._out, flush=True)


class _Line:
    """The text of a line: what is done, and the time left."""

    def __init__(self, description: dict[str, Any], estimate: dict[str, Any], label: str) -> None:
        self._label = f"{label}: " if label else ""
        fabric = description["kind"] == "fabric"
        self._what = "operations" if fabric else "flows"
        self._hops = "flit-hops" if fabric else "packet-hops"
        self._done = "operations_completed" if fabric else "flows_finished"
        self._expected = float(description[f"expected_{self._what}"])
        self._stop = description.get("stop_ps")
        self._expected_hops = estimate[self._hops.replace("-", "_")]
        self._begin = time.monotonic()

    def text(self, done: dict[str, Any]) -> str:
        """The line. The most important facts come first, as a narrow terminal lacks the last."""
        elapsed = time.monotonic() - self._begin
        share = self._share(done)
        known = share > 0 and elapsed > _FIRST_SECONDS
        left = f"{seconds_text(round(elapsed * (1 - share) / share))} left" if known else ""
        parts = [
            f"{100 * share:.0f} %",
            left,
            f"{time_text(done['time_ps'])} simulated",
            f"{count_text(done[self._done])} of {count_text(self._expected)} {self._what}",
            f"{count_text(done['hops'] / max(elapsed, 1e-3))} {self._hops}/s",
        ]
        return self._label + BETWEEN.join(part for part in parts if part)

    def _share(self, done: dict[str, Any]) -> float:
        """The share of the run that is done: of its expected packet-hops or, once there are more,
        of its expected flows or operations. If the run has a stop time, the share of that time
        counts if it is larger.
        """
        flows = done[self._done] / self._expected if self._expected else 0.0
        hops = done["hops"] / self._expected_hops if self._expected_hops else 1.0
        shares = [hops if hops < 1 else flows]
        if self._stop:
            shares.append(done["time_ps"] / self._stop)
        return min(max(shares), 1.0)


LOG_EVERY = 60.0
"""Seconds between two lines if the output is not a terminal."""
_FIRST_SECONDS = 1.0
"""Seconds before which the time left is not shown."""
BETWEEN = " · "
"""What is between two parts of a line."""


def rewrite(out: TextIO, text: str) -> None:
    """Replaces the terminal's line by a text. On a narrow terminal, its last parts are left out."""
    room = width() - 1
    if len(text) > room:
        text = text[: room + len(BETWEEN)].rpartition(BETWEEN)[0] or text[:room]
    out.write(f"\r\x1b[K{text}")
    out.flush()
