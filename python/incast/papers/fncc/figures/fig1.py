"""Figure 1 (b–d): the queue where two elephants meet, at three link rates."""

from __future__ import annotations

from incast.papers.fncc.algorithms import DCQCN, FNCC, HPCC
from incast.papers.fncc.metrics import each, lowest, peak
from incast.papers.fncc.networks import SHOWN, at, elephants_at
from incast.papers.framework import panels
from incast.papers.framework.paper import Claim, Figure
from incast.present.units import bytes_text

_RATES = (100, 200, 400)
_LABELS = (FNCC, HPCC, DCQCN)


def _deeper(gbps: int) -> Claim:
    labels = [at(label, gbps) for label in _LABELS]
    return Claim(
        f"F10-{gbps}",
        f"at {gbps} Gb/s queues under HPCC and DCQCN are deeper than under FNCC",
        claimed="deeper",
        measure=each(peak, *labels),
        holds=lowest(labels[0], labels[1:]),
        tolerance="none: the peak under FNCC is below both",
        show=bytes_text,
    )


FIGURE = Figure(
    id="fig1",
    title="Queue where two elephants meet, by link rate",
    where="Fig. 1b–d",
    setup="Three switches in a row, 1.5 µs a link. One sender starts at 0, the other at 300 µs; "
    "both at line rate, to one receiver. The queue is the first switch's towards the second.",
    runs=lambda scale: elephants_at(_RATES, _LABELS),
    charts={
        f"{letter}-queue-{gbps}": panels.port_queue(
            f"({letter}) Queue at {gbps} Gb/s",
            {at(label, gbps): label for label in _LABELS},
            between=SHOWN,
        )
        for letter, gbps in zip("bcd", _RATES, strict=True)
    },
    claims=[_deeper(gbps) for gbps in _RATES],
)
