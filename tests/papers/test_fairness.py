"""The paper `fairness`: the interpretation of its claims, on numbers computed by hand."""

import math
from types import SimpleNamespace

import pytest
from incast import papers
from incast.measure import tiers
from incast.measure.statistics import Median
from incast.papers.scoreboard import Verdict
from incast.present import matplotlib
from incast_papers.fairness import metrics
from incast_papers.fairness.algorithms import HPCCS, SWIFTS
from incast_papers.fairness.figures import fig4, fig5, fig10, sec3a, sec5b
from incast_papers.fairness.figures.sec6 import UNSCALED
from made_up import Columns, run

CLAIMS = {claim.id: claim for claim in papers.paper("fairness").claims}
"""A01–A16, B01–B37, C01–C07; claims on two algorithms, and parts of a claim, have a suffix."""


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    expected = {
        *(f"A{number:02}" for number in range(1, 17)),
        *(f"B{number:02}" for number in range(1, 38)),
        *(f"C{number:02}" for number in range(1, 8)),
    }
    assert ids == expected


HPCC, HPCC_1G, HPCC_PROB, HPCC_VAI_SF = HPCCS
SWIFT, SWIFT_1G, SWIFT_PROB, SWIFT_VAI_SF = SWIFTS
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def both(**numbers):
    """Time until fair, and time lost, by label; labels are given without blanks."""
    pairs = {NAMES[key]: value for key, value in numbers.items()}
    return {label: time for label, (time, _) in pairs.items()} | {
        metrics.lost(label): gone for label, (_, gone) in pairs.items()
    }


NAMES = {
    "hpcc": HPCC,
    "hpcc_1g": HPCC_1G,
    "hpcc_prob": HPCC_PROB,
    "hpcc_vai_sf": HPCC_VAI_SF,
    "swift": SWIFT,
    "swift_vai_sf": SWIFT_VAI_SF,
    "dcqcn": "DCQCN",
}


def by_acks(label, *values):
    """One value for each SF of 30, 4, 2 and 1."""
    return {f"{label} SF {acks}": value for acks, value in zip((30, 4, 2, 1), values, strict=True)}


def fair_by_acks(*times):
    """The same time until fair and time lost under HPCC and Swift, for each SF of 30, 4, 2 and
    1.
    """
    found = by_acks(HPCC, *times) | by_acks(SWIFT, *times)
    return found | {metrics.lost(label): time for label, time in found.items()}


def in_incasts(few, many):
    """Queues under HPCC with VAI and SF relative to the default's, with 16 and with 96 senders."""
    return {
        f"{HPCC}, 16 senders": 1.0,
        f"{HPCC_VAI_SF}, 16 senders": few,
        f"{HPCC}, 96 senders": 1.0,
        f"{HPCC_VAI_SF}, 96 senders": many,
    }


DEFAULT = {"hpcc": (10.0, 8.0), "hpcc_1g": (1.0, 2.0), "hpcc_prob": (5.0, 4.0)}


@pytest.mark.parametrize(
    ("number", "values", "expected"),
    [
        ("A01", {HPCC: -1.0}, HOLDS),
        ("A01", {HPCC: -0.9}, FAILS),
        # A quarter of −3 is −0.75; a slope of −1 is only the trend.
        ("A03", {HPCC: -3.0, HPCC_1G: -0.75}, HOLDS),
        ("A03", {HPCC: -3.0, HPCC_1G: -0.8}, TREND),
        ("A03", {HPCC: -6.0, HPCC_1G: -0.99}, HOLDS),
        ("A03", {HPCC: -6.0, HPCC_1G: -1.0}, TREND),
        ("A03", {HPCC: -6.0, HPCC_1G: -3.1}, FAILS),
        ("A03", {HPCC: -6.0, HPCC_1G: 0.3}, HOLDS),
        ("A07", both(hpcc=(300e-6, 1.0)), HOLDS),
        ("A07", both(hpcc=(299e-6, 1.0)), FAILS),
        ("A07", both(hpcc=(1.01e-3, 1.0)), FAILS),
        ("A07", both(hpcc=(math.inf, 1.0)), FAILS),
        # Both times are a fifth less.
        ("A09-hpcc", both(hpcc=(1, 1), hpcc_1g=(0.8, 0.8), hpcc_prob=(0.1, 0.8)), HOLDS),
        ("A09-hpcc", both(hpcc=(1, 1), hpcc_1g=(0.8, 0.8), hpcc_prob=(0.1, 0.81)), TREND),
        ("A09-hpcc", both(hpcc=(1, 1), hpcc_1g=(0.9, 0.8), hpcc_prob=(0.1, 0.81)), FAILS),
        ("A16", both(hpcc=(9, 9), swift=(8, 8), dcqcn=(8, 8)), HOLDS),
        ("A16", both(hpcc=(9, 9), swift=(8, 8), dcqcn=(8, 9)), TREND),
        ("A16", both(hpcc=(9, 9), swift=(8, 8), dcqcn=(8, 10)), FAILS),
        ("A10-swift", {SWIFT: 10.0, SWIFT_1G: 12.0}, HOLDS),
        ("A10-swift", {SWIFT: 10.0, SWIFT_1G: 11.0}, FAILS),
        # 35–45, and a fifth beyond: 28–54, at each point.
        ("A11-hpcc", {"to 2 MB": 28.0, "to 10 MB": 54.0}, HOLDS),
        ("A11-hpcc", {"to 2 MB": 28.0, "to 10 MB": 54.1}, FAILS),
        # 10–15, and a fifth beyond: 8–18; the trend is two thirds of 35.
        ("A12-hpcc", {"to 10 MB": 18.0}, HOLDS),
        ("A12-hpcc", {"to 10 MB": 19.0}, TREND),
        ("A12-hpcc", {"to 10 MB": 23.4}, FAILS),
        ("B01", {HPCC: 10.0, HPCC_VAI_SF: 5.0}, HOLDS),
        ("B01", {HPCC: 10.0, HPCC_VAI_SF: 8.0}, TREND),
        ("B01", {HPCC: 10.0, HPCC_VAI_SF: 9.0}, FAILS),
        # At most half of the default's 5 and 4, and at most a quarter more than the other variants.
        ("B03", both(**DEFAULT, hpcc_vai_sf=(1.25, 2.5)), HOLDS),
        ("B03", both(**DEFAULT, hpcc_vai_sf=(1.26, 2.5)), TREND),
        ("B03", both(**DEFAULT, hpcc_vai_sf=(1.25, 2.6)), TREND),
        ("B03", both(**DEFAULT, hpcc_vai_sf=(5.1, 4.0)), TREND),
        ("B03", both(**DEFAULT, hpcc_vai_sf=(5.1, 4.1)), FAILS),
        ("B24-hpcc", both(hpcc=(1.0, 1.0), hpcc_vai_sf=(0.8, 0.8)), HOLDS),
        ("B24-hpcc", both(hpcc=(1.0, 1.0), hpcc_vai_sf=(0.8, 0.9)), TREND),
        ("B24-hpcc", both(hpcc=(1.0, 1.0), hpcc_vai_sf=(0.9, 0.9)), FAILS),
        ("B05", {HPCC: 1e3, HPCC_VAI_SF: 5.2e3}, HOLDS),
        ("B05", {HPCC: 1e3, HPCC_VAI_SF: 5.3e3}, FAILS),
        ("B11-swift", {"to 10 MB": 16.0}, HOLDS),
        ("B11-swift", {"to 10 MB": 48.1}, FAILS),
        ("B12-hpcc", {"to 2 MB": 8.0, "to 10 MB": 18.0}, HOLDS),
        ("B12-hpcc", {"to 2 MB": 18.0, "to 10 MB": 20.0}, TREND),
        ("B12-hpcc", {"to 2 MB": 18.0, "to 10 MB": 20.1}, FAILS),
        ("B13-hpcc", {"": 2.0}, HOLDS),
        ("B13-hpcc", {"": 1.9}, TREND),
        ("B13-hpcc", {"": 1.1}, FAILS),
        ("B14-hpcc", {"all of them": 1.1, "highest point": 1.1}, HOLDS),
        ("B14-hpcc", {"all of them": 1.1, "highest point": 1.2}, TREND),
        ("B14-hpcc", {"all of them": 1.2, "highest point": 1.2}, FAILS),
        ("B15-hpcc", {"": 3.0}, HOLDS),
        ("B16-hpcc", {"": 2.0}, TREND),
        ("B17-hpcc", {"small": 1.0, "large": 1.25}, HOLDS),
        ("B17-hpcc", {"small": 1.0, "large": 1.26}, FAILS),
        ("B19", {HPCC: 4.0, SWIFT: 6.0}, HOLDS),
        ("B19", {HPCC: 4.0, SWIFT: 5.0}, TREND),
        ("B20", {HPCC: 4.0, SWIFT: 5.0, "Swift, Hadoop traffic": 7.5}, HOLDS),
        ("B20", {HPCC: 4.0, SWIFT: 6.0, "Swift, Hadoop traffic": 9.0}, FAILS),
        ("B20", {HPCC: 4.0, SWIFT: 5.0, "Swift, Hadoop traffic": 7.4}, FAILS),
        ("B21", {"long": 9, "long, raised": 8, "short": 3, "short, raised": 4}, HOLDS),
        ("B21", {"long": 9, "long, raised": 8, "short": 3, "short, raised": 2}, FAILS),
        ("B25", {"Swift SF": 0.69e-6, "balance": 1.0}, HOLDS),
        ("B25", {"Swift SF": 0.71e-6, "balance": 0.0}, FAILS),
        ("B30", {UNSCALED: 25.0, SWIFT: 20.0, SWIFT_VAI_SF: 14.0}, HOLDS),
        ("B30", {UNSCALED: 26.0, SWIFT: 20.0, SWIFT_VAI_SF: 15.0}, TREND),
        ("B30", {UNSCALED: 26.0, SWIFT: 17.0, SWIFT_VAI_SF: 15.0}, FAILS),
        # For SF of 30, 4, 2, 1: shorter at each step; the trend is shorter at the last.
        ("B31", by_acks(HPCC, 4, 3, 2, 1) | by_acks(SWIFT, 4, 3, 2, 1), HOLDS),
        ("B31", by_acks(HPCC, 4, 3, 3, 1) | by_acks(SWIFT, 4, 3, 2, 1), TREND),
        ("B31", by_acks(HPCC, 4, 3, 2, 4) | by_acks(SWIFT, 4, 3, 2, 1), FAILS),
        ("B32", by_acks(HPCC, 100, 0, 0, 99) | by_acks(SWIFT, 100, 0, 0, 99), HOLDS),
        ("B32", by_acks(HPCC, 100, 0, 0, 99.1) | by_acks(SWIFT, 100, 0, 0, 99), TREND),
        ("B32", by_acks(HPCC, 100, 0, 0, 100) | by_acks(SWIFT, 100, 0, 0, 100), FAILS),
        ("B35-hpcc", {HPCC_VAI_SF: 5.0, f"{HPCC_VAI_SF}, no dampener": 10.0}, HOLDS),
        ("B35-hpcc", {HPCC_VAI_SF: 5.1, f"{HPCC_VAI_SF}, no dampener": 10.0}, TREND),
        ("B35-hpcc", {HPCC_VAI_SF: 10.0, f"{HPCC_VAI_SF}, no dampener": 10.0}, FAILS),
        ("B36-swift", {f"{SWIFT_VAI_SF}, cap {10**n}": n for n in range(4)}, HOLDS),
        ("B36-swift", {f"{SWIFT_VAI_SF}, cap {10**n}": n % 3 + n for n in range(4)}, TREND),
        ("B36-swift", {f"{SWIFT_VAI_SF}, cap {10**n}": -n for n in range(4)}, FAILS),
        ("B34-hpcc", {HPCC: 1.0, HPCC_VAI_SF: 1.1}, HOLDS),
        ("B34-hpcc", {HPCC: 1.0, HPCC_VAI_SF: 1.2}, TREND),
        ("B34-hpcc-incast", in_incasts(1.1, 1.0), HOLDS),
        ("B34-hpcc-incast", in_incasts(1.0, 1.5), TREND),
        ("B34-hpcc-incast", in_incasts(1.0, 1.6), FAILS),
        ("B37", fair_by_acks(4, 3, 2, 1), HOLDS),
        ("B37", fair_by_acks(4, 2, 3, 1), TREND),
        ("B37", fair_by_acks(4, 3, 2, 4), FAILS),
        ("B27", {"below 300 KB": 0.953, "above 1 MB": 0.026}, HOLDS),
        ("B27", {"below 300 KB": 0.96, "above 1 MB": 0.025}, FAILS),
        # 1.17 ± 0.0585.
        ("C01", {"": 1.22}, HOLDS),
        ("C01", {"": 1.23}, TREND),
        ("C01", {"": 1.34}, TREND),
        ("C01", {"": 1.35}, FAILS),
        ("C01", {"": 1.0}, FAILS),
        ("C05", {"no control": 1.2e9, "HPCC": 1.8e9}, HOLDS),
        ("C05", {"no control": 1.4e9, "HPCC": 1.8e9}, TREND),
        ("C05", {"no control": 1.6e9, "HPCC": 1.8e9}, FAILS),
        ("C05-latency", {"no control": 2e-3, "HPCC": 1e-3}, HOLDS),
        ("C05-latency", {"no control": 1.9e-3, "HPCC": 1e-3}, FAILS),
        ("C06", {"smallest · N": 1.0, "largest": 1.0}, HOLDS),
        ("C06", {"smallest · N": 0.99, "largest": 1.0}, FAILS),
    ],
)
def test_verdicts(number, values, expected):
    assert Verdict.of(CLAIMS[number], values) is expected


def test_large_incast_of_hpcc():
    low = {f"{label} low": 6e3 for label in (HPCC_1G, HPCC_PROB)}
    mean = {f"{label} mean": 4e3 for label in (HPCC, HPCC_VAI_SF)}
    claim = next(claim for claim in fig5.FIGURE.claims if claim.id == "B09")
    assert claim.holds({**low, **mean})
    assert not claim.holds({**low, **mean, f"{HPCC_PROB} low": 1e3})
    assert claim.trend({**low, **mean, f"{HPCC_PROB} low": 1e3})
    assert not claim.trend({**low, **mean, f"{HPCC_VAI_SF} mean": 6e3})


def test_queues_of_swift():
    mean = {f"{label} mean": 9e3 for label in SWIFTS} | {f"{SWIFT_VAI_SF} mean": 8e3}
    swing = {f"{label} oscillation": 2e3 for label in SWIFTS}
    swing |= {f"{SWIFT} oscillation": 1e3}
    small, large = CLAIMS["B06"], CLAIMS["B10"]
    # Swings like that of 1 Gb/s, but above the default's.
    assert Verdict.of(small, {**mean, **swing}) is HOLDS
    assert Verdict.of(large, {**mean, **swing}) is TREND
    steady = {**swing, f"{SWIFT_VAI_SF} oscillation": 1e3}
    assert Verdict.of(large, {**mean, **steady}) is HOLDS
    assert Verdict.of(small, {**mean, **swing, f"{SWIFT_VAI_SF} mean": 9e3}) is FAILS


def test_steps():
    assert sec3a.rising({"a": 1, "b": 2, "c": 3})
    assert not sec3a.rising({"a": 1, "b": 1})
    assert sec3a.falling({"a": 3, "b": 2, "a, lost": 3, "b, lost": 2})
    assert not sec3a.falling({"a": 3, "b": 2, "a, lost": 3, "b, lost": 3})


def test_medians_by_class():
    """Medians of 2 and 3 in one class, 4 and 2 in another: ratios of 1.5 and 0.5; the other classes
    are missing.
    """
    runs = {
        "default": run([0] * 2, [1] * 2, [5_000, 2_000_000], [2.0, 4.0]),
        "variant": run([0] * 2, [1] * 2, [5_000, 2_000_000], [3.0, 2.0]),
    }
    values = metrics.medians_by_class(runs, "default", "variant")
    assert values["≤ 10 KB"] == 1.5
    assert values["> 1 MB"] == 0.5
    assert math.isnan(values["10–100 KB"])


def test_tails_at_the_points_above_a_megabyte():
    """Each point is one flow, of 1 MB or 2 MB. Label a has 3 and 5 with its two seeds, label b 2
    and 4.
    """
    sizes = [1_000_000, 2_000_000]
    runs = {
        "a #1": run([0] * 2, [1] * 2, sizes, [9.0, 3.0]),
        "a #2": run([0] * 2, [1] * 2, sizes, [9.0, 5.0]),
        "b #1": run([0] * 2, [1] * 2, sizes, [9.0, 2.0]),
        "b #2": run([0] * 2, [1] * 2, sizes, [9.0, 4.0]),
    }
    assert metrics.tail_points(runs, "a") == {"to 2 MB": Median(4.0, 3.0, 5.0)}
    assert metrics.tail_points(runs, "a", over="b") == {"to 2 MB": Median(1.375, 1.25, 1.5)}
    assert metrics.last_point(runs, "b", 50) == {"b": Median(3.0, 2.0, 4.0)}


def test_fluid_advantage_by_integration_is_the_closed_form():
    times = [1e3, 1e4, 1e5, 4e5]
    closed = [fig4.MODEL.advantage(fig4.FAST, fig4.SLOW, time) for time in times]
    assert list(fig4.integrated(fig4.MODEL, times)) == pytest.approx(closed, rel=1e-6)


def test_balance_of_swift():
    """At a fair share of 6.25 Gb/s, 30 ACKs take 38.4 µs, which is 9.23 base RTTs. So 0.0738 of the
    rate is added; 0.8·x/(7 µs + x) = 0.0738 at x = 0.712 µs.
    """
    assert sec5b.balance() == pytest.approx(0.712e-6, rel=2e-3)


def test_jain_bounds():
    """Index times flows: 0.5 · 2 = 1 and 0.8 · 2 with two flows, 0.9 · 3 with three."""
    series = Columns(
        time_ps=[1, 2, 3, 1, 2, 3],
        value=[0.5, 0.8, 0.9, 2.0, 2.0, 3.0],
        measure=["jain_index"] * 3 + ["active_flows"] * 3,
        entity=["network"] * 6,
    )
    bounds = metrics.jain_bounds({"": SimpleNamespace(series=series)})
    assert bounds == {"smallest · N": 1.0, "largest": pytest.approx(0.9)}


def ports(links, hosts):
    """The ports at both ends of each link; nodes below `hosts` are hosts."""
    both_ways = [*links, *((b, a) for a, b in links)]
    return Columns(
        node=[a for a, _ in both_ways],
        peer=[b for _, b in both_ways],
        label=[f"{'host' if a < hosts else 'switch'} {a}" for a, _ in both_ways],
    )


def test_tree():
    """Hosts 0 and 1 on switch 4, host 2 on 5, host 3 on 6; 4 and 5 on 7, 6 and 7 on 8."""
    links = [(0, 4), (1, 4), (2, 5), (3, 6), (4, 7), (5, 7), (6, 8), (7, 8)]
    table = ports(links, hosts=4)
    assert tiers.tiers(table) == [[0, 1, 2, 3], [4, 5, 6], [7, 8]]
    # The longest path is 0 – 4 – 7 – 8 – 6 – 3.
    assert tiers.switches_between(table) == 4
    assert tiers.switches_between(ports([(0, 2), (1, 2)], hosts=2)) == 1


def test_shares_of_a_run():
    made = {fig10.HPCC: run([0] * 4, [1] * 4, sizes=[1, 2, 400_000, 2_000_000])}
    assert CLAIMS["B27"].measure(made) == {"below 300 KB": 0.5, "above 1 MB": 0.25}


@pytest.mark.slow
def test_whatever_is_small_runs_and_is_judged(undrawn, tmp_path):
    """The figures that `quick` leaves at full size: stars, dumbbells, formulas. Charts are drawn,
    but not written.
    """
    small = [figure.id for figure in papers.paper("fairness").figures if not figure.scaled]
    done = papers.reproduce("fairness", quick=True, only=small, store=tmp_path)
    assert done.failures == []
    for result in done.figures:
        assert result.charts
        for chart in result.charts.values():
            assert not chart.empty, (result.figure.id, chart.title)
            assert matplotlib.draw(chart, title=chart.title, caption=chart.note).axes
        for row in result.rows:
            assert row.verdict in (HOLDS, TREND, FAILS)
            assert row.values
    # Claims whose verdicts depend on no reading and no tolerance.
    verdicts = {row.claim.id: row.verdict for row in done.scoreboard.rows}
    for number in ("A01", "A02", "A03", "A05", "A13", "A15", "B01", "B02", "B22", "B23", "C03"):
        assert verdicts[number] is HOLDS
    page = done.save(tmp_path / "page").read_text()
    drawn = page.count('<div class="plot" ') + page.count('<svg class="diagram"')
    assert drawn == sum(len(each.charts) for each in done.figures)
    # One line for each link of the fat tree.
    assert page.count("M", page.index('<svg class="diagram"'), page.index("</svg>")) == 480
