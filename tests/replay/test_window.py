"""The part of a run that a replay plays, and the packets that a page has."""

import json
import re
import tomllib

import incast
import pytest
import scenarios
from incast.replay import trace
from incast.replay.page import MAX_HOSTS, write
from incast.replay.trace import traced
from incast.replay.window import chosen_window
from incast.results import _run_again
from replayed import LINK_FAILS, PAUSED, one_packet

US = 1_000_000


def untraced(scenario):
    return incast.run(tomllib.loads(scenario) | {"measure": {}})


def refuse(_scenario):
    pytest.fail("it was run again")


def data_of(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(re.findall(r'<script type="application/json">(.*?)</script>', text)[0])


@pytest.fixture(scope="module")
def paused():
    """A run of some 73 us, with the longest sampled queue at 10 us."""
    return untraced(PAUSED)


@pytest.fixture(scope="module")
def traced_whole():
    return incast.run(tomllib.loads(PAUSED))


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [("10us", "60us", (10, 60)), ("70us", "200us", (70, 73.167_84)), ("1500ns", "2us", (1.5, 2))],
)
def test_both_ends(paused, begin, end, expected):
    window = chosen_window(paused, begin, end)
    assert (window.begin, window.end) == tuple(round(each * US) for each in expected)


def test_around_the_longest_queue():
    """The base RTT is 4,177,280 ps. The window is from ten RTTs before to 15 after the longest
    sampled queue of the network. The queue grows while both flows last, from 30 to 42 us.
    """
    scenario = one_packet(senders=(0, 2), size="500KB")
    scenario["traffic"][0]["flows"][1]["start"] = "30us"
    results = incast.run(scenario | {"measure": {}})
    assert results.summary["base_rtt_ps"] == 4_177_280
    series = results.series
    is_longest = (series["measure"] == "queue_max_bytes") & (
        series["value"] == max(series["value"][series["measure"] == "queue_max_bytes"])
    )
    peak = int(series["time_ps"][is_longest][0])
    window = chosen_window(results, None, None)
    assert 40 * US < peak < 46 * US
    assert window.begin == peak - 41_772_800
    assert window.end == min(peak + 62_659_200, results.summary["simulated_ps"])
    assert window.anchor == peak


def test_one_end_is_named(paused):
    """25 base RTTs of 8.22 us are longer than the run."""
    base_rtt, last = (paused.summary[name] for name in ("base_rtt_ps", "simulated_ps"))
    assert chosen_window(paused, "20us", None)[:2] == (20 * US, min(last, 20 * US + 25 * base_rtt))
    assert chosen_window(paused, None, "30us")[:2] == (0, 30 * US)


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        ("20us", "10us", "begins at 20 µs and ends at 10 µs; it ends after it begins"),
        ("1ms", None, "the run ends at 73.2 µs, before the window begins"),
        ("10", None, "the begin of the window: `10` has no unit; write e.g. `10us`"),
        (None, "soon", "the end of the window: `soon` is not a number with a unit"),
    ],
)
def test_no_window(paused, begin, end, said):
    with pytest.raises(incast.ResultsError, match=re.escape(said)):
        chosen_window(paused, begin, end)


def test_a_trace_that_is_there_is_read(traced_whole, tmp_path):
    write(traced_whole, tmp_path / "page.html", refuse)


def test_the_page_is_the_same_from_a_trace_and_from_a_second_run(paused, traced_whole, tmp_path):
    pages = [
        data_of(write(run, tmp_path / f"{index}.html", _run_again, begin="5us", end="25us"))
        for index, run in enumerate((paused, traced_whole))
    ]
    assert pages[0] == pages[1]


def test_a_second_run_that_differs_is_refused(paused):
    def other(scenario):
        return _run_again(incast.Scenario(scenario, **{"traffic.1.sizes": "99KB"}))

    with pytest.raises(incast.ResultsError, match="run again, gives other results"):
        traced(paused, chosen_window(paused, "50us", "73us"), other)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("1,3,500000,0", "`destination` of a flow"),
        ("3,2,500000,0", "`source` of a flow"),
        ("1,2,400000,0", "`size_bytes` of a flow"),
        ("1,2,500000,1", "`start_ps` of a flow"),
        ("1,2,500000,0\n3,2,500000,0", "1 flows had started by then, and 2 have"),
    ],
)
def test_flows_that_do_not_complete_in_the_window_are_compared(tmp_path, flow, said):
    """The file of flows has changed since the run, whose flow completes after the window."""
    flows = tmp_path / "flows.csv"
    head = "source,destination,size_bytes,start_us"
    flows.write_text(f"{head}\n1,2,500000,0\n")
    run = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 4}},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "file", "file": str(flows), "format": "csv"}],
        }
    )
    window = {"begin": "0us", "end": "20us"}
    run.replay(tmp_path / "page.html", **window)
    flows.write_text(f"{head}\n{flow}\n")
    with pytest.raises(incast.ResultsError, match=f"gives other results: {said}"):
        run.replay(tmp_path / "page.html", **window)


def test_too_many_packets(traced_whole, tmp_path, monkeypatch):
    """A page plays at most 1,000 of the 7,252 packets: a named window is refused, and one that fits
    is suggested.
    """
    monkeypatch.setattr(trace, "MAX_PACKETS", 1000)
    named = {"begin": "0s", "end": "70us"}
    with pytest.raises(incast.ResultsError, match="a page plays 1\u2009000 at most") as refused:
        write(traced_whole, tmp_path / "page.html", refuse, **named)
    fits = re.search(r"a window that fits ends at (\d+ns)", str(refused.value))[1]
    write(traced_whole, tmp_path / "page.html", refuse, begin="0s", end=fits)
    # A default window is shortened to 1,000 packets around the longest queue.
    page = data_of(write(traced_whole, tmp_path / "page.html", refuse))["replay"]
    assert (
        0 < page["begin"] < page["begin"] + page["peak"] < page["begin"] + page["length"] < 30 * US
    )


@pytest.fixture(scope="module")
def long_links():
    """Links with 100 us of delay: at 450 us, 100 / 0.083840 = 1,193 data packets are on each of two
    links, and as many ACKs.
    """
    flow = {"source": 0, "destination": 1, "size": "10MB"}
    return incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": 2, "delay": "100us"}},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "flows", "flows": [flow]}],
        }
    )


def test_packets_on_links_at_the_begin_count(long_links, tmp_path, monkeypatch):
    """At most 6,000 packets, of which 4,772 are on links: 1,228 may leave. At most 1,000: none may
    leave.
    """
    monkeypatch.setattr(trace, "MAX_PACKETS", 6000)
    named = {"begin": "450us", "end": "500us"}
    with pytest.raises(incast.ResultsError, match="beside those on links at its begin") as refused:
        long_links.replay(tmp_path / "page.html", **named)
    fits = re.search(r"a window that fits ends at (\d+ns)", str(refused.value))[1]
    for window in ({"begin": "450us", "end": fits}, {"begin": "450us"}):
        page = data_of(long_links.replay(tmp_path / "page.html", **window))
        assert 5000 < len(page["replay"]["hops"]["port"]) <= 6000
    monkeypatch.setattr(trace, "MAX_PACKETS", 1000)
    said = "at 450 µs there are 4\u2009.* packets on links; a page plays 1\u2009000 at most"
    with pytest.raises(incast.ResultsError, match=said):
        long_links.replay(tmp_path / "page.html", begin="450us", end="450100ns")


def test_what_no_page_can_show(tmp_path, paused):
    many = incast.run(
        {
            "network": {"topology": {"kind": "star", "hosts": MAX_HOSTS + 1}},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "incast", "senders": "0-1", "receiver": 2, "sizes": "1KB"}],
        }
    )
    fabric = incast.run(
        {
            "fabric": {"endpoints": 16},
            "control": {"scheme": "none"},
            "work": [{"kind": "all-reduce", "size": "16KiB"}],
        }
    )
    for run, options, said in (
        (many, {}, "the network has 129 hosts; a replay draws 128 at most"),
        (fabric, {}, "a memory fabric has no packets"),
        (paused, {"flow": 6}, "there is no flow 6"),
        (paused, {"flow": 5, "begin": "72us"}, "no packet of flow 5 is in the network"),
    ):
        with pytest.raises(incast.ResultsError, match=re.escape(said)):
            write(run, tmp_path / "page.html", _run_again, **options)
    assert not (tmp_path / "page.html").exists()


def test_a_page_has_pauses_and_faults(traced_whole, tmp_path):
    page = data_of(traced_whole.replay(tmp_path / "page.html", begin="5us", end="25us", flow=5))
    replay = page["replay"]
    assert replay["flows"][replay["follow"]] == [5, 7, 1, 200_000]
    paused = {page["links"][port] for port, _, _ in replay["pauses"]}
    assert {page["names"][node] for node in paused} >= {"spine 0", "host 2", "host 3"}
    assert all(0 <= since < until <= 20 * US for _, since, until in replay["pauses"])
    down = data_of(untraced(LINK_FAILS).replay(tmp_path / "page.html", begin="0s", end="40us"))
    ((link, since, until),) = down["replay"]["down"]
    ends = {down["names"][node] for node in down["links"][2 * link : 2 * link + 2]}
    assert (ends, since, until) == ({"leaf 1", "spine 1"}, 6 * US, 30 * US)


def test_a_link_is_not_drawn_as_down_all_the_time(tmp_path):
    """In a report, all links that had a fault are dashed; in a replay, only while they are down."""
    page = data_of(untraced(LINK_FAILS).replay(tmp_path / "page.html", begin="31us", end="40us"))
    assert page["replay"]["down"] == []
    assert page["faults"] == []


def test_a_deadlock_is_played(tmp_path):
    """Only CNPs move, and the ports of the circle show the sampled queues."""
    results = incast.run(scenarios.ring(tmp_path), stop="3ms")
    begin = f"{results.stall['since_ps'] // 1000 + 100_000}ns"
    end = f"{results.stall['since_ps'] // 1000 + 150_000}ns"
    page = data_of(results.replay(tmp_path / "page.html", begin=begin, end=end))
    replay = page["replay"]
    assert replay["kinds"] == ["cnp"]
    circle = {(port["switch"], port["port"]) for port in results.stall["circle"]}
    names = [page["names"][node] for node in page["links"]]
    places = list(zip(names, page["ports"], strict=True))
    assert {places[port] for port, _ in replay["rests"]} == circle
    assert {places[port] for port, _, _ in replay["pauses"]} >= circle
