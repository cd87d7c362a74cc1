"""Every kind of page, in a browser."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from incast.present import palette
from incast.present.charts import ALL_CHARTS

from . import pages

KINDS = [make.__name__ for make in pages.KINDS]


@pytest.fixture(params=KINDS)
def seen(request, shared):
    opened = shared(request.param)
    # A browser slows down pages in the background.
    opened.page.bring_to_front()
    return opened


def test_a_page_says_nothing_and_asks_for_nothing(seen):
    assert seen.said == []
    assert seen.requests == [seen.file.as_uri()]


def test_every_chart_is_drawn(seen):
    places = seen.page.locator(".plot")
    assert places.count() > 0
    assert seen.page.locator(".plot canvas").count() == places.count()
    # Curves are in colour; axes and their numbers are greys.
    colourful = """canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return data.some((_, at) => at % 4 === 0 && data[at + 3] > 200 &&
            Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3)) > 60);
    }"""
    for canvas in seen.page.locator(".plot canvas").all():
        assert canvas.evaluate(colourful)


def test_every_chart_of_a_run_is_on_some_page(shared):
    drawn = {
        chart["name"]
        for kind in KINDS
        for chart in json.loads(shared(kind).page.locator("#charts").text_content())["charts"]
    }
    assert {registered.name for registered in ALL_CHARTS} <= drawn


OPEN_FOLDS = """most => document.querySelectorAll("details").forEach((fold, index) => {
    fold.open = index < most;
})"""

STICKING_OUT = """() => [...document.body.querySelectorAll("*")].filter((each) =>
    each.getBoundingClientRect().right > innerWidth + 1 &&
    !each.parentElement.closest(".scroll, pre")
).map((each) => each.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("width", [600, 1400])
def test_nothing_is_wider_than_the_screen(seen, width):
    seen.page.evaluate(OPEN_FOLDS, 100)
    seen.resize(width)
    assert seen.page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert seen.page.evaluate(STICKING_OUT) == []


@pytest.mark.parametrize(
    ("scheme", "options"), [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]
)
def test_screen_readers_and_weak_eyes(seen, scheme, options):
    seen.colour(scheme)
    # One fold of each page is opened: scenarios have thousands of words, each a second of work.
    seen.page.evaluate(OPEN_FOLDS, 1)
    violations = Axe().run(seen.page, options=options).response["violations"]
    assert {rule["help"]: [node["html"] for node in rule["nodes"]] for rule in violations} == {}


def test_every_chart_has_a_name_of_its_own(seen):
    pictures = seen.page.locator("figure").get_by_role("img").all()
    names = [picture.get_attribute("aria-label") for picture in pictures]
    assert len(names) == seen.page.locator("figure:not(:has(.missing))").count()
    for section in seen.page.locator("section").all():
        own = [each.get_attribute("aria-label") for each in section.get_by_role("img").all()]
        assert len(set(own)) == len(own)
    assert all(names)


def luminance(colour):
    """Relative luminance of an sRGB colour, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("scheme", "colours"),
    [
        ("light", [*palette.CATEGORIES_LIGHT, *palette.RAMP_LIGHT]),
        ("dark", [*palette.CATEGORIES_DARK, *palette.RAMP_DARK]),
    ],
)
def test_curves_stand_out_from_the_paper(shared, scheme, colours):
    report = shared("report")
    report.colour(scheme)
    page = report.page
    paper = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper')")
    for colour in colours:
        low, high = sorted((luminance(paper.strip()), luminance(colour)))
        assert (high + 0.05) / (low + 0.05) > 2, (colour, paper)


def scrolling(page):
    """For each table, whether it is wider than its place, and its tab index."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".scroll")].filter((each) => each.clientWidth)
            .map((each) => [each.scrollWidth > each.clientWidth, each.tabIndex])"""
    )


def test_tables_that_scroll_are_reached_by_keys(opened):
    deadlock = opened("deadlock")
    assert set(map(tuple, scrolling(deadlock.page))) == {(False, -1)}
    deadlock.resize(500)
    assert set(map(tuple, scrolling(deadlock.page))) == {(True, 0)}


@pytest.mark.parametrize("kind", ["reproduction", "checks"])
def test_claims_and_checks_fit_narrow_screens(opened, kind):
    narrow = opened(kind)
    narrow.resize(500)
    assert [wide for wide, _ in scrolling(narrow.page)] == [False]


def test_key_figures_stand_beside_other_tables(opened):
    page = opened("comparison").page
    captions = [
        page.locator("caption", has_text=text).first for text in ("FCT slow", "Key figures")
    ]
    slowdown, figures = (caption.bounding_box() for caption in captions)
    assert figures["y"] == slowdown["y"]
    assert figures["x"] > slowdown["x"] + slowdown["width"]
    assert page.get_by_role("cell", name="fingerprint").count() == 0
