"""Parts of FCT summed by the run itself equal those of explanations, to the picosecond."""

import json

import incast
import numpy as np
import pytest
from explained_parts import summed
from incast.cli import main
from incast.comparison import labelled
from incast.measure.fct_parts import SUMMED, of_all
from incast.present import charts
from incast.present.matplotlib.drawing import draw


def scenario(algorithm, **network):
    return {
        "network": {
            "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 4},
            **network,
        },
        "cc": {"algorithm": algorithm},
        "traffic": [
            {"kind": "incast", "receiver": 0, "sizes": "100KB"},
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.5, "duration": "50us"},
        ],
        "measure": {"breakdown": True},
    }


LOSSY = {
    "flow_control": "none",
    "buffer": {"size": "64KiB"},
    "recovery": {"timeout": "100us", "kind": "selective"},
}
SPRAYED = {
    "flow_control": "none",
    "recovery": {
        "timeout": "1ms",
        "kind": "selective",
        "loss_detection": {"kind": "explicit"},
    },
    "drop": {"trimming": {}},
    "balance": {"kind": "random", "entropies": 8},
}
CASES = {
    "hpcc": scenario("hpcc"),
    "pauses": scenario("none", buffer={"size": "400KiB"}),
    "dcqcn": scenario("dcqcn", jitter={"nic": "5ns", "switch": "3ns"}),
    "losses": scenario("dctcp", **LOSSY),
    "sprayed": scenario("nscc", **SPRAYED),
    "credits": scenario("rccc", **SPRAYED),
    "grants": scenario("s-perc"),
    "shared": scenario("swift") | {"nic": {"qps": "persistent"}},
    "artifact": scenario("hpcc", profile="hpcc-ns3"),
}


@pytest.mark.parametrize(
    ("name", "threads"),
    [(name, threads) for name in CASES for threads in ((1,) if name == "artifact" else (1, 3))],
)
def test_sums_are_those_of_explanations(name, threads):
    results = incast.run(CASES[name], threads=threads)
    rows = {row["flow_id"]: row for row in results.completed}
    assert len(rows) > 10
    for found in results.explain(*rows):
        sums = summed(found)
        row = rows[found.flow.flow_id]
        assert {part: row[f"fct_{part}_ps"] for part in SUMMED} == {
            part: sums[part] for part in SUMMED
        }


def test_all_flows_are_broken_down_without_a_second_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    results = incast.run(CASES["hpcc"])
    results.save("out")
    assert main(["explain", "out", "--breakdown", "--json", "--quiet"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    every, slowest = found["groups"]
    counted = int(results.counted.sum())
    assert (every["flows"], slowest["flows"]) == (counted, 1)
    for group in (every, slowest):
        assert sum(group["shares"].values()) == pytest.approx(1)
    flows = results.completed
    way = (flows["fct_way_ps"] / flows["fct_ps"])[results.counted].mean()
    assert every["shares"]["way"] == pytest.approx(way)
    # With a number, the command explains flows itself.
    assert main(["explain", "out", "--breakdown", "3", "--quiet"]) == 0
    assert f"3 of {counted} flows that count, at random" in capsys.readouterr().out


def test_seeds_of_a_comparison_are_one_bar(tmp_path):
    runs = [incast.run(CASES["hpcc"], seed=seed) for seed in (1, 2)]
    drawn = charts.chart("breakdown", labelled(runs))
    assert {curve.group for curve in drawn.curves} == {"hpcc"}
    assert sum(curve.y[-1] for curve in drawn.curves) == pytest.approx(1, abs=0.01)
    both = of_all(runs)
    assert both.flows == sum(int(run.counted.sum()) for run in runs)
    assert np.isclose(sum(both.of_all.values()), 1)


def test_a_part_has_one_colour_and_bars_are_named():
    runs = labelled([incast.run(CASES["hpcc"], cc=cc) for cc in ("hpcc", "dcqcn")])
    every, slowest = (charts.chart(name, runs) for name in ("breakdown", "breakdown-slowest"))
    colours = {curve.label: curve.colour for curve in every.curves}
    assert len(set(colours.values())) == len(colours)
    assert all(colours.get(curve.label, curve.colour) == curve.colour for curve in slowest.curves)
    (wide,), (narrow,) = (draw(every, width=width).axes for width in (7, 2))
    assert wide.get_xlabel() == "flow size; bars from left: hpcc, dcqcn"
    assert {name.get_rotation() for name in wide.get_xticklabels()} == {0}
    assert {name.get_rotation() for name in narrow.get_xticklabels()} == {30}
