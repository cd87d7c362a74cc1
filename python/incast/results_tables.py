"""Tables of results: those of every run, and those that a scenario asks for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from incast import _core
from incast.errors import FlowRowsError, ResultsError
from incast.table import Table

__all__ = ["TABLES", "ResultsTables"]

TABLES = {
    "network": (
        *("flows", "series", "ports", "packets", "senders", "company", "pause_causes"),
        *("round_trips", "entropies", "messages"),
        *("collectives", "ranks", "critical_path", "faults"),
    ),
    "fabric": ("operations", "controls", "queues"),
}
"""Tables that the results of each kind may have."""

_NO_CAUSES = (
    "what kept flows was not recorded",
    "list flows in `measure.packets.flows`, and set `measure.packets.causes` to true",
)


class ResultsTables:
    """The tables of one run, each read when it is first used: a part of :class:`incast.Results`."""

    def __init__(self, summary: dict[str, Any], read: Callable[[str], _core.Table | None]) -> None:
        self.summary = summary
        self.folder: Path | None = None
        self._read = read

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return str(self.summary["name"])

    @cached_property
    def flows(self) -> Table:
        """A row for each flow that started: completed flows in order of completion, then flows
        unfinished at the end of the run, with NaN for ``fct_ps`` and ``slowdown``. Columns:
        ``flow_id``, ``size_bytes``, ``start_ps``, and others: see docs/results/columns.md.

        Raises:
            ResultsError: Not all rows were kept (``measure.flows.rows``), or they are more than
                ``measure.rows``.
        """
        self._check_all_rows()
        return self.kept_flows

    @cached_property
    def kept_flows(self) -> Table:
        """The rows of ``flows`` that ``measure.flows.rows`` keeps: by default, all. Any number of
        rows is loaded.

        Raises:
            ResultsError: The rows do not fit into memory.
        """
        return self._table("flows")

    def _check_all_rows(self) -> None:
        """Checks that every flow has a row, and that all rows may be loaded unasked."""
        if (kept := self.summary.get("flow_rows")) is not None:
            raise FlowRowsError.of(self.name, kept)

    @cached_property
    def series(self) -> Table:
        """Measurements over time, one per row: ``time_ps``, ``measure`` (such as ``queue_bytes``,
        with its unit), ``entity`` (a port or flow; empty for the network), ``value``.
        """
        return self._table("series")

    @cached_property
    def ports(self) -> Table:
        """A row for each port, with counters of its outgoing direction: ``label``, ``rate_bps``,
        ``data_bytes``, ``marked``, ``dropped``, ``queue_max_bytes``, ``paused_ps``,
        ``utilisation``, and others: see docs/results/columns.md.
        """
        return self._table("ports")

    @cached_property
    def operations(self) -> Table:
        """Operations of a fabric, by initiator, in order of issue: kind, target, times, latency."""
        return self._table("operations")

    @cached_property
    def controls(self) -> Table:
        """Tokens, watermarks and unmatched flits of a fabric's sampled endpoints over time."""
        return self._table("controls")

    @cached_property
    def queues(self) -> Table:
        """Flits in a fabric's queues over time, by switch and virtual channel."""
        return self._table("queues")

    @cached_property
    def packets(self) -> Table:
        """Events of packets, one per row.

        Raises:
            ResultsError: The scenario did not ask for a trace of packets.
        """
        if "packet_trace" not in self.summary:
            what = f"{self.name}: packets were not traced"
            raise ResultsError(what, hint="set `measure.packets` to true, and run it again")
        return self._table("packets")

    @cached_property
    def senders(self) -> Table:
        """What held packets of traced flows back at their senders: a row for each change."""
        return self._if_there("senders", *_NO_CAUSES)

    @cached_property
    def company(self) -> Table:
        """Data of other flows that traced flows met at ports: a row for each flow, port and other
        flow.

        Raises:
            ResultsError: The scenario did not ask for causes.
        """
        return self._if_there("company", *_NO_CAUSES)

    @cached_property
    def pause_causes(self) -> Table:
        """Why switches paused peers: a row for each pause frame, with the queue that held most of
        the bytes from the peer.

        Raises:
            ResultsError: The scenario did not ask for causes.
        """
        return self._if_there("pause_causes", *_NO_CAUSES)

    @cached_property
    def round_trips(self) -> Table:
        """A histogram of packets' round trips: the count in each bin, by traffic entry.

        Raises:
            ResultsError: The scenario did not ask for round trips.
        """
        if "rtt_ps" not in self.summary:
            what = f"{self.name}: round trips were not counted"
            raise ResultsError(what, hint="set `measure.round_trips` to true, and run it again")
        return self._table("round_trips")

    @cached_property
    def entropies(self) -> Table:
        """Feedback that senders got on each entropy: a row for each flow and entropy in use.

        Raises:
            ResultsError: The scenario did not ask for entropies, or no flow takes several paths.
        """
        remedy = "set `measure.entropies` to true, where flows take several paths"
        return self._if_there("entropies", "entropies were not counted", remedy)

    @cached_property
    def messages(self) -> Table:
        """Completed messages, in order of completion. Under an attack, a flow is a piece of a
        message.

        Raises:
            ResultsError: The scenario has no attack.
        """
        if "roles" not in self.summary:
            what = f"{self.name}: the scenario has no attack, so each flow is a message"
            raise ResultsError(what, hint="read `flows`, or add an [attack] section")
        return self._table("messages")

    @cached_property
    def collectives(self) -> Table:
        """A row for each round of a collective or other task graph, in order of completion.

        Raises:
            ResultsError: The traffic has no collective.
        """
        return self._of_tasks("collectives")

    @cached_property
    def ranks(self) -> Table:
        """A row for each rank of a collective: how many rounds it has completed, and when.

        Raises:
            ResultsError: The traffic has no collective.
        """
        return self._of_tasks("ranks")

    @cached_property
    def critical_path(self) -> Table:
        """The messages that held up the end of each collective, in order of time.

        Each message waited for the one before it; `computing_ps` is the time that a rank computed
        in between. An unfinished collective has no rows.

        Raises:
            ResultsError: The traffic has no collective.
        """
        return self._of_tasks("critical_path")

    @cached_property
    def faults(self) -> Table:
        """Faults of links, one per row: packets lost, flows harmed, the time to recover.

        Raises:
            ResultsError: The scenario has no faults.
        """
        remedy = 'add e.g. [[fault]] with kind = "down"'
        return self._if_there("faults", "the scenario has no faults of links", remedy)

    def _of_tasks(self, name: str) -> Table:
        return self._if_there(name, "the traffic has no collective", 'add e.g. kind = "collective"')

    def _if_there(self, name: str, what: str, remedy: str) -> Table:
        table = self._read_if_there(name)
        if table is None:
            raise ResultsError(f"{self.name}: {what}", hint=remedy)
        return Table(table, self._file(name))

    def _read_if_there(self, name: str) -> _core.Table | None:
        if self.folder is not None and not (self.folder / f"{name}.parquet").exists():
            return None
        return self._read(name)

    def _table(self, name: str) -> Table:
        kind = str(self.summary.get("kind", "network"))
        if name not in TABLES[kind]:
            what = f"{self.name}: results of a {kind} have no `{name}`"
            raise ResultsError(what, hint=f"they have {', '.join(TABLES[kind])}")
        core = self._read(name)
        assert core is not None, f"a run has {name}"
        table = Table(core, self._file(name))
        rows = self._rows(name)
        if rows is not None and len(table) != rows:
            raise table.error(f"has {len(table)} rows, and summary.json says {rows}")
        return table

    def _rows(self, name: str) -> int | None:
        """The number of rows of a table, if the summary has it."""
        if name == "flows":
            kept = self.summary.get("flow_rows")
            if kept is not None:
                return int(kept["completed"] + kept["unfinished"])
            return int(self.summary["flows"]["started"])
        return int(self.summary[name]["completed"]) if name == "operations" else None

    def _file(self, table: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{table}.parquet"
