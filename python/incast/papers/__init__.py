"""Reproductions of papers: a folder for each paper, a short file for each of its figures.

``incast.papers.reproduce("fairness", quick=True)`` runs the scenarios of the paper's figures,
judges its claims, and gives a :class:`Reproduction`: ``table()`` is the scoreboard,
``save(folder)`` writes the page and the figures.
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
from incast.papers.claim import Claim, Kind
from incast.papers.figure import Figure, Paper, RunPlan, Scale

if TYPE_CHECKING:
    from incast.papers.outlines import Outline
    from incast.papers.plans import Plan
    from incast.papers.reproduction import Reproduction

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
"""The default folder of runs, figures and pages."""


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
    """The Python package of a paper: its name, unless that is no valid name in Python."""
    return {"3cpo": "threecpo"}.get(name, name)


def outline(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Outline:
    """The runs of a reproduction, not checked: enough to count them and estimate their time.

    Args:
        name: One of :data:`PAPERS`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure.
    """
    from incast.papers import outlines

    return outlines.outline(paper(name), Scale.QUICK if quick else Scale.FULL, only)


def plan(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Plan:
    """The runs of a reproduction, checked but not started.

    Args:
        name: One of :data:`PAPERS`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure.
    """
    from incast.papers.plans import Plan

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
        quick: Whether to cut duration and size. Claims that need the paper's own size are then not
            judged.
        only: Figures; by default, all.
        store: A folder, whose subfolder ``runs`` gets the results. Runs already there are not
            repeated.
        jobs: The number of cores to use for runs, claims and charts; by default, all cores.
        force: Run even if results exist.
        watch: Gets the progress.

    Raises:
        PaperError: There is no such paper or figure.
        ResultsError: The folder cannot be written.
        CampaignInterrupted: Ctrl-C was pressed. Finished runs are kept, and the same call
            continues.
    """
    from incast.papers.reproduction import Reproduction

    planned = plan(name, quick=quick, only=only)
    runs = checked_path(store) / "runs"
    done = planned.carry_out(runs, jobs=jobs, force=force, watch=watch)
    return Reproduction(planned, done, jobs)
