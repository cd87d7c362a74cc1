"""Payload through one NIC."""

from __future__ import annotations

from incast.measure.run import Run, Runs
from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure, RunPlan
from incast.papers.framework.tolerances import Condition, close_to, within
from incast.papers.framework.variations import Variation
from incast.papers.hardware.metrics import MEASURED, one_way
from incast.papers.hardware.networks import Protocol, nic
from incast.present.units import rate_text, ratio_text

_NICS = MEASURED["nic"]
_GB = 8e9
_ONE_WAY, _RING = 2, 16
"""Hosts: a lone flow, or each to the next."""
_HEADERS = (
    "Headers are counted: 158 B around 4096 of MRC, 26 of InfiniBand. NCCL's own work between "
    "chunks, the PCIe bus, and meetings of flows in a network of thousands are not modelled."
)


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


def _write(number: str, label: str, gbps: float, where: str) -> Claim:
    def measure(runs: Runs) -> dict[str, float]:
        return {"": one_way(runs[label])}

    return Claim(
        number,
        f"ib_write_bw through a NIC of {label.removeprefix('write ')} Gb/s under MRC",
        where=where,
        claimed=f"{'about ' if gbps == _NICS['mrc_write']['gbps'] else ''}{gbps:g} Gb/s",
        metric="payload",
        measure=measure,
        holds=close_to(gbps * 1e9, 0.01),
        trend=close_to(gbps * 1e9, 0.05),
        tolerance="1 %, as the number is rounded; as a trend, 5 %",
        kind=Kind.NUMBER,
        show=rate_text,
        explanation="Whether that NIC's packets have the outer IPv6 header in a network of one "
        "plane, and its MTU, are not told.",
    )


def _sendrecv(
    number: str,
    label: str,
    says: str,
    where: str,
    claimed: str,
    holds: Condition,
    trend: Condition,
    tolerance: str,
    note: str = "",
) -> Claim:
    return Claim(
        number,
        says,
        where=where,
        claimed=claimed,
        metric="bus bandwidth, GB/s",
        measure=lambda runs: {"": _gb_per_s(runs[label])},
        holds=holds,
        trend=trend,
        tolerance=f"{tolerance}; as a trend, 5 %",
        kind=Kind.NUMBER,
        show=ratio_text,
        explanation=_HEADERS,
        note=note,
        variations=[_ROCE] if note else (),
    )


_GENERATIONS = (
    "NDR and HDR are generations of InfiniBand, so packets have its headers. Those of RoCEv2, "
    "82 B, stand beside: see variations."
)
_LOW, _HIGH = _NICS["ndr"]["gb_per_s"]

FIGURE = Figure(
    id="nics",
    title="Payload through one NIC",
    where="Araujo et al.; NVIDIA's answers at nccl-tests",
    setup="Hosts on one switch, so that no flows meet; packets of 4096 B with the headers of the "
    "protocol, and what Ethernet has between them, if it is Ethernet; an ACK for each. Alone, 256 "
    "MiB in one direction; else 16 hosts, each to the next.",
    runs=lambda scale: _plan(),
    claims=[
        _write("H03", "write 800", _NICS["mrc_write"]["gbps"], "Araujo et al., point-to-point"),
        _write("H04", "write 400", _NICS["mrc_write_400"]["gbps"], "Araujo et al., appendix"),
        _sendrecv(
            "H05",
            "sendrecv 800",
            "sendrecv through NICs of 800 Gb/s, 42 000 GPUs",
            "Araujo et al., Fig. 15",
            "up to 92 GB/s",
            close_to(_NICS["mrc_sendrecv"]["gb_per_s"], 0.01),
            close_to(_NICS["mrc_sendrecv"]["gb_per_s"], 0.05),
            "1 %, as the number is rounded",
        ),
        _sendrecv(
            "H06-400",
            "sendrecv 400",
            "what to expect of a NIC of 400 Gb/s",
            "NVIDIA/nccl-tests, issue 290",
            "46 to 48 GB/s",
            within(_LOW - 0.5, _HIGH + 0.5),
            within(_LOW, _HIGH, 0.05),
            "the range, and half of a last digit",
            _GENERATIONS,
        ),
        _sendrecv(
            "H06-200",
            "sendrecv 200",
            "what to expect of a NIC of 200 Gb/s",
            "NVIDIA/nccl-tests, issue 119",
            "24 GB/s at most",
            close_to(_NICS["hdr"]["gb_per_s"], 0.02),
            close_to(_NICS["hdr"]["gb_per_s"], 0.05),
            "half of its last digit, 2 %",
            _GENERATIONS,
        ),
        _sendrecv(
            "H06-100",
            "sendrecv 100",
            "what to expect of a NIC of 100 Gb/s",
            "NVIDIA/nccl-tests, issue 119",
            "12 GB/s",
            close_to(_NICS["hdr"]["gb_per_s_100g"], 0.04),
            close_to(_NICS["hdr"]["gb_per_s_100g"], 0.05),
            "half of its last digit, 4 %",
            _GENERATIONS,
        ),
    ],
)
