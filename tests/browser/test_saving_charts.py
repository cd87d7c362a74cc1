"""Charts saved from a page: vector graphics and text, numbers with units."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree

import pytest
from incast.present import charts, palette

from . import pages

KINDS = [make.__name__ for make in pages.KINDS]
SVG = "{http://www.w3.org/2000/svg}"
GREYS = {"#ffffff", "#1c1e21", "#5c636b", "#e6e9ed"}


@pytest.fixture(scope="module")
def traffic(tmp_path_factory):
    """The run whose report is tested."""
    return pages.traffic(tmp_path_factory.mktemp("traffic"), "hpcc")


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def words(svg):
    return [element.text for element in svg.iter(f"{SVG}text")]


def colours(svg):
    used = {element.get(name) for element in svg.iter() for name in ("fill", "stroke")}
    return used - {None, "none"}


# A browser saves only ten files in a row, so the files are caught before.
CLICK_ALL = """async kind => {
    const blobs = [], files = {};
    URL.createObjectURL = (blob) => { blobs.push(blob); return "blob:none"; };
    HTMLAnchorElement.prototype.click = function () { files[this.download] = blobs.at(-1); };
    for (const button of document.querySelectorAll(".save button"))
        if (button.textContent === kind) button.click();
    for (const name in files) files[name] = await files[name].text();
    return files;
}"""


@pytest.mark.parametrize("kind", KINDS)
def test_every_chart_is_a_file_by_itself(opened, kind):
    page = opened(kind).page
    figures = page.locator("figure:not(:has(.missing))")
    files = page.evaluate(CLICK_ALL, "SVG")
    assert len(files) == figures.count()
    titles = [heading.text_content() for heading in figures.locator("h3").all()]
    for title, (name, text) in zip(titles, files.items(), strict=True):
        assert re.fullmatch(r"[\w.+-]+\.svg", name)
        svg = ElementTree.fromstring(text)
        assert words(svg)[0] == svg.find(f"{SVG}title").text == title
        assert not re.search(r"NaN|undefined|Infinity|var\(|class=|style=|href", text)
        assert not colours(svg) & ({*palette.CATEGORIES_DARK} - {*palette.CATEGORIES_LIGHT})
        assert len(colours(svg) - GREYS) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_has_all_columns(opened, kind):
    page = opened(kind).page
    files = page.evaluate(CLICK_ALL, "CSV")
    assert len(files) == page.locator(".plot").count()
    for name, text in files.items():
        header, *body = rows(text)
        assert body, name
        assert {len(row) for row in body} == {len(header)}, name
        assert not re.search(r"NaN|undefined|Infinity|null", text), name


def test_a_line_goes_through_its_values(opened, traffic):
    name, text = opened("report").save("Goodput", "SVG")
    assert name == "background-bursts-hpcc-goodput.svg"
    svg = ElementTree.fromstring(text)
    assert "simulated time (µs)" in words(svg)
    assert "goodput (Gbps)" in words(svg)
    (curve,) = charts.chart("goodput", traffic.runs).curves
    (line,) = [path for path in svg.iter(f"{SVG}path") if path.get("stroke") == "#0072b2"]
    drawn = [tuple(map(float, point.split())) for point in line.get("d")[1:].split("L")]
    assert len(drawn) == len(curve.y)
    ticks = [
        (float(tick.get("y")) - 4, float(tick.text) * 1e9)
        for tick in svg.iter(f"{SVG}text")
        if tick.get("text-anchor") == "end"
    ]
    (low, zero), (high, top) = ticks[0], ticks[-1]
    for (_, y), value in zip(drawn, curve.y, strict=True):
        assert y == pytest.approx(low + (value - zero) / (top - zero) * (high - low), abs=0.2)


def test_numbers_of_a_chart_are_rows_with_units(opened, traffic):
    name, text = opened("report").save("Queues", "CSV")
    assert name == "background-bursts-hpcc-queue.csv"
    header, *body = rows(text)
    assert header == ["curve", "simulated time (s)", "queue (B)"]
    chart = charts.chart("queue", traffic.runs)
    expected = [
        (curve.label, x, y) for curve in chart.curves for x, y in zip(curve.x, curve.y, strict=True)
    ]
    assert [row[0] for row in body] == [label for label, _, _ in expected]
    assert [float(row[1]) for row in body] == pytest.approx([x for _, x, _ in expected], abs=1e-9)
    assert [float(row[2]) for row in body] == pytest.approx([y for _, _, y in expected], rel=1e-4)
    assert not re.search(r"\d{13}", text)


def test_what_is_hidden_or_out_of_sight_is_not_saved(opened):
    report = opened("report")
    queues = report.figure("Queues")
    label = queues.locator(".legend .name").first.text_content()
    _, text = report.save("Queues", "CSV")
    queues.locator(".legend button").first.click()
    _, without = report.save("Queues", "CSV")
    assert rows(without)[1:] == [row for row in rows(text)[1:] if row[0] != label]
    assert label not in words(ElementTree.fromstring(report.save("Queues", "SVG")[1]))
    queues.locator(".plot").press("+")
    zoomed = rows(report.save("Queues", "CSV")[1])[1:]
    assert 0 < len(zoomed) < len(rows(without)) - 1
    assert all(row in rows(without) for row in zoomed)


def test_intervals_stand_beside_means(opened):
    reproduction = opened("reproduction")
    name, text = reproduction.save("(b) Bars", "CSV")
    assert name == "made-up-one-bars.csv"
    header, *body = rows(text)
    assert header == ["curve", "load", "FCT, p99 (s)", "interval low (s)", "interval high (s)"]
    assert body[:3] == [
        ["one, θ = ½", "0.1", "10", "9", "11"],
        ["one, θ = ½", "0.2", "25", "20", "30"],
        ["one, θ = ½", "0.4", "123.45", "", ""],
    ]
    svg = ElementTree.fromstring(reproduction.save("(b) Bars", "SVG")[1])
    assert {"one, θ = ½", "two, θ = ½", "10 s", "100 s"} <= set(words(svg))


def test_boxes_are_their_numbers_and_places_their_names(opened):
    reproduction = opened("reproduction")
    header, *body = rows(reproduction.save("(c) Boxes", "CSV")[1])
    assert header[:3] == ["curve", "place", "packets"]
    assert header[3:] == [
        *("lower whisker", "lower quartile", "median", "upper quartile", "upper whisker"),
        "outliers",
    ]
    assert body == [
        ["queue", "LGC, two", "3", "1", "2", "3", "4", "5", "8 9"],
        ["queue", "DCTCP", "4", "2", "3", "4", "5", "6", ""],
    ]
    svg = ElementTree.fromstring(reproduction.save("(c) Boxes", "SVG")[1])
    assert {"LGC, two", "DCTCP", "packets", "queue"} <= set(words(svg))


def test_drawings_take_their_light_colours_along(opened):
    for kind, title, inside in (
        ("reproduction", "(d) A tree", ["links", "2 hosts"]),
        ("deadlock", "Deadlock of PFC", ["ams", "each waits for the next"]),
    ):
        drawing = opened(kind)
        drawing.colour("dark")
        svg = ElementTree.fromstring(drawing.save(title, "SVG")[1])
        assert set(inside) <= set(words(svg))
        assert {"rgb(213, 94, 0)", "rgb(0, 114, 178)"} & colours(svg)
        assert "rgb(255, 138, 61)" not in colours(svg)
        assert drawing.page.locator(".light").count() == 0


def test_a_dark_screen_saves_light_charts(opened):
    report = opened("report")
    light = report.save("Goodput", "SVG")
    report.colour("dark")
    assert report.save("Goodput", "SVG") == light


def test_a_saved_chart_opens_by_itself(opened, browser, tmp_path):
    _, text = opened("report").save("Rates of flows", "SVG")
    file = tmp_path / "chart.svg"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.tagName") == "svg"
    boxes = page.evaluate(
        """() => [...document.querySelectorAll("text")].map((each) => {
            const { left, right, top, bottom } = each.getBoundingClientRect();
            return [left, innerWidth - right, top, bottom];
        })"""
    )
    page.close()
    assert min(min(box) for box in boxes) >= 0
    assert requests == [file.as_uri()]


def test_saving_needs_no_pointer(opened):
    report = opened("report")
    button = report.page.get_by_role("button", name="Save “Goodput” as CSV")
    button.focus()
    with report.page.expect_download() as download:
        button.press("Enter")
    assert download.value.suggested_filename.endswith("-goodput.csv")


def test_bars_are_rows_with_their_run_and_stand_on_each_other(opened):
    page = opened("broken_down")
    name, text = page.save("Where the time went: flows at random", "CSV")
    assert name == "breakdown-breakdown-of-flows-at-random.csv"
    header, *body = rows(text)
    assert header == ["curve", "flow size", "mean share of the FCT"]
    assert {row[0].split(":")[0] for row in body} == {"hpcc", "dcqcn"}
    for run in ("hpcc", "dcqcn"):
        own = [float(row[2]) for row in body if row[0].startswith(run) and row[1] == "all"]
        assert len(own) >= 3
        assert sum(own) == pytest.approx(1, abs=0.01)
    svg = ElementTree.fromstring(page.save("Where the time went: flows at random", "SVG")[1])
    bars = [path.get("d") for path in svg.iter(f"{SVG}path") if (path.get("d") or "").endswith("Z")]
    assert len(bars) == len(body)
    # The bars of one place are together as high as the axis.
    ends = [[float(number) for number in re.findall(r"[\d.]+", bar)] for bar in bars]
    heights = {}
    for left, low, _, _, _, high, *_ in ends:
        heights[left] = heights.get(left, 0) + low - high
    assert max(heights.values()) - min(heights.values()) < 6
