"""The ports that a reader should look at first."""

from __future__ import annotations

import numpy as np

from incast.present.units import bytes_text, count_text, percent_text, rate_text, time_text
from incast.table import Table

__all__ = ["HEADER", "by_longest_queue"]

HEADER = [
    "port",
    "rate",
    "utilisation",
    "longest queue",
    "marked",
    "dropped",
    "pauses sent",
    "paused",
]
_MOST = 15


def by_longest_queue(ports: Table) -> list[list[str]]:
    """Ports by longest queue, then by utilisation; those that sent nothing are left out."""
    queue, used = ports.numbers("queue_max_bytes"), ports.numbers("utilisation")
    order = np.lexsort((-used, -queue.astype(float)))
    picks = [int(place) for place in order[:_MOST] if used[place] > 0 or queue[place] > 0]
    labels = ports.categories("label")
    numbers = {name: ports.numbers(name) for name in _NUMBERS}
    return [
        [
            labels.texts[labels.indices[place]],
            rate_text(numbers["rate_bps"][place]),
            percent_text(used[place]),
            bytes_text(queue[place]),
            count_text(numbers["marked"][place]),
            count_text(numbers["dropped"][place]),
            count_text(numbers["pauses_sent"][place]),
            time_text(numbers["paused_ps"][place]),
        ]
        for place in picks
    ]


_NUMBERS = ("rate_bps", "marked", "dropped", "pauses_sent", "paused_ps")
