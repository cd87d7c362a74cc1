"""Charts show the numbers of the results."""

import incast
import numpy as np
import pytest
import scenarios
from incast.comparison import labelled
from incast.present import charts, palette


def chart(name, *runs):
    return charts.chart(name, labelled(list(runs)))


PARTIES = ("roles", "traffic", "traffic-cdf")
"""Charts of the parties of a scenario; this scenario has no parties."""
SUMMED = ("breakdown", "breakdown-slowest")
"""Charts of recordings that a run makes only if asked to; this run was not."""
TAILS = ("slowdown-p99", "slowdown-p99.9")
"""Charts that need a hundred flows, or a thousand."""


@pytest.mark.parametrize(
    "name", [each.name for each in charts.CHARTS if each.name not in (*PARTIES, *SUMMED, *TAILS)]
)
def test_every_chart_of_few_flows_has_data(name, star):
    drawn = chart(name, star)
    assert not drawn.empty
    assert drawn.name == name
    for curve in drawn.curves:
        assert len(curve.x) == len(curve.y) > 0
        assert (np.diff(curve.x) >= 0).all() or curve.mark == "dots"


@pytest.mark.parametrize("name", [each.name for each in charts.CHARTS])
def test_a_chart_without_data_says_why_or_is_of_no_use(name, empty):
    drawn = chart(name, empty)
    assert drawn.empty
    of_no_use = ("limits", "windows", "rtt-cdf", "reordering", *PARTIES, *SUMMED)
    assert drawn.missing or name in of_no_use


def test_what_is_not_recorded_says_how_to_record_it(fabric):
    drawn = chart("rates", fabric)
    assert drawn.empty
    assert '[measure.flows]\nwhich = "all"' in drawn.missing


def test_round_trips_are_a_share_of_packets(star):
    (curve,) = chart("rtt-cdf", star).curves
    assert curve.x[[0, -1]] == pytest.approx([5e-6, 9e-6])
    assert curve.y == pytest.approx([3 / 16, 11 / 16, 15 / 16, 159 / 160, 1])


def test_reordering_is_a_share_of_packets_at_distances_and_above(star):
    """Of 1000 packets, 30 are 1 packet late, 20 are 2 or 3 late, and 10 are 4 to 7 late."""
    (curve,) = chart("reordering", star).curves
    assert list(curve.x) == [1, 2, 4]
    assert curve.y == pytest.approx([0.06, 0.03, 0.01])


def test_finish_over_start_is_for_few_flows(star, fabric):
    assert len(chart("finish", star).curves[0].x) == 16
    assert chart("finish", fabric).empty
    assert not chart("finish", fabric).missing


def test_percentiles_of_several_runs_differ_in_dash_and_runs_in_colour(folders):
    runs = [incast.load(folders[name]) for name in ("star", "fabric")]
    curves = chart("slowdown", *runs).curves
    labels = ["star16 p50", "star16 largest", "hadoop-320 p50", "hadoop-320 p95", "hadoop-320 p99"]
    assert [curve.label for curve in curves] == labels
    assert [curve.colour for curve in curves] == [0, 0, 1, 1, 1]
    assert [curve.dash for curve in curves] == ["dotted", "solid", "dotted", "dashed", "solid"]


def test_percentiles_of_too_few_flows_are_not_drawn(star):
    """With 16 flows p95 and p99 are both at index 15, the largest."""
    drawn = chart("slowdown", star)
    assert [curve.label for curve in drawn.curves] == ["p50", "largest"]
    assert drawn.curves[1].y == pytest.approx(star.flows.numbers("slowdown").max())
    assert "too few for p95 or p99" in drawn.note


def test_rates_are_what_flows_got_and_limits_what_they_may_get(star):
    rates, limits = (chart(name, star).curves[0] for name in ("rates", "limits"))
    drawn = np.isfinite(rates.y)
    limit = np.interp(rates.x, limits.x, limits.y)
    # Flows of the made-up run send at nine tenths of their limits.
    assert np.median(rates.y[drawn] / limit[drawn]) == pytest.approx(0.9, rel=0.01)
    assert "acknowledged over the last 17 µs" in chart("rates", star).note


def test_slowdown_says_how_points_are_made(fabric):
    assert "cut into groups of equal count" in chart("slowdown", fabric).note


def test_many_curves_go_along_the_ramp(star):
    colours = [curve.colour for curve in chart("rates", star).curves]
    assert colours == pytest.approx(np.linspace(0, 1, 16))


def test_few_curves_take_the_palette(star):
    assert [curve.colour for curve in chart("slowdown", star).curves] == [0, 2]


def test_a_port_that_has_the_only_queue_stands_for_the_longest(star):
    assert [curve.label for curve in chart("queue", star).curves] == ["switch 17 port 16 → host 16"]


def test_time_is_in_seconds(star):
    assert chart("queue", star).curves[0].x[-1] == pytest.approx(1.4e-3, rel=0.01)


def test_runs_of_a_comparison_have_one_queue_each(folders):
    runs = [incast.load(folders[name]) for name in ("star", "star-none")]
    drawn = chart("queue", *runs)
    assert [curve.label for curve in drawn.curves] == ["hpcc", "none"]


def test_a_palette_for_white_and_one_for_black():
    assert len(palette.CATEGORIES_LIGHT) == len(palette.CATEGORIES_DARK) == palette.SIZE
    assert len(palette.RAMP_LIGHT) == len(palette.RAMP_DARK)


def test_of_several_runs_dots_behind_others_are_larger(folders):
    runs = [incast.load(folders[name]) for name in ("star", "star-none")]
    assert [curve.dash for curve in chart("finish", *runs).curves] == ["dashed", "solid"]
    assert [curve.dash for curve in chart("finish", runs[0]).curves] == ["solid"]


def test_few_flows_of_several_runs_differ_in_dash():
    flows = [{"source": n, "destination": 4, "size": "100KB", "start": "0s"} for n in range(2)]
    scenario = {
        **scenarios.as_dict(),
        "traffic": [{"kind": "flows", "flows": flows}],
        "measure": {"flows": {"which": "all", "every": "5us"}},
    }
    runs = incast.compare(scenario, ["hpcc", "swift"])
    for name in ("rates", "limits"):
        curves = charts.chart(name, runs).curves
        assert [(curve.colour, curve.dash) for curve in curves] == [
            (0, "solid"),
            (0, "dashed"),
            (1, "solid"),
            (1, "dashed"),
        ]


def test_many_flows_of_several_runs_do_not(folders):
    runs = [incast.load(folders[name]) for name in ("star", "star-none")]
    assert {curve.dash for curve in chart("rates", *runs).curves} == {"solid"}


def test_a_chart_of_zeros_is_not_worth_showing_where_zero_is_nothing(star):
    pauses = chart("pauses", star)
    assert not pauses.empty
    assert not pauses.worth_showing
    assert chart("queue", star).worth_showing
