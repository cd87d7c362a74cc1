"""Names of the parts of an FCT in print."""

from __future__ import annotations

__all__ = ["PART_NAMES"]

PART_NAMES = {
    "sending": "sending, once",
    "way": "way of the last packet and its ACK",
    "window": "full window: round trips",
    "full_window": "full window",
    "pacing": "pace",
    "queue": "queue",
    "pause": "paused by PFC",
    "last_waits": "waits of the last packet and its ACK",
    "nic": "other packets of its NIC",
    "nic_paused": "NIC paused by PFC",
    "turn": "turn of other flows of its QP",
    "grant": "no grant",
    "credit": "no credit",
    "resending": "sending again",
    "loss": "loss not known yet",
    "timeout": "timeout",
    "computing": "computing",
    "receiver": "ACK not made yet",
    "idle": "port idle",
}
