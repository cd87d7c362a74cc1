"""The map of a network: quantities, time, folds, pauses, and a chosen link or node."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

SVG = "{http://www.w3.org/2000/svg}"
DRAWING = ".network-map .map svg"


def lines(page):
    """The colours of the drawing's lines, one for each direction of a link."""
    return page.locator(f"{DRAWING} path").evaluate_all(
        "paths => paths.filter((each) => /^M[^M]*L[^L]*$/.test(each.getAttribute('d')))"
        ".map((each) => each.getAttribute('stroke'))"
    )


def words(page):
    return page.locator(f"{DRAWING} text").all_text_contents()


def cells(page):
    """The rows of the table about the chosen link or node."""
    rows = page.locator(".chosen tbody tr").all()
    return [row.locator("td").all_text_contents() for row in rows]


@pytest.fixture
def folded(opened):
    return opened("folded").page


@pytest.fixture
def small(opened):
    """A dumbbell of four senders and four receivers."""
    return opened("report").page


def test_two_lines_for_each_link(small):
    data = json.loads(small.locator(".network-map script").text_content())
    assert len(lines(small)) == len(data["links"]) == 2 * 9
    # Most links carried traffic: links without traffic are grey.
    assert len(set(lines(small))) > 3
    assert {"host 0", "host 7", "switch 8"} <= set(words(small))


def test_colours_follow_the_quantity(small):
    by_utilisation = lines(small)
    small.get_by_label("Colour").select_option("longest queue")
    assert lines(small) != by_utilisation
    assert "longest queue  0" in words(small)


def test_a_slider_moves_through_time(small):
    slider = small.locator(".network-map input[type=range]")
    assert slider.is_hidden()
    small.get_by_label("Colour").select_option("queue over time")
    first, said = lines(small), slider.get_attribute("aria-valuetext")
    slider.fill("20")
    assert lines(small) != first
    assert slider.get_attribute("aria-valuetext") != said


def test_a_click_on_a_link_tells_both_directions(small):
    small.locator(DRAWING).scroll_into_view_if_needed()
    box = small.locator(DRAWING).bounding_box()
    data = json.loads(small.locator(".network-map script").text_content())
    x, y = ((data["x"][8] + data["x"][9]) / 2, 46)
    small.mouse.click(box["x"] + 16 + x * (box["width"] - 32), box["y"] + y)
    assert small.locator(".chosen caption").text_content() == "switch 8 – switch 9"
    first, second = cells(small)
    assert (first[0][:14], first[1]) == ("switch 8 port ", "100 Gbps")
    assert second[0].endswith("→ switch 8")


def test_queues_of_what_is_chosen_are_a_chart(small):
    small.get_by_label("Node").select_option("host 4")
    assert small.locator(".queues canvas").count() == 1
    assert small.locator(".queues h3").text_content() == "Queues of host 4"
    small.get_by_label("Node").select_option("–")
    assert small.locator(".queues canvas").count() == 0
    assert cells(small) == []


def test_arrows_of_pauses_are_shown_and_hidden(folded):
    before = folded.locator(f"{DRAWING} path").count()
    button = folded.get_by_role("button", name="Pauses", exact=True)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    arrows = folded.locator(f"{DRAWING} path").count() - before
    # Each arrow has a shaft and a head.
    assert arrows > 0
    assert arrows % 2 == 0
    button.click()
    assert folded.locator(f"{DRAWING} path").count() == before


def test_a_link_that_failed_is_dashed(folded):
    dashed = folded.locator(f"{DRAWING} path[stroke-dasharray]")
    assert dashed.count() == 2
    folded.get_by_label("Node").select_option("leaf 8")
    assert folded.locator(".chosen tbody tr").count() == 20


def test_keys_move_unfold_and_fold(folded):
    """Nine boxes below nine leaves; the first unfolds to eight hosts."""
    place = folded.locator(".network-map .map")
    folded.get_by_label("Node").select_option("leaf 0")
    assert "host 3" not in words(folded)
    place.focus()
    place.press("ArrowDown")
    assert folded.locator(".said").text_content().startswith("host 0 to 7: ")
    place.press("Enter")
    assert {f"host {number}" for number in range(8)} <= set(words(folded))
    assert folded.locator(".chosen tbody tr").count() == 16
    # Eight hosts, eight boxes, and nine leaves at two spines.
    assert len(lines(folded)) == 2 * (8 + 8 + 9 * 2)
    place.press("Enter")
    assert "host 3" not in words(folded)
    place.press("Escape")
    assert cells(folded) == []


def test_a_port_of_a_folded_host_unfolds_its_box(folded):
    folded.get_by_label("Node").select_option("leaf 0")
    button = folded.get_by_role("button", name="leaf 0 port 3 → host 3")
    button.press("Enter")
    assert "host 3" in words(folded)
    assert folded.locator(".chosen caption").text_content() == "host 3 – leaf 0"
    assert len(cells(folded)) == 2


def test_a_saved_drawing_is_light_and_has_its_scale(opened):
    report = opened("report")
    report.colour("dark")
    name, text = report.save("The network", "SVG")
    assert name.endswith("-network.svg")
    svg = ElementTree.fromstring(text)
    assert svg.find(f"{SVG}title").text == "The network"
    assert {"utilisation (%)  0", "100", "host 0"} <= {each.text for each in svg.iter(f"{SVG}text")}
    assert "#14171a" not in text
    # The page is dark again.
    assert report.page.locator(f"{DRAWING} rect[fill='#14171a']").count() == 2


def test_the_path_of_an_explained_flow_is_broad(opened):
    """The path from host 0 to host 4 has three links, one of them between the switches."""
    page = opened("explained").page
    drawing = page.locator("#flow-0 .map svg")
    assert drawing.locator("path[stroke-width='10']").count() == 3
    (colour,) = page.locator("#flow-0").get_by_label("Colour").all()
    assert colour.locator("option").all_text_contents()[0] == "wait in its FCT"
    assert page.locator("#flow-0 .map").get_attribute("aria-label").startswith("The network as")
    assert page.locator("#flow-1 .map svg path[stroke-width='10']").count() == 3
