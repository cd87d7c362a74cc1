"""Several runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from incast.errors import LabelError
from incast.names import hint
from incast.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "labelled"]


class Comparison(Mapping[str, Results]):
    """Several runs by label: key figures side by side, charts over each other.

    ``comparison["hpcc"]`` are the :class:`Results` of a run; ``len``, iteration, ``keys()``,
    ``values()`` and ``items()`` are those of a dict. Each chart has a method, ``plot_<chart>()``,
    as :class:`Results` has. ``print(comparison)`` prints the key figures; a notebook shows them
    with the main charts.

    Args:
        runs: Results by label, such as ``{"seed 1": first, "seed 2": second}``.
    """

    def __init__(self, runs: Mapping[str, Results]) -> None:
        self._runs = dict(runs)

    @property
    def runs(self) -> Mapping[str, Results]:
        """The runs, by label."""
        return self._runs

    def table(self) -> str:
        """The key figures side by side, as text for a terminal."""
        from incast.present import listings

        return listings.comparison({label: run.summary for label, run in self._runs.items()})

    def plot(self, chart: str) -> Figure:
        """A chart of all runs as a matplotlib figure of a journal's column width.

        Args:
            chart: Its name, such as ``"queue"``; :func:`incast.charts` lists them.

        Raises:
            ResultsError: There is no such chart.
        """
        from incast.present import plots

        return plots.plot(self.runs, chart)

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes one self-contained HTML file with everything in it, and gives its path.

        Args:
            file: Where to.
            title: Of the page; by default, the names of the runs.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.present import html

        return html.write(self.runs, Path(file), title=title)

    def __getattr__(self, name: str) -> Callable[[], Figure]:
        from incast.present import plots

        return plots.method(self, name)

    def __dir__(self) -> list[str]:
        from incast.present import plots

        return [*super().__dir__(), *plots.method_names()]

    def __getitem__(self, label: str) -> Results:
        """The results of a run.

        Raises:
            LabelError: No run has this label.
        """
        if label not in self._runs:
            raise LabelError(f"no run is labelled `{label}`", hint=hint(str(label), self._runs))
        return self._runs[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<incast.Comparison of {', '.join(self._runs)}>"

    def __str__(self) -> str:
        return self.table() if self._runs else repr(self)

    def _repr_html_(self) -> str:
        """Key figures side by side and the main charts, for a notebook."""
        from incast.present.notebook.runs import html

        return html(self.runs) if self._runs else ""


def labelled(runs: Sequence[Results]) -> dict[str, Results]:
    """Runs under the shortest labels that tell them apart."""
    for label in _LABELS:
        labels = [label(run) for run in runs]
        if len(set(labels)) == len(runs):
            return dict(zip(labels, runs, strict=True))
    # Runs of one identity in several folders.
    return {f"{index}: {run.name}": run for index, run in enumerate(runs, start=1)}


_LABELS: tuple[Callable[[Results], str], ...] = (
    lambda run: run.name,
    lambda run: run.algorithm,
    lambda run: f"{run.name}, {run.algorithm}",
    lambda run: f"{run.name}, {run.algorithm}, seed {run.summary['seed']}",
    lambda run: f"{run.name}, {run.algorithm}, {run.identity}",
)
