"""Reproductions of papers, which distributions such as `incast-papers` bring.

``incast.papers.reproduce("fairness", quick=True)`` runs the scenarios of the paper's figures,
judges its claims, and gives a :class:`Reproduction`: ``table()`` is the scoreboard,
``save(folder)`` writes the page and the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from incast.campaign.watch import Watch
from incast.files import checked_path
from incast.papers.claim import Claim, Kind
from incast.papers.figure import Figure, Paper, RunPlan, Scale
from incast.papers.installed import names, paper

if TYPE_CHECKING:
    from incast.papers.outlines import Outline
    from incast.papers.plans import Plan
    from incast.papers.reproduction import Reproduction

__all__ = [
    "Claim",
    "Figure",
    "Kind",
    "Paper",
    "RunPlan",
    "Scale",
    "names",
    "outline",
    "paper",
    "plan",
    "reproduce",
]

STORE = Path("results") / "reproduce"
"""The default folder of runs, figures and pages."""


def outline(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Outline:
    """The runs of a reproduction, not checked: enough to count them and estimate their time.

    Args:
        name: One of :func:`names`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure, the paper cannot be imported, or its code
            has a mistake.
    """
    from incast.papers import outlines

    return outlines.outline(paper(name), Scale.QUICK if quick else Scale.FULL, only)


def plan(name: str, *, quick: bool = False, only: Sequence[str] = ()) -> Plan:
    """The runs of a reproduction, checked but not started.

    Args:
        name: One of :func:`names`.
        quick: Whether to cut duration and size.
        only: Figures; by default, all.

    Raises:
        PaperError: There is no such paper or figure, the paper cannot be imported, or its code
            has a mistake.
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
        name: One of :func:`names`.
        quick: Whether to cut duration and size. Claims that need the paper's own size are then not
            judged.
        only: Figures; by default, all.
        store: A folder, whose subfolder ``runs`` gets the results. Runs already there are not
            repeated.
        jobs: The number of cores to use for runs, claims and charts; by default, all cores.
        force: Run even if results exist.
        watch: Gets the progress.

    Raises:
        PaperError: There is no such paper or figure, the paper cannot be imported, or its code
            has a mistake.
        ResultsError: The folder cannot be written.
        CampaignInterrupted: Ctrl-C was pressed. Finished runs are kept, and the same call
            continues.
    """
    from incast.papers.reproduction import Reproduction

    planned = plan(name, quick=quick, only=only)
    runs = checked_path(store) / "runs"
    done = planned.carry_out(runs, jobs=jobs, force=force, watch=watch)
    return Reproduction(planned, done, jobs)
