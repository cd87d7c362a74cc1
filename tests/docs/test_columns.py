"""Pages name every column, word and measure of the tables that runs write."""

import re

import incast
import pytest
from page_reader import ROOT

TRACE = "scenario/measure.md"
SERIES = "results/columns.md"


@pytest.fixture(scope="module")
def results():
    """Results with packets over several paths, marked and trimmed, and with the state of their
    algorithm.
    """
    changed = {
        "measure.packets": {"until": "60us"},
        "measure.flows": {"which": "all", "probes": True},
        "measure.queues": {"ports": "all", "every": "10us"},
    }
    return incast.run(ROOT / "examples" / "spraying.toml", **changed)


def named(page):
    """The words between backquotes in the page's tables."""
    rows = re.findall(r"^\|.*$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_the_trace_of_packets(results):
    columns = set(next(iter(results.packets)))
    words = {row[column] for row in results.packets for column in ("event", "kind")}
    assert "source_port" in columns
    assert {"trim", "trimmed"} <= words
    assert columns | words <= named(TRACE)


def test_measures_of_the_series(results):
    measures = {row["measure"] for row in results.series}
    assert {"queue_bytes", "paused_ports", "jain_index", "window_bytes"} <= measures
    assert {name for name in measures if not name.startswith("cc_")} <= named(SERIES)
    pauses = {row["measure"] for row in _pauses().series}
    assert "pfc" in pauses
    assert pauses <= named(SERIES)


def _pauses():
    return incast.run(ROOT / "examples" / "pauses.toml")
