"""Figures for papers."""

import subprocess
import sys

import pytest
from incast.experiment import Comparison
from incast.figures import Figures
from incast.present import charts, matplotlib
from matplotlib.figure import Figure

METHODS = [name for name in vars(Figures) if name.startswith("plot_")]


@pytest.mark.parametrize("method", METHODS)
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


def test_slowdown_is_log_log(fabric):
    axes = fabric.plot_slowdown().axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log"
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
    assert len(files) == 2 * len(charts.CHARTS)
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
