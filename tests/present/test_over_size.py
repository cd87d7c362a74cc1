"""One statistic of FCT slowdown over flow size, for several seeds; charts of many curves."""

from types import SimpleNamespace

import numpy as np
import pytest
from incast.comparison import labelled, relabelled
from incast.errors import LabelError
from incast.measure.pools import pools
from incast.measure.series import percentile, size_classes
from incast.present import charts, matplotlib, palette
from incast.present.charts.looks import MOST_LOOKS, told_apart
from made_up import Columns


def run(algorithm, seed, sizes, slowdowns, name="star"):
    table = Columns(size_bytes=sizes, slowdown=slowdowns)
    return SimpleNamespace(
        name=name,
        algorithm=algorithm,
        identity=f"{algorithm}{seed}",
        summary={"seed": seed, "name": name},
        scenario=f'[run]\nname = "{name}"\nseed = {seed}\n\n[cc]\nalgorithm = "{algorithm}"\n',
        completed=table,
        flows=table,
    )


def seeds(algorithm, count, flows=200, factor=1.0):
    found = []
    for seed in range(1, count + 1):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1_000, 1_000_000, flows)
        found.append(run(algorithm, seed, sizes, factor * (1 + rng.exponential(1.0, flows))))
    return found


def labelled_runs(*groups):
    return labelled([each for group in groups for each in group])


def test_runs_that_differ_in_their_seeds_are_one_pool():
    runs = labelled_runs(seeds("hpcc", 3), seeds("dcqcn", 2))
    assert list(runs)[:2] == ["hpcc, seed 1", "hpcc, seed 2"]
    assert {label: len(each) for label, each in pools(runs).items()} == {"hpcc": 3, "dcqcn": 2}
    # A key `seed` of another section is not the seed of the run.
    other = run("hpcc", 1, [1], [1.0])
    other.scenario += "\n[other]\nseed = 5\n"
    found = pools({"a": run("hpcc", 2, [1], [1.0]), "b": other})
    assert list(found) == ["a", "b"]
    alone = pools({"seed 1": run("hpcc", 1, [1], [1.0]), "seed 2": run("hpcc", 2, [1], [1.0])})
    assert list(alone) == ["hpcc"]


def test_a_seed_counts_once_and_engines_are_not_mixed():
    """Seed 1 ran twice, the first time until an interrupt; seed 2 ran under two engines."""
    one, again, two, older = (run("hpcc", seed, [1], [1.0]) for seed in (1, 1, 2, 2))
    for each, engine in ((one, "b"), (again, "b"), (two, "b"), (older, "a")):
        each.summary["engine"] = engine
    one.summary["partial"] = True
    found = pools({"1": one, "2": again, "3": two, "4": older})
    assert found == {"engine b": [again, two], "engine a": [older]}
    alike = dict(zip("abc", [*seeds("hpcc", 2), *seeds("hpcc", 1)], strict=True))
    chart = charts.chart("slowdown-mean", alike)
    assert "Flows of 2 seeds" in chart.note
    assert "Left out: 1 run of seeds that are there already." in chart.note


def test_classes_are_the_same_for_all():
    """Sizes 1 to 8 in two classes, 1 to 4 and 5 to 8; size 9 belongs to the last class."""
    classes = size_classes(np.arange(1, 9), 2)
    assert classes.largest.tolist() == [4, 8]
    assert classes.counts(np.array([1, 4, 5, 9])).tolist() == [2, 2]
    parts = classes.split(np.array([5, 1, 9, 4]), np.array([50, 10, 90, 40]))
    assert [part.tolist() for part in parts] == [[10, 40], [50, 90]]


def test_a_point_is_of_the_flows_of_all_seeds():
    runs = labelled_runs(seeds("hpcc", 5), seeds("dcqcn", 5, factor=2.0))
    for statistic in ("mean", "p50", "p99"):
        drawn = charts.chart(f"slowdown-{statistic}", runs)
        first, second = drawn.curves
        assert (first.label, second.label) == ("hpcc", "dcqcn")
        # 1,000 flows of each run: ten points of a hundred flows; for p99 nine, of at least 101.
        assert len(first.x) == (9 if statistic == "p99" else 10)
        sizes = np.concatenate([each.completed.numbers("size_bytes") for each in seeds("hpcc", 5)])
        values = np.concatenate([each.completed.numbers("slowdown") for each in seeds("hpcc", 5)])
        own = values[sizes <= first.x[0]]
        expected = own.mean() if statistic == "mean" else percentile(own, float(statistic[1:]))
        assert first.y[0] == pytest.approx(expected)
        assert second.y == pytest.approx(2 * first.y)


def test_bands_are_students_of_logarithms_from_five_seeds_on():
    """All flows of seed n, from 1 to 5, have slowdown e^n. The mean logarithm has a deviation of
    √2.5, and half of its interval is 2.7764 · 1.5811 / √5 = 1.9632.
    """
    made = [run("hpcc", n, np.arange(1, 101), np.full(100, np.exp(n))) for n in range(1, 6)]
    (curve,) = charts.chart("slowdown-p50", labelled(made)).curves
    low, high = curve.spread
    assert curve.y == pytest.approx(np.exp(3))
    assert low / curve.y == pytest.approx(np.exp(-1.9632), rel=1e-4)
    assert high / curve.y == pytest.approx(np.exp(1.9632), rel=1e-4)
    four = charts.chart("slowdown-p50", labelled(made[:4]))
    assert four.curves[0].spread is None
    assert "Intervals take 5 seeds or more." in four.note


def test_tails_of_too_few_flows_are_not_drawn():
    runs = labelled_runs(seeds("hpcc", 1, flows=500), seeds("dcqcn", 1, flows=100))
    tail = charts.chart("slowdown-p99", runs)
    assert tail.empty
    assert tail.missing.startswith("p99 of FCT slowdown takes 101 counted flows at least")
    assert not charts.chart("slowdown-mean", runs).empty
    nothing = labelled([run("hpcc", 1, np.array([]), np.array([]))])
    assert charts.chart("slowdown-mean", nothing).empty


def test_paper_has_bands(tmp_path):
    drawn = charts.chart("slowdown-p50", labelled_runs(seeds("hpcc", 5)))
    (axes,) = matplotlib.draw(drawn).axes
    assert len(axes.collections) == 1
    assert matplotlib.draw(drawn, width=7).get_figwidth() == 7
    (file,) = matplotlib.save_charts([drawn], tmp_path, ["png"])
    assert file.name == "slowdown-p50.png"


def curves(count, dash="solid", points=3):
    x = np.arange(points, dtype=float)
    return [
        charts.Curve(f"run {n}", x, x + n, n, dash=dash, group=f"run {n}") for n in range(count)
    ]


def chart_of(found):
    axis = charts.Axis("x", charts.Quantity.RATIO)
    return told_apart(charts.Chart("x", "X", axis, axis, found))


def looks(figure):
    (axes,) = figure.axes
    return [(each.get_color(), str(each.get_linestyle()), each.get_marker()) for each in axes.lines]


@pytest.mark.parametrize("points", [3, 2000])
def test_no_two_curves_look_alike(points):
    assert MOST_LOOKS == 28
    drawn = chart_of(curves(MOST_LOOKS, points=points))
    assert drawn.note == ""
    assert len({(each.colour % palette.SIZE, each.dash) for each in drawn.curves}) == MOST_LOOKS
    assert len(set(looks(matplotlib.draw(drawn)))) == MOST_LOOKS
    assert "Some curves look alike" in chart_of(curves(MOST_LOOKS + 1)).note
    assert "Some curves look alike" in chart_of(curves(8, dash="dashed")).note
    assert chart_of(curves(7, dash="dashed")).note == ""
    # Two curves with one label count as one.
    assert chart_of([*curves(1), *curves(1)]).note == ""


def test_a_legend_leaves_the_axes_their_size():
    few, many = (matplotlib.draw(chart_of(curves(count))) for count in (4, 28))
    for figure in (few, many):
        figure.draw_without_rendering()
    heights = [
        figure.axes[0].get_position().height * figure.get_figheight() for figure in (few, many)
    ]
    assert heights[1] > 0.8 * heights[0]


def test_long_names_of_axes_take_several_lines():
    axis = charts.Axis("x", charts.Quantity.RATIO)
    long = charts.Axis("effective bandwidth (flits per cycle and endpoint)", charts.Quantity.RATIO)
    (axes,) = matplotlib.draw(charts.Chart("x", "X", axis, long, curves(1))).axes
    assert len(axes.get_ylabel().splitlines()) == 2


def test_other_labels():
    things = {"hpcc": 1, "dcqcn": 2}
    assert relabelled(things, ["HPCC", "DCQCN"]) == {"HPCC": 1, "DCQCN": 2}
    assert relabelled(things, ["dcqcn=DCQCN"]) == {"hpcc": 1, "DCQCN": 2}
    for labels, message in (
        (["a"], "there are 1 labels for 2 curves; name one for each of hpcc, dcqcn"),
        (["swift=S"], "there is no `swift` to label"),
        (["a", "a"], "labels are empty or not distinct"),
        (["dcqcn=hpcc"], "labels are empty or not distinct"),
    ):
        with pytest.raises(LabelError, match=message):
            relabelled(things, labels)
