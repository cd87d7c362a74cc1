"""A sweep as an HTML page and in a notebook: a chart for each measure, means over seeds, the
study.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incast._core import __version__
from incast.files import distinct_names, file_name
from incast.present import paired
from incast.present.charts.chart import Chart
from incast.present.html.document import document
from incast.present.html.parts import Listing
from incast.present.html.toml_markup import parts
from incast.present.notebook.box import box
from incast.present.notebook.images import drawn
from incast.present.units import plural
from incast.study import listing, ratios as ratios_of_sweep
from incast.study.means import Group
from incast.study.ratios import Baseline, RatioGroup
from incast.study.study import Study

__all__ = ["in_notebook", "page"]


def page(
    study: Study,
    groups: Sequence[Group],
    charts: Sequence[Chart],
    failures: Mapping[str, str],
    ratios: Sequence[RatioGroup] = (),
    baseline: Baseline | None = None,
) -> str:
    """The page of a sweep as HTML."""
    first = study.runs[0]
    files = distinct_names([each.name for each in charts])
    return document(
        "sweep.html",
        package=__package__,
        title=study.name,
        charts=[(f"{study.name}-{file}", chart) for file, chart in zip(files, charts, strict=True)],
        version=__version__,
        of_flows=study.kind == "network",
        runs=plural(len(study.runs), "run"),
        varied=", ".join(study.keys),
        failures=_told(failures),
        shown=charts,
        numbered=_numbered(charts, files),
        means=_means(study, groups),
        ratios=_ratios(study, ratios, baseline),
        study=parts(study.text),
        scenario=parts(first.checked.scenario.to_toml()),
        first=first.label,
    )


def in_notebook(
    study: Study,
    groups: Sequence[Group],
    charts: Sequence[Chart],
    failures: Mapping[str, str],
    ratios: Sequence[RatioGroup] = (),
    baseline: Baseline | None = None,
) -> str:
    """The means and the charts, for a notebook."""
    return box(
        "sweep.html",
        title=study.name,
        lines=[f"{plural(len(study.runs), 'run')}, varied: {', '.join(study.keys)}"],
        failures=_told(failures),
        means=_means(study, groups),
        ratios=_ratios(study, ratios, baseline),
        charts=drawn(charts),
    )


def _ratios(
    study: Study, groups: Sequence[RatioGroup], baseline: Baseline | None
) -> Listing | None:
    if baseline is None or not groups:
        return None
    first, *rest = ratios_of_sweep.header(groups, baseline)
    rows = listing.ratio_cells(study, groups, baseline)
    note = paired.note(baseline.difference)
    return Listing(
        f"Ratios to {baseline.text}, paired by seed",
        ["measure", first, *rest],
        rows,
        text=3,
        remarks=2,
        remark=note,
    )


def _numbered(charts: Sequence[Chart], files: Sequence[str]) -> list[tuple[str, str]]:
    """The charts whose file names would have coincided, each with the name of its file."""
    plain = [file_name(each.name).casefold() for each in charts]
    return [
        (chart.title, file)
        for chart, name, file in zip(charts, plain, files, strict=True)
        if plain.count(name) > 1
    ]


def _told(failures: Mapping[str, str]) -> list[str]:
    return [f"{label}: {failure}" for label, failure in failures.items()]


def _means(study: Study, groups: Sequence[Group]) -> Listing:
    caption = "Means over seeds; in brackets, their 95 % confidence intervals"
    rows = listing.cells(study, groups)
    remark = " ".join(listing.remarks(study, groups))
    return Listing(
        caption, listing.header(study), rows, text=len(listing.keys(study)), remark=remark
    )
