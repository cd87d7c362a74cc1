"""Runs the checks under an algorithm, and collects their findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incast.campaign.campaign import Campaign
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.conformance.checks import ALL, Check
from incast.conformance.line import Line
from incast.errors import ResultsError, RunError
from incast.experiment import run
from incast.files import checked_path, write_whole
from incast.measure.run import Run
from incast.present.columns import aligned
from incast.present.terminal import Ink, Inked, filled, paint
from incast.results import Results
from incast.scenario import Scenario

__all__ = ["Conformance", "check"]

_SEQUENCES = 500
"""The number of sequences of random events."""


@dataclass(frozen=True)
class Conformance:
    """The findings of all checks for one algorithm."""

    algorithm: str
    lines: list[Line]

    @property
    def passed(self) -> bool:
        """Whether all checks are passed."""
        return all(line.passed for line in self.lines)

    def table(self) -> str:
        """A line for each check, as text for a terminal."""
        verdicts = {True: Inked("pass", Ink.GOOD), False: Inked("FAIL", Ink.BAD)}
        rows = [[verdicts[line.passed], line.name, line.found] for line in self.lines]
        failed = [line.name for line in self.lines if not line.passed]
        end = f"fails: {', '.join(failed)}" if failed else "passes all checks"
        ink = Ink.BAD if failed else Ink.GOOD
        conclusion = paint(filled(f"{self.algorithm} {end}"), ink)
        return "\n\n".join([self.algorithm, aligned(rows), conclusion])

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return {
            "algorithm": self.algorithm,
            "passed": self.passed,
            "checks": [
                {
                    "name": line.name,
                    "demand": line.demand,
                    "passed": line.passed,
                    "found": line.found,
                }
                for line in self.lines
            ],
        }

    def save(self, folder: str | Path) -> Path:
        """Writes a page with every check and its chart, and each chart as PNG and SVG. Gives the
        page's path.

        Raises:
            ResultsError: The folder cannot be written.
        """
        from incast.conformance.page import page
        from incast.present import matplotlib

        folder = checked_path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / "index.html", page(self.algorithm, self.lines))
        except OSError as error:
            raise ResultsError.unwritable(folder, error) from None
        for line in self.lines:
            if line.chart is not None:
                figure = matplotlib.draw(line.chart, title=line.chart.title)
                for ending in ("png", "svg"):
                    matplotlib.save(figure, folder / f"{line.name}.{ending}")
        return folder / "index.html"


def check(
    algorithm: str,
    *,
    settings: Sequence[tuple[str, str]] = (),
    jobs: int | None = None,
    watch: Watch | None = None,
) -> Conformance:
    """Checks an algorithm: random events, reproducibility, a flow alone, fairness and convergence
    of two and sixteen, an incast, links from 10 to 800 Gb/s, losses.

    Args:
        algorithm: Its name, with parts and set of parameters, or its Python file.
        settings: Settings for every scenario, as for :class:`Scenario`: ``[("cc.beta", "0.25")]``.
        jobs: Cores to use; by default, as many as there are.
        watch: Gets the progress.

    Raises:
        ScenarioError: There is no such algorithm, or a setting is wrong.
        CampaignInterrupted: Ctrl-C was pressed.
    """
    plans = {
        check.name: {
            label: Scenario(
                {"cc": {"algorithm": "none"}, **each}, settings=settings, cc=algorithm, name=label
            )
            for label, each in check.scenarios.items()
        }
        for check in ALL
    }
    first = next(iter(plans["two"].values()))
    checked = [CheckedRun.of(each) for plan in plans.values() for each in plan.values()]
    ended = Campaign(_itself, None, jobs=jobs, watch=watch).run(checked)
    lines = [_random_events(first), _reproducible(first)]
    for each in ALL:
        identities = {label: plan.identity for label, plan in plans[each.name].items()}
        failures = [ended.failures[key] for key in identities.values() if key in ended.failures]
        runs = {label: ended.kept[key] for label, key in identities.items() if key in ended.kept}
        lines.append(_line(each, runs, [str(failure) for failure in failures]))
    return Conformance(first.algorithm, lines)


def _itself(results: Results) -> Results:
    return results


def _line(each: Check, runs: Mapping[str, Run], failures: list[str]) -> Line:
    if failures:
        return Line(each.name, each.demand, passed=False, found=failures[0])
    finding = each.judge(runs)
    return Line(each.name, each.demand, finding.passed, finding.sentence, each.chart(runs))


def _random_events(scenario: Scenario) -> Line:
    events, wrong = scenario.random_events(1, _SEQUENCES)
    demand = (
        "windows and rates stay positive and finite, rates at most the link's, timers come in "
        "order, under any events"
    )
    found = f"{events} random events" if wrong is None else wrong
    return Line("events", demand, wrong is None, found)


def _reproducible(scenario: Scenario) -> Line:
    demand = "the same scenario gives the same results, on one thread and on two"
    several = 1 if scenario.single_threaded_because else 2
    try:
        one, other = (run(scenario, threads=threads).fingerprint for threads in (1, several))
    except RunError as error:
        return Line("again", demand, passed=False, found=str(error))
    return Line("again", demand, one == other, f"fingerprint {one}, and {other} when run again")
