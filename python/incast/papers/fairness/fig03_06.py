"""Dissertation, figure 3.6: long flows' tail in a data centre, with small and large additive
increase.
"""

from __future__ import annotations

from incast.papers import panels
from incast.papers.conditions import within
from incast.papers.fairness.judging import each, large_tail
from incast.papers.fairness.scenarios import DATACENTER_SCALED, hadoop
from incast.papers.fairness.variants import HPCC, HPCC_1G
from incast.papers.paper import Claim, Figure, Kind

_SLACK = "20 % beyond the range: it was read off curves of one seed"

FIGURE = Figure(
    id="fig3.6",
    title="Tail slowdown under Hadoop traffic by additive increase",
    where="dissertation Fig. 3.6",
    setup="320 hosts in HPCC's fat tree, Hadoop sizes at 50 % load, 50 ms of arrivals. Load and "
    "duration are those of the paper's §VI, the dissertation does not repeat them.",
    scaled=DATACENTER_SCALED,
    runs=lambda scale: hadoop(scale, [HPCC, HPCC_1G]),
    charts={"tail": panels.slowdown("p99.9 of FCT slowdown", 99.9)},
    claims=[
        Claim(
            "A11-hpcc",
            "with 50 Mb/s, flows above 1 MB have a tail slowdown of 35 to 45 under HPCC",
            claimed="35–45",
            measure=each(large_tail, HPCC),
            holds=within(35, 45, slack=0.2),
            tolerance=_SLACK,
            kind=Kind.NUMBER,
            full_only=True,
        ),
        Claim(
            "A12-hpcc",
            "with 1 Gb/s it is 10 to 15",
            claimed="10–15",
            measure=each(large_tail, HPCC_1G),
            holds=within(10, 15, slack=0.2),
            tolerance=_SLACK,
            kind=Kind.NUMBER,
            full_only=True,
        ),
    ],
)
