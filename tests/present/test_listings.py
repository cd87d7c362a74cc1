"""Terminal tables, as a reader sees them."""

import io

import incast
import pytest
from incast.comparison import Comparison, labelled
from incast.present import terminal
from incast.present.columns import aligned, columns
from incast.present.terminal import Ink, Inked


def test_one_run(star):
    lines = star.table().splitlines()
    assert lines[0] == "star16: hpcc, profile default, seed 1"
    assert lines[1] == "17 hosts, 1 switch, 17 links; base RTT ≤ 4.16 µs, BDP ≤ 52 KB"
    header = ["FCT", "slowdown", "flows", "mean", "p50", "p95", "p99", "p99.9", "max"]
    assert lines[2] == "star: 17 hosts"
    assert lines[3] == "incast: all hosts to host 16, 1 MB each, 16 flows"
    assert lines[5].split() == header
    assert lines[7].split()[:5] == ["100", "KB", "–", "1", "MB"]
    assert lines[8].startswith("all flows")
    assert "goodput       97.3 Gbps  6.1 Gbps per flow on average" in lines
    assert "queue peak    111 KB     switch 17 port 16 → host 16" in lines


def test_columns_line_up(star):
    table = star.table().split("\n\n")[1].splitlines()
    assert len({len(line) for line in table}) == 1


def test_a_partial_run_warns(folders):
    text = incast.load(folders["partial"]).table()
    assert "Interrupted at 1.54 ms of simulated time, with 10 flows under way" in text


def test_a_run_with_nothing_in_it(empty):
    text = empty.table()
    assert "all flows         0     –" in text
    assert "not measured" in text


def test_side_by_side(folders):
    runs = labelled([incast.load(folders[name]) for name in ("star", "star-none")])
    text = Comparison(runs).table()
    assert "fair after       411 µs      never" in text
    blocks = text.split("\n\n")
    first, second = blocks[1].splitlines()[-2:]
    assert first.split()[:3] == ["all", "flows", "hpcc"]
    assert second.split()[0] == "none"


def test_columns_of_text_and_numbers():
    assert columns(["name", "n"], [["a", "1"], ["long name", "100"]]) == (
        "name         n\n─────────  ───\na            1\nlong name  100"
    )


WIDE = [["hpcc:artifact", "a path of the fat tree", "12.3 ms", "1.5", "99.9"], ["none"] * 5]


@pytest.mark.parametrize("width", [40, 50, 60, 80])
def test_no_line_is_wider_than_the_terminal(width):
    header = ["algorithm", "where it is", "completion time", "slow", "share of all"]
    listing = columns(header, WIDE, text=2, width=width)
    assert max(map(len, listing.splitlines())) <= width
    for cell in WIDE[0][2:]:
        assert listing.count(cell) == 1
    assert all(word in listing.split() for word in " ".join([*header, *WIDE[0]]).split())


def test_what_is_too_wide_gives_way():
    """A table that is too wide first wraps the names of columns, then text; then it puts numbers
    into another block.
    """
    rows = [["a b", "1", "2"]]
    name = ["key", "first number", "second number"]
    assert columns(name, rows, width=29).splitlines()[0] == "      first  second"
    assert columns(name, rows, width=16).split("\n\n") == [
        "      first\nkey  number\n───  ──────\na b       1",
        "     second\nkey  number\n───  ──────\na b       2",
    ]


def test_text_wraps_at_words_and_long_words_after_signs():
    assert terminal.wrapped("web-search at 40 %", 12) == ["web-search", "at 40 %"]
    assert terminal.wrapped("mix/output_of_flows.txt", 12) == ["mix/output_", "of_flows.txt"]
    assert terminal.wrapped("abcdef", 4) == ["abcd", "ef"]
    assert aligned([["a", "one two"], ["bb", "three"]], width=8) == "a   one two\nbb  three"


def test_headings_between_rows():
    listing = columns(["n", "x"], ["first", ["a", "1"], "second", ["b", "2"]])
    assert listing.splitlines() == ["n  x", "─  ─", "", "first", "a  1", "", "second", "b  2"]


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": "", "TERM": "xterm"}, True),
        (Screen(), {"TERM": "dumb"}, False),
        (Screen(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colours_are_for_terminals(stream, environment, coloured, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with terminal.painting(stream):
        listing = columns(["n", "verdict"], [["1", Inked("holds", Ink.GOOD)]], text=2)
    assert ("\x1b[32mholds\x1b[0m" in listing) == coloured
    assert ("\x1b" in listing) == coloured
    assert "\x1b" not in columns(["n"], [[Inked("holds", Ink.GOOD)]])


def test_labels_are_what_differs(folders):
    star, none, fabric = (incast.load(folders[name]) for name in ("star", "star-none", "fabric"))
    assert list(labelled([star])) == ["star16"]
    assert list(labelled([star, none])) == ["hpcc", "none"]
    assert list(labelled([star, fabric])) == ["star16", "hadoop-320"]
    assert list(labelled([star, none, fabric])) == [
        "star16, hpcc",
        "star16, none",
        "hadoop-320, hpcc",
    ]
    assert list(labelled([star, star])) == ["1: star16", "2: star16"]
