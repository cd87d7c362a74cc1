"""Numbers as text: three digits and the right unit, also where units change."""

import pytest
from incast.present import units


@pytest.mark.parametrize(
    ("picoseconds", "text"),
    [
        (None, "–"),
        (0, "0 s"),
        (20, "20 ps"),
        (4_160_000, "4.16 µs"),
        (999_400, "999 ns"),
        (999_600, "1 µs"),  # 999.6 ns would be printed as 1000 ns
        (1_538_400_000, "1.54 ms"),
        (2.5e12, "2.5 s"),
    ],
)
def test_time(picoseconds, text):
    assert units.time_text(picoseconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0123, "12.3 ms"), (59.9, "59.9 s"), (61, "1:01 min"), (3_725, "1:02:05 h")],
)
def test_long_times_have_minutes(seconds, text):
    assert units.seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (46, "46 B"), (52_000, "52 KB"), (1.0e6, "1 MB"), (3e15, "3 PB")],
)
def test_bytes(count, text):
    assert units.bytes_text(count) == text


def test_rate():
    assert units.rate_text(97.3e9) == "97.3 Gbps"
    assert units.rate_text(100e9) == "100 Gbps"
    assert units.rate_text(0) == "0 bps"
    assert units.rate_text(17.8e15) == "17.8 Pbps"


def test_counts_are_written_out_below_a_million():
    assert units.count_text(32_921) == "32\N{THIN SPACE}921"
    assert units.count_text(12_345_678) == "12.3 M"
    assert units.count_text(1.5e12) == "1.5 T"
    assert units.per_second_text(5.1e6) == "5.1 M/s"


@pytest.mark.parametrize(
    ("ratio", "text"), [(None, "–"), (1.024, "1.02"), (45.67, "45.7"), (312.4, "312")]
)
def test_ratio(ratio, text):
    assert units.ratio_text(ratio) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0, 1_000, "≤ 1 KB"),
        (1_000, 10_000, "1 KB – 10 KB"),
        (1_000_000, None, "> 1 MB"),
        (0, None, "all sizes"),
    ],
)
def test_size_range(low, high, text):
    assert units.size_range_text(low, high) == text


@pytest.mark.parametrize(
    ("count", "noun", "text"), [(1, "host", "1 host"), (2, "switch", "2 switches")]
)
def test_plural(count, noun, text):
    assert units.plural(count, noun) == text


@pytest.mark.parametrize(
    ("quantity", "largest", "unit"),
    [("s", 1.4e-3, (1e-3, "ms")), ("B", 0, (1.0, "B")), ("ratio", 7, (1.0, ""))],
)
def test_common_unit(quantity, largest, unit):
    assert units.common_unit(quantity, largest) == unit
