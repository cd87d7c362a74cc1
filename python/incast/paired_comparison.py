"""Several runs side by side, each with several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.comparison import Comparison, check_label
from incast.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from incast.measure.paired import PairedRatio
    from incast.present.paired_listings import Compared

__all__ = ["PairedComparison"]


class PairedComparison(Comparison):
    """Algorithms, attacks or scenarios compared over the same seeds, paired by seed.

    ``comparison["hpcc, seed 1"]`` are the :class:`Results` of a run; ``by_seed["hpcc"]`` has those
    of one label by seed. ``print(comparison)`` prints means over seeds, and ratios to the baseline.

    Args:
        by_seed: Results by label, each by seed.
        baseline: The label that the others are compared with; by default, the first.
        absent: Labels of runs that did not begin or failed.
        difference: The relative difference that matters. For labels that are not told apart, the
            table says how many seeds would detect it.
        refused: For each impossible run, the reason, by label.

    Raises:
        LabelError: The baseline is not one of the labels.
    """

    def __init__(
        self,
        by_seed: Mapping[str, Mapping[int, Results]],
        *,
        baseline: str | None = None,
        absent: Sequence[str] = (),
        difference: float = 0.05,
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self.by_seed = {label: dict(runs) for label, runs in by_seed.items()}
        self.difference = difference
        runs = {
            f"{label}, seed {seed}": run
            for label, of_label in self.by_seed.items()
            for seed, run in of_label.items()
        }
        super().__init__(runs, absent=absent, refused=refused)
        if baseline is not None:
            check_label(baseline, self.by_seed)
        self._baseline = baseline if baseline is not None else next(iter(self.by_seed), None)

    def table(self) -> str:
        """Means over seeds, and ratios to the baseline paired by seed, as text for a terminal."""
        from incast.present import listings, paired_listings

        text = paired_listings.table(self._compared(), self._absent)
        return "\n\n".join(filter(None, [text, listings.refused(self._refused)]))

    def ratios(self, baseline: str) -> dict[str, dict[str, float | None]]:
        """For each other label, the geometric means over seeds of the ratios of its key figures to
        the baseline's, by name. ``None`` if a figure has no ratio.

        Args:
            baseline: A label.

        Raises:
            LabelError: There is no such label.
        """
        return {
            label: {
                name: found.ratio if found.ratio == found.ratio else None
                for name, found in ratios.items()
            }
            for label, ratios in self.paired(baseline).items()
        }

    def paired(self, baseline: str | None = None) -> dict[str, dict[str, PairedRatio]]:
        """For each other label, the ratios of its key figures to the baseline's, by name, with 95 %
        intervals: ``ratio``, ``low``, ``high``, ``seeds``, ``is_different``.

        Args:
            baseline: A label; by default, the comparison's.

        Raises:
            LabelError: There is no such label.
        """
        from incast.present.paired_listings import ratios

        chosen = self._baseline if baseline is None else baseline
        if chosen is None:
            return {}
        check_label(chosen, self.by_seed)
        found = ratios(self.by_seed, chosen)
        return {
            label: {number.name: ratio for number, ratio in of_label.items()}
            for label, of_label in found.items()
        }

    def compared(self) -> dict[str, Any]:
        """Ratios to the baseline for programs: ``ratio``, ``low`` and ``high`` (``None`` for fewer
        than five seeds), ``seeds``, ``different`` (``None`` without an interval), ``seeds_to_tell``
        (the number that would detect ``difference``).
        """
        from incast.measure.paired import told

        return {
            "baseline": self._baseline,
            "difference": self.difference,
            "ratios": {
                label: {name: told(found, self.difference) for name, found in ratios.items()}
                for label, ratios in self.paired().items()
            },
        }

    def plot(self, chart: str) -> Figure:
        """A chart as a matplotlib figure of a journal's column width. Charts of FCT slowdown over
        flow size pool the flows of all seeds; other charts show every run.

        Args:
            chart: Its name, such as ``"slowdown-p99"``; :func:`incast.charts` lists them.

        Raises:
            ResultsError: There is no such chart.
        """
        return super().plot(chart)

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes one self-contained HTML file: means, ratios, FCT slowdown over flow size, and all
        charts of the first seed.

        Args:
            file: Where to.
            title: Of the page; by default, the name of the scenario.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.present import listings
        from incast.present.html import paired_page

        notes = listings.refusals(self._refused)
        return paired_page.write(self._compared(), Path(file), title=title, notes=notes)

    def __repr__(self) -> str:
        return f"<incast.PairedComparison of {', '.join(self.by_seed)}: {len(self)} runs>"

    def _repr_html_(self) -> str:
        """Means and ratios, for a notebook."""
        from incast.present.notebook import paired

        return paired.html(self._compared()) if self.runs else ""

    def _compared(self) -> Compared:
        from incast.present.paired_listings import Compared

        assert self._baseline is not None, "there are runs"
        return Compared(self.by_seed, self._baseline, self.difference)
