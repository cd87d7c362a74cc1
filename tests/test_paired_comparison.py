"""Comparisons over seeds."""

import json
import math
from pathlib import Path

import incast
import pytest
import scenarios
from incast.paired_comparison import PairedComparison
from incast.present.units import ratio_text
from shell import Shell, given

POISSON = """\
[network]
topology = { kind = "star", hosts = 6 }

[cc]
algorithm = "hpcc"

[[traffic]]
kind = "poisson"
sizes = "web-search"
load = 0.3
duration = "2ms"
"""

SMALL = {"traffic.0.sizes": "100KB", "traffic.0.load": 0.1}
"""Flows that end long before the arrivals do, so that no metric is cut."""

MINE = """\
from incast.algorithm import Algorithm, SendLimit


class HalfRate(Algorithm):
    def __init__(self, flow, parameters):
        self.rate = flow.line_rate_bps // 2

    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(rate_bps=self.rate)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "poisson.toml").write_text(POISSON)
    (tmp_path / "half.py").write_text(MINE)
    return tmp_path


def run(*arguments, code=0):
    return Shell(Path.cwd())(*arguments, code=code)


def test_pairs_have_the_same_flows(folder):
    found = incast.compare("poisson.toml", "hpcc,dcqcn", seeds=2, seed=7)
    assert isinstance(found, PairedComparison)
    assert list(found) == ["hpcc, seed 7", "hpcc, seed 8", "dcqcn, seed 7", "dcqcn, seed 8"]
    assert {label: list(runs) for label, runs in found.by_seed.items()} == {
        "hpcc": [7, 8],
        "dcqcn": [7, 8],
    }
    for seed in (7, 8):
        one, other = (found[f"{cc}, seed {seed}"] for cc in ("hpcc", "dcqcn"))
        assert sorted(one["size_bytes"]) == sorted(other["size_bytes"])
        assert sorted(one["start_ps"]) == sorted(other["start_ps"])
    assert found.baseline == "hpcc"
    assert repr(found) == "<incast.PairedComparison of hpcc, dcqcn: 4 runs>"


def test_ratios_are_geometric_means_over_seeds(folder):
    found = incast.compare(
        "poisson.toml", "hpcc,half.py", seeds=[1, 2, 3, 4, 5], store="results", **SMALL
    )
    name = "FCT slowdown, mean"
    means = {
        label: [run.summary["fct_slowdown"]["all"]["mean"] for run in runs.values()]
        for label, runs in found.by_seed.items()
    }
    logs = [math.log(x / y) for x, y in zip(means["HalfRate"], means["hpcc"], strict=True)]
    ratio = found.paired()["HalfRate"][name]
    assert ratio.ratio == pytest.approx(math.exp(sum(logs) / 5))
    assert ratio.low < ratio.ratio < ratio.high
    assert ratio.seeds == 5
    # Half the rate takes twice as long, except for headers and the round trip.
    assert ratio.is_different
    assert 1.2 < ratio.ratio < 2
    assert found.ratios("hpcc")["HalfRate"][name] == pytest.approx(ratio.ratio)
    back = found.paired("HalfRate")["hpcc"][name]
    assert back.ratio == pytest.approx(1 / ratio.ratio)
    with pytest.raises(incast.LabelError, match="no run is labelled `dctcp`"):
        found.paired("dctcp")


def test_what_is_wrong_with_seeds(folder):
    for seeds in (0, [], [1, 1]):
        with pytest.raises(ValueError, match="compare: seeds "):
            incast.compare("poisson.toml", "hpcc,dcqcn", seeds=seeds)
    with pytest.raises(incast.LabelError, match="no run is labelled `dctcp`"):
        incast.compare("poisson.toml", "hpcc,dcqcn", seeds=2, baseline="dctcp")


def test_a_notebook_and_a_report(folder):
    found = incast.compare("poisson.toml", "hpcc,dcqcn", seeds=5, store="results")
    shown = found._repr_html_()
    assert "paired by seed" in shown
    assert "data:image/png" in shown
    page = found.report("paired.html").read_text()
    assert "Key figures against hpcc, paired by seed" in page
    assert "FCT slowdown by flow size, mean" in page
    assert "Runs of seed 1" in page
    assert "p99.9 of FCT slowdown takes 1" in page


def test_the_command(folder):
    arguments = ["compare", "poisson.toml", "--cc", "hpcc,half.py", "--seeds", "5", "--quiet"]
    arguments += ["--set", "traffic.0.sizes=100KB", "--set", "traffic.0.load=0.1"]
    text = run(*arguments)
    assert "means over 5 seeds" in text
    assert "seeds 1 to 5" in text
    lines = text.splitlines()
    header = next(line for line in lines if line.startswith("against hpcc"))
    assert " ".join(header.split()) == "against hpcc run ratio 95 % interval with 5 seeds"
    mean = next(line for line in lines if line.startswith("FCT slowdown, mean") and "[+" in line)
    assert mean.endswith("different")
    assert "HalfRate" in mean
    assert (folder / "results" / "poisson-hpcc-vs-HalfRate.html").is_file()
    assert "results  results (10 runs)" in text
    again = run(*arguments, "--baseline", "half.py", "--difference", "10")
    assert "against HalfRate" in again
    assert "true difference of 10 %" in again.replace("\n", " ")
    assert "10 of them run before" in again


def test_tails_by_size_and_percentiles_of_too_few(folder):
    text = incast.compare("poisson.toml", "hpcc,dcqcn", seeds=2).table()
    rows = [line for line in text.splitlines() if line.startswith("p99, 10 KB – 100 KB")]
    assert len(rows) == 2
    # Two milliseconds have some fifteen such flows that count, so that their p99 is the largest.
    assert "(" in rows[0]
    assert rows[1].split("dcqcn")[1].strip().startswith("(")
    means = [line for line in text.splitlines() if line.startswith("FCT slowdown, p50")]
    # An interval of two runs is wide, but slowdowns are at least 1.
    assert "[1.00, " in means[0]


def test_json(folder):
    arguments = ["compare", "poisson.toml", "--cc", "hpcc,dcqcn", "--quiet", "--json"]
    told = json.loads(run(*arguments, "--seeds", "2", "--no-report"))
    assert [*told["runs"]] == ["hpcc, seed 1", "hpcc, seed 2", "dcqcn, seed 1", "dcqcn, seed 2"]
    assert (told["baseline"], told["difference"]) == ("hpcc", 0.05)
    of_mean = told["ratios"]["dcqcn"]["FCT slowdown, mean"]
    assert of_mean["ratio"] > 0
    assert (of_mean["low"], of_mean["different"], of_mean["seeds"]) == (None, None, 2)


def test_one_seed_is_told(folder):
    arguments = ["compare", "poisson.toml", "--cc", "hpcc,dcqcn", "--quiet", "--no-report"]
    text = run(*arguments, "--baseline", "hpcc").replace("\n", " ")
    assert "One seed: these differences have no interval" in text
    text = run(*arguments, "--seeds", "1")
    assert "one seed: no interval" in text
    for wrong in ("0", "x", "1.5"):
        assert "is not a number of seeds" in run(*arguments, "--seeds", wrong, code=2)
    for wrong in ("0", "x", "-5%"):
        assert "is no difference in percent" in run(*arguments, f"--difference={wrong}", code=2)


def test_a_fabric(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = incast.compare(incast.Scenario(scenarios.FABRIC), "none,window:2", seeds=2)
    assert "latency, mean" in found.table()
    assert found.report("fabric.html").is_file()


def test_notes_that_differ_in_their_numbers_stand_once(folder):
    stopped = {"stop": "1ms"}
    found = incast.compare("poisson.toml", "hpcc,dcqcn", seeds=3, **stopped)
    notes = [line for line in found.table().splitlines() if "had not finished" in line]
    kinds = [(note.split(",")[0], "none of them" in note) for note in notes]
    assert kinds == [("hpcc", True), ("dcqcn", False), ("dcqcn", True)]
    assert found.table().count("So with 2 other seeds") == 1


def test_figures_and_labels(folder):
    arguments = ["compare", "poisson.toml", "--cc", "hpcc,half.py", "--seeds", "5", "--quiet"]
    figures = ["--labels", "HPCC,Half the rate", "--chart", "slowdown-mean", "--format", "png"]
    text = run(*arguments, *figures, "--baseline", "hpcc", "--no-report", "--width", "7")
    assert "against HPCC" in text
    (file,) = (folder / "results" / "figures-poisson-HPCC-vs-Half-the-rate").iterdir()
    assert file.name == "slowdown-mean.png"
    # 7 inches at 300 dots an inch, less the margins.
    assert 1900 < int.from_bytes(file.read_bytes()[16:20]) < 2200
    wrong = run(*arguments, "--labels", "a", code=2)
    assert "there are 1 labels for 2 curves" in wrong
    assert "unknown chart `slo`" in run(*arguments, "--chart", "slo", code=2)
    assert "is no width" in run(*arguments, "--width", "0", code=2)


def test_plots_of_stored_runs(folder):
    incast.compare("poisson.toml", "hpcc,half.py", seeds=2, store="results")
    folders = [str(each) for each in sorted((folder / "results").iterdir())]
    figures = ["--chart", "slowdown-mean,fct-cdf", "--format", "svg", "-o", "figures"]
    run("plot", *folders, *figures, "--labels", "half=Ours,hpcc=HPCC")
    drawn = (folder / "figures" / "slowdown-mean.svg").read_text()
    assert ">Ours<" in drawn
    assert ">HPCC<" in drawn
    assert "seed" not in drawn
    assert ">Ours, seed 2<" in (folder / "figures" / "fct-cdf.svg").read_text()
    twice = run("plot", *folders, "--labels", "hpcc=A,hpcc=B", code=2)
    assert "`hpcc` is labelled twice, `A` and `B`; leave one out" in twice
    assert "there are 3 labels for 2 curves" in run("plot", *folders, "--labels", "a,b,c", code=2)


def test_commands_say_why_a_chart_is_not_drawn(folder):
    """Two milliseconds have some hundred flows, of which none is paused."""
    why = "chart `slowdown-p99.9{}` is not drawn: p99.9 of FCT slowdown takes 1 001 counted flows"
    (folder / "study.toml").write_text(
        'scenario = "poisson.toml"\nmeasure = "slowdown.mean"\n[vary]\ncc = ["hpcc", "dcqcn"]\n'
    )
    done = [
        noted("compare", "poisson.toml", "--cc", "hpcc,dcqcn", "--no-report", "--quiet"),
        noted("sweep", "study.toml", "--quiet"),
        noted("plot", *map(str, (folder / "results").glob("poisson-*"))),
    ]
    for told in done:
        assert why.format("") in told
        assert "Longer arrivals, or more seeds, have more." in told
    (one,) = (folder / "results").glob("poisson-hpcc-*")
    told = noted("plot", str(one), chart="pauses,traffic,queue")
    assert "chart `pauses` is not drawn: All of its values are 0." in told
    assert "chart `traffic` is not drawn: These runs have nothing of it." in told
    assert "chart `queue`" not in told
    assert (one / "figures" / "queue.png").is_file()


def noted(*arguments, chart="slowdown-p99.9"):
    """The standard error of a command, without wrapping."""
    said = given(*arguments, "--chart", chart, "--format", "png")
    assert said.code == 0, said.err
    return said.err.replace("\u2009", " ")


def test_a_sweep_over_sizes(folder):
    (folder / "study.toml").write_text(
        'scenario = "poisson.toml"\nmeasure = "slowdown.mean"\n'
        '[vary]\ncc = ["hpcc", "half.py"]\ntraffic.0.load = [0.2, 0.3]\nseed = [1, 2]\n'
    )
    arguments = ["sweep", "study.toml", "--quiet", "--format", "svg", "--chart", "slowdown-mean"]
    run(*arguments, "--labels", "hpcc=HPCC,HalfRate=Ours")
    files = {file.name: file.read_text() for file in (folder / "results/study/figures").iterdir()}
    assert sorted(files) == [
        "slowdown-mean-load-0.2.svg",
        "slowdown-mean-load-0.3.svg",
        "slowdown.mean.svg",
    ]
    for text in files.values():
        assert ">HPCC<" in text
        assert ">Ours<" in text
    page = (folder / "results/study/index.html").read_text()
    assert "FCT slowdown by flow size, mean: load 0.2" in page
    assert "does not say whose label it is" in run(*arguments, "--labels", "a", code=2)
    twice = run(*arguments, "--labels", "hpcc=A,hpcc=B", code=2)
    assert "`hpcc` is labelled twice, `A` and `B`; leave one out" in twice


def test_runs_that_ended_early_are_left_out(folders):
    whole, other, partial = (
        incast.load(folders[name]) for name in ("star", "star-none", "partial")
    )
    found = PairedComparison({"hpcc": {1: whole, 2: partial}, "none": {1: other, 2: other}})
    ratio = found.paired()["none"]["FCT slowdown, mean"]
    means = [run.summary["fct_slowdown"]["all"]["mean"] for run in (other, whole)]
    assert (ratio.ratio, ratio.seeds) == (pytest.approx(means[0] / means[1]), 1)
    assert "one seed: no interval (of 1 seed)" in found.table()
    assert "hpcc, seed 2: Interrupted at" in found.table()


def test_means_that_are_cut_are_not_told_different(folder):
    """Web search for 2 ms: flows at half the rate end after the arrivals, as do some of the other
    algorithm.
    """
    found = incast.compare("poisson.toml", "hpcc,half.py", seeds=5)
    ratios = found.paired()["HalfRate"]
    mean, tail = ratios["FCT slowdown, mean"], ratios["FCT slowdown, p99.9"]
    assert mean.low > 1
    assert (mean.cut, mean.is_different, tail.cut) == (True, False, True)
    told = found.compared()["ratios"]["HalfRate"]["FCT slowdown, mean"]
    assert (told["cut"], told["different"]) == (True, None)
    assert not ratios["goodput"].cut
    rows = [" ".join(line.split()) for line in found.table().splitlines()]
    (row,) = (each for each in rows if each.startswith("FCT slowdown, mean HalfRate"))
    assert row.endswith("not told apart: cut")


def test_numbers_that_no_seed_has_keep_their_rows(folder):
    """Arrivals of 100 us end before large flows do, so that p99.9 is cut."""
    short = {"traffic.0.duration": "100us", "traffic.0.load": 0.9}
    found = incast.compare("poisson.toml", "hpcc,half.py", seeds=2, **short)
    lines = [" ".join(line.split()) for line in found.table().splitlines()]
    assert "FCT slowdown, p99.9 cut cut" in lines
    assert "FCT slowdown, p99.9 HalfRate – cut with every seed" in lines
    ratios = incast.compare("poisson.toml", "hpcc,half.py", baseline="hpcc", **short)
    (row,) = (each for each in ratios.table().splitlines() if "p99.9" in each and "cut" in each)
    assert row.split()[-1] == "cut"
    assert ratios.ratios("hpcc")["HalfRate"]["FCT slowdown, p99.9"] is None


def test_the_number_of_seeds_stands_with_each_number(folders):
    """One of three runs of hpcc was interrupted, so that its numbers are missing."""
    whole, other, partial = (
        incast.load(folders[name]) for name in ("star", "star-none", "partial")
    )
    three = {1: other, 2: other, 3: other}
    text = PairedComparison({"hpcc": {1: whole, 2: partial}, "none": three}).table()
    assert "means over 1 to 3 seeds" in text
    mean = next(line for line in text.splitlines() if line.startswith("FCT slowdown, mean"))
    means = [ratio_text(run.summary["fct_slowdown"]["all"]["mean"]) for run in (whole, other)]
    assert mean.split()[2:] == ["mean", means[0], "of", "1", means[1]]


def test_seeds_that_change_nothing_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scenario = {
        "network": {"topology": {"kind": "star", "hosts": 3}},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "incast", "receiver": 2, "sizes": "100KB"}],
    }
    text = " ".join(incast.compare(scenario, "hpcc,dcqcn", seeds=2).table().split())
    assert "All seeds gave the same numbers" in text
    assert "`jitter` in `[[traffic]]` draws starts at random" in text
    assert "the same difference with every seed" in text
    assert not any(f"told apart; {word}" in text for word in ("enough", "within"))
    jittered = {**scenario, "traffic": [{**scenario["traffic"][0], "jitter": "1us"}]}
    assert "gave the same numbers" not in incast.compare(jittered, "hpcc,dcqcn", seeds=2).table()
    study = {"scenario": scenario, "measure": "fct.mean", "vary": {"seed": [1, 2]}}
    sweep = incast.sweep(study, store="out")
    assert "All seeds gave the same numbers." in sweep.table()
    assert "All seeds gave the same numbers." in sweep.save(formats=[]).read_text()


def test_rules_of_counting_that_differ_are_told(folder):
    (folder / "all.toml").write_text(POISSON + '\n[measure]\nfct = "all"\n')
    told = "FCT statistics are not of the same flows. poisson: those that start in the middle"
    for seeds in (None, 2):
        found = incast.compare(["poisson.toml", "all.toml"], seeds=seeds)
        text = " ".join(found.table().split())
        assert f"{told} third of the arrivals; all: all flows." in text
        assert told in " ".join(found.report("page.html").read_text().split())
    alike = incast.compare("poisson.toml", "hpcc,dcqcn")
    assert "not of the same flows" not in alike.table()


def test_what_did_not_run_is_told(folders):
    whole, other = (incast.load(folders[name]) for name in ("star", "star-none"))
    absent = ["hpcc, seed 2", "none, seed 2"]
    found = PairedComparison({"hpcc": {1: whole}, "none": {1: other}}, absent=absent)
    assert "Not run: hpcc, seed 2; none, seed 2." in found.table()


def test_targets_of_another_network_are_told(tmp_path, monkeypatch):
    """Swift's published target begins at 20 us, TIMELY's at 50 us; the base RTT of a star is 4.2
    us. The set of parameters that scales begins at 5 us.
    """
    monkeypatch.chdir(tmp_path)
    scenario = {
        "network": {"topology": {"kind": "star", "hosts": 3}},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "incast", "receiver": 2, "sizes": "10KB", "jitter": "1us"}],
    }
    told = "swift: `cc.base_target` allows a delay of 20 µs, and the base RTT is 4.1"
    for seeds in (None, 2):
        found = incast.compare(scenario, "hpcc,swift,timely,swift:fairness", seeds=seeds)
        text = " ".join(found.table().split())
        assert told in text
        assert "timely: `cc.low_threshold` allows a delay of 50 µs" in text
        assert text.count("of another network") == 2
        page = " ".join(found.report("page.html").read_text().split())
        assert "allows a delay of 20 µs" in page
    # Links of 5 us make a base RTT of some 20 us, for which the target is meant.
    scenario["network"]["topology"]["delay"] = "5us"
    assert "allows a delay" not in incast.compare(scenario, "hpcc,swift").table()
