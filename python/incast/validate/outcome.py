"""The outcome of an experiment: numbers, and checks against tolerances."""

from __future__ import annotations

from dataclasses import dataclass, field

from incast.validate.comparison import (
    FlowComparison,
    PauseComparison,
    QueueComparison,
    TraceComparison,
)
from incast.validate.recordings import Tolerance

__all__ = ["Check", "Outcome", "judge"]


@dataclass(frozen=True)
class Check:
    """A measured number and its limit."""

    what: str
    measured: str
    limit: str
    passed: bool


@dataclass(frozen=True)
class Outcome:
    """The outcome of one experiment, or the reason why it was not run."""

    name: str
    title: str
    algorithm: str
    not_run: str | None = None
    failed: str | None = None
    """The message of a run that failed."""
    flows: FlowComparison | None = None
    queue: QueueComparison | None = None
    pauses: PauseComparison | None = None
    packets: TraceComparison | None = None
    checks: list[Check] = field(default_factory=list)
    seconds: float = 0.0
    packet_hops: int = 0
    packet_hops_per_cpu_second: float | None = None

    @property
    def passed(self) -> bool:
        """Whether all numbers are within their tolerances."""
        return self.failed is None and all(check.passed for check in self.checks)


def judge(
    tolerance: Tolerance,
    flows: FlowComparison,
    queue: QueueComparison | None = None,
    packets: TraceComparison | None = None,
    pauses: PauseComparison | None = None,
) -> list[Check]:
    """The checks that a tolerance asks for."""
    checks = []
    if tolerance.each_flow is not None:
        lost = flows.missing + flows.surplus
        checks.append(Check("unmatched flows", str(lost), "0", lost == 0))
        passed = abs(flows.worst) <= tolerance.each_flow
        limit = _percent(tolerance.each_flow) if tolerance.each_flow else "0 ns"
        measured = _percent(flows.worst) if tolerance.each_flow else f"{flows.worst_ns:g} ns"
        checks.append(Check("worst flow", measured, limit, passed))
    if tolerance.queue_packets is not None and queue is not None:
        checks.append(
            Check(
                "worst queue sample",
                f"{queue.worst_packets:.2f} packets",
                f"{tolerance.queue_packets:g} packets",
                queue.worst_packets <= tolerance.queue_packets,
            )
        )
    if tolerance.pauses and pauses is not None:
        same = pauses.recorded == pauses.events == pauses.exact
        measured = f"{pauses.exact} of {pauses.recorded} the same, {pauses.events} here"
        checks.append(Check("PFC frames", measured, "all the same", same))
    if tolerance.trace and packets is not None:
        difference = packets.first_difference
        checks.append(Check("packet trace", difference or "the same", "the same", not difference))
    return checks


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"
