"""The paper `lgc`: its claims, what its words are taken to mean, and what is measured, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from incast import papers
from incast.papers.framework.paper import Scale
from incast.papers.framework.scoreboard import Verdict
from incast.papers.lgc import metrics, networks
from incast.papers.lgc.algorithms import DCTCP, LGC, NO_EXP
from made_up import Columns

CLAIMS = {claim.id: claim for claim in papers.paper("lgc").claims}
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    assert ids == {f"L{number:02}" for number in range(1, 36)}


def counts(lgc, other, label=DCTCP):
    found = {}
    for flows, own, rival in zip(networks.COUNTS, lgc, other, strict=True):
        found[networks.incast_name(flows, LGC)] = own
        found[networks.incast_name(flows, label)] = rival
    return found


def in_step(*correlations, often):
    named = zip(networks.COUNTS, correlations, strict=True)
    return {f"correlation, {flows} flows": value for flows, value in named} | {"l = 1": often}


@pytest.mark.parametrize(
    ("number", "values", "expected"),
    [
        ("L04-rates", {"a": 0.96, "b": 1.04}, HOLDS),
        ("L04-rates", {"a": 0.94}, FAILS),
        ("L04-queue", {"a": 0.75, "b": 1.25}, HOLDS),
        ("L04-queue", {"a": 0.5}, TREND),
        ("L04-queue", {"a": 0.3}, FAILS),
        # What stands beside them for whole runs is not judged.
        ("L05", {"r": 0.805, "whole runs, r": 0.7}, HOLDS),
        ("L05", {"r": 0.785}, FAILS),
        ("L05", {"r": 0.807}, TREND),
        ("L06", {"r": 0.95}, TREND),
        ("L07", {"mean": 0.096, "lowest node": 0.08, "highest node": 0.12}, HOLDS),
        ("L12", {"mean": 0.546}, TREND),
        ("L12", {"mean": 0.47}, FAILS),
        ("L12-background", {"k = 1": 0.94}, FAILS),
        ("L14", {"a": 0.8, "b": 0.5}, HOLDS),
        ("L14", {"a": 1.1, "b": 0.5}, TREND),
        ("L15-speed", {"r = 0.1": 0.2, "r = 0.3": 0.04, LGC: 0.05}, HOLDS),
        ("L15-speed", {"r = 0.1": 0.2, "r = 0.3": 0.04, LGC: 0.06}, TREND),
        ("L16", {"a": 10.0, "b": 12.5}, HOLDS),
        ("L16", {"a": 10.0, "b": 20.0}, TREND),
        ("L16", {"a": 10.0, "b": 21.0}, FAILS),
        ("L17", counts([8, 8, 8], [10, 10, 10]), HOLDS),
        ("L17", counts([8, 9, 11], [10, 10, 10]), TREND),
        ("L17", counts([8, 11, 11], [10, 10, 10]), FAILS),
        ("L18", counts([5, 6, 9], [10, 10, 10], NO_EXP), HOLDS),
        ("L18", counts([5, 6, 11], [10, 10, 10], NO_EXP), TREND),
        ("L19", in_step(0.5, 0.4, 0.5, often=0.6), HOLDS),
        ("L19", in_step(0.3, 0.4, 0.4, often=0.6), TREND),
        ("L19", in_step(0.9, 0.6, 0.6, often=0.9), FAILS),
        ("L19", in_step(0.5, 0.5, 0.5, often=0.5), FAILS),
        ("L18", counts([5, 11, 20], [10, 10, 10], NO_EXP), FAILS),
        ("L05-sd", {"r = 0.1, no exp.": 0.13, "r = 0.3, no exp.": 0.12}, HOLDS),
        ("L05-sd", {"r = 0.1, no exp.": 0.14, "r = 0.3, no exp.": 0.12}, TREND),
        ("L05-sd", {"r = 0.1, no exp.": 0.16, "r = 0.3, no exp.": 0.12}, FAILS),
        ("L12-residual", {"k = 1": 0.96, "k = 2": 0.85}, TREND),
        ("L12-residual", {"k = 1": 0.79}, FAILS),
        ("L23-ratio", {"": 0.96}, TREND),
        ("L23-ratio", {"": 0.95}, FAILS),
        ("L35", {"x": 0.427, "Jain's index": 1.0}, TREND),
        ("L35", {"x": 0.39, "Jain's index": 1.0}, FAILS),
        ("L20", {"mean": 9.56e9}, HOLDS),
        ("L20", {"mean": 9.4e9}, TREND),
        ("L21-ratio", {"mean": 0.976}, HOLDS),
        ("L21-ratio", {"mean": 0.969}, TREND),
        ("L25", {"lowest": 0.97, "mean": 0.99}, HOLDS),
        ("L25", {"lowest": 0.9, "mean": 0.99}, TREND),
        (
            "L26",
            {"first": 0.98, "lowest of the first 10 ms": 0.9, "lowest of the second half": 0.97},
            HOLDS,
        ),
        ("L27", {LGC: 0.95, DCTCP: 0.97}, HOLDS),
        ("L27-window", {LGC: 0.91}, TREND),
        ("L28", {"first ms with 0.99": 5.0, "mean of the second half": 0.99}, HOLDS),
        ("L28", {"first ms with 0.99": 6.0, "mean of the second half": 0.99}, TREND),
        ("L29", {"mean of the second half": 0.948}, HOLDS),
        ("L29", {"mean of the second half": 0.96}, TREND),
        ("L30", counts([9, 9, 9.1], [10, 10, 10]), TREND),
        ("L34", {"200 µs": 0.3, "400 µs": 0.2, "800 µs": 0.1}, HOLDS),
        ("L34", {"200 µs": 0.3, "400 µs": 0.31, "800 µs": 0.1}, TREND),
        ("L35", {"x": 0.45, "Jain's index": 0.99}, HOLDS),
        ("L35", {"x": 0.41, "Jain's index": 0.99}, TREND),
        ("L35", {"x": 0.41, "Jain's index": 0.98}, FAILS),
    ],
)
def test_words_mean_this(number, values, expected):
    assert Verdict.of(CLAIMS[number], values) is expected


@pytest.mark.parametrize("number", ["L01", "L02", "L03", "L13"])
def test_theory_holds_without_a_run(number):
    claim = CLAIMS[number]
    assert claim.holds(claim.measure({}))


def test_runs_have_ten_seeds_and_quick_ones_three():
    make = lambda seed: seed  # noqa: E731
    assert list(networks.seeded(Scale.FULL, "a", make).values()) == list(range(1, 11))
    runs = networks.seeded(Scale.QUICK, "a #", make)
    assert list(runs) == ["a # #1", "a # #2", "a # #3"]
    assert networks.of(runs, "a #") == [1, 2, 3]
    with pytest.raises(AssertionError):
        networks.of(runs, "a")


def test_round_trips_have_the_delays_asked_for():
    planned = networks.incast(LGC, 2, 1, stop_ms=1, delays_us=[70, 130])
    topology = planned.scenario["network"]["topology"]
    # 70 µs one way: 20 to the switch, 50 on to the receiver.
    assert topology["host_delays"] == ["20us", "80us", "50us"]


class Series(Columns):
    """Rows of (time in ms, measure, entity, value)."""

    def __init__(self, rows):
        times, measures, entities, values = zip(*rows, strict=True)
        super().__init__(time_ps=[time * 1e9 for time in times], value=values)
        self._texts = {"measure": measures, "entity": entities}

    def categories(self, column):
        texts = sorted(set(self._texts[column]))
        indices = np.array([texts.index(text) for text in self._texts[column]])
        return SimpleNamespace(texts=texts, indices=indices)


def run(rows, end_ms=4):
    return SimpleNamespace(series=Series(rows), summary={"simulated_ps": end_ms * 1e9})


def test_settled_is_the_second_half():
    rows = [
        (time, "cc_load", flow, value)
        for flow, values in {"flow 0": [0, 0, 1, 1], "flow 1": [0, 1, 0.5, 0.5]}.items()
        for time, value in enumerate(values, start=1)
    ]
    # 2, 3 and 4 ms: 0, 1, 1 and 1, 0.5, 0.5.
    assert metrics.loads([run(rows)]).mean() == pytest.approx(4 / 6)
    assert metrics.loads([run(rows)], whole=True).mean() == pytest.approx(4 / 8)


def test_rates_are_those_on_the_wire():
    # 1.46 MB of payload in 2 ms, 1.514 MB on the wire: 6.056 Gb/s of 10.
    acked = [(2, 1e6), (3, 1.8e6), (4, 2.46e6)]
    rows = [(time, "acked_bytes", "flow 7", value) for time, value in acked]
    rows += [(4, "cc_share", "flow 7", 0.6), (4, "acked_bytes", "flow 8", 5.0)]
    assert metrics.rates(run(rows)) == pytest.approx([0.6056])


def test_jain_of_each_millisecond():
    # 1 ms: 1 and 3: 16/(2·10) = 0.8; 2 ms: 2 and 2: 1.
    rows = [(1, "acked_bytes", "flow 0", 1.0), (1, "acked_bytes", "flow 1", 3.0)]
    rows += [(2, "acked_bytes", "flow 0", 3.0), (2, "acked_bytes", "flow 1", 5.0)]
    times, index = metrics.jain(run(rows), 2)
    assert times == pytest.approx([1, 2])
    assert index == pytest.approx([0.8, 1.0])


def test_round_trips_of_all_seeds_are_one_distribution():
    def counted(edges, packets):
        return SimpleNamespace(round_trips=Columns(rtt_to_ps=edges, packets=packets))

    runs = [counted([2e8, 3e8], [1, 1]), counted([2e8, 4e8], [5, 1])]
    edges, below = metrics.rtt_cdf(runs)
    assert edges == pytest.approx([2e-4, 3e-4, 4e-4])
    assert below == pytest.approx([6 / 8, 7 / 8, 1])
    assert metrics.rtt_percentile(runs, 50) == pytest.approx(2e-4)
    assert metrics.rtt_percentile(runs, 80) == pytest.approx(3e-4)


def test_spans_and_first_flows_are_cut_out():
    series = {"flow 0": [9, 1, 3, 9], "flow 1": [0, 5, 5, 0], "flow 2": [0, 0, 8, 0]}
    rows = [
        (time, "cc_share", flow, value)
        for flow, values in series.items()
        for time, value in enumerate(values, start=1)
    ]
    rows += [(time, "queue_max_bytes", "", 1514.0 * time) for time in range(1, 5)]
    # 2 and 3 ms of the first two flows: deviations of 1 and 0.
    span = (2e9, 4e9)
    assert metrics.share_spread([run(rows)], flows=2, span=span) == pytest.approx(0.5)
    assert list(metrics.queue([run(rows)], span)) == [2, 3]


def test_correlation_of_loads_is_that_of_pairs():
    # Up together (1) and against each other (-1, -1): -1/3; the one that never changes is left out.
    series = {"a": [0, 0, 1, 0], "b": [0, 0.2, 0.8, 0.2], "c": [0, 1, 0, 1], "d": [1, 1, 1, 1]}
    rows = [
        (time, "cc_load", flow, value)
        for flow, values in series.items()
        for time, value in enumerate(values, start=1)
    ]
    assert metrics.load_correlation([run(rows)]) == pytest.approx(-1 / 3)
