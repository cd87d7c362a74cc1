"""Papers, reproduced: a folder for each, a short file for each of its figures.

``incast.papers.reproduce("fairness", quick=True)`` runs what the figures need, judges the claims
and gives a :class:`Reproduction`: its ``table()`` is the scoreboard, ``save(folder)`` writes the
page and the figures.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from incast.errors import PaperError
from incast.papers.framework.campaign import Campaign, Interrupted, Watch
from incast.papers.framework.paper import Claim, Figure, Kind, Paper, RunPlan, Scale

if TYPE_CHECKING:
    from incast.papers.framework.plan import Plan
    from incast.papers.framework.reproduction import Reproduction

__all__ = [
    "PAPERS",
    "Claim",
    "Figure",
    "Interrupted",
    "Kind",
    "Paper",
    "RunPlan",
    "Scale",
    "Watch",
    "paper",
    "plan",
    "reproduce",
]

PAPERS = {
    "fairness": "Variable AI and Sampling Frequency: HPCC and Swift that share sooner",
    "lgc": "Logistic Growth Control: rates that compete as populations do, against DCTCP",
    "fncc": "FNCC: telemetry that comes with ACKs, against HPCC, DCQCN and RoCC",
}
"""What can be reproduced, each with one line on what it is."""

STORE = Path("results") / "reproduce"
"""Where runs, figures and pages go by default."""


def paper(name: str) -> Paper:
    """A paper with its figures and claims.

    Raises:
        PaperError: There is no such paper.
    """
    if name not in PAPERS:
        near = difflib.get_close_matches(name, PAPERS, n=1)
        guess = f"did you mean `{near[0]}`? " if near else ""
        hint = f"{guess}(available: {', '.join(PAPERS)})"
        raise PaperError(f"unknown paper `{name}`", hint=hint)
    loaded: Paper = importlib.import_module(f"incast.papers.{name}").PAPER
    return loaded


def plan(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Plan:
    """What reproducing a paper would take, without running it.

    Args:
        name: One of :data:`PAPERS`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure.
    """
    from incast.papers.framework import plan

    return plan.plan(paper(name), Scale.QUICK if quick else Scale.FULL, only)


def reproduce(
    name: str,
    *,
    quick: bool = False,
    only: Sequence[str] = (),
    store: str | Path = STORE,
    jobs: int | None = None,
    force: bool = False,
    watch: Watch | None = None,
) -> Reproduction:
    """Runs what the figures of a paper need, and judges its claims.

    Args:
        name: One of :data:`PAPERS`.
        quick: Cut duration and size; claims that need the paper's own size are then not judged.
        only: Figures; by default, all.
        store: Results folders go into ``runs`` in this one; what is there is not run again.
        jobs: Cores to use, and runs at a time; by default, as many as there are.
        force: Run even what is there.
        watch: Is told how far it is.

    Raises:
        PaperError: There is no such paper or figure.
        ResultsError: The folder cannot be written.
        Interrupted: By Ctrl-C; finished runs are kept, and the next call goes on from there.
    """
    from incast.papers.framework.reproduction import Reproduction

    planned = plan(name, quick=quick, only=only)
    campaign = Campaign(Path(store) / "runs", jobs=jobs, force=force, watch=watch)
    return Reproduction(planned, planned.carry_out(campaign))
