"""Payload through one NIC."""

from __future__ import annotations

from collections.abc import Sequence

from incast.measure.run import Run, Runs
from incast.papers.claim import Claim
from incast.papers.figure import RunPlan
from incast.papers.tolerances import Condition, close_to, within
from incast.papers.variations import Variation
from incast.present.units import rate_text, ratio_text

from incast_papers.hardware.metrics import MEASURED, one_way
from incast_papers.hardware.networks import Protocol, nic
from incast_papers.hardware.words import WORDS

_NICS = MEASURED["nic"]
_GB = 8e9
_ONE_WAY, _RING = 2, 16
"""The number of hosts: a single flow, or each host sends to the next."""

_ROCE = Variation(
    "RoCEv2's headers", {f"sendrecv {rate}": f"sendrecv {rate}, RoCEv2" for rate in (400, 200, 100)}
)


def _plan() -> dict[str, RunPlan]:
    found = {
        "write 800": nic(800, Protocol.MRC, hosts=_ONE_WAY, mebibytes=256),
        "write 400": nic(400, Protocol.MRC, hosts=_ONE_WAY, mebibytes=256),
        "sendrecv 800": nic(800, Protocol.MRC, hosts=_RING, mebibytes=1024),
    }
    for rate in (400, 200, 100):
        for label, protocol in (("", Protocol.INFINIBAND), (", RoCEv2", Protocol.ROCE)):
            planned = nic(rate, protocol, hosts=_RING, mebibytes=256)
            found[f"sendrecv {rate}{label}"] = planned
    return found


def _gb_per_s(run: Run) -> float:
    return float(run.summary["collectives"][0]["bus_bandwidth_bps"]) / _GB


def _write(number: str, label: str, gbps: float) -> Claim:
    def measure(runs: Runs) -> dict[str, float]:
        return {"": one_way(runs[label])}

    return WORDS.claim(
        number,
        measure=measure,
        holds=close_to(gbps * 1e9, 0.01),
        trend=close_to(gbps * 1e9, 0.05),
        show=rate_text,
    )


def _sendrecv(
    number: str,
    label: str,
    holds: Condition,
    trend: Condition,
    variations: Sequence[Variation] = (),
) -> Claim:
    return WORDS.claim(
        number,
        measure=lambda runs: {"": _gb_per_s(runs[label])},
        holds=holds,
        trend=trend,
        show=ratio_text,
        variations=variations,
    )


_LOW, _HIGH = _NICS["ndr"]["gb_per_s"]

FIGURE = WORDS.figure(
    "nics",
    runs=lambda scale: _plan(),
    claims=[
        _write("H03", "write 800", _NICS["mrc_write"]["gbps"]),
        _write("H04", "write 400", _NICS["mrc_write_400"]["gbps"]),
        _sendrecv(
            "H05",
            "sendrecv 800",
            close_to(_NICS["mrc_sendrecv"]["gb_per_s"], 0.01),
            close_to(_NICS["mrc_sendrecv"]["gb_per_s"], 0.05),
        ),
        _sendrecv(
            "H06-400",
            "sendrecv 400",
            within(_LOW - 0.5, _HIGH + 0.5),
            within(_LOW, _HIGH, 0.05),
            [_ROCE],
        ),
        _sendrecv(
            "H06-200",
            "sendrecv 200",
            close_to(_NICS["hdr"]["gb_per_s"], 0.02),
            close_to(_NICS["hdr"]["gb_per_s"], 0.05),
            [_ROCE],
        ),
        _sendrecv(
            "H06-100",
            "sendrecv 100",
            close_to(_NICS["hdr"]["gb_per_s_100g"], 0.04),
            close_to(_NICS["hdr"]["gb_per_s_100g"], 0.05),
            [_ROCE],
        ),
    ],
)
