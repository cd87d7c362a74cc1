"""Varied values: as numbers, in several spellings, and as text."""

import pytest
from incast.present.charts.chart import Quantity
from incast.study.quantities import canonical, number, value_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.5, (0.5, Quantity.RATIO)),
        (True, None),
        ("hpcc", None),
        ("5us", (5e-6, Quantity.TIME)),
        ("1.5 ms", (1.5e-3, Quantity.TIME)),
        ("5\u03bcs", (5e-6, Quantity.TIME)),
        ("100Gbps", (100e9, Quantity.RATE)),
        ("0.1 Tbit/s", (100e9, Quantity.RATE)),
        ("10KB", (10e3, Quantity.SIZE)),
        ("4KiB", (4096.0, Quantity.SIZE)),
        ("4Kibps", None),
        ("3 parsecs", None),
        (None, None),
    ],
)
def test_values_as_numbers(value, expected):
    assert number(value) == (pytest.approx(expected[0]), expected[1]) if expected else True
    assert (number(value) is None) == (expected is None)


def test_spellings_of_one_value():
    assert number("0.3ms") == number("300us") == number("300000ns")
    assert canonical("0.1Tbps") == canonical("100Gbit/s") != canonical("100GB")
    assert canonical("1KiB") == canonical("1024B")
    assert canonical({"size": "1MB"}) == canonical({"size": "1000KB"}) != canonical({"size": 1})
    assert canonical([["1KB", 0.5]]) == canonical([["1000B", 0.5]]) != canonical(["1KB", 0.5])
    assert canonical(1) == canonical(1.0) != canonical(True)
    assert canonical(2**53) != canonical(2**53 + 1)
    assert canonical({"kind": "star", "hosts": 4}) == canonical({"hosts": 4, "kind": "star"})
    assert len({canonical(value) for value in (None, "None", "1", 1, "hpcc", [1])}) == 6


def test_values_as_text():
    texts = [value_text(value) for value in ("hpcc", 0.5, True, {"kind": "star"}, None)]
    assert texts == ["hpcc", "0.5", "true", '{kind = "star"}', "–"]
