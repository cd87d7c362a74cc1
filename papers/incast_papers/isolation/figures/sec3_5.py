"""§3.5: resources that attacks need: QPs, and rings."""

from __future__ import annotations

import numpy as np
from incast.papers.claim import Values
from incast.papers.figure import RunPlan, Runs, Scale
from incast.present.units import count_text

from incast_papers.isolation.networks import BDP, large_transfer, overlays
from incast_papers.isolation.words import WORDS

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
    """The number of rings, given that no two rings share a pair of source and destination."""
    flows = runs[_label(servers)].completed
    pairs = np.unique(flows.numbers("source") * servers + flows.numbers("destination"))
    return len(pairs) / servers


FIGURE = WORDS.figure(
    "sec3_5",
    runs=_plan,
    claims=[
        WORDS.claim(
            "D18",
            measure=_needs,
            holds=lambda values: (
                abs(values["base RTT (ns)"] - 12_240) <= 600
                and abs(values["BDP (B)"] / BDP - 1) <= 0.05
                and values["QPs"] >= 650
            ),
            show=count_text,
        ),
        WORDS.claim(
            "D19",
            measure=lambda runs: {_label(servers): _rings(runs, servers) for servers in _SERVERS},
            holds=lambda values: all(
                values[_label(servers)] == servers - 1 for servers in _SERVERS
            ),
            show=count_text,
        ),
    ],
)
