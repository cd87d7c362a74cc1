"""Why flows and collectives took as long as they did: the facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

from incast.explain.company import AtPort
from incast.explain.critical_path import Span
from incast.explain.events import FlowEvents
from incast.explain.parts import Part
from incast.explain.recorded import SenderState, is_limit
from incast.measure.delays import Delay
from incast.measure.ports import Place, Port
from incast.measure.series import Curves
from incast.table import Table

__all__ = ["CollectiveAnswer", "Decreases", "FlowAnswer", "Surroundings"]


@dataclass(frozen=True)
class Decreases:
    """How often the window or the pace of a sender decreased, by the signal that came at that
    moment. The signal need not be the cause: an algorithm that uses delays or INT also gets marked
    ACKs.
    """

    marked_acks: int
    """ACKs that echo a mark."""
    other_acks: int
    cnps: int
    losses: int
    """NACKs, ACKs that showed a loss, and timeouts."""
    timers: int
    others: int
    """Packets sent, and packets of host programs."""


@dataclass(frozen=True)
class Surroundings:
    """The tables of a run that draw a flow's network; its other tables are not kept."""

    summary: dict[str, Any]
    ports: Table
    fault_table: Table | None
    queues: Curves

    @property
    def faults(self) -> Table:
        """The table of faults, of a run with faults."""
        assert self.fault_table is not None, "there are none"
        return self.fault_table


@dataclass(frozen=True)
class FlowAnswer:
    """The FCT of a flow, split exactly into parts, and the other flows it met.

    Attributes:
        flow: The flow, its FCT and its counters.
        ideal_ps: Its ideal FCT.
        algorithm: Its congestion control algorithm.
        spans: Its time from start to end, along the critical path, without a gap.
        parts: Sums of the spans by part, which add up to the FCT. The longest come first.
        company: Ports at which it met other flows. The smallest equal share comes first.
        below_share_ps: How long its pace, or its window per round trip without queues, was below an
            equal share of its path. ``None`` if it took several paths, or waited for credit or
            grants.
        states: States of its sender, each from its beginning on.
        events: The events of its packets.
        ports: All ports of the network, by node and number.
        around: The network, and sampled queues on the path during the flow.
    """

    flow: Delay
    ideal_ps: int
    algorithm: str
    spans: Sequence[Span]
    parts: Sequence[Part]
    company: Sequence[AtPort]
    below_share_ps: int | None
    states: Sequence[SenderState]
    events: FlowEvents
    ports: Mapping[Place, Port]
    around: Surroundings

    @property
    def fct_ps(self) -> int:
        """The FCT of the flow, in ps."""
        return round(self.flow.fct_ps)

    @cached_property
    def windows(self) -> tuple[int, int] | None:
        """The smallest and the largest window in bytes; ``None`` if the flow had no window."""
        return _range(state.window for state in self.states)

    @cached_property
    def rates(self) -> tuple[int, int] | None:
        """The smallest and the largest pace in bit/s; ``None`` if the flow had no pace."""
        return _range(state.rate for state in self.states)

    @cached_property
    def decreases(self) -> Decreases:
        """How often the window or the pace decreased, by the signal that came at that moment."""
        events = self.events
        replies = events.replies
        marked = set(events.time[replies[events.marked[replies] > 0]].tolist())
        nacks = set(events.time[replies[events.are_of("nack")[replies]]].tolist())
        counts = dict.fromkeys((field.name for field in fields(Decreases)), 0)
        for before, after in pairwise(self.states):
            if after.window < before.window or after.rate < before.rate:
                is_lost = after.timeouts > before.timeouts or after.time in nacks
                is_lost |= after.sends_again and not before.sends_again
                counts[_heard(after, is_lost, after.time in marked)] += 1
        return Decreases(**counts)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values for JSON, without states and events."""
        return {
            "flow": asdict(self.flow),
            "ideal_fct_ps": self.ideal_ps,
            "algorithm": self.algorithm,
            "parts": [asdict(part) for part in self.parts],
            "company": [
                {
                    "port": each.port.label,
                    "share": each.share,
                    "equal_share": each.equal_share,
                    "utilisation": each.utilisation,
                    "others": [asdict(other) for other in each.others],
                }
                for each in self.company
            ],
            "window_bytes": self.windows,
            "rate_bps": self.rates,
            "decreases": asdict(self.decreases),
            "below_share_ps": self.below_share_ps,
            "spans": [asdict(span) for span in self.spans],
        }


@dataclass(frozen=True)
class CollectiveAnswer:
    """The time of a collective, split along the messages of its critical path.

    Attributes:
        traffic: Its traffic entry.
        start_ps: Its start time.
        end_ps: The time at which its last rank was done.
        messages: The messages in order, each with its FCT explained. A message's time counts until
            the next send, or computing, that waited for it could begin.
        computing_ps: Time before, between and after messages, in which ranks computed or waited for
            a set time.
        parts: Parts of all messages together; with ``computing_ps`` they add up to the collective's
            time.
    """

    traffic: int
    start_ps: int
    end_ps: int
    messages: Sequence[FlowAnswer]
    computing_ps: int
    parts: Sequence[Part]

    @property
    def time_ps(self) -> int:
        """Time from the start to the end of the collective."""
        return self.end_ps - self.start_ps

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values for JSON."""
        return {
            "traffic": self.traffic,
            "start_ps": self.start_ps,
            "end_ps": self.end_ps,
            "computing_ps": self.computing_ps,
            "parts": [asdict(part) for part in self.parts],
            "messages": [message.to_dict() for message in self.messages],
        }


def _range(values: Iterable[int]) -> tuple[int, int] | None:
    known = [value for value in values if is_limit(value)]
    return (min(known), max(known)) if known else None


def _heard(state: SenderState, is_lost: bool, is_marked: bool) -> str:
    """The field of :class:`Decreases` that counts the signal with which a state began."""
    if is_lost:
        return "losses"
    if state.heard == "ack":
        return "marked_acks" if is_marked else "other_acks"
    return {"cnp": "cnps", "timer": "timers"}.get(state.heard, "others")
