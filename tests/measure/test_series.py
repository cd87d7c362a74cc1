"""Reductions, compared with values computed by hand."""

import numpy as np
import pyarrow as pa
import pytest
import synthetic
from incast.measure import series
from incast.table import Table


class Flows:
    """A table with two columns."""

    def __init__(self, sizes, slowdowns):
        self.columns = {"size_bytes": np.array(sizes), "slowdown": np.array(slowdowns, float)}

    def numbers(self, column):
        return self.columns[column]


def test_groups_of_equal_count():
    """20 flows in 10 groups of two; the median of two sorted values is at index ⌊2·0.5⌋ = 1."""
    groups = series.slowdown_by_size(Flows(range(1, 21), range(1, 21)), [50])
    assert groups.largest_bytes.tolist() == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]
    assert groups.flows_per_group.tolist() == [2] * 10
    assert groups.percentiles[50].tolist() == [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]


def test_flows_of_one_size_stay_together():
    groups = series.slowdown_by_size(Flows([5] * 50 + [9], [1] * 50 + [3]), [50, 99])
    assert groups.largest_bytes.tolist() == [5, 9]
    assert groups.flows_per_group.tolist() == [50, 1]
    assert groups.percentiles[99].tolist() == [1, 3]


def test_many_flows_make_a_hundred_groups():
    rng = np.random.default_rng(1)
    groups = series.slowdown_by_size(Flows(rng.permutation(100_000), rng.random(100_000)))
    assert groups.flows_per_group.tolist() == [1000] * 100


def test_no_flows_make_no_groups():
    groups = series.slowdown_by_size(Flows(np.array([], dtype=int), []))
    assert len(groups.largest_bytes) == 0
    assert len(groups.percentiles[99]) == 0


def test_cdf():
    values, share = series.cdf(np.array([3.0, 1.0, 2.0, 2.0]))
    assert values.tolist() == [1, 2, 2, 3]
    assert share.tolist() == [0.25, 0.5, 0.75, 1]


def test_cdf_thins_out_but_keeps_both_ends():
    values, share = series.cdf(np.arange(1_000_000), most_points=600)
    assert len(values) <= 600
    assert values[0] == 0
    assert values[-1] == 999_999
    assert share[-1] == 1
    # The largest thousandth keeps more points than its even share, which is less than one.
    assert (values >= 999_000).sum() > 30


def test_cdf_of_nothing():
    values, share = series.cdf(np.array([]))
    assert len(values) == len(share) == 0


def test_curves_by_entity_in_order_of_appearance(star):
    found = series.curves(star.series, "rate_bps")
    assert list(found) == [f"flow {flow}" for flow in range(16)]
    times, values = found["flow 3"]
    assert (np.diff(times.astype(float)) > 0).all()
    assert len(times) == len(values)
    assert series.curves(star.series, "nope") == {}


def test_goodput_of_a_flow_is_over_the_intervals_before_each_sample():
    """1 MB in 10 µs is 800 Gb/s. The flow starts at 5 µs: 0.5 MB in 5 µs, then 1 MB in 10 µs, then
    nothing. Over two intervals: 1.5 MB in 15 µs, then 1 MB in 20 µs.
    """
    times = np.array([10, 20, 30]) * 1_000_000
    acked = np.array([5e5, 1.5e6, 1.5e6])
    table = _table(synthetic.series_table({("acked_bytes", "flow 4"): (times, acked)}))
    starts = {"flow 4": 5e6}
    moments, values = series.goodput_of_flows(table, starts)["flow 4"]
    assert moments.tolist() == times.tolist()
    assert values == pytest.approx([800e9, 800e9, 0])
    _, values = series.goodput_of_flows(table, starts, 2)["flow 4"]
    assert values == pytest.approx([800e9, 800e9, 400e9])
    # Without the start of its flow, the first sample gives no goodput.
    moments, values = series.goodput_of_flows(table, {})["flow 4"]
    assert moments.tolist() == [20_000_000, 30_000_000]
    assert values == pytest.approx([800e9, 0])


def test_curves_do_not_mix_measures():
    arrow = synthetic.series_table(
        {
            ("queue_bytes", "b"): (np.array([1, 2]), np.array([10, 20])),
            ("queue_bytes", "a"): (np.array([1, 2]), np.array([30, 40])),
            ("jain_index", "a"): (np.array([1]), np.array([0.5])),
        }
    )
    found = series.curves(_table(arrow), "queue_bytes")
    assert {name: values.tolist() for name, (_, values) in found.items()} == {
        "b": [10, 20],
        "a": [30, 40],
    }
    assert list(found) == ["b", "a"]
    only = series.curves(_table(arrow), "queue_bytes", only={"a", "c"})
    assert {name: values.tolist() for name, (_, values) in only.items()} == {"a": [30, 40]}
    assert series.curves(_table(arrow), "queue_bytes", only={"c"}) == {}


def test_a_measure_that_is_named_but_has_no_rows():
    measures = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), ["a", "unused"])
    entities = pa.array(["x"]).dictionary_encode()
    arrow = pa.table({"time_ps": [1], "measure": measures, "entity": entities, "value": [0.5]})
    assert series.curves(_table(arrow), "unused") == {}


def test_few_points_stay_as_they_are():
    group = {
        "early": (np.array([0, 10]), np.array([1.0, 2.0])),
        "late": (np.array([10, 20]), np.array([3.0, 4.0])),
    }
    thinned = series.decimate(group, most_points=10)
    assert thinned.bin_width is None
    assert thinned.times.tolist() == [0, 10, 20]
    np.testing.assert_array_equal(thinned.values["early"], [1, 2, np.nan])
    np.testing.assert_array_equal(thinned.values["late"], [np.nan, 3, 4])


def test_thinning_keeps_every_peak():
    """1000 points in 5 bins of two values each: the peak at 555 and the dip at 560 are kept."""
    values = np.full(1000, 7.0)
    values[555], values[560] = 100, -100
    thinned = series.decimate({"": (np.arange(1000), values)}, most_points=10)
    assert thinned.bin_width == pytest.approx(999 / 5)
    assert len(thinned.times) == 10
    assert thinned.values[""].tolist() == [7, 7, 7, 7, -100, 100, 7, 7, 7, 7]


def test_thinning_keeps_the_direction():
    """Every bin of a falling line has its larger value first."""
    thinned = series.decimate({"": (np.arange(100), -np.arange(100.0))}, most_points=8)
    assert (np.diff(thinned.values[""]) <= 0).all()


def test_what_is_not_finite_is_left_out():
    thinned = series.decimate({"": (np.arange(3), np.array([1.0, np.inf, 3.0]))}, 10)
    assert thinned.times.tolist() == [0, 2]
    assert thinned.values[""].tolist() == [1, 3]


def test_nothing_to_thin():
    thinned = series.decimate({"": (np.array([]), np.array([]))}, 10)
    assert len(thinned.times) == len(thinned.values[""]) == 0


def _table(arrow: pa.Table) -> Table:
    """A table of incast with the contents of an Arrow table."""
    import tempfile
    from pathlib import Path

    import pyarrow.parquet as pq
    from incast import _core

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        pq.write_table(arrow, file)
        return Table(_core.read_table(str(file)))


def test_a_percentile_in_given_classes():
    """Up to 10: 1 and 2, of which index ⌊2 · 0.5⌋ = 1 is the second; up to 20: none; the last class
    has the rest, 25 included.
    """
    sizes, values = np.array([10, 5, 22, 25]), np.array([1.0, 2.0, 3.0, 4.0])
    found = series.in_classes(sizes, values, np.array([10, 20, 23]), 50)
    assert found[[0, 2]].tolist() == [2.0, 4.0]
    assert np.isnan(found[1])


@pytest.mark.parametrize(
    ("count", "percent", "index"),
    # 999, 57, 2, ⌊990.9⌋; ⌊1.998⌋ is the last index.
    [(3000, 33.3, 999), (100, 57, 57), (40, 5.0, 2), (991, 99.99, 990), (2, 99.9, 1)],
)
def test_percentiles_are_exact_in_decimals(count, percent, index):
    """3000 · 33.3 / 100 is 998.99… in binary."""
    ordered = np.arange(count)
    assert series.percentile(ordered[::-1], percent) == index
    assert series.ordered_percentile(ordered, percent) == index
