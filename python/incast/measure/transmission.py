"""The time that a packet takes to leave a port."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["transmission_ps"]

_BIT_PS = 8_000_000_000_000


def transmission_ps(rate_bps: int, wire: int, clock: str) -> int:
    """The transmission time of a packet at the full rate of a link, in picoseconds.

    Args:
        rate_bps: The rate of the link.
        wire: The size of the packet with all headers, in bytes.
        clock: The clock of the run, as its summary names it.
    """
    if clock == "nanoseconds":
        # The clock of HPCC's artifact: seconds as binary fractions, truncated to whole ns.
        seconds = Fraction(wire * 8 / rate_bps)
        return int(int(seconds * 2**64) * 1_000_000_000 >> 64) * 1000
    return -(-wire * _BIT_PS // rate_bps)
