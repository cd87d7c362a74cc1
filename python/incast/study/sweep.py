"""The sweep of a study: all runs, their measured numbers, means over seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.campaign.campaign import Campaign
from incast.campaign.dask import DaskCluster
from incast.campaign.watch import Watch
from incast.errors import ColumnError, ResultsError
from incast.experiment import Memory
from incast.files import checked_path, distinct_names, file_name, write_whole
from incast.names import hint
from incast.present.charts.chart import worth_drawing
from incast.present.charts.looks import relabelled
from incast.present.formats import check_formats
from incast.results import Results, load
from incast.study import dataset, means
from incast.study.means import SEED, Group, Row
from incast.study.ratios import Baseline, RatioGroup, baseline_named, ratio_groups, to_dict
from incast.study.steadiness import ends_of, foreign_target_of, steadiness_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow
    from distributed import Client
    from matplotlib.figure import Figure

    from incast.present.charts import Chart
    from incast.study.measures import Measure
    from incast.study.study import PlannedRun, Study

__all__ = ["STORE", "Sweep", "sweep"]

STORE = Path("results")
"""Default folder of sweeps."""


def sweep(
    study: str | Path | Mapping[str, Any] | Study,
    *,
    measures: Mapping[str, Callable[[Results], float | None]] | None = None,
    store: str | Path | None = None,
    jobs: int | None = None,
    force: bool = False,
    memory: Memory = "fit",
    baseline: str | None = None,
    difference: float = 0.05,
    watch: Watch | None = None,
    client: Client | None = None,
) -> Sweep:
    """Runs a scenario with all combinations of values of a study, and measures each run.

    Args:
        study: A TOML file, or a dict of the same shape.
        measures: Own measures by name, beside those of the study: functions of a run's results.
            They are called in several threads.
        store: A folder, whose subfolder ``runs`` gets the results of each run. Runs already there
            are not repeated. By default, ``results/<name of the study>``.
        jobs: The number of cores to use, and of runs at a time; by default, all cores.
        force: Run even if results exist.
        memory: As for :func:`run`. A run waits while other runs leave it too little memory.
        baseline: A varied value, such as ``"hpcc"`` (or ``"cc=hpcc"``), with whose runs the others
            are compared, paired by seed: :attr:`Sweep.ratios`.
        difference: The relative difference that matters. For values that are not told apart, the
            sweep says how many seeds would detect it.
        watch: Gets the progress.
        client: A client of a Dask scheduler (``distributed.Client``). Its workers run the
            scenarios; results come back to this machine.

    Raises:
        ClusterError: Workers have another version of incast, or give other results.
        LabelError: No varied value, or more than one, has the name of the baseline.
        StudyError: The study is not valid; nothing has run.
        ScenarioError: Its scenario is not valid.
        ResultsError: The folder cannot be written.
        CampaignInterrupted: Ctrl-C was pressed. Finished runs are kept, and the same call
            continues.

    Runs that fail are part of the sweep: :attr:`Sweep.failures`.
    """
    # Imported here, as only sweeps need these modules.
    from incast.study.measures import own_measure
    from incast.study.study import Study

    read = study if isinstance(study, Study) else Study(study)
    read = read.measuring([own_measure(*each, read.kind) for each in (measures or {}).items()])
    points = [each.values for each in read.runs]
    against = None if baseline is None else baseline_named(baseline, points, difference)
    folder = STORE / file_name(read.name) if store is None else checked_path(store)
    campaign = Campaign(
        MeasuredBy(read.measures),
        folder / "runs",
        jobs=jobs,
        force=force,
        memory=memory,
        watch=watch,
        cluster=None if client is None else DaskCluster(client),
    )
    ended = campaign.run(each.checked for each in read.runs)
    rows = []
    for each in read.runs:
        identity = each.checked.identity
        failure = ended.failures.get(identity)
        measured = ended.kept.get(identity, {})
        rows.append(Row(each.values, identity, measured, str(failure) if failure else ""))
    return Sweep(read, rows, folder, against, reused=campaign.reused)


class MeasuredBy:
    """Computes the measures of a run, by column. It is a class so that it can be sent to
    workers.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = measures

    def __call__(self, results: Results) -> dict[str, float]:
        measured = {each.column: each.of(results) for each in self._measures}
        ends = ends_of(results, self._measures)
        kept = steadiness_of(results.summary) | foreign_target_of(results)
        return measured | kept | ends


class Sweep:
    """The results of a study.

    ``sweep["slowdown.p99"]`` is a column of the dataset as a NumPy array, with a value for each
    run; ``"seed" in sweep`` says whether there is such a column. ``print(sweep)`` prints means over
    seeds; a notebook shows them with their charts.

    Attributes:
        study: The study.
        rows: A row for each run, in the study's order: ``values`` (of varied keys), ``measured``
            (numbers by column), ``identity``, and ``failure``, empty if the run succeeded.
        folder: The folder whose subfolder ``runs`` has the results of the runs.
        baseline: The varied value with which the others are compared, if any: ``key`` and ``text``.
        reused: The number of runs whose results already existed.
    """

    def __init__(
        self,
        study: Study,
        rows: Sequence[Row],
        folder: Path,
        baseline: Baseline | None = None,
        *,
        reused: int = 0,
    ) -> None:
        self.study = study
        self.rows = rows
        self.folder = folder
        self.baseline = baseline
        self.reused = reused

    @cached_property
    def dataset(self) -> pyarrow.Table:
        """A row for each run: varied keys, seed, measures, identity, and why it failed. An Arrow
        table: ``polars.DataFrame(sweep.dataset)``, ``sweep.dataset.to_pandas()``.
        """
        seeds = list(_seeds(self.study.runs))
        return dataset.table(self.rows, self.study.keys, self.study.measures, seeds)

    @cached_property
    def groups(self) -> list[Group]:
        """Groups of runs that differ only in their seeds. Each has ``values`` (of the varied keys,
        without the seed), ``runs`` (their number) and ``intervals`` by column, with ``mean``,
        ``low`` and ``high`` (95 % confidence) in the unit of the column.
        """
        return means.groups(self.rows, self.study.measures)

    @cached_property
    def ratios(self) -> list[RatioGroup]:
        """For each group but the baseline's, ratios to the baseline, paired by seed: ``values``,
        and ``ratios`` by column with ``ratio``, ``low``, ``high`` (95 % confidence, with five seeds
        or more), ``seeds``, ``is_different``. Empty without a baseline.
        """
        if self.baseline is None:
            return []
        return ratio_groups(self.rows, self.study.measures, self.baseline)

    @property
    def failures(self) -> dict[str, str]:
        """For each failed run, by its values, why it failed."""
        planned = zip(self.study.runs, self.rows, strict=True)
        return {each.label: row.failure for each, row in planned if row.failure}

    def table(self) -> str:
        """Means over seeds as text, for a terminal."""
        from incast.study import listing

        means = listing.table(self.study, self.groups)
        if self.baseline is None or not self.ratios:
            return means
        return f"{means}\n\n{listing.ratio_table(self.study, self.ratios, self.baseline)}"

    def chart(self, measure: str) -> Chart:
        """The chart of a measure, as data.

        Args:
            measure: The name of the measure, such as ``"slowdown.p99"``.

        Raises:
            ResultsError: The study does not have the measure.
        """
        from incast.study.charts import chart

        named = {name: each for each in self.study.measures for name in (each.name, each.column)}
        if measure not in named:
            names = [each.name for each in self.study.measures]
            what = f"the study has no measure `{measure}`"
            raise ResultsError(what, hint=hint(measure, names))
        return chart(self.groups, named[measure])

    def plot(self, measure: str) -> Figure:
        """The chart of a measure as a matplotlib figure of a journal's column width.

        Args:
            measure: The name of the measure, such as ``"slowdown.p99"``.

        Raises:
            ResultsError: The study does not have the measure.
        """
        from incast.present import matplotlib

        return matplotlib.draw(self.chart(measure))

    def to_dict(self) -> dict[str, Any]:
        """Means, intervals and failures, for programs. Missing numbers are ``None``."""
        return {
            "study": self.study.name,
            "runs": len(self.rows),
            "reused": self.reused,
            "failures": self.failures,
            "means": [
                {
                    **each.values,
                    "runs": each.runs,
                    **each.steadiness.to_dict(),
                    "measures": {
                        column: {
                            "mean": _present(found.mean),
                            "low": _present(found.low),
                            "high": _present(found.high),
                            "runs": found.count,
                        }
                        for column, found in each.intervals.items()
                    },
                }
                for each in self.groups
            ],
            **self._compared(),
        }

    def _compared(self) -> dict[str, Any]:
        if self.baseline is None:
            return {}
        told = {"baseline": self.baseline.text, "difference": self.baseline.difference}
        return told | {"ratios": to_dict(self.ratios, self.baseline.difference)}

    def charts_of_runs(self, name: str) -> dict[str, Chart]:
        """A chart of the runs, such as ``slowdown-p99``, for each combination of the varied values
        without algorithm and seed; by those values in words. Algorithms are curves.

        Args:
            name: The name of the chart; :func:`incast.charts` lists all names.

        Raises:
            ResultsError: There is no such chart, or results cannot be read.
        """
        from incast.store.folders import Folders
        from incast.study.over_runs import charts_of_runs

        folders = Folders(self.folder / "runs")

        def results(place: int) -> Results:
            return load(folders.of(self.study.runs[place].checked.scenario))

        return charts_of_runs(self.rows, list(_seeds(self.study.runs)), results, name)

    def save(
        self,
        folder: str | Path | None = None,
        formats: Sequence[str] = ("svg", "png"),
        *,
        charts: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        width: float | None = None,
    ) -> Path:
        """Writes the dataset (``sweep.parquet``), the page (``index.html``) and the charts. Gives
        the page's path.

        Args:
            folder: The folder to write to; by default, beside the runs.
            formats: Formats of the charts: ``"svg"``, ``"png"``, ``"pdf"``.
            charts: Charts of the runs, such as ``"slowdown-p99"``, beside the charts of measures.
            labels: New labels of curves, by their old labels.
            width: The width of the figures in inches; by default, a column of a paper.

        Raises:
            ResultsError: The folder cannot be written, or there is no such format.
        """
        from incast.present import matplotlib
        from incast.study import page

        check_formats(formats)
        target = self.folder if folder is None else checked_path(folder)
        of_runs = worth_drawing(
            each for name in charts for each in self.charts_of_runs(name).values()
        )
        drawn = [
            relabelled(each, labels or {})
            for each in (*(self.chart(each.name) for each in self.study.measures), *of_runs)
        ]
        try:
            (target / "figures").mkdir(parents=True, exist_ok=True)
            dataset.write(self.dataset, target / "sweep.parquet")
            names = distinct_names([each.name for each in drawn])
            for name, chart in zip(names, drawn, strict=True):
                figure = matplotlib.draw(chart, width=width or matplotlib.COLUMN_INCHES[0])
                for ending in formats:
                    matplotlib.save(figure, target / "figures" / f"{name}.{ending}")
            text = page.page(
                self.study, self.groups, drawn, self.failures, self.ratios, self.baseline
            )
            write_whole(target / "index.html", text)
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        return target / "index.html"

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column of the dataset as a NumPy array, with one value for each run: a varied key,
        ``seed``, or a measure, under its name or its column's. NaN where a run lacks the number.

        Raises:
            ColumnError: There is no such column.
        """
        names = self.dataset.column_names
        named = {each.name: each.column for each in self.study.measures}
        if column not in (*names, *named):
            what = f"the sweep has no column `{column}`"
            raise ColumnError(what, hint=hint(str(column), names))
        found: np.ndarray[Any, Any] = self.dataset[named.get(column, column)].to_numpy()
        return found

    def __contains__(self, column: object) -> bool:
        return column in (*self.dataset.column_names, *(each.name for each in self.study.measures))

    # Without this, `iter` would fall back to `__getitem__` with 0, 1, 2, …
    __iter__ = None

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<incast.Sweep of {self.study.name!r}: {len(self.rows)} runs{failed}>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """Means over seeds and their charts, for a notebook."""
        from incast.study import page

        charts = [self.chart(each.name) for each in self.study.measures]
        return page.in_notebook(
            self.study, self.groups, charts, self.failures, self.ratios, self.baseline
        )


def _seeds(runs: Sequence[PlannedRun]) -> Iterator[int]:
    """The seed of each run. It is varied itself, or in a varied section `run`, or is the
    scenario's.
    """
    of_section: dict[str, int] = {}
    for each in runs:
        if SEED in each.values:
            yield each.values[SEED]
            continue
        section = repr(each.values.get("run"))
        if section not in of_section:
            of_section[section] = each.checked.scenario.to_dict()["run"]["seed"]
        yield of_section[section]


def _present(value: float) -> float | None:
    return None if math.isnan(value) else value
