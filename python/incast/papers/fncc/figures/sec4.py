"""Sections 3.2.3 and 4.3: sizes of tables in hardware."""

from __future__ import annotations

from incast.papers.framework.claim import Claim, Kind
from incast.papers.framework.paper import Figure
from incast.present.units import count_text

_FIELDS = {"link rate": 4, "time": 24, "bytes sent": 20, "queue": 16}
"""Bits of a port's entry in the table."""

FIGURE = Figure(
    id="sec4",
    title="Sizes in hardware",
    where="§4.3",
    claims=[
        Claim(
            "F25",
            "a switch of 64 ports keeps a table of 4 kbit",
            claimed="4 kbit",
            metric="size of the table",
            measure=lambda runs: {"bits": 64.0 * sum(_FIELDS.values())},
            holds=lambda values: values["bits"] == 4096,
            tolerance="none: 64 entries of 4 + 24 + 20 + 16 bits",
            kind=Kind.THEORY,
            show=count_text,
        ),
        Claim(
            "F28",
            "16 bits count 64k connections",
            where="§3.2.3",
            claimed="64k",
            metric="connections",
            measure=lambda runs: {"connections": 2.0**16},
            holds=lambda values: values["connections"] == 65536,
            tolerance="none: a power of two",
            kind=Kind.THEORY,
            show=count_text,
        ),
    ],
)
