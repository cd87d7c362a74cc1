"""Shares of the parts of FCT over many flows and several runs, compared with numbers computed by
hand.
"""

import json
import math

import numpy as np
import pytest
from incast.explain import breakdown_page
from incast.explain.breakdown import Breakdown, listed
from incast.measure.fct_parts import Shares, common_classes
from incast.present.breakdown import groups, table
from incast.present.charts.breakdown import charts

SIZES = np.array([1000.0, 1000.0, 8000.0])
ONE = Shares(
    "three flows",
    SIZES,
    {"sending": np.array([0.2, 0.4, 0.6]), "queue": np.array([0.8, 0.6, 0.4])},
)
OTHER = Shares(
    "one flow", np.array([8000.0]), {"sending": np.array([0.5]), "pause": np.array([0.5])}
)
FOUND = {
    "one": Breakdown("slow", "one", {"some": ONE, "slowest": ONE}),
    "other": Breakdown("slow", "other", {"some": OTHER, "slowest": OTHER}),
}


def test_means_by_size():
    """For 1 KB: (0.2 + 0.4) / 2; for 8 KB one flow; for all (0.2 + 0.4 + 0.6) / 3."""
    classes = common_classes([ONE, OTHER])
    assert classes.largest.tolist() == [1000, 8000]
    assert ONE.by_size(classes)["sending"] == pytest.approx([0.3, 0.6])
    assert ONE.of_all == pytest.approx({"sending": 0.4, "queue": 0.6})
    small, large = OTHER.by_size(classes)["pause"]
    assert math.isnan(small)
    assert large == 0.5


def test_json_has_labels_and_common_classes():
    one, other = listed(FOUND)
    assert (one["label"], other["label"]) == ("one", "other")
    for each, counts in ((one, [2, 1]), (other, [0, 1])):
        for group in each["groups"]:
            assert group["largest_bytes"] == [1000, 8000]
            assert group["flows_by_size"] == counts
    assert other["groups"][0]["by_size"]["pause"] == [None, 0.5]
    json.dumps([one, other], allow_nan=False)


def test_a_row_for_each_run_of_each_size():
    header, rows = table({"one": ONE, "other": OTHER})
    assert header == ["size up to", "run", "flows", "sending, once", "queue", "paused by PFC"]
    assert rows == [
        ["1 KB", "one", "2", "30 %", "70 %", "0 %"],
        ["1 KB", "other", "0", "–", "–", "–"],
        ["8 KB", "one", "1", "60 %", "40 %", "0 %"],
        ["8 KB", "other", "1", "50 %", "0 %", "50 %"],
        ["all", "one", "3", "40 %", "60 %", "0 %"],
        ["all", "other", "1", "50 %", "0 %", "50 %"],
    ]
    # A single run needs no name.
    assert table({"one": ONE})[0][:2] == ["size up to", "flows"]


def test_the_title_of_a_page_tells_its_runs_apart(tmp_path):
    for found, title in ((FOUND, "one, other"), ({"one": FOUND["one"]}, "slow")):
        file = breakdown_page.write(found, tmp_path / "page.html")
        text = file.read_text(encoding="utf-8")
        assert f"Where the time went: {title}</h1>" in text


def test_bars_stand_on_each_other_and_runs_beside_each_other():
    """Sizes stand at 0 and 1, all flows at 2. Bars of two runs are 0.41 apart, symmetric around
    that place.
    """
    chart, slowest = charts(groups(FOUND))
    assert chart.x.names == ("≤ 1 KB", "≤ 8 KB", "all")
    assert [(curve.label, curve.group) for curve in chart.curves] == [
        ("sending, once", "one"),
        ("queue", "one"),
        ("sending, once", "other"),
        ("paused by PFC", "other"),
    ]
    first, second, third, fourth = chart.curves
    assert first.x == pytest.approx([-0.205, 0.795, 1.795])
    assert third.x == pytest.approx([0.205, 1.205, 2.205])
    assert first.bars.width == pytest.approx(0.94 * 0.41)
    assert first.bars.base == pytest.approx([0, 0, 0])
    assert second.bars.base == pytest.approx([0.3, 0.6, 0.4])
    assert second.y + second.bars.base == pytest.approx([1, 1, 1])
    assert fourth.bars.base == pytest.approx([0, 0.5, 0.5])
    assert fourth.y == pytest.approx([np.nan, 0.5, 0.5], nan_ok=True)
    # A part has the same colour in all runs and in both charts.
    assert first.colour == third.colour == slowest.curves[0].colour
    assert "from left to right: one, other" in chart.note
