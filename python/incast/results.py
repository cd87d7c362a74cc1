"""Results of a run: tables, a summary, charts, a report."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incast import _core
from incast.errors import ResultsError
from incast.export.methods import Exports
from incast.files import checked_path
from incast.late_warnings import late_warnings
from incast.lock_wait import LockWait
from incast.machine import available_memory
from incast.measure.run import Runs, is_fabric
from incast.percentiles import percentile
from incast.present.plots import Plots
from incast.results_tables import ResultsTables
from incast.results_texts import read_summary, read_text
from incast.table import Table

if TYPE_CHECKING:
    import numpy as np

    from incast.explain.explanation import CollectiveExplanation, Explanation
    from incast.scenario import Scenario

__all__ = ["Results", "Spare", "load"]

Spare = Literal["nothing", "better"]
"""Which earlier results in the folder stay: none, or better ones and those of other runs."""


class Results(ResultsTables, Exports, Plots):
    """The results of one run, in memory or in a folder, of a network or a memory fabric. A fabric's
    have ``operations``, ``controls`` and ``queues`` in place of ``flows``, ``series`` and
    ``ports``.

    ``results["slowdown"]`` is a column of the flows as a NumPy array, ``results.ports["rate_bps"]``
    a column of another table. Names of columns end in their unit. ``print(results)`` prints the key
    figures; a notebook shows them with the main charts. Each chart has a method,
    ``plot_<chart>()``, such as ``plot_slowdown()`` and ``plot_queue()``; :func:`incast.charts`
    lists them.

    :func:`incast.run` gives results, and :func:`incast.load` opens results in a folder.

    Attributes:
        summary: Key figures, as in ``summary.json``: a dict whose keys end in their unit.
        scenario: The scenario as TOML, with every default filled in.
        folder: Where the results are stored; ``None`` if they are not.
        reused: Whether the results are of an earlier run of the same scenario.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        scenario: str,
        read: Callable[[str], _core.Table | None],
        write: Callable[[Path, Spare, LockWait], None],
    ) -> None:
        super().__init__(summary, read)
        self.scenario = scenario
        self.reused = False
        self._write = write

    @property
    def algorithm(self) -> str:
        """Name of the congestion control algorithm, or of a fabric's scheme; several names are
        joined by commas.
        """
        return str(self.summary["algorithm"])

    @property
    def identity(self) -> str:
        """Identity of the scenario, its seed and the engine."""
        return str(self.summary["identity"])

    @property
    def fingerprint(self) -> str:
        """A hash of all completion times and counters: equal fingerprints mean equal results."""
        return str(self.summary["fingerprint"])

    @property
    def partial(self) -> bool:
        """Whether the run was interrupted."""
        return bool(self.summary["partial"])

    @property
    def stall(self) -> dict[str, Any] | None:
        """Flows that stalled, if there were any: in a deadlock of PFC, or without progress."""
        found: dict[str, Any] | None = self.summary.get("stall")
        return found

    @cached_property
    def completed(self) -> Table:
        """The rows of ``flows`` that completed, in order of completion.

        Raises:
            ResultsError: Not all rows were kept (``measure.flows.rows``), or they are more than
                ``measure.rows``.
        """
        self._check_all_rows()
        return self.kept_completed

    @cached_property
    def kept_completed(self) -> Table:
        """The rows of ``completed`` that ``measure.flows.rows`` keeps: by default, all of them."""
        import numpy as np

        kept = self.summary.get("flow_rows")
        rows = self.summary["flows"]["finished"] if kept is None else kept["completed"]
        completed = self.kept_flows.head(rows)
        missing = np.isnan(completed.numbers("fct_ps"))
        completed.refuse(missing, "fct_ps", "the value is missing, but the flow completed")
        return completed

    @cached_property
    def counted(self) -> np.ndarray[Any, Any]:
        """For each row of ``completed``, whether the flow counts in statistics of FCT."""
        from incast.measure.counted import is_counted

        return is_counted(self)

    @property
    def runs(self) -> Runs:
        """The run itself under its name, for charts and reports."""
        return {self.name: self}

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column of the flows, or of a fabric's operations, as a NumPy array with one value for
        each. Unfinished flows come last, with NaN for FCT and slowdown;
        ``results.completed["slowdown"]`` leaves them out.

        Raises:
            ColumnError: There is no such column.
            ResultsError: Not all rows were kept (``measure.flows.rows``), or they are more than
                ``measure.rows``.
        """
        return (self.operations if is_fabric(self) else self.flows)[column]

    percentile = staticmethod(percentile)

    def __contains__(self, column: object) -> bool:
        return column in (self.operations if is_fabric(self) else self.kept_flows)

    # Without this, `iter` would fall back to `__getitem__` with 0, 1, 2, …
    __iter__ = None

    def slowest(self, count: int = 10) -> Table:
        """The completed flows with the largest slowdown, the slowest first: a table like ``flows``.

        Args:
            count: The number of flows; fewer are given if fewer have completed.

        Raises:
            ResultsError: ``count`` is below 1, the results are a fabric's, or rows of these flows
                were not kept (``measure.flows.rows``) or are more than ``measure.rows``.
        """
        from incast.measure.delays import rows_of_slowest, slowest

        if count < 1:
            raise ResultsError(f"`count` is {count}", hint="ask for one flow or more")
        completed = rows_of_slowest(self, count)
        return completed.take(slowest(completed, count))

    def explain(self, *flows: int) -> Explanation | list[Explanation]:
        """Explains why flows took as long as they did. Runs the scenario again to record what
        delayed them.

        Args:
            flows: The ``flow_id`` of each flow; by default, of the flow with the largest slowdown.

        Returns:
            The explanation of one flow, or a list of explanations of several. ``print()`` shows
                them.

        Raises:
            ResultsError: A flow does not exist or did not complete, or the second run differs.
        """
        from incast.explain.run_again import explain, slowest

        found = explain(self, flows or slowest(self, 1), _run_again)
        return found[0] if len(found) == 1 else found

    def explain_collective(self, traffic: int) -> CollectiveExplanation:
        """Explains why a collective took as long as it did: its critical path, message by message.

        Args:
            traffic: The number of its traffic entry, counted from 0.

        Raises:
            ResultsError: The collective does not exist or did not complete, or the second run
                differs.
        """
        from incast.explain.run_again import explain_collective

        return explain_collective(self, traffic, _run_again)

    def lone_share(self, *, base_rtts: float = 2.0, with_acks: bool = True) -> float:
        """An upper bound on the share of packet-hops of lone flows. A flow is alone while no other
        flow uses a port of its path. NaN if nothing was acknowledged.

        Args:
            base_rtts: The shortest period alone that counts, in base RTTs.
            with_acks: Whether ACKs of another flow on its ports end a flow's time alone.

        Raises:
            ResultsError: The results are a fabric's, rows of flows were not kept
                (``measure.flows.rows``), links failed, or flows take several paths.
            ScenarioError: A file of the scenario does not exist.
        """
        from incast.measure.lone import lone_share
        from incast.second_run import scenario_of

        return lone_share(self, scenario_of(self, {}), base_rtts, with_acks=with_acks)

    def replay(
        self,
        file: str | Path,
        *,
        begin: str | None = None,
        end: str | None = None,
        flow: int | None = None,
        title: str | None = None,
    ) -> Path:
        """Writes a self-contained HTML page that plays a short window of the run, and gives the
        page's path. It shows packets on links, queues at ports, drops, trims and pauses. Runs the
        scenario again, unless all packets were traced.

        Args:
            file: The file to write.
            begin: The begin of the window, such as ``"10us"``; by default, ten base RTTs before the
                longest queue.
            end: The end of the window; by default, 15 base RTTs after the longest queue, or 25
                after ``begin``. Earlier if a page cannot play that many packets.
            flow: The ``flow_id`` of the flow that is highlighted at first.
            title: The title of the page; by default, the name of the scenario.

        Raises:
            ResultsError: The network is too large, the window has too many packets, the second run
                differs, there is no such flow, or the file cannot be written.
        """
        from incast.replay import page

        window = {"begin": begin, "end": end}
        return page.write(self, Path(file), _run_again, **window, flow=flow, title=title)

    def table(self) -> str:
        """The key figures as text, for a terminal, with the slowest flows."""
        from incast.present import key_figures, listings, what_ran

        found, unread = None, ""
        if key_figures.have_causes(self.summary):
            from incast.present import causes

            try:
                found = causes.of_run(self)
            except ResultsError as error:
                # A damaged table is reported; tables in another process's memory are left out.
                unread = "" if self.folder is None else str(error)
        return listings.summary(self.summary, what_ran.of_runs(self.runs), found, unread)

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes one self-contained HTML file with all key figures and charts, and gives its path.

        Args:
            file: The file to write.
            title: The title of the page; by default, the name of the scenario.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.present import html

        return html.write(self.runs, Path(file), title=title)

    def check(self) -> None:
        """Checks that the files of stored results are as they were written, by their checksums.

        Raises:
            ResultsError: A file differs, or is missing.
        """
        if self.folder is None or not (self.folder / "checksums.json").is_file():
            # Results in memory, and results of older versions, have no checksums.
            return
        for name in json.loads((self.folder / "checksums.json").read_text(encoding="utf-8")):
            _core.check_file(str(self.folder / name))

    def save(self, folder: str | Path) -> Path:
        """Stores the results, whole or not at all; replaces the contents of the folder.

        Raises:
            ResultsError: The folder cannot be written.
        """
        with late_warnings() as warn:
            return self.save_sparing(Path(folder), "nothing", LockWait(warn))

    def save_sparing(self, target: Path, spare: Spare, wait: LockWait) -> Path:
        """As `save`, but earlier results in the folder may stay.

        Args:
            target: The folder.
            spare: Which earlier results stay: ``"nothing"``, or ``"better"`` ones (results that say
                more, and results of other runs).
            wait: Called while another process holds the folder's lock.

        Raises:
            ResultsError: Earlier results stay, or the folder cannot be written.
        """
        checked_path(target)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._write(target, spare, wait)
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        self.folder = target
        return target

    def __copy__(self) -> Results:
        """The same results: tables in memory are shared, and do not change."""
        return self._again(self.summary)

    def __deepcopy__(self, memo: dict[int, Any]) -> Results:
        """The same results, with a summary of their own."""
        return self._again(copy.deepcopy(self.summary, memo))

    def _again(self, summary: dict[str, Any]) -> Results:
        again = Results(summary, self.scenario, self._read, self._write)
        again.folder, again.reused = self.folder, self.reused
        return again

    def __reduce__(self) -> tuple[Callable[..., Results], tuple[Any, ...]]:
        """Pickles results. Another process reads stored tables from their folder; tables in memory
        are left out.
        """
        if self.folder is not None:
            return load, (self.folder.absolute(),)
        return _without_tables, (self.summary, self.scenario)

    def __repr__(self) -> str:
        partial = ", interrupted" if self.partial else ""
        if is_fabric(self):
            done = f"{self.summary['operations']['completed']} operations"
        else:
            done = f"{self.summary['flows']['finished']} flows"
        return f"<incast.Results of {self.name!r}: {self.algorithm}, {done}{partial}>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """Key figures and the main charts, for a notebook."""
        from incast.present.notebook.runs import html

        return html(self.runs)


def from_core(core: _core.Results | _core.FabricResults) -> Results:
    """Results of the engine that are in memory."""

    def write(folder: Path, spare: Spare, wait: LockWait) -> None:
        core.write(str(folder), spare, wait)

    return Results(core.summary(), core.scenario, lambda table: getattr(core, table), write)


def _run_again(scenario: Scenario) -> Results:
    """Runs a scenario, and gives its results in memory."""
    return from_core(scenario._core.run(None, 1))


def _without_tables(summary: dict[str, Any], scenario: str) -> Results:
    """Results of a run in another process, which were not stored."""

    def refuse(*_arguments: Any) -> None:
        what = f"{summary['name']}: the tables are in the process of the run"
        raise ResultsError(what, hint="give the run a `store` or a `folder`")

    return Results(summary, scenario, refuse, refuse)


def load(folder: str | Path) -> Results:
    """Opens a results folder. Tables are read when they are first used.

    Raises:
        ResultsError: The folder is not a results folder.
    """
    path = checked_path(folder)

    def read(table: str) -> _core.Table:
        found = _core.read_table(str(path / f"{table}.parquet"), available_memory())
        _check_run(path, results)
        return found

    def write(target: Path, _spare: Spare, wait: LockWait) -> None:
        if os.path.realpath(target) != os.path.realpath(path):
            _check_run(path, results)
            _core.copy_results(str(path), str(target), wait)

    results = Results(read_summary(path), read_text(path / "scenario.toml"), read, write)
    results.folder = path
    return results


def _check_run(folder: Path, results: Results) -> None:
    """Checks that a folder still holds the run that was opened. Another run may have taken its
    place, with other tables.
    """
    now = read_summary(folder)
    if any(now[key] != results.summary[key] for key in ("identity", "fingerprint", "partial")):
        what = "another run has taken the place of the one that was opened"
        raise ResultsError(what, file=str(folder), hint="open it again, with `incast.load`")
