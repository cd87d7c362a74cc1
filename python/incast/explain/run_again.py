"""Runs a scenario again, and explains some of its flows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence

import numpy as np

from incast import _core
from incast.errors import ResultsError
from incast.explain.company import company, path_of
from incast.explain.critical_path import Span, by_part, spans, spans_to_receiver
from incast.explain.explanation import CollectiveExplanation, Explanation
from incast.explain.parts import Part, parts_of
from incast.explain.pauses import PauseOrigins
from incast.explain.recorded import Recorded
from incast.explain.shares import time_below
from incast.explain.surroundings import surroundings
from incast.measure import delays as delays_of
from incast.measure.delays import Delay, delays
from incast.measure.run import Run
from incast.measure.series import Array
from incast.second_run import Again, second_run

__all__ = ["Again", "explain", "explain_collective", "shares_of", "slowest"]

_MOST = 1000
"""The most flows that are explained at once, since all events of their packets are kept."""
_MOST_EVENTS = 20_000_000
"""The most events of packets. Events of explained flows take some 200 bytes each, others 100."""


def explain(results: Run, flows: Sequence[int], again: Again) -> list[Explanation]:
    """Explains completed flows of a run: runs the scenario again, and records causes of their
    delays.

    Args:
        results: A complete run of a network.
        flows: The numbers of the flows.
        again: Runs a scenario.

    Raises:
        ResultsError: A flow does not exist or did not complete, or the second run differs.
    """
    return _Explainer(results, flows, again).all()


def explain_collective(results: Run, traffic: int, again: Again) -> CollectiveExplanation:
    """Explains all messages on the critical path of a collective.

    Args:
        results: A complete run of a network.
        traffic: The traffic entry of the collective.
        again: Runs a scenario.

    Raises:
        ResultsError: The collective does not exist or did not complete, or the second run differs.
    """
    path = results.critical_path
    rows = np.flatnonzero(path.numbers("traffic") == traffic)
    if not len(rows):
        known = sorted(set(path.numbers("traffic").astype(int).tolist()))
        what = f"{results.name}: traffic[{traffic}] has no critical path"
        hint = f"name one of {known}" if known else "no collective was done"
        raise ResultsError(what, hint=hint)
    flows, starts, ends = (
        path.numbers(name)[rows].astype(int).tolist() for name in ("flow_id", "start_ps", "end_ps")
    )
    explainer = _Explainer(results, flows, again)
    messages = explainer.all()
    parts = explainer.parts_up_to(flows, starts, ends)
    begin, done = _times(results, traffic)
    computing = done - begin - sum(part.ps for part in parts)
    return CollectiveExplanation(traffic, begin, done, messages, computing, parts)


def _times(results: Run, traffic: int) -> tuple[int, int]:
    """The start of a collective's first round, and the end of its last round."""
    rounds = results.collectives
    own = rounds.numbers("traffic") == traffic
    starts = rounds.numbers("start_ps")[own].astype(float)
    ends = starts + rounds.numbers("time_ps")[own]
    return int(starts.min()), int(np.nanmax(ends))


def shares_of(results: Run, rows: Sequence[int], again: Again) -> dict[int, dict[str, float]]:
    """For each row of ``completed``, the shares of parts in the flow's FCT, without their causes.

    Raises:
        ResultsError: See :func:`explain`.
    """
    flows = results.completed.numbers("flow_id")[list(rows)].astype(int).tolist()
    return dict(zip(rows, _Explainer(results, flows, again).shares(), strict=True))


class _Explainer:
    """Explains flows of a run from a second run that recorded their causes."""

    def __init__(self, results: Run, flows: Sequence[int], again: Again) -> None:
        self._results = results
        self._rows = _rows(results, flows)
        table = results.completed
        starts, fcts = table.numbers("start_ps")[self._rows], table.numbers("fct_ps")[self._rows]
        self._starts = starts.astype(int).tolist()
        self._ends = (starts.astype(int) + np.rint(fcts).astype(int)).tolist()
        self._again = _run_again(results, flows, max(self._ends), again)
        self._recorded = Recorded(self._again)
        self._scenario = tomllib.loads(results.scenario)
        self._mtu = _core.quantity("size", self._scenario["network"]["packets"]["mtu"])
        self._origins = PauseOrigins(self._again, self._recorded)

    def all(self) -> list[Explanation]:
        """Explanations of the flows, in the order in which they were named."""
        flows = delays(self._results, self._rows)
        times = zip(self._rows, self._starts, self._ends, strict=True)
        return [self._one(flow, *each) for flow, each in zip(flows, times, strict=True)]

    def shares(self) -> Iterator[dict[str, float]]:
        """The share of each part, for each flow in the order in which they were named."""
        flows = self._results.completed.numbers("flow_id")
        for row, start, end in zip(self._rows, self._starts, self._ends, strict=True):
            sums = by_part(spans(self._recorded, int(flows[row]), start, end, coarse=True))
            yield {part: ps / (end - start) for part, ps in sums.items()}

    def parts_up_to(
        self, flows: Sequence[int], starts: Sequence[int], ends: Sequence[int]
    ) -> list[Part]:
        """Parts of several flows together. Each flow counts until the next send, or computing, that
        waited for it could begin.
        """
        along = [
            span
            for each in zip(flows, starts, ends, strict=True)
            for span in spans_to_receiver(self._recorded, *each)
        ]
        return self._parts(along)

    def _one(self, flow: Delay, row: int, start: int, end: int) -> Explanation:
        table, recorded = self._results.completed, self._recorded
        own = spans(recorded, flow.flow_id, start, end)
        path = path_of(self._again, flow.flow_id, recorded)
        payload = min(self._mtu, flow.size_bytes)
        return Explanation(
            flow,
            int(table.numbers("ideal_fct_ps")[row]),
            self._algorithm(row),
            own,
            self._parts(own),
            company(path),
            time_below(recorded, flow.flow_id, start, payload, path),
            recorded.senders[flow.flow_id],
            recorded.events[flow.flow_id],
            recorded.ports,
            surroundings(self._again, recorded.events[flow.flow_id], recorded.ports, start, end),
        )

    def _algorithm(self, row: int) -> str:
        """The name of a flow's congestion control algorithm."""
        entry = self._scenario["traffic"][int(self._results.completed.numbers("traffic")[row])]
        return str(entry.get("cc", self._scenario["cc"])["algorithm"])

    def _parts(self, along: Sequence[Span]) -> list[Part]:
        """The parts of a flow's time: sums of spans along its critical path."""
        return parts_of(along, self._recorded.ports, self._origins)


def _run_again(results: Run, flows: Sequence[int], end: int, again: Again) -> Run:
    """Runs the scenario again up to a time, recording the causes of delay of some flows.

    Raises:
        ResultsError: The second run differs from the first, or there are too many packets.
    """
    trace = {"flows": sorted(set(flows)), "causes": True, "from": "0s", "limit": _MOST_EVENTS}
    second = second_run(results, trace, end, again)
    if (cut := second.summary["packet_trace"]["cut_ps"]) is not None:
        what = f"there are too many packets: they were recorded up to {cut} ps"
        raise ResultsError(what, hint="explain fewer flows at once")
    return second


def _rows(results: Run, flows: Sequence[int]) -> list[int]:
    """The rows of flows in ``completed``."""
    if not flows or len(flows) > _MOST:
        what = f"{len(flows)} flows are to be explained"
        raise ResultsError(what, hint=f"name 1 to {_MOST}")
    if not all(isinstance(flow, int | np.integer) for flow in flows):
        raise TypeError(f"flows are named by their numbers, not by {list(flows)!r}")
    where = {int(flow): row for row, flow in enumerate(results.completed.numbers("flow_id"))}
    started = set(results.flows.numbers("flow_id").astype(int).tolist())
    for flow in flows:
        if flow not in where:
            state = "did not complete" if flow in started else "is not there"
            what = f"{results.name}: flow {flow} {state}"
            raise ResultsError(what, hint="name one of `flow_id` in results.completed")
    return [where[flow] for flow in flows]


def slowest(results: Run, count: int, kept: Array | None = None) -> list[int]:
    """The flows with the largest slowdown, the slowest first.

    Args:
        results: A run of a network.
        count: The most flows to give.
        kept: For each completed flow, whether it may be chosen; by default, all may be.
    """
    table = results.completed
    rows = delays_of.slowest(table, len(table))
    if kept is not None:
        rows = rows[kept[rows]]
    return [int(flow) for flow in table.numbers("flow_id")[rows[:count]]]
