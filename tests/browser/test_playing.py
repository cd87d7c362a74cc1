"""A replay: places of packets, playing, steps, the followed flow, keys."""

import json
import xml.etree.ElementTree as ElementTree
from importlib import resources

import incast
import pytest
from replayed import one_packet

from .conftest import Opened

ASSETS = resources.files("incast.replay").joinpath("assets")
SVG = "{http://www.w3.org/2000/svg}"
PACKET, DELAY = 83_840, 1_000_000
GRID = "#e6e9ed"


@pytest.fixture(scope="module")
def positions(browser):
    """A page that has only the script `positions.js`."""
    page = browser.new_page()
    page.add_script_tag(content=ASSETS.joinpath("positions.js").read_text(encoding="utf-8"))
    yield page
    page.close()


def bits(page, time, length=PACKET, delay=DELAY):
    """Positions of the last and the first bit on the link, as shares of its length, of a packet
    that starts to leave at 0.
    """
    packet = {"leaves": 0, "length": length, "delay": delay, "gone": length + delay}
    return page.evaluate("([packet, time]) => bitsOf(packet, time)", [packet, time])


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (-1, None),
        # The first bit leaves.
        (0, [0, 0]),
        # 41,920 of 1,000,000 ps: half of the packet is out.
        (41_920, [0, 0.041_92]),
        # The whole packet is out.
        (83_840, [0, 0.083_84]),
        # 500,000 − 83,840 = 416,160.
        (500_000, [0.416_16, 0.5]),
        # The first bit has arrived.
        (1_000_000, [0.916_16, 1]),
        # One ps before the last bit arrives: (1,083,839 − 83,840) / 1,000,000.
        (1_083_839, [0.999_999, 1]),
        (1_083_840, None),
    ],
)
def test_a_packet_on_its_link_to_the_picosecond(positions, time, expected):
    """1000 B and headers of 48 B take 83,840 ps to leave at 100 Gb/s; each bit takes 1 us to the
    end.
    """
    assert bits(positions, time) == expected


def test_a_packet_that_is_longer_than_its_link(positions):
    """1048 B at 1 Gb/s leave in 8,384,000 ps: from 1 us to 8,384,000 ps the packet covers the whole
    link.
    """
    assert bits(positions, 4_000_000, length=8_384_000) == [0, 1]
    assert bits(positions, 8_884_000, length=8_384_000) == [0.5, 1]
    # Without delay a packet covers the whole link while it leaves.
    assert bits(positions, 1, delay=0) == [0, 1]


@pytest.fixture(scope="module")
def two_hosts(browser, tmp_path_factory):
    """One packet from host 0 to host 1, and its ACK."""
    file = tmp_path_factory.mktemp("replay") / "page.html"
    incast.run(one_packet()).replay(file)
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    yield Opened(context.new_page(), file)
    context.close()


def moving(page):
    """The only packet drawn: x and y of its last bit and of its first, in pixels."""
    (path,) = page.locator(".map svg g").first.locator("path").all()
    parts = path.get_attribute("d").replace("M", "").split("L")
    return [[float(each) for each in part.split()] for part in parts]


def show(page, time):
    """Moves the slider to a time, in picoseconds."""
    page.locator("input[type=range]").evaluate(
        "(slider, time) => { slider.value = time; slider.dispatchEvent(new Event('input')); }", time
    )


def test_what_is_drawn_is_to_scale(two_hosts):
    """At 200, 400 and 600 ns the first bit is at one, two and three fifths of the link. First and
    last bit are 83,840 ps of 1 us apart, less the pixel between packets.
    """
    page = two_hosts.page
    firsts, lengths = [], []
    for time in (200_000, 400_000, 600_000):
        show(page, time)
        last, first = moving(page)
        firsts.append(first)
        lengths.append(sum((a - b) ** 2 for a, b in zip(last, first, strict=True)) ** 0.5)
    step = [b - a for a, b in zip(firsts[0], firsts[1], strict=True)]
    assert [b - a for a, b in zip(firsts[1], firsts[2], strict=True)] == pytest.approx(
        step, abs=0.2
    )
    way = 5 * sum(each**2 for each in step) ** 0.5
    assert way > 100
    assert lengths == pytest.approx([0.083_84 * way - 1] * 3, abs=0.3)


def test_words_tell_where_a_packet_is(two_hosts):
    page = two_hosts.page
    show(page, 500_000)
    page.get_by_label("Node").select_option("host 0")
    place = page.locator(".map")
    place.focus()
    place.press("Escape")
    place.press("ArrowUp")
    assert page.locator(".said").text_content().startswith("switch 3, 3 ports: longest queue 0 B")
    assert "1 packet on links" in page.locator(".state").text_content()


def test_events_are_stepped_through(two_hosts):
    """The packet leaves at 0. It arrives at the switch at 1,083,840 ps and leaves at once, and
    arrives at host 1 at 2,167,680 ps; the ACK follows.
    """
    page = two_hosts.page
    show(page, 0)
    said = page.locator(".said")
    for moment, words in (
        ("1.084 µs", "data from byte 0 of flow 0 arrives at switch 3"),
        ("2.168 µs", "ack of byte 1000 of flow 0 leaves host 1 port 0 → switch 3"),
        ("3.172 µs", "arrives at switch 3"),
    ):
        page.get_by_role("button", name="event ›").click()
        assert said.text_content().startswith(moment)
        assert words in said.text_content()
    page.get_by_role("button", name="‹ event").click()
    assert said.text_content().startswith("2.168 µs")


@pytest.fixture
def replayed(opened):
    return opened("replayed").page


def seconds(page):
    return float(page.locator("output").text_content().split()[0])


def test_it_plays_and_pauses(replayed):
    button = replayed.get_by_role("button", name="Play", exact=True)
    assert seconds(replayed) == 0
    button.click()
    replayed.wait_for_function("parseFloat(document.querySelector('output').textContent) > 0.5")
    replayed.get_by_role("button", name="Pause", exact=True).click()
    stopped = seconds(replayed)
    assert replayed.evaluate("new Promise((done) => setTimeout(done, 100))") is None
    assert seconds(replayed) == stopped


def test_steps_of_time_and_keys(replayed):
    place = replayed.locator(".map")
    place.focus()
    for key, expected in (("]", 0.1), ("]", 0.2), ("[", 0.1), ("End", 30), ("Home", 0)):
        place.press(key)
        assert seconds(replayed) == expected
    place.press(".")
    assert replayed.locator(".said").text_content().startswith("0.084 µs: ")
    place.press(" ")
    assert replayed.get_by_role("button", name="Pause", exact=True).count() == 1
    place.press(" ")
    assert replayed.get_by_role("button", name="Play", exact=True).count() == 1


def test_what_is_told_is_of_the_moment_that_is_shown(replayed):
    """A jump or a step announces its moment. The slider announces the state of the chosen part, if
    one is chosen; nothing is announced while the replay plays.
    """
    said, place = replayed.locator(".said"), replayed.locator(".map")
    place.focus()
    for key, moment in (("]", "0.100"), ("End", "30.000"), (".", "30.000"), ("Home", "0.000")):
        place.press(key)
        assert said.text_content().startswith(f"{moment} µs: ")
    replayed.get_by_role("button", name="Longest queue").click()
    peak = replayed.locator("output").text_content()
    assert said.text_content().startswith(f"{peak}: ")
    replayed.get_by_role("button", name="Play", exact=True).click()
    assert not said.text_content().strip()
    replayed.get_by_role("button", name="Longest queue").click()
    assert said.text_content().startswith(f"{peak}: ")
    show(replayed, 1_000_000)
    assert not said.text_content().strip()
    replayed.get_by_label("Node").select_option("spine 0")
    before = said.text_content()
    assert before.startswith("spine 0")
    show(replayed, 8_000_000)
    assert said.text_content().startswith("spine 0")
    assert said.text_content() != before


def colours(page):
    return set(
        page.locator(".map svg g path").evaluate_all(
            "each => each.map((p) => p.getAttribute('stroke'))"
        )
    )


def test_one_flow_is_followed_and_others_are_grey(replayed):
    show(replayed, 8_000_000)
    assert {"#0072b2", "#009e73", "#cc79a7"} <= colours(replayed)
    replayed.get_by_label("Follow").select_option(label="flow 5: host 7 → host 1, 200 KB")
    assert {"#0072b2", "#c3cad1"} <= colours(replayed)
    assert not {"#009e73", "#cc79a7"} & colours(replayed)
    everything = replayed.locator(".state").text_content()
    replayed.get_by_label("Follow").select_option(label="all flows")
    assert replayed.locator(".state").text_content() != everything


def test_ports_that_pfc_pauses_are_marked(replayed):
    """At 9 us the spine and two hosts are paused; at 1 us nothing is paused."""
    show(replayed, 1_000_000)
    assert "#d55e00" not in colours(replayed)
    show(replayed, 9_000_000)
    assert "#d55e00" in colours(replayed)
    assert "4 ports paused" in replayed.locator(".state").text_content()
    replayed.get_by_label("Node").select_option("spine 0")
    (row,) = replayed.locator(".chosen tbody tr", has_text="spine 0 port 0").all()
    assert row.locator("td").nth(4).text_content().endswith("µs")


def test_the_longest_queue_fills_its_column(replayed):
    """191 packets of 1048 B wait at spine 0 towards leaf 0: the filled column is as long as the
    grey one behind it, and no other queue fills its column.
    """
    replayed.get_by_role("button", name="Longest queue").click()
    state = replayed.locator(".state").text_content()
    assert "longest queue 200 KB at spine 0 port 0 → leaf 0" in state
    data = json.loads(replayed.locator(".network-map script").text_content())["replay"]
    assert data["most"] == 191 * 1048
    filled, whole = {}, {}
    for path in replayed.locator(".map svg g").nth(1).locator("path[stroke-width='10']").all():
        lengths = whole if path.get_attribute("stroke") == GRID else filled
        for piece in path.get_attribute("d").split("M")[1:]:
            x, from_, _, to = (float(each) for each in piece.replace("L", " ").split())
            # Several ports share one x: leaves have ports above and below.
            lengths[x, from_ > 270] = lengths.get((x, from_ > 270), 0) + abs(to - from_)
    assert set(whole.values()) == {43}
    assert sorted(filled.values())[-1] == 43
    # 138 KB at leaf 0 towards host 0: 132 packets, 43 · 132 / 191 = 29.7 pixels.
    assert sorted(filled.values())[-2] == 30


def test_a_click_in_the_chart_moves_it(replayed):
    plot = replayed.locator(".plot .u-over").last
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    replayed.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert seconds(replayed) == pytest.approx(15, abs=0.2)


def test_where_motion_is_not_wanted_pictures_stand(browser, file_of):
    """The replay advances half a second at a time, and draws nothing in between."""
    context = browser.new_context(reduced_motion="reduce")
    page = Opened(context.new_page(), file_of("replayed")).page
    page.get_by_role("button", name="Play", exact=True).click()
    assert seconds(page) == 0
    page.wait_for_function("parseFloat(document.querySelector('output').textContent) > 0")
    assert seconds(page) >= 0.5
    context.close()


def test_a_saved_moment_is_light_and_has_its_packets(opened):
    page = opened("replayed")
    page.colour("dark")
    show(page.page, 8_000_000)
    name, text = page.save("The network", "SVG")
    assert name == "replay.svg"
    svg = ElementTree.fromstring(text)
    colours = {each.get("stroke") for each in svg.iter(f"{SVG}path")}
    assert {"rgb(0, 114, 178)", "rgb(0, 158, 115)"} <= colours


def test_a_page_stays_small(tmp_path):
    """A page with the greatest number of packets is below 2 MB, even if all of them wait in
    queues.
    """
    scenario = {
        "network": {"topology": {"kind": "star", "hosts": 65}, "flow_control": "none"},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "incast", "senders": "1-64", "receiver": 0, "sizes": "500KB"}],
    }
    file = incast.run(scenario).replay(tmp_path / "page.html", begin="0s")
    data = file.read_text(encoding="utf-8").split('<script type="application/json">')[1]
    hops = json.loads(data.split("</script>")[0])["replay"]["hops"]["port"]
    assert len(hops) > 30_000
    assert file.stat().st_size < 2_000_000


NAMES = """(texts) => texts.map((text) => [text.textContent, text.getBBox()])
  .map(([name, { x, y, width, height }]) => [name, x, y, x + width, y + height])"""


@pytest.mark.parametrize("width", [600, 1200])
def test_columns_hide_no_names(browser, tmp_path, width):
    """Switches in one row have their columns beside their names."""
    scenario = {
        "network": {"topology": {"kind": "parking-lot"}},
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "incast", "receiver": 1, "sizes": "10KB"}],
    }
    file = incast.run(scenario).replay(tmp_path / "page.html")
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = Opened(context.new_page(), file).page
    names = page.locator(".map svg text", has_text="switch").evaluate_all(NAMES)
    assert [name for name, *_ in names] == ["switch 6", "switch 7", "switch 8"]
    columns = page.locator(f".map svg g path[stroke='{GRID}']").evaluate_all(
        "(paths) => paths.map((path) => path.getAttribute('d'))"
    )
    pieces = [piece for d in columns for piece in d.split("M")[1:]]
    level = 0
    for piece in pieces:
        x1, y1, x2, y2 = (float(each) for each in piece.replace("L", " ").split())
        level += y1 == y2
        for _, left, top, right, bottom in names:
            beside = max(x1, x2) <= left or min(x1, x2) >= right
            assert beside or y1 != y2 or not top < y1 < bottom
    assert level == 4
    context.close()
