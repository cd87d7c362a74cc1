"""Sections 3.2.3 and 4.3: sizes of tables in hardware."""

from __future__ import annotations

from incast.present.units import count_text

from incast_papers.fncc.words import WORDS

_FIELDS = {"link rate": 4, "time": 24, "bytes sent": 20, "queue": 16}
"""Bits of the fields in a port's table entry."""

FIGURE = WORDS.figure(
    "sec4",
    claims=[
        WORDS.claim(
            "F25",
            measure=lambda runs: {"bits": 64.0 * sum(_FIELDS.values())},
            holds=lambda values: values["bits"] == 4096,
            show=count_text,
        ),
        WORDS.claim(
            "F28",
            measure=lambda runs: {"connections": 2.0**16},
            holds=lambda values: values["connections"] == 65536,
            show=count_text,
        ),
    ],
)
