"""A run made up from a few numbers, for metrics that are computed by hand."""

from types import SimpleNamespace

import numpy as np
from incast.table import Categories

US = 1_000_000  # ps


class Columns:
    """A table in memory."""

    def __init__(self, **columns):
        self._columns = columns

    def numbers(self, name):
        return np.asarray(self._columns[name])

    def categories(self, name):
        texts = list(dict.fromkeys(self._columns[name]))
        return Categories(texts, np.array([texts.index(text) for text in self._columns[name]]))


def run(starts, finishes, sizes=None, slowdowns=None, queue=(), jain=None, indices=()):
    """Makes a run from starts and finishes of flows in µs, and from (µs, value) samples of queues
    and of Jain's index.
    """
    starts, finishes = np.array(starts, dtype=np.int64), np.array(finishes, dtype=np.int64)
    flows = Columns(
        start_ps=starts * US,
        fct_ps=(finishes - starts) * US,
        size_bytes=sizes if sizes is not None else [1] * len(starts),
        slowdown=slowdowns if slowdowns is not None else [1.0] * len(starts),
    )
    rows = [("queue_max_bytes", *row) for row in queue]
    rows += [("jain_index", *row) for row in indices]
    series = Columns(
        time_ps=[time * US for _, time, _ in rows],
        value=[float(value) for _, _, value in rows],
        measure=[measure for measure, _, _ in rows],
        entity=["network"] * len(rows),
    )
    return SimpleNamespace(
        flows=flows, completed=flows, series=series, summary={"jain_index": jain}
    )
