"""How long packets take to leave a port."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["transmission_ps"]

_BIT_PS = 8_000_000_000_000


def transmission_ps(rate_bps: int, wire: int, clock: str) -> int:
    """The time in which a packet leaves at the full rate of a link, in picoseconds.

    Args:
        rate_bps: Of the link.
        wire: Bytes of the packet with all headers.
        clock: Of the run, as its summary has it.
    """
    if clock == "nanoseconds":
        # The artifact's clock: seconds in binary, cut to whole ns.
        seconds = Fraction(wire * 8 / rate_bps)
        return int(int(seconds * 2**64) * 1_000_000_000 >> 64) * 1000
    return -(-wire * _BIT_PS // rate_bps)
