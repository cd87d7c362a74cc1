"""Figures for papers."""

import copy
import errno
import os
import subprocess
import sys

import incast
import numpy as np
import pytest
from incast.comparison import Comparison
from incast.errors import ResultsError
from incast.present import charts, matplotlib, plots
from incast.present.charts.chart import Bars
from incast.present.html.encoding import encode
from matplotlib.figure import Figure

METHODS = plots.method_names()
OF_NETWORKS = METHODS[: len(charts.CHARTS)]


@pytest.mark.parametrize("method", OF_NETWORKS)
@pytest.mark.parametrize("results", ["star", "empty"])
def test_every_plot_is_a_figure(method, results, request):
    figure = getattr(request.getfixturevalue(results), method)()
    assert isinstance(figure, Figure)
    figure.canvas.draw()


def test_a_figure_is_a_column_wide(star):
    assert star.plot_queue().get_size_inches()[0] == pytest.approx(3.4)


def test_units_stand_beside_linear_axes(star):
    axes = star.plot_queue().axes[0]
    assert axes.get_xlabel() == "simulated time (ms)"
    assert axes.get_ylabel() == "queue (KB)"
    assert axes.get_ylim()[0] == 0


def test_slowdown_is_on_a_log_axis_where_it_spans_decades(fabric):
    """One small flow alone, and 15 flows into one host, of which the last takes 15 times as
    long.
    """
    alone = {"kind": "flows", "flows": [{"source": 0, "destination": 1, "size": "1KB"}]}
    together = {"kind": "incast", "senders": "2-16", "receiver": 17, "sizes": "100KB"}
    wide = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 18}},
            "cc": {"algorithm": "none"},
            "traffic": [alone, together],
        }
    )
    for results, scale in ((wide, "log"), (fabric, "linear")):
        axes = results.plot_slowdown().axes[0]
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", scale)
        assert axes.get_ylim()[0] == 1


def test_a_comparison_names_its_runs(star, fabric):
    comparison = Comparison({"one": star, "two": fabric})
    (legend,) = comparison.plot_jain().legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]


def test_an_empty_figure_says_why(empty):
    (text,) = empty.plot_rates().axes[0].texts
    assert 'which = "all"' in text.get_text()


def test_save_all(star, tmp_path):
    files = matplotlib.save_all(star.runs, tmp_path / "figures", ["png", "svg"])
    assert len(files) == 2 * (
        len(charts.CHARTS) - 10
    )  # of attacks, pauses, several entries, breakdowns, runs
    assert all(file.stat().st_size > 1000 for file in files)
    assert "<text" in (tmp_path / "figures" / "queue.svg").read_text()


def test_nothing_is_drawn_of_an_empty_run(empty, tmp_path):
    assert matplotlib.save_all(empty.runs, tmp_path / "figures") == []


def test_png_has_300_dots_per_inch(star, tmp_path):
    from PIL import Image

    matplotlib.save_all(star.runs, tmp_path, ["png"])
    with Image.open(tmp_path / "queue.png") as image:
        assert image.info["dpi"][0] == pytest.approx(300, abs=1)


def test_no_window_system_is_needed(folders):
    script = (
        f"import incast, sys; incast.load({str(folders['star'])!r}).plot_queue();"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def plotted(folder, place, **environment):
    """Runs `incast plot` on a folder, in a place with the user's settings."""
    words = [sys.executable, "-m", "incast", "plot", str(folder), "-o", "figures"]
    environment = os.environ | environment
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True)
    assert "defect" not in done.stderr
    return done


def test_a_backend_that_is_not_there_is_told(folders, tmp_path):
    done = plotted(folders["star"], tmp_path, MPLBACKEND="nope")
    assert done.returncode == 2
    assert "error: matplotlib refuses its settings: Key backend: 'nope' is not" in done.stderr
    assert "; name another backend in MPLBACKEND of the environment, or unset it\n" in done.stderr


def test_settings_in_another_encoding_are_told(folders, tmp_path):
    (tmp_path / "matplotlibrc").write_bytes(b"# \xff")
    done = plotted(folders["star"], tmp_path, MATPLOTLIBRC=str(tmp_path))
    assert done.returncode == 2
    assert "; write the file matplotlibrc in UTF-8, or remove it\n" in done.stderr


def test_text_is_none_of_latex_whatever_the_user_has_set(folders, tmp_path):
    """LaTeX may not be installed, and would refuse names such as `a_b`."""
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\n")
    settings = {"MATPLOTLIBRC": str(tmp_path), "PATH": ""}
    done = plotted(folders["star"], tmp_path, **settings)
    assert done.returncode == 0, done.stderr
    assert "figures/queue.svg" in done.stdout


def test_methods_are_looked_up_in_the_table_of_charts(star):
    assert {"plot_slowdown", "plot_fct_cdf", "plot_queue"} <= set(METHODS)
    assert len(METHODS) == len(charts.ALL_CHARTS)
    for owner in (star, Comparison({"one": star})):
        assert set(METHODS) <= set(dir(owner))
        assert owner.plot_queue.__name__ == "plot_queue"
        assert owner.plot_queue.__doc__ == "Plots the chart `queue`: queues over time."


def test_names_that_are_no_charts(star):
    with pytest.raises(AttributeError, match="'Results' object has no attribute 'plot_queu'"):
        star.plot_queu()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        Comparison({"one": star}).nothing()
    with pytest.raises(ResultsError, match=r"unknown chart `queu`; did you mean `queue`\?"):
        star.plot("queu")


def test_results_can_be_copied(star):
    assert copy.copy(star).name == star.name
    assert list(copy.deepcopy(Comparison({}))) == []


def chart_of(*curves, **more):
    axis = charts.Axis("time", charts.Quantity.TIME)
    return charts.Chart("made", "Made up", axis, axis, list(curves), **more)


def test_a_title_and_a_caption_make_the_figure_higher_and_not_the_axes_smaller():
    made = chart_of(charts.Curve("a", [0.0, 1.0], [0.0, 1.0]), charts.Curve("b", [0.0], [1.0]))
    plain, titled = matplotlib.draw(made), matplotlib.draw(made, title="A", caption="B " * 90)
    assert titled.get_size_inches()[1] > plain.get_size_inches()[1] + 0.2
    (legend,) = titled.legends
    assert legend.get_title().get_text() == "A"
    assert matplotlib.draw(chart_of(made.curves[0]), title="A").axes[0].get_title() == "A"


def test_one_unit_on_both_axes():
    made = chart_of(charts.Curve("a", [0.0, 1e-4], [0.0, 1e-2], mark="dots"), one_unit=True)
    axes = matplotlib.draw(made).axes[0]
    assert axes.get_xlabel() == axes.get_ylabel() == "time (ms)"


def test_points_are_marked_and_segments_are_apart():
    points = charts.Curve("a", [0.0, 1.0], [0.0, 1.0], mark="points", dash="dashed")
    links = charts.Curve("b", [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 1.0], mark="segments")
    axes = matplotlib.draw(chart_of(points, links, frame="none")).axes[0]
    assert axes.lines[0].get_marker() == "s"
    assert [len(path) for path in axes.collections[0].get_paths()] == [2, 2]
    assert not axes.axison


def test_boxes_have_quartiles_whiskers_and_outliers():
    values = np.array([*range(1, 10), 30.0])
    box = charts.Box.of(values, outliers=5)
    curve = charts.Curve("queue", [0.0], [box.median], mark="boxes", boxes=[box])
    names = charts.Axis("", charts.Quantity.COUNT, names=("5 flows",))
    drawn_on = charts.Axis("queue", charts.Quantity.COUNT)
    chart = charts.Chart("queue", "Queue", names, drawn_on, [curve])
    (axes,) = matplotlib.draw(chart).axes
    (patch,) = axes.patches
    assert patch.get_path().get_extents().intervaly == pytest.approx([3, 8])
    drawn = {float(y) for line in axes.lines for y in line.get_ydata()}
    assert drawn == {1.0, 3.0, 6.0, 8.0, 9.0, 30.0}
    assert '"boxes":[[1,3,6,8,9,30]]' in encode([("boxes", chart)])


def test_curves_of_one_label_have_one_entry_in_the_legend():
    curves = [charts.Curve(name, [0.0, 1.0], [0.0, 1.0]) for name in ["many"] * 12 + ["one"]]
    (legend,) = matplotlib.draw(chart_of(*curves)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["many", "one"]


def test_a_full_disk_is_one_clear_error(star, tmp_path, monkeypatch):
    def full(*_arguments, **_settings):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    figure = star.plot_queue()
    monkeypatch.setattr(figure, "savefig", full)
    with pytest.raises(ResultsError, match=r"queue.png: No space left on device"):
        matplotlib.save(figure, tmp_path / "queue.png")
    assert list(tmp_path.iterdir()) == []


def test_bars_stand_where_they_begin():
    """Two bars at 0 and 1, each 0.5 wide, begin at 0.25 and 0.5."""
    bars = Bars(np.array([0.25, 0.5]), 0.5)
    curve = charts.Curve("queue", [0.0, 1.0], np.array([0.5, 0.25]), mark="bars", bars=bars)
    axis = charts.Axis("share", charts.Quantity.RATIO)
    figure = matplotlib.draw(charts.Chart("bars", "Bars", axis, axis, [curve]))
    drawn = [patch.get_bbox().extents.tolist() for patch in figure.axes[0].patches]
    assert drawn == [[-0.25, 0.25, 0.25, 0.75], [0.75, 0.5, 1.25, 0.75]]
