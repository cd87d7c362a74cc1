"""Trials for claims, beside the variations that figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incast.papers.tried import Distance, Trial, setting

from incast_papers.hardware.algorithms import PAPERS, VENDORS
from incast_papers.hardware.figures import drops, incast
from incast_papers.hardware.metrics import MEASURED
from incast_papers.hardware.networks import Protocol

__all__ = ["DISTANCES", "TRIALS"]

_ROCE = setting(network={"packets": {"data_header": f"{Protocol.ROCE.header}B"}})
_NINE_KB = setting(network={"packets": {"mtu": "8192B"}})

TRIALS: Mapping[str, Sequence[Trial]] = {
    "nics": [
        trial
        for claim, label in (("H04", "write 400"), ("H05", "sendrecv 800"))
        for trial in (
            Trial("RoCEv2's headers", [_ROCE], [claim], [label]),
            Trial("payloads of 8192 B", [_NINE_KB], [claim], [label]),
        )
    ],
    "incast": [
        Trial(reading, [], incast.UNDER_DCQCN, incast.OF_DCQCN) for reading in (VENDORS, PAPERS)
    ],
    "drops": [
        Trial(
            "losses are shown by timeouts alone",
            [setting(network={"recovery": {"loss_detection": {"kind": "explicit"}}})],
            ["H18", "H19"],
            drops.OF_TWO,
        ),
        Trial(
            "under DCQCN",
            [setting(cc={"algorithm": "dcqcn"})],
            ["H18", "H19"],
            drops.OF_TWO,
        ),
    ],
}
"""Trials by figure."""


def _near(claimed: float) -> Distance:
    return lambda values: max(abs(value / claimed - 1) for value in values.values())


_NICS, _INCAST, _LEAF = (MEASURED[name] for name in ("nic", "incast", "leaf"))

DISTANCES: Mapping[str, Distance] = {
    "H04": _near(_NICS["mrc_write_400"]["gbps"] * 1e9),
    "H05": _near(_NICS["mrc_sendrecv"]["gb_per_s"]),
    "H08": _near(float(_INCAST["dcqcn_loss"])),
    "H10": _near(_INCAST["dcqcn_qps_lowest_gbps"] * 1e9),
    "H18": _near(sum(_LEAF["payload_gbps"]) / 2 * 1e9),
    "H19": _near(0.26),
}
"""For claims without a distance of their own, the distance of values from the claim."""
