"""Figure 12: the age of each switch's telemetry when it reaches the sender."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from incast.measure.run import Run
from incast.measure.series import Array
from incast.papers.claim import Values
from incast.papers.figure import Runs
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.units import percent_text, seconds_text
from incast.table import Categories
from incast.time_units import PICOSECOND

from incast_papers.fncc.algorithms import FNCC, HPCC
from incast_papers.fncc.networks import ages
from incast_papers.fncc.words import WORDS

_LABELS = (FNCC, HPCC)
_QUIET = (100e-6, 200e-6)
"""A period in seconds in which one flow is alone, long after its start."""
_LINK, _RATE = 1.5e-6, 100e9


def _means(runs: Runs, label: str, during: tuple[float, float]) -> Array:
    """Mean age of the telemetry of each switch."""
    found = measured_ages(runs[label], *during, on_acks=label == FNCC)
    return np.array([float(each.mean()) for each in found])


def _expected(runs: Runs, label: str) -> Array:
    data_bits, ack_bits = acknowledged_bits(runs[label])
    return np.array(
        theoretical_ages(
            link=_LINK,
            rate=_RATE,
            data_bits=data_bits,
            ack_bits=ack_bits,
            on_acks=label == FNCC,
        )
    )


def gains(runs: Runs) -> Values:
    """The difference of HPCC's and FNCC's age of telemetry, by switch."""
    younger = _means(runs, HPCC, _QUIET) - _means(runs, FNCC, _QUIET)
    return {f"sw{place}": float(gain) for place, gain in enumerate(younger, 1)}


def _off_theory(runs: Runs) -> Values:
    return {
        f"{label} sw{place}": float(share)
        for label in _LABELS
        for place, share in enumerate(
            _means(runs, label, _QUIET) / _expected(runs, label) - 1, start=1
        )
    }


def _chart(runs: Runs) -> Chart:
    drawn = []
    for colour, label in enumerate(_LABELS):
        expected, measured = _expected(runs, label), _means(runs, label, _QUIET)
        places = np.arange(1, len(measured) + 1)
        drawn += [
            Curve(f"{label}, theory", places, expected, colour, group=label),
            Curve(f"{label}, measured", places, measured, colour, mark="dots", group=label),
        ]
    return Chart(
        "ages",
        "Age of telemetry when the sender has it",
        Axis("switch, from the sender", Quantity.COUNT),
        Axis("age", Quantity.TIME, lower=0),
        drawn,
        note="Of packets sent from 100 to 200 µs, by one flow.",
    )


def measured_ages(run: Run, begin: float, end: float, *, on_acks: bool) -> list[Array]:
    """The age of telemetry when it reaches the sender of flow 0, in seconds. Gives an array for
    each switch, in order from the sender, with a value for each packet sent between two times in
    seconds.

    A switch writes telemetry when the data packet leaves it or, if `on_acks`, when the packet's ACK
    arrives. The run needs a trace of all events of flow 0, whose path is host 0, the switches, the
    receiver.
    """
    trace = _Trace(run)
    data = trace.chosen("send", "data", 0, begin, end)
    sent = np.sort(trace.sequence[data])
    answered = sent + int(trace.payload[data].max())
    heard = trace.times("receive", "ack", 0, answered)
    ages = []
    for switch in trace.switches():
        written = (
            trace.times("receive", "ack", switch, answered)
            if on_acks
            else trace.times("send", "data", switch, sent)
        )
        ages.append((heard - written) * PICOSECOND)
    return ages


def acknowledged_bits(run: Run) -> tuple[float, list[float]]:
    """Bits on the wire of a full data packet of flow 0, and of an ACK on each link back, beginning
    at the receiver.
    """
    packets, trace = run.packets, _Trace(run)
    wire = packets.numbers("wire_bytes")
    data = wire[trace.rows("send", "data", 0)].max()
    switches = trace.switches()
    first = int(trace.sequence[trace.rows("send", "ack", switches[-1])].min())
    here = trace.sequence == first
    sends = trace.rows_of("send", "ack") & here
    in_order = np.flatnonzero(sends)[np.argsort(trace.time[sends], kind="stable")]
    return float(data) * 8, [float(size) * 8 for size in wire[in_order]]


class _Trace:
    """The columns of a packet trace."""

    def __init__(self, run: Run) -> None:
        packets = run.packets
        self.time = packets.numbers("time_ps").astype(np.int64)
        self.node = packets.numbers("node")
        self.sequence = packets.numbers("sequence").astype(np.int64)
        self.payload = packets.numbers("payload_bytes")
        self._event, self._kind = packets.categories("event"), packets.categories("kind")

    def chosen(self, event: str, kind: str, node: int, begin: float, end: float) -> Array:
        """Rows of one kind of event at a node, between two times."""
        seconds = self.time * PICOSECOND
        inside: Array = (seconds >= begin) & (seconds < end)
        chosen: Array = self.rows(event, kind, node) & inside
        return chosen

    def times(self, event: str, kind: str, node: int, sequences: Array) -> Array:
        """Times of an event for the packets with these sequence numbers."""
        rows = np.flatnonzero(self.rows(event, kind, node))
        order = rows[np.argsort(self.sequence[rows], kind="stable")]
        found: Array = self.time[order[np.searchsorted(self.sequence[order], sequences)]]
        return found

    def switches(self) -> list[int]:
        """Switches in the order in which the first packet leaves them."""
        sends = np.flatnonzero(self.rows_of("send", "data"))
        return [node for node in dict.fromkeys(self.node[sends].tolist()) if node != 0]

    def rows(self, event: str, kind: str, node: int) -> Array:
        """Rows of one kind of event at a node."""
        rows: Array = self.rows_of(event, kind) & (self.node == node)
        return rows

    def rows_of(self, event: str, kind: str) -> Array:
        """Rows of one kind of event at all nodes."""
        rows: Array = self._of(self._event, event) & self._of(self._kind, kind)
        return rows

    @staticmethod
    def _of(column: Categories, text: str) -> Array:
        rows: Array = column.indices == column.texts.index(text)
        return rows


def theoretical_ages(
    *, link: float, rate: float, data_bits: float, ack_bits: list[float], on_acks: bool
) -> list[float]:
    """Ages of telemetry on an empty path of equal links, in seconds.

    From switch i, a data packet still crosses the remaining links, each of which takes ``link`` and
    the packet's transmission time. An ACK crosses all links back. ``ack_bits`` has its size on each
    of them, beginning at the receiver, since ACKs may grow on the way. An ACK that is read at
    switch i still crosses the links between the switch and the sender.
    """
    links = len(ack_bits)
    back = list(accumulate((link + bits / rate for bits in reversed(ack_bits)), initial=0.0))
    if on_acks:
        # Switch i, counted from 1, is i links from the sender.
        return back[1:links]
    forth = link + data_bits / rate
    return [(links - switch) * forth + back[-1] for switch in range(1, links)]


FIGURE = WORDS.figure(
    "fig12",
    runs=lambda scale: {label: ages(label) for label in _LABELS},
    charts={"ages": _chart},
    claims=[
        WORDS.claim(
            "F26",
            measure=gains,
            holds=lambda values: values["sw1"] > values["sw2"] > values["sw3"] > 0,
            show=seconds_text,
        ),
        WORDS.claim(
            "F26-theory",
            measure=_off_theory,
            holds=lambda values: all(abs(value) <= 0.02 for value in values.values()),
            show=percent_text,
        ),
    ],
)
