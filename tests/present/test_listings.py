"""Terminal tables, as a reader sees them."""

import incast
from incast.comparison import Comparison, labelled
from incast.present import listings


def test_one_run(star):
    lines = star.table().splitlines()
    assert lines[0] == "star16: hpcc, profile default, seed 1"
    assert lines[1] == "17 hosts, 1 switch, 17 links; base RTT 4.16 µs, BDP 52 KB"
    header = ["FCT", "slowdown", "flows", "mean", "p50", "p95", "p99", "p99.9", "max"]
    assert lines[3].split() == header
    assert lines[5].split()[:5] == ["100", "KB", "–", "1", "MB"]
    assert lines[6].startswith("all flows")
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
    assert "fair after              411 µs             never" in text
    blocks = text.split("\n\n")
    first, second = blocks[1].splitlines()[-2:]
    assert first.split()[:3] == ["all", "flows", "hpcc"]
    assert second.split()[0] == "none"


def test_columns_of_text_and_numbers():
    assert listings.columns(["name", "n"], [["a", "1"], ["long name", "100"]]) == (
        "name         n\n─────────  ───\na            1\nlong name  100"
    )


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
