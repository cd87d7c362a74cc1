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
    """How often the window or the pace of a sender fell, by what it heard at that moment. An
    algorithm need not heed what it hears: one of delays or INT has marked ACKs, too.
    """

    marked_acks: int
    """ACKs with the echo of a mark."""
    other_acks: int
    cnps: int
    losses: int
    """NACKs, ACKs that showed a loss, and timeouts."""
    timers: int
    others: int
    """Packets that left, and packets of host programs."""


@dataclass(frozen=True)
class Surroundings:
    """What is kept of the run of a flow, to draw its network: without the rest of its tables."""

    summary: dict[str, Any]
    ports: Table
    fault_table: Table | None
    queues: Curves

    @property
    def faults(self) -> Table:
        """That of a run with faults."""
        assert self.fault_table is not None, "there are none"
        return self.fault_table


@dataclass(frozen=True)
class FlowAnswer:
    """Where the time of a flow went, exactly, and who was there.

    Attributes:
        flow: The flow, its FCT and its counters.
        ideal_ps: What it would have taken alone.
        algorithm: What controlled it.
        spans: Its time from start to end, along the critical path, without a gap.
        parts: The same, in sums: they add up to the FCT. The longest come first.
        company: Ports at which it met other flows, those first whose equal share is worth least.
        below_share_ps: For how long its pace, or its window for each round trip without waits, was
            below an equal share of its path; none if it took several paths, or waited for credit or
            grants.
        states: Its sender, from each change on.
        events: Those of its packets.
        ports: The network's, by place.
        around: The network, and queues on the path in the time of the flow, as they were sampled.
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
        """Its FCT."""
        return round(self.flow.fct_ps)

    @cached_property
    def windows(self) -> tuple[int, int] | None:
        """The smallest and the largest window in bytes, if it had one."""
        return _range(state.window for state in self.states)

    @cached_property
    def rates(self) -> tuple[int, int] | None:
        """The smallest and the largest pace in bit/s, if it had one."""
        return _range(state.rate for state in self.states)

    @cached_property
    def decreases(self) -> Decreases:
        """How often its window or its pace fell, and on what."""
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
        """All but states and events, as JSON has it."""
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
    """Where the time of a collective went, along the messages that held up its end.

    Attributes:
        traffic: Its traffic entry.
        start_ps: When it began.
        end_ps: When the last rank was done.
        messages: Each with its FCT explained, in order; of each the time counts up to the moment
            at which what waited for it could go on.
        computing_ps: Before, between and after messages: ranks computed, or waited for a time to
            come.
        parts: Of all messages together; with ``computing_ps`` they add up to the time.
    """

    traffic: int
    start_ps: int
    end_ps: int
    messages: Sequence[FlowAnswer]
    computing_ps: int
    parts: Sequence[Part]

    @property
    def time_ps(self) -> int:
        """From begin to end."""
        return self.end_ps - self.start_ps

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
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
    """What a sender heard when it came into a state."""
    if is_lost:
        return "losses"
    if state.heard == "ack":
        return "marked_acks" if is_marked else "other_acks"
    return {"cnp": "cnps", "timer": "timers"}.get(state.heard, "others")
