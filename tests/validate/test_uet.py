"""The judgement of comparisons with uet-htsim."""

from __future__ import annotations

import json

import pytest
from incast import cli, validate
from incast.validate.uet_outcome import ExactOutcome, Quantity, SeededOutcome
from incast.validate.uet_recordings import exact_cases, seeded_cases
from incast.validate.uet_validation import UetValidation


def test_flows_that_depend_on_no_seed_end_at_the_recorded_picosecond():
    result = validate.uet(quick=True)
    assert result.passed
    assert not result.seeded
    cases = {(each.group, each.mode): each.cases for each in result.exact}
    alone = {("one flow", mode): 135 for mode in ("nscc", "rccc", "both")}
    pairs = {
        (f"two to one: {place}", mode): 2
        for place in ("tor and pod", "pod")
        for mode in ("rccc", "both")
    }
    assert cases == alone | pairs
    assert result.exact[0].acks == (135, 135)


def test_an_experiment_over_seeds_is_compared(capsys):
    arguments = ["validate", "uet", "--only", "incast-3to1-600KB nscc", "--seeds", "3", "--quiet"]
    cli.main([*arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["exact"], len(found["seeded"])) == ([], 1)
    names = [quantity["name"] for quantity in found["seeded"][0]["quantities"]]
    assert names == ["mean_ps", "tail_ps", "trimmed", "retransmitted", "marked_acks", "acks"]
    of_time = found["seeded"][0]["quantities"][0]
    assert (len(of_time["recorded"]), len(of_time["ours"])) == (5, 3)
    assert of_time["passed"]


@pytest.mark.parametrize(
    ("name", "recorded", "ours", "passed"),
    [
        # Inside the range, though 8 % above the mean of 100.
        ("mean_ps", [90.0, 110.0], [108.0], True),
        # 2 % above the mean, and outside the range; then 3 %.
        ("mean_ps", [100.0, 100.0], [102.0], True),
        ("tail_ps", [100.0, 100.0], [103.0], False),
        # Large counts: within 5 % of the mean.
        ("acks", [1000.0, 1000.0], [1050.0], True),
        ("acks", [1000.0, 1000.0], [1051.0], False),
        # Small counts, with variances of 8 and 18: the standard error is √(8/2 + 18/2) = 3.6, and
        # three of them are 10.8.
        ("trimmed", [10.0, 14.0], [19.0, 25.0], True),
        ("trimmed", [10.0, 14.0], [20.0, 26.0], False),
        # Nothing varies.
        ("trimmed", [0.0, 0.0], [0.0, 0.0], True),
        ("trimmed", [0.0, 0.0], [1.0, 1.0], False),
    ],
)
def test_what_is_near_enough(name, recorded, ours, passed):
    assert Quantity(name, recorded, ours).passed is passed


def test_the_table_says_what_differs():
    exact = [ExactOutcome("one flow", "nscc", 3, 2, -80, (3, 3))]
    quantities = [
        Quantity("mean_ps", [1e8, 1e8], [1.5e8]),
        Quantity("trimmed", [2000.0, 2000.0], [2010.0]),
    ]
    result = UetValidation(exact, [SeededOutcome("incast", quantities)], 1.0)
    lines = result.table().splitlines()
    assert all(part in lines[2] for part in ("2 of 3", "-80 ps", "BEYOND"))
    rows = [line for line in lines if line.startswith("incast")]
    for part in ("100.0 us → 150.0 us !", "2000 → 2010", "BEYOND"):
        assert any(part in row for row in rows)
    assert "NOT all as recorded: 0 of 2 rows" in lines[-1]


def test_every_recording_is_a_scenario():
    names = [case.name for case in seeded_cases()]
    assert len(names) == len(set(names)) == 74
    assert all(len(case.runs) == 5 for case in seeded_cases())
    assert len(list(exact_cases())) == 413
