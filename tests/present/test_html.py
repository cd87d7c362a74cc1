"""The report: one file that is complete, small, and safe to open."""

import json
import re
from html.parser import HTMLParser

import incast
import pytest
from incast.comparison import Comparison, labelled
from incast.present import charts, html
from incast.present.html.document import environment
from incast.present.html.toml_markup import parts


class Page(HTMLParser):
    """The tags and data of a page that a browser would find."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.tags = []
        self.open = []
        self.feed(text)
        match = re.search(r'<script type="application/json" id="charts">(.*?)</script>', text, re.S)
        self.data = json.loads(match[1])

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in {"meta", "br", "img", "link", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)


@pytest.fixture
def page(star, tmp_path):
    return Page(star.report(tmp_path / "report.html").read_text(encoding="utf-8"))


def test_tags_are_balanced(page):
    assert page.open == []


def test_nothing_is_loaded_from_elsewhere(page):
    for _, attributes in page.tags:
        assert "src" not in attributes
        assert not attributes.get("href", "#").startswith(("http:", "https:", "//"))
    assert not re.search(r"url\((?!#)", page.text)
    assert "@import" not in page.text


def test_a_place_for_each_chart(page):
    # Of the charts left out, `roles` needs an attack, `pauses` a pause, two need several entries,
    # two need sums of parts, and four need several runs.
    assert page.count("figure") == len(page.data["charts"]) == len(charts.CHARTS) - 10


def test_numbers_of_a_chart_come_back(page, star):
    (queue,) = [chart for chart in page.data["charts"] if chart["name"] == "queue"]
    curve = queue["curves"][0]
    drawn = charts.chart("queue", star.runs).curves[0]
    times = [x * queue["x"]["scale"] for x in queue["xs"][curve["x"]]]
    values = [y * queue["y"]["scale"] for y in curve["y"]]
    assert times == pytest.approx(drawn.x, abs=1e-9)
    assert values == pytest.approx(drawn.y, rel=1e-4)


def test_curves_share_their_times(page):
    (rates,) = [chart for chart in page.data["charts"] if chart["name"] == "rates"]
    assert len(rates["curves"]) == 16
    assert len(rates["xs"]) == 1


def test_several_runs_in_every_chart(folders, tmp_path):
    runs = labelled([incast.load(folders[name]) for name in ("star", "star-none")])
    page = Page(Comparison(runs).report(tmp_path / "r.html").read_text())
    assert {curve["group"] for chart in page.data["charts"] for curve in chart["curves"]} == {
        "hpcc",
        "none",
    }
    assert page.open == []


def test_slowdown_is_explained_where_flows_are(page):
    assert "FCT slowdown is" in page.text


def test_sections_do_not_share_charts(star, fabric, tmp_path):
    sections = {"few": {"a": star}, "many": {"b": fabric}}
    page = Page(html.write_sections(sections, tmp_path / "r.html", title="both").read_text())
    assert page.count("section") == 2
    assert [attributes["href"] for tag, attributes in page.tags if tag == "a"] == [
        "#section-0",
        "#section-1",
    ]
    assert all(len({c["group"] for c in chart["curves"]}) <= 1 for chart in page.data["charts"])


def test_an_empty_run_says_what_is_missing(empty, tmp_path):
    page = Page(empty.report(tmp_path / "r.html").read_text())
    assert page.open == []
    assert "No flow has finished" in page.text
    assert "[measure.flows]" in page.text


def test_a_partial_run_warns(folders, tmp_path):
    text = incast.load(folders["partial"]).report(tmp_path / "r.html").read_text()
    assert '<p class="warning">Interrupted at' in text


def test_small(star, fabric, tmp_path):
    both = Comparison({"star": star, "fabric": fabric}).report(tmp_path / "r.html")
    assert both.stat().st_size < 2_000_000


def test_ten_runs_are_small_too(star, tmp_path):
    runs = {f"run {index}": star for index in range(10)}
    assert Comparison(runs).report(tmp_path / "r.html").stat().st_size < 2_000_000


def test_names_cannot_break_out(star, tmp_path):
    evil = "</script><script>alert(1)</script>"
    star.summary = {**star.summary, "name": evil}
    star.scenario = f'name = "{evil}" # {evil}'
    text = Comparison({evil: star}).report(tmp_path / "r.html", title=evil).read_text()
    assert "<script>alert" not in text
    Page(text)


def test_a_file_that_cannot_be_written(star, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(incast.ResultsError):
        star.report(tmp_path / "file" / "report.html")


def test_licence_of_what_is_vendored():
    from importlib import resources

    assets = resources.files("incast.present.html") / "assets"
    assert "MIT" in (assets / "uPlot-LICENSE.txt").read_text()
    files = [*assets.iterdir(), *(assets / "report").iterdir()]
    assert sum(len(asset.read_bytes()) for asset in files if asset.is_file()) < 200_000


@pytest.mark.parametrize(
    ("toml", "html"),
    [
        ("# note", '<span class="toml-comment"># note</span>'),
        ("[cc]", '<span class="toml-table">[cc]</span>'),
        (
            'a = "x # y"',
            '<span class="toml-key">a</span> = <span class="toml-text">&#34;x # y&#34;</span>',
        ),
        (
            "b = 1.5",
            '<span class="toml-key">b</span> = <span class="toml-number">1.5</span>',
        ),
    ],
)
def test_toml_markup(toml, html):
    macro = environment().get_template("parts.html").module.toml
    assert macro(parts(toml)) == html
