"""Reproductions of papers: a folder for each paper, a short file for each of its figures.

``incast.papers.reproduce("fairness", quick=True)`` runs the scenarios of its figures, judges
the claims and gives a :class:`Reproduction`: its ``table()`` is the scoreboard, ``save(folder)``
writes the page and the figures.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from incast.campaign.watch import Watch
from incast.errors import PaperError
from incast.files import checked_path
from incast.names import hint
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure, Paper, RunPlan, Scale

if TYPE_CHECKING:
    from incast.papers.framework.outline import Outline
    from incast.papers.framework.plan import Plan
    from incast.papers.framework.reproduction import Reproduction

__all__ = [
    "PAPERS",
    "Claim",
    "Figure",
    "Kind",
    "Paper",
    "RunPlan",
    "Scale",
    "folder",
    "outline",
    "paper",
    "plan",
    "reproduce",
]

PAPERS = {
    "fairness": "Variable AI and Sampling Frequency: HPCC and Swift that share sooner",
    "lgc": "Logistic Growth Control: rates that compete as populations do, against DCTCP",
    "fncc": "FNCC: telemetry that comes with ACKs, against HPCC, DCQCN and RoCC",
    "isolation": "Attacks on RDMA congestion control, and s-PERC, One-RTT Convergence and weights",
    "3cpo": "3CPO: injection control for multicast and reductions in a memory fabric",
    "hardware": "Public measurements of machines: NVLink all-reduce, NICs, an incast with a victim",
}
"""Papers that can be reproduced, each with a one-line summary."""

STORE = Path("results") / "reproduce"
"""Default folder of runs, figures and pages."""


def paper(name: str) -> Paper:
    """A paper with its figures and claims.

    Raises:
        PaperError: There is no such paper.
    """
    if name not in PAPERS:
        raise PaperError(f"unknown paper `{name}`", hint=hint(name, PAPERS))
    loaded: Paper = importlib.import_module(f"incast.papers.{folder(name)}").PAPER
    return loaded


def folder(name: str) -> str:
    """The package of a paper: its name, unless that is no name in Python."""
    return {"3cpo": "threecpo"}.get(name, name)


def outline(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Outline:
    """The runs that reproducing a paper takes, not checked: enough to count and to estimate them.

    Args:
        name: One of :data:`PAPERS`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure.
    """
    from incast.papers.framework import outline

    return outline.outline(paper(name), Scale.QUICK if quick else Scale.FULL, only)


def plan(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Plan:
    """The runs that reproducing a paper takes, checked and not started.

    Args:
        name: One of :data:`PAPERS`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure.
    """
    from incast.papers.framework.plan import Plan

    return Plan(outline(name, quick=quick, only=only))


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
    """Runs the scenarios of a paper's figures, and judges its claims.

    Args:
        name: One of :data:`PAPERS`.
        quick: Cut duration and size; claims that need the paper's own size are then not judged.
        only: Figures; by default, all.
        store: Results folders go into ``runs`` in this one; a run that is there is not repeated.
        jobs: Cores to use, for runs, claims and charts; by default, as many as there are.
        force: Run even if results are there.
        watch: Gets the progress.

    Raises:
        PaperError: There is no such paper or figure.
        ResultsError: The folder cannot be written.
        CampaignInterrupted: By Ctrl-C; finished runs are kept, and the next call goes on there.
    """
    from incast.papers.framework.reproduction import Reproduction

    planned = plan(name, quick=quick, only=only)
    runs = checked_path(store) / "runs"
    done = planned.carry_out(runs, jobs=jobs, force=force, watch=watch)
    return Reproduction(planned, done, jobs)
