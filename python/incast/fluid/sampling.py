"""Sampling Frequency: a decrease every s ACKs, compared with one decrease per RTT.

Snyder and Lebeck, "Fast Convergence to Fairness for Reduced Long Flow Tail Latency in Datacenter
Networks", §IV-B, equation (2) and figure 4; Snyder's dissertation, §4.1.2, equation (4.1).

A flow that decreases by a share β every s ACKs of packets of M bytes decreases more often if it is
faster. A flow that decreases once in an RTT r does not:

```text S'(t) = −β·S²/(s·M) S(t) = C / (1 + β·C·t/(s·M)) R'(t) = −β·R/r R(t) = C·e^(−β·t/r) D(t) =
(R₁ − R₀) − (S₁ − S₀), C₁ > C₀ D'(0) = (C₁ − C₀)·β·[(C₁ + C₀)/(s·M) − 1/r] ```

So two flows that start at C₁ and C₀ converge faster if they sample, D > 0, if 1/r < (C₁ +
C₀)/(s·M). In the long run D changes its sign, since S₁ − S₀ falls as 1/t² and R₁ − R₀
exponentially; by then both gaps are negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Times: TypeAlias = "float | np.ndarray[Any, np.dtype[np.float64]]"

__all__ = ["SamplingFrequency"]


@dataclass(frozen=True)
class SamplingFrequency:
    """The model with its parameters. Rates are in bytes per nanosecond, times in nanoseconds."""

    acks: float = 30
    """ACKs between two decreases, s."""
    packet_bytes: float = 1000
    """Bytes that an ACK stands for, M."""
    decrease: float = 0.5
    """Share of the rate that a decrease takes, β."""
    rtt_ns: float = 30_000
    """Round-trip time under congestion, r."""

    def sampled(self, initial: float, time_ns: Times) -> Times:
        """S(t): the rate of a flow that decreases every `acks` ACKs.

        Args:
            initial: The initial rate of the flow, in bytes per nanosecond.
            time_ns: Time since then; a number or an array.
        """
        return initial / (1 + self.decrease * initial * time_ns / self._sample_bytes)

    def per_rtt(self, initial: float, time_ns: Times) -> Times:
        """R(t): the rate of a flow that decreases once in each RTT.

        Args:
            initial: The initial rate of the flow, in bytes per nanosecond.
            time_ns: Time since then; a number or an array.
        """
        import numpy as np

        decayed: Times = initial * np.exp(-self.decrease / self.rtt_ns * time_ns)
        return decayed

    def advantage(self, faster: float, slower: float, time_ns: Times) -> Times:
        """D(t): how much smaller the gap between two flows is if they sample, in bytes per
        nanosecond.

        Args:
            faster: The initial rate of the faster flow, in bytes per nanosecond.
            slower: The initial rate of the slower flow.
            time_ns: Time since then; a number or an array.
        """
        gap_per_rtt = self.per_rtt(faster, time_ns) - self.per_rtt(slower, time_ns)
        return gap_per_rtt - (self.sampled(faster, time_ns) - self.sampled(slower, time_ns))

    def initial_advantage(self, faster: float, slower: float) -> float:
        """D'(0): how fast :meth:`advantage` grows initially.

        Args:
            faster: The initial rate of the faster flow, in bytes per nanosecond.
            slower: The initial rate of the slower flow.
        """
        difference = (faster + slower) / self._sample_bytes - 1 / self.rtt_ns
        return (faster - slower) * self.decrease * difference

    def converges_faster(self, faster: float, slower: float) -> bool:
        """1/r < (C₁ + C₀)/(s·M): whether sampling brings two flows together sooner.

        Args:
            faster: The initial rate of the faster flow, in bytes per nanosecond.
            slower: The initial rate of the slower flow.
        """
        return 1 / self.rtt_ns < (faster + slower) / self._sample_bytes

    @property
    def _sample_bytes(self) -> float:
        return self.acks * self.packet_bytes
