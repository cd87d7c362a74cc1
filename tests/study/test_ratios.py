"""Sweeps with a baseline, also with custom algorithms."""

import math
from pathlib import Path

import incast
import numpy as np
import pytest
from incast.measure.statistics import Interval
from incast.study import listing, ratios
from incast.study.means import Row
from incast.study.measures import measure_named
from incast.study.ratios import baseline_named, ratio_groups

TEMPLATE = Path(incast.__file__).parent / "templates" / "algorithm.py"


def swept(values, baseline):
    """Ratios of numbers by algorithm and load, with one number for each seed."""
    measure = measure_named("slowdown.p99")
    rows = [
        Row({"cc": cc, "load": load, "seed": seed}, "", {"slowdown.p99": each})
        for (cc, load), numbers in values.items()
        for seed, each in enumerate(numbers)
    ]
    against = baseline_named(baseline, [row.values for row in rows], 0.05)
    return ratio_groups(rows, [measure], against), measure, against


def test_ratios_to_a_baseline_are_paired_by_seed():
    """At load 0.1, two and 4.5 times the baseline: the geometric mean is 3. At 0.2 one seed is
    missing, and the other is equal.
    """
    found, measure, against = swept(
        {
            ("hpcc", 0.1): [1.0, 2.0],
            ("dcqcn", 0.1): [2.0, 9.0],
            ("hpcc", 0.2): [5.0, 7.0],
            ("dcqcn", 0.2): [5.0, math.nan],
        },
        "hpcc",
    )
    assert [each.values for each in found] == [
        {"cc": "dcqcn", "load": 0.1},
        {"cc": "dcqcn", "load": 0.2},
    ]
    first, second = (each.ratios["slowdown.p99"] for each in found)
    assert (first.ratio, first.seeds) == (pytest.approx(3), 2)
    assert (second.ratio, second.seeds) == (1, 1)
    assert ratios.header(found, against)[0] == "against hpcc"
    assert ratios.cells(found, measure, against) == [
        ["slowdown.p99", "0.1", "+200 %", "", "no interval of fewer than 5 seeds"],
        ["slowdown.p99", "0.2", "+0.00 %", "", "one seed: no interval (of 1 seed)"],
    ]


def test_a_row_of_fewer_seeds_says_so():
    """One point of the study has five seeds, another has two: the header gives five."""
    found, measure, against = swept(
        {
            ("hpcc", 0.1): [1.0, 2.0, 3.0, 4.0, 5.0],
            ("dcqcn", 0.1): [2.0, 4.0, 6.0, 8.0, 10.0],
            ("hpcc", 0.2): [5.0, 7.0],
            ("dcqcn", 0.2): [10.0, 14.0],
        },
        "hpcc",
    )
    assert ratios.header(found, against)[-1] == "with 5 seeds"
    assert [row[-1] for row in ratios.cells(found, measure, against)] == [
        "different",
        "no interval of fewer than 5 seeds (of 2 seeds)",
    ]


def test_an_interval_whose_ends_print_as_the_mean_is_left_out():
    """1.131, 1.132 and 1.133 all print as 1.13; 1.1, 1.2 and 1.3 have a mean of 1.2 ± 0.248."""
    measure = measure_named("slowdown.mean")
    narrow, wide = (Interval.student(each) for each in ([1.131, 1.132, 1.133], [1.1, 1.2, 1.3]))
    assert listing._interval(narrow, measure, 3) == "1.13"
    assert listing._interval(narrow, measure, 4) == "1.13 of 3"
    assert listing._interval(wide, measure, 3) == "1.20 [0.95, 1.45]"


def test_rows_of_ratios_say_what_can_be_said_against_them():
    """A row is marked if the baseline's run is not steady. No difference is told for a mean if some
    flows are late, nor for a percentile that late flows hide with one seed.
    """
    unsteady = {"unsteady: duration_ps": 5e9, "late: share": 0.02}
    mean, tail = (measure_named(f"slowdown.{each}") for each in ("mean", "p99"))
    rows = []
    for seed in range(6):
        base = {"slowdown.mean": 1.0 + seed, "slowdown.p99": 1.0 + seed, **unsteady}
        own = {"slowdown.mean": 2.0 + 2 * seed, "slowdown.p99": 2.0 + 2 * seed}
        if seed == 5:
            own |= {"least: slowdown.mean": 2.0, "most: slowdown.mean": math.inf}
            base |= {"slowdown.p99": math.nan, "least: slowdown.p99": 6.0}
            base |= {"most: slowdown.p99": math.inf}
        rows += [
            Row({"cc": cc, "seed": seed}, "", numbers)
            for cc, numbers in (("hpcc", base), ("dcqcn", own))
        ]
    against = baseline_named("hpcc", [row.values for row in rows], 0.05)
    found = ratio_groups(rows, [mean, tail], against)
    (of_mean,), (of_tail,) = (ratios.cells(found, each, against) for each in (mean, tail))
    assert of_mean[2:] == ["+100 % °", "[+100 %, +100 %]", "not told apart: cut"]
    assert of_tail[2:] == ["+100 % °", "[+100 %, +100 %]", "not told apart: cut (of 5 seeds)"]


@pytest.mark.parametrize(
    ("baseline", "told"),
    [
        ("dctcp", "nothing that is varied has the value `dctcp`; available: "),
        ("cc=dctcp", "nothing that is varied has the value `dctcp`"),
        ("0.1", "`0.1` is the only value of load: there is none to compare with it"),
    ],
)
def test_a_wrong_baseline(baseline, told):
    with pytest.raises(incast.LabelError, match=told):
        swept({("hpcc", 0.1): [1.0], ("dcqcn", 0.1): [1.0]}, baseline)


def test_a_baseline_that_several_keys_have():
    points = [{"cc": "none", "attack": "none"}, {"cc": "hpcc", "attack": "parallel"}]
    with pytest.raises(incast.LabelError, match=r"several keys .* cc, attack; write cc=none"):
        baseline_named("none", points, 0.05)
    assert baseline_named("attack=none", points, 0.05).key == "attack"


def test_a_sweep_with_a_baseline(folder):
    study = {
        "scenario": "poisson.toml",
        "measure": ["slowdown.mean", {"of": "fct.p99", "name": "tail"}],
        "vary": {"cc": ["hpcc", "dcqcn"], "seed": [1, 2, 3, 4, 5]},
    }
    sweep = incast.sweep(study, store="out", baseline="hpcc")
    assert sweep.reused == 0
    own = sweep["slowdown.mean"]
    logs = np.log(own[sweep["cc"] == "dcqcn"] / own[sweep["cc"] == "hpcc"])
    (group,) = sweep.ratios
    assert group.ratios["slowdown.mean"].ratio == pytest.approx(np.exp(logs.mean()))
    assert "against hpcc" in sweep.table()
    assert "FCT, p99 (tail)" in sweep.table()
    told = sweep.to_dict()
    assert told["baseline"] == "hpcc"
    assert told["ratios"][0]["measures"]["slowdown.mean"]["seeds"] == 5
    assert "Ratios to hpcc, paired by seed" in sweep.save(formats=[]).read_text()
    assert "Ratios to hpcc" in sweep._repr_html_()
    again = incast.sweep(study, store="out")
    assert (again.reused, again.ratios, "ratios" in again.to_dict()) == (10, [], False)
    with pytest.raises(incast.LabelError, match="did you mean `hpcc`"):
        incast.sweep(study, store="out", baseline="hpc")


def test_a_sweep_tells_targets_of_another_network(folder):
    """Swift's published target begins at 20 us; the base RTT here is a fifth of that."""
    study = {"scenario": "poisson.toml", "measure": "queue.p99"}
    sweep = incast.sweep({**study, "vary": {"cc": ["hpcc", "swift"]}}, store="out")
    text = " ".join(sweep.table().split())
    assert "Of another network: 1 of 2 points is run with a target delay" in text


def test_an_algorithm_in_a_file_is_called_by_its_class(folder):
    (folder / "mine.py").write_text(TEMPLATE.read_text())
    study = {"scenario": "poisson.toml", "measure": "fct.mean"}
    sweep = incast.sweep({**study, "vary": {"cc": ["hpcc", "mine.py"]}}, store="out")
    assert sweep.chart("fct.mean").x.names == ("hpcc", "MarkAimd")
    assert list(sweep["cc"]) == ["hpcc", "mine.py"]
    against = incast.sweep(
        {**study, "vary": {"cc": ["hpcc", "mine.py"]}}, store="out", baseline="mine.py"
    )
    assert against.baseline.text == "MarkAimd"
