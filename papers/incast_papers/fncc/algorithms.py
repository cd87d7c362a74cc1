"""The algorithms that the paper compares, and FNCC with our parts, at any link rate, under two
readings of what the paper leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from incast.papers.readings import labelled

__all__ = [
    "ACKS_AMONG_DATA",
    "AS_PRINTED",
    "COLOURS",
    "DCQCN",
    "DIRECT",
    "FNCC",
    "FNCC_PLAIN",
    "FNCC_PLUS",
    "FNCC_PLUS_TABLE",
    "FNCC_PRINTED",
    "FNCC_SINGLE",
    "FNCC_TABLE",
    "FNCC_VAI_SF",
    "HPCC",
    "LHCS_FORMS",
    "LONGER_AVERAGE",
    "LONGER_RTT",
    "LOWEST_1G",
    "MARKINGS",
    "NO_LHCS",
    "NO_STAGE",
    "NO_WINDOW",
    "ONCE_PER_ACK",
    "ONCE_PER_RTT",
    "ON_AVERAGE",
    "ON_LATEST",
    "OTHER_AVERAGE",
    "PAPER_SUFFIX",
    "PATH_RTT",
    "PAUSED_SOONER",
    "RIVALS",
    "ROCC",
    "SHORTER_AVERAGE",
    "TABLES",
    "TARGET_095",
    "WINDOW",
    "Choice",
    "Reading",
    "algorithm",
    "markings",
    "table",
    "telemetry",
]

FNCC, HPCC, DCQCN, ROCC = "FNCC", "HPCC", "DCQCN", "RoCC"
FNCC_PLAIN = "FNCC without LHCS"
FNCC_SINGLE, FNCC_PRINTED = "FNCC single average", "FNCC as printed"
OTHER_AVERAGE = (FNCC_SINGLE, FNCC_PRINTED)
"""FNCC with the average that each setting does not use: first for our setting, then for the
paper's.
"""
_FNCC_SINGLE_PLAIN = "FNCC single average without LHCS"
FNCC_VAI_SF = "FNCC VAI SF"
FNCC_PLUS = "FNCC+"

RIVALS = (FNCC, HPCC, DCQCN, ROCC)
"""The algorithms in the order in which, according to the paper, they slow down."""

_PERIODS = ("0.5 µs", "1 µs", "2 µs", "5 µs")
"""Periods at which switches refresh their tables; the paper does not give one."""


def table(label: str, period: str = "1 µs") -> str:
    """The label of an algorithm with this refresh period of the switches' tables."""
    return f"{label} table {period}"


FNCC_TABLE = table(FNCC)
FNCC_PLUS_TABLE = table(FNCC_PLUS)
TABLES = tuple(table(FNCC, period) for period in _PERIODS)
"""FNCC with each period."""


class Reading(Enum):
    """A reading: the assumptions where the paper says nothing."""

    OURS = ""
    """A careful model: windows limit data in flight, five stages, ACKs ahead of data. Rivals have
    the parameters of their own papers, in proportion to the link rate.
    """
    PAPER = "the paper's setting"
    """The setting that gives the paper's plots. Flows are paced without a window or additive
    stages, and ACKs are queued with data. FNCC's average is updated once per ACK, as in HPCC.
    Rivals have the parameters of 100 Gb/s at every rate, and DCQCN has the marking of HPCC's
    artifact.
    """

    def of(self, label: str) -> str:
        """The label of a run under this reading."""
        return labelled(label, self.value)

    def form(self, label: str) -> str:
        """The form of an algorithm under this reading."""
        return _FORMS.get(label, label) if self is Reading.PAPER else label


PAPER_SUFFIX = "paper"
"""Suffix of the names of panels and of the ids of rows, in the paper's setting."""

_FORMS = {
    FNCC: FNCC_SINGLE,
    FNCC_PLAIN: _FNCC_SINGLE_PLAIN,
    FNCC_TABLE: table(FNCC_SINGLE),
    FNCC_PRINTED: FNCC,
}
"""Forms of algorithms in the paper's setting."""

_WINDOW: dict[Reading, dict[str, Any]] = {
    Reading.OURS: {"target_utilisation": 0.95, "max_stage": 5, "min_rate": "100Mbps"},
    Reading.PAPER: {
        "target_utilisation": 0.95,
        "max_stage": 0,
        "min_rate": "100Mbps",
        "window": "none",
    },
}
"""Published values of HPCC. The paper gives none for FNCC, which it calls an extension of HPCC."""

_NAMED: dict[str, dict[str, Any]] = {
    FNCC: {"algorithm": "fncc"},
    FNCC_PLAIN: {"algorithm": "fncc", "last_hop_speedup": False},
    FNCC_SINGLE: {"algorithm": "fncc", "average": "single"},
    _FNCC_SINGLE_PLAIN: {"algorithm": "fncc", "average": "single", "last_hop_speedup": False},
    FNCC_VAI_SF: {"algorithm": "fncc+vai+sf"},
    FNCC_PLUS: {"algorithm": "fncc", "parameters": "plus"},
    HPCC: {"algorithm": "hpcc"},
}

_DCQCN: dict[str, Any] = {"algorithm": "dcqcn", "parameters": "paper"}
_ROCC: dict[Reading, dict[str, Any]] = {
    Reading.OURS: {"algorithm": "rocc"},
    Reading.PAPER: {
        "algorithm": "rocc",
        "reference_queue": "300KB",
        "middle_queue": "600KB",
        "largest_queue": "660KB",
        "queue_gain": 0.45,
        "growth_gain": 2.25,
    },
}
"""RoCC's values for 100 Gb/s. RoCC scales its values with the link rate unless they are given."""


def algorithm(label: str, gbps: int = 100, reading: Reading = Reading.OURS) -> dict[str, Any]:
    """An algorithm for NICs of this rate in Gb/s. The additive increase of window algorithms is 50
    Mb/s at 100 Gb/s, and grows with the rate, as in W_AI = W_init·(1 − η)/N.
    """
    if label == DCQCN:
        return _DCQCN
    if label == ROCC:
        return _ROCC[reading]
    named = _NAMED[reading.form(label).partition(" table ")[0]]
    return {**named, **_WINDOW[reading], "additive_increase": f"{gbps // 2}Mbps"}


def telemetry(label: str, reading: Reading = Reading.OURS) -> dict[str, Any]:
    """Options of the network for an algorithm under a reading. FNCC's table is live, or refreshed
    at a period, which the paper mentions without a number.
    """
    options: dict[str, Any] = {}
    _, refreshed, period = label.partition(" table ")
    if refreshed:
        options["int_table_period"] = period.replace(" µs", "us")
    if reading is Reading.PAPER:
        options["model"] = {"ack_class": "data", "ack_pausable_at_host": True}
        if label == DCQCN:
            options["ecn"] = {"k_min": "400KB", "k_max": "1600KB", "p_max": 0.2}
    return options


@dataclass(frozen=True)
class Choice:
    """An alternative to one choice of a reading, where the paper leaves it open."""

    name: str
    senders: Mapping[str, Any] = field(default_factory=dict)
    """Options of HPCC and FNCC."""
    fncc: Mapping[str, Any] = field(default_factory=dict)
    """Options of FNCC alone."""
    network: Mapping[str, Any] = field(default_factory=dict)

    def __add__(self, other: Choice) -> Choice:
        """Both choices together."""
        return Choice(
            f"{self.name}, {other.name}",
            {**self.senders, **other.senders},
            {**self.fncc, **other.fncc},
            {**self.network, **other.network},
        )

    def of(self, label: str) -> str:
        """The label of a run with this alternative."""
        return labelled(label, self.name)

    def applied(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """A scenario with this alternative."""
        cc = dict(scenario["cc"])
        if cc["algorithm"] in ("hpcc", "fncc"):
            cc |= self.senders
        if cc["algorithm"] == "fncc":
            cc |= self.fncc
        run = {**scenario["run"], "name": f"{scenario['run']['name']}, {self.name}"}
        return {
            **scenario,
            "run": run,
            "cc": cc,
            "network": {**scenario["network"], **self.network},
        }


NO_WINDOW = Choice("no window", {"window": "none"})
NO_STAGE = Choice("no additive stage", {"max_stage": 0})
ACKS_AMONG_DATA = Choice(
    "ACKs among the data",
    network={"model": {"ack_class": "data", "ack_pausable_at_host": True}},
)
ONCE_PER_ACK = Choice("averaged once per ACK", fncc={"average": "single"})
AS_PRINTED = Choice("averaged as printed", fncc={"average": "printed"})
PATH_RTT = Choice("base RTT of the pair of hosts", network={"base_rtt": "path"})
LONGER_RTT = Choice(
    "base RTT of a path of six links elsewhere", network={"largest_base_rtt": "18.8us"}
)
DIRECT = Choice("LHCS's share as the rate", fncc={"last_hop_form": "direct"})
ON_AVERAGE = Choice("LHCS on the average", fncc={"last_hop_measure": "average"})
LHCS_FORMS = (DIRECT, ON_AVERAGE, DIRECT + ON_AVERAGE)
"""Forms of LHCS according to the text; they change FNCC alone."""

ONCE_PER_RTT = Choice("reactions once per RTT", {"fast_react": False})
WINDOW = Choice("windows limit what is in flight", {"window": "variable"})
PAUSED_SOONER = Choice("PFC at 250 KB of a port", network={"pfc": {"threshold": "250KB"}})
"""Half of the threshold of 500 KB, as that queue fills from two ports."""

ON_LATEST = Choice("LHCS on the latest utilisation", fncc={"last_hop_measure": "latest"})
TARGET_095 = Choice("LHCS at 0.95 of the fair rate", fncc={"last_hop_target": 0.95})
NO_LHCS = Choice("no LHCS", fncc={"last_hop_speedup": False})
SHORTER_AVERAGE = Choice("averages over a quarter of a base RTT", fncc={"averaging_rtts": 0.25})
LONGER_AVERAGE = Choice("averages over a base RTT", fncc={"averaging_rtts": 1.0})
LOWEST_1G = Choice("no rate below 1 Gb/s", {"min_rate": "1Gbps"})
"""Alternatives for FNCC+, which has LHCS on averages over half a base RTT, at 0.9 of the fair rate,
and a lowest rate of 100 Mb/s.
"""

MARKINGS = {
    "DCQCN marks from 5 to 200 KB with 0.01 (Zhu et al., at 40 Gb/s)": ("5KB", "200KB", 0.01),
    "DCQCN marks from 12.5 to 500 KB with 0.01 (the same per Gb/s)": ("12.5KB", "500KB", 0.01),
    "DCQCN marks from 400 to 1600 KB with 0.2 (HPCC's artifact)": ("400KB", "1600KB", 0.2),
    "DCQCN marks from 400 to 1600 KB with 0.01": ("400KB", "1600KB", 0.01),
}
"""Readings of 'default values recommended in (Zhu et al.)' at 100 Gb/s: lower threshold, upper
threshold, and marking probability at the upper threshold.
"""
_OF_READING = {Reading.OURS: 1, Reading.PAPER: 2}


def markings(reading: Reading) -> list[Choice]:
    """Alternatives to the reading's marking for DCQCN."""
    return [
        Choice(name, network={"ecn": dict(zip(("k_min", "k_max", "p_max"), given, strict=True))})
        for place, (name, given) in enumerate(MARKINGS.items())
        if place != _OF_READING[reading]
    ]


COLOURS = {
    FNCC: 0,
    FNCC_PLAIN: 5,
    FNCC_TABLE: 6,
    FNCC_SINGLE: 5,
    FNCC_PRINTED: 5,
    FNCC_VAI_SF: 4,
    FNCC_PLUS: 2,
    FNCC_PLUS_TABLE: 4,
    HPCC: 1,
    DCQCN: 2,
    ROCC: 3,
}
