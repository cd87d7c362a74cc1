"""§3.5: what the attacks need: QPs, and rings."""

from __future__ import annotations

import numpy as np

from incast.papers.framework.claim import Claim, Kind, Values
from incast.papers.framework.paper import Figure, RunPlan, Runs, Scale
from incast.papers.isolation.networks import BDP, large_transfer, overlays
from incast.present.units import count_text

_SERVERS = (5, 7, 8, 9, 12)
_TRANSFER = "100 MB"


def _label(servers: int) -> str:
    return f"{servers} servers"


def _plan(scale: Scale) -> dict[str, RunPlan]:
    planned = {_label(servers): overlays(servers) for servers in _SERVERS}
    return {_TRANSFER: large_transfer(), **planned}


def _needs(runs: Runs) -> Values:
    summary, flows = runs[_TRANSFER].summary, runs[_TRANSFER].completed
    return {
        "base RTT (ns)": float(summary["base_rtt_ps"]) / 1000,
        "BDP (B)": float(summary["bdp_bytes"]),
        "QPs": float(len(flows)),
    }


def _rings(runs: Runs, servers: int) -> float:
    """Rings among which no two have a pair of source and destination in common."""
    flows = runs[_label(servers)].completed
    pairs = np.unique(flows.numbers("source") * servers + flows.numbers("destination"))
    return len(pairs) / servers


FIGURE = Figure(
    id="sec3_5",
    title="What the attacks need",
    where="Dissertation, §3.5.2 and §3.5.3",
    setup="A transfer of 100 MB in pieces of a BDP over the 320-host fat tree; all-reduces over "
    "all disjoint rings of a star.",
    runs=_plan,
    claims=[
        Claim(
            "D18",
            "the fat tree's RTT is 12 µs, its BDP 153 KB; 100 MB need more than 650 QPs",
            claimed="12 µs, 153 KB, 650+",
            metric="base RTT, BDP, and QPs",
            measure=_needs,
            holds=lambda values: (
                abs(values["base RTT (ns)"] - 12_240) <= 600
                and abs(values["BDP (B)"] / BDP - 1) <= 0.05
                and values["QPs"] >= 650
            ),
            tolerance="5 % of 12.24 µs and 153 KB, which count no headers; at least 650 QPs",
            kind=Kind.THEORY,
            show=count_text,
        ),
        Claim(
            "D19",
            "n servers have n - 1 rings of equal cost",
            claimed="n - 1 for n > 8",
            metric="rings of equal cost, by servers",
            measure=lambda runs: {_label(servers): _rings(runs, servers) for servers in _SERVERS},
            holds=lambda values: all(
                values[_label(servers)] == servers - 1 for servers in _SERVERS
            ),
            tolerance="none: rings of which no two share a pair of source and destination. They "
            "exist for all n but 4 and 6",
            kind=Kind.NUMBER,
            show=count_text,
        ),
    ],
)
