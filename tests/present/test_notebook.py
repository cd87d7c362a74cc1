"""Output in notebooks: HTML of incast, and pictures that need no `%matplotlib inline`."""

import base64
import pickle
import re
from html.parser import HTMLParser

import incast
import pytest
import scenarios

PNG = b"\x89PNG"


class Reader(HTMLParser):
    """The cells of tables, and images; checks that tags are closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.cells, self.images, self.words = [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.images.append(dict(attributes))
        elif tag != "i":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag == "i" or self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style" and data.strip():
            self.words.append(data.strip())
            if self.open[-1] in ("td", "th"):
                self.cells.append(data.strip())


def test_a_table_shows_names_units_and_rows(star):
    found = Reader(star.flows._repr_html_())
    assert found.cells[: len(star.flows.columns)] == star.flows.columns
    assert "MB" in found.words
    assert f"16 rows × {len(star.flows.columns)} columns" in found.words


def test_an_empty_table(empty):
    assert "0 rows × 11 columns" in Reader(empty.flows._repr_html_()).words


@pytest.mark.parametrize("name", ["star", "fabric", "partial", "empty"])
def test_results_show_key_figures_and_charts(name, folders):
    results = incast.load(folders[name])
    found = Reader(results._repr_html_())
    assert results.name in found.words
    assert "all flows" in found.cells
    assert len(found.images) == (0 if name == "empty" else 2)
    for image in found.images:
        kind, data = image["src"].split(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data).startswith(PNG)
        assert int(image["width"]) > 300
        assert image["alt"]


def test_what_did_not_finish_is_told(folders):
    assert any("Interrupted at 1.54 ms" in word for word in _words(incast.load(folders["partial"])))


def test_a_fabric_shows_itself():
    found = Reader(incast.run(scenarios.FABRIC)._repr_html_())
    assert "effective bandwidth" in found.words
    assert found.images


def test_a_comparison_shows_runs_side_by_side(star, fabric):
    found = Reader(incast.Comparison({"one": star, "<two>": fabric})._repr_html_())
    assert {"one", "<two>", "queue peak"} <= set(found.cells)
    assert len(found.images) == 2
    assert incast.Comparison({})._repr_html_() == ""


def test_a_scenario_shows_its_facts():
    scenario = incast.Scenario(scenarios.as_dict())
    words = _words(scenario)
    assert {"scenario", "hpcc, profile default, seed 1", "4 flows expected"} <= set(words)
    shown = "".join(re.findall(r"<pre>(.*)</pre>", scenario._repr_html_(), re.DOTALL))
    assert "additive_increase" in shown


def test_a_sweep_shows_means_and_charts(tmp_path):
    study = {
        "scenario": scenarios.as_dict(),
        "measure": ["slowdown.p99", "queue.peak"],
        "vary": {"cc": ["hpcc", "none"], "seed": [1, 2]},
    }
    sweep = incast.sweep(study, store=tmp_path)
    found = Reader(sweep._repr_html_())
    assert {"hpcc", "none", "slowdown.p99", "queue.peak"} <= set(found.cells)
    assert len(found.images) == 2
    assert str(sweep) == sweep.table()


def test_results_of_another_process_say_where_their_tables_are():
    found = pickle.loads(pickle.dumps(incast.run(scenarios.as_dict())))
    assert any("in the process of the run" in word for word in _words(found))
    assert "all flows" in Reader(found._repr_html_()).cells


def test_a_figure_shows_itself(star):
    """IPython has no formatter for figures made without pyplot."""
    figure = star.plot_queue()
    data, metadata = figure._repr_mimebundle_(include=None, exclude=None)
    assert data["image/png"].startswith(PNG)
    size = metadata["image/png"]
    drawn = int.from_bytes(data["image/png"][16:20])
    assert drawn == pytest.approx(2 * size["width"], abs=1)
    figure.axes[0].set_title("mine")
    assert figure._repr_mimebundle_()[0]["image/png"] != data["image/png"]


def _words(shown):
    return Reader(shown._repr_html_()).words
