"""Several runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from incast.errors import LabelError
from incast.names import hint
from incast.present.plots import Plots
from incast.results import Results

__all__ = ["Comparison", "check_baseline", "check_label", "labelled", "labels_by_old", "relabelled"]


class Comparison(Plots, Mapping[str, Results]):
    """Several runs by label: key figures side by side, charts over each other.

    ``comparison["hpcc"]`` are the :class:`Results` of a run; ``len``, iteration, ``keys()``,
    ``values()`` and ``items()`` are those of a dict. Each chart has a method, ``plot_<chart>()``,
    as :class:`Results` has. ``print(comparison)`` prints the key figures; a notebook shows them
    with the main charts. With a baseline, both also have the ratios of the other runs to it.

    Args:
        runs: Results by label, such as ``{"seed 1": first, "seed 2": second}``.
        baseline: The label of the run with which the table and the report compare the others.
        absent: Labels of runs that did not begin or failed.
        refused: For each impossible run, the reason, by label.

    Raises:
        LabelError: The baseline is not one of the runs.
    """

    def __init__(
        self,
        runs: Mapping[str, Results],
        *,
        baseline: str | None = None,
        absent: Sequence[str] = (),
        refused: Mapping[str, str] | None = None,
    ) -> None:
        self._runs = dict(runs)
        self._baseline = baseline
        self._absent = list(absent)
        self._refused = dict(refused or {})
        if baseline is not None:
            check_label(baseline, self._runs)

    @property
    def baseline(self) -> str | None:
        """The label of the run that the others are compared with, if there is one."""
        return self._baseline

    @property
    def runs(self) -> Mapping[str, Results]:
        """The runs, by label."""
        return self._runs

    @property
    def refused(self) -> Mapping[str, str]:
        """For each label whose algorithm and load balancing do not go together, the reason."""
        return self._refused

    def table(self) -> str:
        """The key figures side by side, as text for a terminal."""
        from incast.present import listings, what_ran
        from incast.present.delay_targets import foreign_targets

        runs = {label: run.summary for label, run in self._runs.items()}
        parts = [
            listings.comparison(runs, self._baseline, what_ran.of_runs(self._runs)),
            *map(listings.caveat, foreign_targets(self._runs)),
            listings.refused(self._refused),
            listings.not_run(self._absent) if self._absent else "",
        ]
        return "\n\n".join(filter(None, parts))

    def ratios(self, baseline: str) -> dict[str, dict[str, float | None]]:
        """For each other run, the ratios of its key figures to the baseline's, by name. A ratio is
        ``None`` where the run has no such figure, or the baseline's is 0.

        Args:
            baseline: The label of any run, not only of the comparison's baseline.

        Raises:
            LabelError: No run has this label.
        """
        from incast.present.baseline import ratios

        check_label(baseline, self._runs)
        return ratios({label: run.summary for label, run in self._runs.items()}, baseline)

    def compared(self) -> dict[str, Any]:
        """The comparison with the baseline, for programs: ``ratios``. Empty without a baseline."""
        return {} if self._baseline is None else {"ratios": self.ratios(self._baseline)}

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes one self-contained HTML file with everything in it, and gives its path.

        Args:
            file: Where to.
            title: Of the page; by default, the names of the runs.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.present import html, listings

        notes = listings.refusals(self._refused)
        baseline = self._baseline
        return html.write(self.runs, Path(file), title=title, baseline=baseline, notes=notes)

    def __getitem__(self, label: str) -> Results:
        """The results of a run.

        Raises:
            LabelError: No run has this label.
        """
        check_label(label, self._runs)
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

        return html(self.runs, self._baseline) if self._runs else ""


def check_baseline(label: str, labels: Iterable[str]) -> None:
    """Refuses a baseline that is not among the runs, or is the only run.

    Raises:
        LabelError: The baseline is refused.
    """
    known = list(labels)
    check_label(label, known)
    if len(known) == 1:
        what = f"`{label}` is the only run: there is none to compare with it"
        raise LabelError(what, hint="add another run, or leave out the baseline")


def check_label(label: str, labels: Iterable[str]) -> None:
    """Checks that a run has this label.

    Raises:
        LabelError: No run has it.
    """
    known = list(labels)
    if label not in known:
        raise LabelError(f"no run is labelled `{label}`", hint=hint(str(label), known))


def labelled(runs: Sequence[Results]) -> dict[str, Results]:
    """Runs under the shortest labels that tell them apart."""
    alone = len({run.name for run in runs}) == 1
    for label in _LABELS_OF_ONE_SCENARIO if alone else _LABELS:
        labels = [label(run) for run in runs]
        if len(set(labels)) == len(runs):
            return dict(zip(labels, runs, strict=True))
    # No label tells apart runs of one identity in several folders.
    return {f"{index}: {run.name}": run for index, run in enumerate(runs, start=1)}


_LABELS: tuple[Callable[[Results], str], ...] = (
    lambda run: run.name,
    lambda run: run.algorithm,
    lambda run: f"{run.name}, {run.algorithm}",
    lambda run: f"{run.name}, {run.algorithm}, seed {run.summary['seed']}",
    lambda run: f"{run.name}, {run.algorithm}, {run.identity}",
)


_LABELS_OF_ONE_SCENARIO: tuple[Callable[[Results], str], ...] = (
    *_LABELS[:2],
    lambda run: f"{run.algorithm}, seed {run.summary['seed']}",
    *_LABELS[2:],
)


Labelled = TypeVar("Labelled")


def labels_by_old(labels: Sequence[str]) -> dict[str, str]:
    """Parses labels of the form ``old=new``. Gives the new labels by the old ones.

    Raises:
        LabelError: A label is not of this form, or an old label occurs twice.
    """
    found: dict[str, str] = {}
    for label in labels:
        old, equals, new = label.partition("=")
        if not equals:
            what = f"--labels: `{label}` does not say whose label it is"
            raise LabelError(what, hint=f"write e.g. hpcc={label}")
        if old in found:
            what = f"`{old}` is labelled twice, `{found[old]}` and `{new}`"
            raise LabelError(what, hint="leave one out")
        found[old] = new
    return found


def relabelled(things: Mapping[str, Labelled], labels: Sequence[str]) -> dict[str, Labelled]:
    """Things under other labels.

    Args:
        things: By label.
        labels: A label for each thing, in their order; or labels of the form ``old=new``.

    Raises:
        LabelError: The labels are too few, too many, or not distinct; or an old label is unknown.
    """
    if all("=" in label for label in labels):
        named = labels_by_old(labels)
        for old in named:
            if old not in things:
                raise LabelError(f"there is no `{old}` to label", hint=hint(old, things))
        new = [named.get(label, label) for label in things]
    else:
        new = list(labels)
    if len(new) != len(things):
        known = ", ".join(things)
        what = f"there are {len(new)} labels for {len(things)} curves"
        raise LabelError(what, hint=f"name one for each of {known}; or some, as old=new")
    if len(set(new)) < len(new) or not all(new):
        raise LabelError("labels are empty or not distinct", hint="give each another")
    return dict(zip(new, things.values(), strict=True))
