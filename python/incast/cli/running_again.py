"""Commands that run the scenario of results again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import incast
from incast.cli.progress import Progress
from incast.second_run import Again

__all__ = ["running_again"]


@contextmanager
def running_again(results: incast.Results, *, quiet: bool) -> Iterator[Again]:
    """Gives a function that runs a scenario and shows its progress."""
    assert results.folder is not None, "it was loaded"
    scenario = incast.Scenario(results.folder / "scenario.toml")
    with Progress(quiet=quiet) as line:
        told = line.of(scenario)

        def again(changed: incast.Scenario) -> incast.Results:
            try:
                return incast.run(changed, progress=told)
            except incast.StallError as error:
                # The first run stalled at the same point.
                return error.results

        yield again
