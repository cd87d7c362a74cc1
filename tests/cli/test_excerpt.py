"""The line of a file that an error is about, and the mark below it."""

import tracemalloc

import pytest
from incast.cli.excerpt import excerpt
from incast.errors import Error

WIDTH = 60


def marked(tmp_path, line, what, key=None):
    """The part of a line that is marked."""
    file = tmp_path / "wrong.toml"
    file.write_text(f"first = 1\n{line}\n", encoding="utf-8")
    found = excerpt(Error(what, file=str(file), line=2, key=key), WIDTH)
    assert max(map(len, found)) <= WIDTH
    assert found.line.startswith("   2 | ")
    assert set(found.mark) == {" ", "|", "^"}
    start = found.mark.index("^")
    assert found.mark[start:].strip("^") == ""
    return found.line[start : len(found.mark)]


@pytest.mark.parametrize(
    ("line", "what", "key", "piece"),
    [
        ('cc = "hpc" # not hpcc', "unknown algorithm `hpc`", "cc.algorithm", "hpc"),
        ("laod = 4", "unknown key `laod`", "traffic[0].laod", "laod"),
        ("a = 4, load = 4 # of 4", "4 is more than links carry", "traffic[0].load", "4 "[:1]),
        ('rate = "100"', "`100` has no unit", "links[3].rate", "100"),
        ("hosts = [1, 2] # two", "are too few", "hosts[1]", "[1, 2]"),
        ("x = { a = 1, b = 'c,d' }", "is wrong", "x.b", "'c,d'"),
        ("0 64 3 100", "host 64 does not exist", "destination", "64"),
        ("5 35 3 100", "one flow more than the 5 that the file promises", "count", "5 35 3 100"),
        ("LB_MODE 9", "ConWeave is not in this version", "LB_MODE", "9"),
        ("  [[traffic]]", "a key is missing", "traffic[0]", "[[traffic]]"),
        ('size = "' + "9" * 42 + '"', f"`{'9' * 40}…` is too large", "size", '"' + "9" * 42 + '"'),
        ("sizes = { cdf = [[1, 2]] } # x", "is no size", "sizes.cdf[2].bytes", "[[1, 2]]"),
        ("größe = 12", "`12` is wrong", None, "12"),
    ],
)
def test_marks(tmp_path, line, what, key, piece):
    assert marked(tmp_path, line, what, key) == piece[: WIDTH - 7 - line.index(piece)]


def test_a_long_line_is_cut_around_the_mark(tmp_path):
    line = "x " * 100 + "wrong" + " y" * 100
    assert marked(tmp_path, line, "`wrong` is wrong") == "wrong"
    assert len(marked(tmp_path, "z" * 500, "is wrong")) == WIDTH - 7


def test_where_there_is_no_line_nothing_is_shown(tmp_path):
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xff\x1b[2J\n")
    assert excerpt(Error("x", file=str(file)), WIDTH) is None
    assert excerpt(Error("x", file=str(file), line=7), WIDTH) is None
    assert excerpt(Error("x", file=str(tmp_path), line=1), WIDTH) is None
    assert excerpt(Error("x", file=str(tmp_path / "none"), line=1), WIDTH) is None
    rows = tmp_path / "points.parquet"
    rows.write_bytes(b"PAR1\x15\0\n")
    assert excerpt(Error("x", file=str(rows), line=1), WIDTH) is None
    shown = excerpt(Error("x", file=str(file), line=1), WIDTH)
    assert "\x1b" not in shown.line


def test_long_lines_take_no_memory(tmp_path):
    file = tmp_path / "flows.csv"
    file.write_text("x" * 20_000_000 + "\nwrong " + "y" * 20_000_000 + "\nlast\n")
    tracemalloc.start()
    try:
        found = [
            excerpt(Error("is wrong", file=str(file), line=line), WIDTH) for line in (1, 2, 3, 4)
        ]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [each.line[7:12] for each in found[:3]] == ["xxxxx", "wrong", "last"]
    assert found[3] is None
    assert most < 1_000_000
