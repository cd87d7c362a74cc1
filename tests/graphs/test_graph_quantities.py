"""Rates and delays in files of graphs."""

import pytest
from incast.graphs.quantities import distance_km, rate_bps, rate_in, time_in, time_ps


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("10 Gbps", 10**10),
        ("10Gb/s", 10**10),
        ("2.5 Gbit/s", 2_500_000_000),
        ("100M", 10**8),
        ("1G", 10**9),
        ("10GE", 10**10),
        ("56 Kbps", 56_000),
        ("622bps", 622),
        # 51.84 Mb/s · 192 and 155.52 Mb/s · 64 are the same rate.
        ("OC-192", 9_953_280_000),
        ("STM-64", 9_953_280_000),
        ("OC192/STM64", 9_953_280_000),
        # 3 · 51.84 = 155.52, which the label rounds.
        ("155 Mbps OC-3", 155_000_000),
        ("45 Mbps DS-3", 45_000_000),
        ("E3", 34_368_000),
        ("2x10Gb/s", 20_000_000_000),
    ],
)
def test_rates_of_labels(text, bps):
    assert rate_bps(text) == bps


@pytest.mark.parametrize(
    "text",
    [
        *("", "10", "1-20Gbps", "less than 100 Mbps", "10 GB/s", "Dark Fibre", "-1 Gbps"),
        *("0 Gbps", "10 Gbps OC-3", "1e9", "9" * 40 + "G"),
    ],
)
def test_what_is_no_single_rate(text):
    assert rate_bps(text) is None


def test_numbers_take_the_unit_that_is_told():
    assert rate_in("9920.00", "MBITPERSEC") == 9_920_000_000
    assert rate_in(40, "Gbps") == 40_000_000_000
    assert rate_in(40, "furlongs") is None
    assert rate_in(True, "Gbps") is None
    assert rate_in(float("nan"), "Gbps") is None
    assert time_in("2.5", "ms") == 2_500_000_000
    assert time_ps("2.5 ms") == 2_500_000_000
    assert time_ps("5us") == 5_000_000
    assert time_ps("5 minutes") is None


def test_distances_are_along_great_circles():
    # A quarter of the equator, and a quarter of a meridian: 6371 km · π / 2 = 10 007.5 km.
    assert distance_km((0, 0), (0, 90)) == pytest.approx(10_007.5, abs=0.1)
    assert distance_km((0, 0), (90, 0)) == pytest.approx(10_007.5, abs=0.1)
    assert distance_km((50, 8), (50, 8)) == 0
    # Across the date line: two degrees of the equator, 222.4 km.
    assert distance_km((0, 179), (0, -179)) == pytest.approx(222.4, abs=0.1)
