"""A sweep as one HTML page: a chart for each measure, means over seeds, what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incast._core import __version__
from incast.present.charts.chart import Chart
from incast.present.html.document import document
from incast.present.html.toml_markup import parts
from incast.present.units import plural
from incast.study import listing
from incast.study.means import Group
from incast.study.study import Study

__all__ = ["page"]


@dataclass(frozen=True)
class _Means:
    """Rows of plain text."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: int
    caption: str = "Means over seeds; in brackets, their 95 % confidence intervals"
    swatches: int = 0
    note: str = ""


def page(
    study: Study, groups: Sequence[Group], charts: Sequence[Chart], failures: Mapping[str, str]
) -> str:
    """The whole page."""
    first = study.runs[0]
    return document(
        "sweep.html",
        package=__package__,
        title=study.name,
        charts=charts,
        version=__version__,
        of_flows=study.kind == "network",
        runs=plural(len(study.runs), "run"),
        varied=", ".join(study.keys),
        failures=[f"{label}: {failure}" for label, failure in failures.items()],
        shown=charts,
        means=_Means(listing.header(study), listing.cells(study, groups), len(listing.keys(study))),
        study=parts(study.text),
        scenario=parts(first.checked.scenario.to_toml()),
        first=first.label,
    )
