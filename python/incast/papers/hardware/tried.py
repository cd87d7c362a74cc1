"""What was tried for claims, beside what their figures have themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incast.papers.framework.tried import Trial, setting
from incast.papers.hardware.algorithms import PAPERS, VENDORS
from incast.papers.hardware.figures import drops, incast
from incast.papers.hardware.networks import Protocol

__all__ = ["TRIALS"]

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
"""By figure."""
