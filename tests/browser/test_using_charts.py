"""Charts answer the pointer, the keyboard and the printer."""

import json
import re
from pathlib import Path

import pytest

UNITS = {None: 1, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "Gbps": 1e9, "Mbps": 1e6}


@pytest.fixture
def report(opened):
    return opened("report")


def number(text):
    """A number shown on the page, in base units."""
    value, unit = re.search(r"([\d.]+)(?: (\S+))?$", text).groups()
    return float(value) * UNITS[unit]


def data(opened, name):
    charts = json.loads(opened.page.locator("#charts").text_content())["charts"]
    return next(chart for chart in charts if chart["name"] == name)


def hover(figure, share):
    """Moves the pointer to a horizontal position in a chart, as a share of the width."""
    over = figure.locator(".u-over")
    box = over.bounding_box()
    over.hover(position={"x": share * (box["width"] - 1), "y": box["height"] / 2})


def span(figure):
    """The first and the last time that a chart shows."""
    ends = []
    for share in (0, 1):
        hover(figure, share)
        ends.append(number(figure.locator(".place").text_content()))
    return ends


def drag(figure, begin, end):
    hover(figure, begin)
    page, box = figure.page, figure.locator(".u-over").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + begin * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], y, steps=3)
    page.mouse.up()


def test_the_pointer_shows_values_in_all_charts_over_time(report):
    goodput = report.figure("Goodput")
    hover(goodput, 0.5)
    at = number(goodput.locator(".place").text_content())
    shown = number(goodput.locator(".value").text_content())
    chart = data(report, "goodput")
    times = [x * chart["x"]["scale"] for x in chart["xs"][0]]
    values = [y * chart["y"]["scale"] for y in chart["curves"][0]["y"]]
    assert at == pytest.approx((times[0] + times[-1]) / 2, rel=0.05)
    nearest = min(range(len(times)), key=lambda place: abs(times[place] - at))
    assert shown == pytest.approx(values[nearest], rel=0.005)
    queues = report.figure("Queues")
    assert number(queues.locator(".place").text_content()) == pytest.approx(at, rel=0.05)
    assert "KB" in queues.locator(".value").first.text_content()
    assert report.figure("Distribution of FCT").locator(".place").text_content() == ""
    report.page.mouse.move(0, 0)
    assert goodput.locator(".value").text_content() == ""


def test_dragging_zooms_all_charts_over_time_and_a_double_click_ends_it(report):
    goodput, queues = report.figure("Goodput"), report.figure("Queues")
    sizes = report.figure("FCT slowdown by flow size")
    whole, other = span(queues), report.save("FCT slowdown by flow size", "CSV")
    begin, end = span(goodput)
    drag(goodput, 0.25, 0.5)
    zoomed = [begin + share * (end - begin) for share in (0.25, 0.5)]
    assert span(goodput) == pytest.approx(zoomed, rel=0.1)
    assert span(queues) == pytest.approx(zoomed, rel=0.1)
    assert report.save("FCT slowdown by flow size", "CSV") == other
    queues.locator(".u-over").dblclick()
    assert span(queues) == whole
    assert span(goodput) == [begin, end]
    assert sizes.locator("canvas").is_visible()


def pixels(figure, colour):
    """The number of pixels of a chart in this colour."""
    return figure.locator("canvas").evaluate(
        """(canvas, colour) => {
            const { data } = canvas.getContext("2d")
                .getImageData(0, 0, canvas.width, canvas.height);
            const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
            let found = 0;
            for (let at = 0; at < data.length; at += 4) {
                if (data[at + 3] && wanted.every((each, place) => data[at + place] === each))
                    found += 1;
            }
            return found;
        }""",
        colour,
    )


def test_names_hide_and_show_curves(report):
    figure = report.figure("FCT slowdown of traffic entries")
    first, second = figure.locator(".legend button").all()
    blue = "#0072b2"
    assert pixels(figure, blue) > 20
    first.click()
    assert first.get_attribute("aria-pressed") == "false"
    assert pixels(figure, blue) == 0
    first.press("Enter")
    assert first.get_attribute("aria-pressed") == "true"
    assert pixels(figure, blue) > 20
    second.dblclick()
    assert first.get_attribute("aria-pressed") == "false"
    assert second.get_attribute("aria-pressed") == "true"
    second.dblclick()
    assert first.get_attribute("aria-pressed") == "true"


def test_keys_move_and_zoom(report):
    goodput, queues = report.figure("Goodput"), report.figure("Queues")
    whole = span(queues)
    plot = goodput.locator(".plot")
    plot.focus()
    hover(goodput, 0.5)
    before = number(goodput.locator(".place").text_content())
    for _ in range(10):
        plot.press("ArrowRight")
    after = number(goodput.locator(".place").text_content())
    assert after == pytest.approx(before + 0.1 * (whole[1] - whole[0]), rel=0.1)
    assert number(queues.locator(".place").text_content()) == pytest.approx(after, rel=0.05)
    plot.press("+")
    zoomed = span(queues)
    assert zoomed[1] - zoomed[0] == pytest.approx((whole[1] - whole[0]) / 2, rel=0.1)
    hover(goodput, 0.5)
    plot.press("-")
    plot.press("-")
    assert span(queues) == whole
    plot.press("+")
    plot.press("Escape")
    assert span(queues) == whole


def test_sections_zoom_apart(opened):
    one, two = opened("fabric").page.locator("section").all()
    bandwidth, tokens, other = (
        section.locator("figure").filter(has_text=title)
        for section, title in (
            (one, "Effective bandwidth"),
            (one, "Injection tokens"),
            (two, "Injection tokens"),
        )
    )
    begin, end = span(bandwidth)
    others = span(other)
    drag(bandwidth, 0.5, 0.75)
    zoomed = [begin + share * (end - begin) for share in (0.5, 0.75)]
    assert span(tokens) == pytest.approx(zoomed, rel=0.05)
    assert span(other) == others


def test_colours_follow_the_screen(report):
    figure = report.figure("Goodput")
    light, dark = "#e6e9ed", "#2b3036"
    assert (pixels(figure, light) > 500, pixels(figure, dark)) == (True, 0)
    report.colour("dark")
    assert (pixels(figure, light), pixels(figure, dark) > 500) == (0, True)


def test_printing_opens_folds_and_closes_them(report):
    folds = report.page.locator("details")
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert folds.count() == report.page.locator("details[open]").count() > 0
    assert report.figure("Goodput").locator("canvas").bounding_box()["width"] < 400
    report.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert report.page.locator("details[open]").count() == 0
    assert report.figure("Goodput").locator("canvas").bounding_box()["width"] > 400
    assert report.page.pdf().startswith(b"%PDF")
    assert report.said == []


def test_a_chart_is_as_wide_as_its_place(report):
    canvas = report.figure("Goodput").locator("canvas")
    for width in (600, 1000):
        report.resize(width)
        place = report.figure("Goodput").locator(".plot").bounding_box()["width"]
        assert canvas.bounding_box()["width"] == pytest.approx(place, abs=1)


OUTSIDE = """(canvas, colour) => {
    const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const [outer, inner] = [canvas, canvas.parentElement.querySelector(".u-over")]
        .map((each) => each.getBoundingClientRect());
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) {
        const y = Math.floor(at / 4 / canvas.width) + outer.y;
        const beside = y < inner.top - 4 || y > inner.bottom + 4;
        if (beside && data[at + 3] &&
            wanted.every((each, place) => Math.abs(data[at + place] - each) < 9))
            found += 1;
    }
    return found;
}"""


@pytest.mark.parametrize(
    ("title", "upper", "lower"), [("(b) Bars", 0.3, 0.8), ("(c) Boxes", 0.55, 0.75)]
)
def test_bars_and_boxes_stay_inside_a_zoomed_chart(opened, title, upper, lower):
    figure = opened("reproduction").figure(title)
    hover(figure, 0.1)
    over = figure.locator(".u-over").bounding_box()
    mouse = figure.page.mouse
    mouse.move(over["x"] + 1, over["y"] + upper * over["height"])
    mouse.down()
    mouse.move(over["x"] + 0.6 * over["width"], over["y"] + lower * over["height"], steps=4)
    mouse.up()
    assert pixels(figure, "#0072b2") > 10
    assert figure.locator("canvas").evaluate(OUTSIDE, "#0072b2") == 0


def test_a_lone_flow_has_axes_of_its_size(opened):
    deadlock = opened("deadlock")
    axes = deadlock.save("Finish time over start time", "SVG")[1]
    assert "finish time (µs)" in axes
    assert "start time (µs)" in axes
    assert pixels(deadlock.figure("Distribution of FCT"), "#0072b2") > 5


def test_segments_are_apart(opened):
    """Each other flow at the port is a level line from its first packet to its last, with its name
    on the axis.
    """
    page = opened("explained")
    chart = data(page, "company")
    heading = page.page.get_by_role("heading", name="Flows that it met at")
    figure = page.page.locator("figure").filter(has=heading).first
    with page.page.expect_download() as download:
        figure.get_by_role("button", name="as SVG").click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    found = re.findall(r'<path d="M([^"]*)" fill="none" stroke="([^"]*)" stroke-width="1.4"', svg)
    # The last line is the key in the legend.
    lines = [[end.split() for end in line.split("L")] for line, _ in found][: len(chart["curves"])]
    assert len(lines) == len(chart["curves"]) > 2
    assert all(len({y for _, y in line}) == 1 for line in lines)
    assert len({line[0][1] for line in lines}) == len(lines)
    assert all(svg.count(f">{name}</text>") == 1 for name in chart["y"]["names"])
    ends = [x * chart["x"]["scale"] for xs in chart["xs"] for x in xs]
    assert span(figure) == pytest.approx([min(ends), max(ends)], rel=1e-3)
