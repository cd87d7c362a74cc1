"""The paper `lgc`: its claims, their interpretation, and its metrics computed by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from incast import papers
from incast.papers.figure import Scale
from incast.papers.scoreboard import Verdict
from incast.present.charts import Box
from incast_papers.lgc import metrics, networks
from incast_papers.lgc.algorithms import DCTCP, LGC, LGC_WINDOW, NO_EXP, PRINTED
from incast_papers.lgc.figures import fig3, fig5, fig10, sec3d
from made_up import Columns

CLAIMS = {claim.id: claim for claim in papers.paper("lgc").claims}
HOLDS, TREND, FAILS = Verdict.HOLDS, Verdict.TREND, Verdict.FAILS


def test_every_claim_is_there():
    ids = {number.split("-")[0] for number in CLAIMS}
    # L07 to L12 are one sentence of the paper, and count once.
    once = {f"L{number:02}" for number in range(8, 13)}
    assert ids == {f"L{number:02}" for number in range(1, 39)} - once
    parts = [claim.id for claim in CLAIMS.values() if claim.number == "L07" and claim.kind.counts]
    assert parts == [f"L07-k{ratio}" for ratio in range(1, 7)]


def counts(lgc, other, label=DCTCP):
    found = {}
    for flows, own, rival in zip(networks.COUNTS, lgc, other, strict=True):
        found[networks.incast_name(flows, LGC)] = own
        found[networks.incast_name(flows, label)] = rival
    return found


def percentiles(lgc, other):
    """RTTs at p50, p90 and p95, the same for all numbers of flows."""
    named = {}
    for percent, own, rival in zip((50, 90, 95), lgc, other, strict=True):
        for name, value in counts([own] * 3, [rival] * 3).items():
            named[f"p{percent}, {name}"] = value
    return named


def in_step(*correlations, often):
    named = zip(networks.COUNTS, correlations, strict=True)
    return {f"correlation, {flows} flows": value for flows, value in named} | {"l = 1": often}


def updated(*seconds):
    """Seconds by interval of updates, from 100 to 800 µs."""
    return dict(zip((f"every {each} µs" for each in (100, 200, 400, 800)), seconds, strict=True))


def robust(*throughputs):
    found = {}
    for acks, value in zip((33, 8, 4), throughputs, strict=True):
        found |= {f"Gb/s, {acks} ACKs": value, f"S·x, {acks} ACKs": 0.95}
    return found


@pytest.mark.parametrize(
    ("number", "values", "expected"),
    [
        ("L04-rates", {"period": 0.76, "amplitude": 1.24}, HOLDS),
        ("L04-rates", {"period": 0.76, "amplitude": 0.5}, TREND),
        ("L04-rates", {"period": 1.7, "amplitude": 1.0}, FAILS),
        ("L04-queue", {"a": 0.75, "b": 1.25}, HOLDS),
        ("L04-queue", {"a": 0.5}, TREND),
        ("L04-queue", {"a": 0.3}, FAILS),
        ("L05", {"r = 0.1": 0.805, "r = 0.3": 0.79}, HOLDS),
        ("L05", {"r": 0.785}, FAILS),
        ("L05", {"r": 0.807}, TREND),
        ("L06", {"r": 0.95}, TREND),
        # Lengths other than 200 ms are shown, but not judged.
        ("L05-whole", {"100 ms": 0.7, "200 ms": 0.796}, HOLDS),
        ("L06-sd-whole", {"200 ms": 0.13}, TREND),
        # Each node is judged.
        ("L07-k1", {"lowest node": 0.096, "highest node": 0.104, "mean": 0.1}, HOLDS),
        ("L07-k1", {"lowest node": 0.094, "highest node": 0.104, "mean": 0.1}, TREND),
        ("L07-k6", {"lowest node": 0.47, "highest node": 0.6, "mean": 0.55}, FAILS),
        ("L07-alone", {"k = 1, lowest": 0.96, "k = 1, highest": 1.04}, HOLDS),
        ("L07-residual", {"k = 1, lowest": 0.96, "k = 2, lowest": 0.85}, TREND),
        ("L07-residual", {"k = 1, lowest": 0.79}, FAILS),
        ("L14", {"a": 0.8, "b": 0.5}, HOLDS),
        ("L14", {"a": 1.1, "b": 0.5}, TREND),
        ("L15-speed", {"r = 0.1": 0.2, "r = 0.3": 0.04, LGC: 0.05}, HOLDS),
        ("L15-speed", {"r = 0.1": 0.2, "r = 0.3": 0.04, LGC: 0.06}, TREND),
        ("L15-speed-printed", {"r = 0.1": 0.2, "r = 0.3": 0.04, PRINTED: 0.05}, HOLDS),
        ("L15-stability-printed", {"r = 0.1": 1.0, "r = 0.3": 3.0, PRINTED: 2.0}, TREND),
        ("L16", {"a": 10.0, "b": 12.5}, HOLDS),
        ("L16", {"a": 10.0, "b": 20.0}, TREND),
        ("L16", {"a": 10.0, "b": 21.0}, FAILS),
        ("L17", counts([8, 8, 8], [10, 10, 10]), HOLDS),
        ("L17", counts([8, 9, 11], [10, 10, 10]), TREND),
        ("L17", counts([8, 11, 11], [10, 10, 10]), FAILS),
        ("L17-many", {"5": 100.0, "20": 20.0, "40": 10.0}, HOLDS),
        ("L17-many", {"5": 100.0, "20": 20.0, "40": 20.0}, FAILS),
        # With 5 flows the RTT has to be shorter; with more flows it may be less so, or longer.
        ("L18", counts([5, 6, 9], [10, 10, 10], NO_EXP), HOLDS),
        ("L18", counts([5, 10, 20], [10, 10, 10], NO_EXP), HOLDS),
        ("L18", counts([5, 11, 20], [10, 10, 10], NO_EXP), TREND),
        ("L18", counts([5, 12, 11], [10, 10, 10], NO_EXP), TREND),
        ("L18", counts([11, 12, 13], [10, 10, 10], NO_EXP), FAILS),
        ("L18-many", {LGC: 10.0, NO_EXP: 9.0}, HOLDS),
        ("L18-many", {LGC: 10.0, NO_EXP: 9.5}, TREND),
        ("L18-many", {LGC: 10.0, NO_EXP: 10.5}, FAILS),
        ("L19", in_step(0.5, 0.4, 0.5, often=0.6), HOLDS),
        ("L19", in_step(0.3, 0.4, 0.4, often=0.6), TREND),
        ("L19", in_step(0.9, 0.6, 0.6, often=0.9), FAILS),
        ("L19", in_step(0.5, 0.5, 0.5, often=0.5), FAILS),
        ("L05-sd", {"r = 0.1, no exp.": 0.13, "r = 0.3, no exp.": 0.12}, HOLDS),
        ("L05-sd", {"r = 0.1, no exp.": 0.14, "r = 0.3, no exp.": 0.12}, TREND),
        ("L05-sd", {"r = 0.1, no exp.": 0.16, "r = 0.3, no exp.": 0.12}, FAILS),
        ("L23-ratio", {"": 0.96}, TREND),
        ("L23-ratio", {"": 0.95}, FAILS),
        ("L35", {"x": 0.427, "Jain's index": 1.0}, TREND),
        ("L35", {"x": 0.39, "Jain's index": 1.0}, FAILS),
        # The first value, the mean, is judged.
        ("L20", {"mean of 3": 9.56e9, "5 flows": 5e9}, HOLDS),
        ("L20", {"mean of 3": 9.4e9}, TREND),
        ("L21-ratio", {"mean of 3": 0.976}, HOLDS),
        ("L21-ratio", {"mean of 3": 0.969}, TREND),
        ("L25", {"lowest": 0.97, "mean": 0.99}, HOLDS),
        ("L25", {"lowest": 0.9, "mean": 0.99}, TREND),
        (
            "L26",
            {"first": 0.98, "lowest of the first 10 ms": 0.9, "lowest of the second half": 0.97},
            HOLDS,
        ),
        ("L27", {LGC_WINDOW: 0.95, DCTCP: 0.97}, HOLDS),
        ("L27-acked", {LGC_WINDOW: 0.91, DCTCP: 0.95}, TREND),
        ("L28", {"first ms with 0.99": 5.0, "mean of the second half": 0.99}, HOLDS),
        ("L28", {"first ms with 0.99": 6.0, "mean of the second half": 0.99}, TREND),
        ("L29", {"mean of the second half": 0.948}, HOLDS),
        ("L29", {"mean of the second half": 0.96}, TREND),
        # A distribution that crosses another is not lower.
        ("L30", percentiles([9, 10, 10], [10, 10, 10]), HOLDS),
        ("L30", percentiles([9, 10, 11], [10, 10, 10]), TREND),
        ("L32", {"flows, Clos": 8.9, "flows, leaf-spine": 9.0, "RTT, LGC": 0.9}, HOLDS),
        ("L32", {"flows, Clos": 8.9, "flows, leaf-spine": 9.1, "RTT, LGC": 0.9}, TREND),
        ("L36", {"every 100 µs": 0.94, "every 800 µs": 0.98}, HOLDS),
        ("L36", {"every 100 µs": 0.94, "every 800 µs": 1.0}, FAILS),
        ("L37", updated(2e-3, 3e-3, 6e-3, 12e-3), HOLDS),
        ("L37", updated(2e-3, 3e-3, 3e-3, 12e-3), FAILS),
        ("L38", {"every 20 µs": 0.1, "every 200 µs": 0.05}, HOLDS),
        ("L38", {"every 20 µs": 0.09, "every 200 µs": 0.05}, TREND),
        ("L33", robust(9.0, 8.8, 8.8), HOLDS),
        ("L33", robust(9.0, 8.8, 8.6), FAILS),
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
    # 70 µs one way: 20 µs to the switch, 50 µs on to the receiver.
    assert topology["host_delays"] == ["20us", "80us", "50us"]


class Series(Columns):
    """A table of rows (time in ms, measure, entity, value)."""

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
    # At 2, 3 and 4 ms: 0, 1, 1 and 1, 0.5, 0.5.
    assert metrics.load(run(rows)) == pytest.approx(4 / 6)
    assert metrics.loads(run(rows), (0, 5e9)).mean() == pytest.approx(4 / 8)
    # Between flows the loads differ by 1, 0.5 and 0.5; each flow has two different loads.
    assert metrics.loads_apart(run(rows)) == pytest.approx(1 / 3)
    assert metrics.distinct_loads(run(rows)) == 2


def test_rates_are_those_on_the_wire():
    # 1.46 MB of payload in 2 ms are 1.514 MB on the wire: 6.056 of 10 Gb/s.
    acked = [(2, 1e6), (3, 1.8e6), (4, 2.46e6)]
    rows = [(time, "acked_bytes", "flow 7", value) for time, value in acked]
    rows += [(4, "cc_share", "flow 7", 0.6), (4, "acked_bytes", "flow 8", 5.0)]
    assert metrics.rates(run(rows)) == pytest.approx([0.6056])


def test_jain_of_each_millisecond():
    # At 1 ms, 1 and 3: 16/(2·10) = 0.8; at 2 ms, 2 and 2: 1.
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
    assert metrics.rtt_median(runs) == pytest.approx(2e-4)
    # In one run, five of six samples are 200 µs and one is 400 µs.
    assert metrics.rtt_percentile(80)(runs[1]) == pytest.approx(2e-4)
    assert metrics.rtt_percentile(90)(runs[1]) == pytest.approx(4e-4)


def test_spans_and_first_flows_are_cut_out():
    series = {"flow 0": [9, 1, 3, 9], "flow 1": [0, 5, 5, 0], "flow 2": [0, 0, 8, 0]}
    rows = [
        (time, "cc_share", flow, value)
        for flow, values in series.items()
        for time, value in enumerate(values, start=1)
    ]
    rows += [(time, "queue_max_bytes", "", 1514.0 * time) for time in range(1, 5)]
    # At 2 and 3 ms, the shares of the first two flows have deviations of 1 and 0.
    span = (2e9, 4e9)
    assert metrics.share_spread(run(rows), flows=2, span=span) == pytest.approx(0.5)
    assert list(metrics.queue(run(rows), span)) == [2, 3]


def test_correlation_of_loads_is_that_of_pairs():
    # Correlations of pairs that rise together (1) and against each other (-1, -1) have a mean of
    # -1/3; the constant flow is left out.
    series = {"a": [0, 0, 1, 0], "b": [0, 0.2, 0.8, 0.2], "c": [0, 1, 0, 1], "d": [1, 1, 1, 1]}
    rows = [
        (time, "cc_load", flow, value)
        for flow, values in series.items()
        for time, value in enumerate(values, start=1)
    ]
    assert metrics.load_correlation(run(rows)) == pytest.approx(-1 / 3)


def test_oscillation_of_two_sines():
    # Periods of 20 steps of 0.2 ms; relative deviations of 0.1/√2 about 1 and of 0.6/√2 about 2.
    times = np.arange(200)
    wave = np.sin(2 * np.pi * times / 20)
    period, amplitude = metrics.oscillation(np.array([1 + 0.1 * wave, 2 + 0.6 * wave]), 2e-4)
    assert period == pytest.approx(4e-3)
    assert amplitude == pytest.approx((0.1 + 0.3) / 2 / 2**0.5)


def test_competing_flows_are_those_on_the_busiest_link_of_a_path():
    # Flows 0, 1 and 2 leave switch 9 by port 0. Flow 2 then leaves switch 8 by port 1, with flow 3.
    # So the busiest links of flows 0 to 3 have 3, 3, 3 and 2 flows. ACKs and arrivals do not count.
    rows = [(9, 0, flow) for flow in (0, 1, 2, 2)] + [(8, 1, 2), (8, 1, 3)]
    nodes, ports, flows = zip(*rows, (8, 1, 7), (8, 1, 6), strict=True)
    packets = Columns(node=nodes, port=ports, flow_id=flows)
    kinds = ["data"] * 6 + ["ack", "data"]
    events = ["send"] * 7 + ["receive"]
    texts = {"kind": kinds, "event": events}

    def categories(column):
        names = sorted(set(texts[column]))
        return SimpleNamespace(
            texts=names, indices=np.array([names.index(each) for each in texts[column]])
        )

    packets.categories = categories
    assert fig10.competing(SimpleNamespace(packets=packets)) == pytest.approx(11 / 4)


def test_growth_rates_of_both_readings():
    # Half-way the rate is 0.2. As printed, it is 0.1 + 0.02·0.2/0.03 at 0.02, and above 0.03 it is
    # cut at 0.3.
    assert fig5.growth_rate(0.03) == pytest.approx(0.2)
    assert fig5.growth_rate(0.02, printed=True) == pytest.approx(0.1 + 0.02 * 0.2 / 0.03)
    assert fig5.growth_rate(0.04, printed=True) == 0.3
    assert fig5.growth_rate(0.04, printed=True, bounded=False) == pytest.approx(0.1 + 0.8 / 3)


def test_boxes_have_whiskers_within_one_and_a_half_and_outliers_beyond():
    # 1 to 9 and 30: quartiles at indices ⌊2.5⌋ and ⌊7.5⌋ are 3 and 8, so whiskers reach at most 8 +
    # 7.5.
    box = Box.of(np.array([*range(1, 10), 30.0]), outliers=5)
    assert (box.low, box.lower, box.median, box.upper, box.high) == (1, 3, 6, 8, 9)
    assert list(box.outliers) == [30]
    many = Box.of(np.array([0.0] * 1000 + list(range(1, 101))), outliers=3)
    assert list(many.outliers) == [1, 50, 100]


def test_averages_of_the_load():
    """The average is over at most 40 values: 0 and 1 in turn give 0, 1/2, 1/3 at first, and 1/2 in
    the end.
    """
    found = fig3.moving_average(np.tile([0.0, 1.0], 50))
    assert found[:3] == pytest.approx([0, 1 / 2, 1 / 3])
    assert found[50:] == pytest.approx(np.full(50, 0.5))
    # A one after 100 zeros gives a fortieth.
    assert fig3.moving_average(np.array([0.0] * 100 + [1.0]))[-1] == pytest.approx(1 / 40)


def test_when_the_link_is_full():
    """90 % of 10 Gb/s with headers is 8.68 Gb/s of payload, reached in the third interval."""
    rows = [(1, "goodput_bps", "all", 5e9), (2, "goodput_bps", "all", 8.67e9)]
    full = run([*rows, (3, "goodput_bps", "all", 8.68e9)])
    assert sec3d.reached_after(full) == pytest.approx(3e-3)
    assert sec3d.reached_after(run(rows)) == math.inf


def test_another_interval_is_all_that_changes():
    planned = {label: each.scenario["cc"] for label, each in sec3d.FIGURE.runs(Scale.QUICK).items()}
    assert planned["every 20 µs #1"] == {"algorithm": "lgc", "interval": "20us"}
    assert planned["33 ACKs #1"] == {"algorithm": "lgc"}
