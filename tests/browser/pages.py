"""A page of each kind, from small runs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import incast
import numpy as np
import scenarios
from incast import conformance, results
from incast.conformance.page import page as conformance_page
from incast.explain import breakdown_page
from incast.explain.breakdown import breakdown
from incast.explain.page import write as write_explanations
from incast.papers import panels, tolerances
from incast.papers.claim import Claim
from incast.papers.figure import Figure, Paper, RunPlan, Scale
from incast.papers.outlines import outline
from incast.papers.page import page as paper_page
from incast.papers.plans import Plan
from incast.papers.result import PaperResult
from incast.present import html
from incast.present.charts import Axis, Box, Chart, Curve, Quantity
from incast.study.page import page as sweep_page
from replayed import PAUSED

TRAFFIC = """\
[run]
name = "background & bursts"

[network]
topology = { kind = "dumbbell", switches = 2, senders = 4, receivers = 4 }
buffer = { size = "400KB" }

[cc]
algorithm = "hpcc"

[[traffic]]
name = "background"
kind = "poisson"
sizes = "ali-storage"
load = 0.3
duration = "100us"
tenant = "storage"

[[traffic]]
name = "bursts"
kind = "incast"
senders = "0-3"
receiver = 4
sizes = "200KB"
rounds = { count = 2, every = "50us" }

[attack]
kind = "parallel"
qps = 2
attackers = { larger_than = "100KB" }

[measure]
round_trips = true
breakdown = true
queues = { ports = "all", every = "1us" }
flows = { which = "all", every = "5us" }
"""
"""Two entries of traffic, an attack, and pauses: all that the charts of a network need."""

FABRIC = {
    **scenarios.FABRIC,
    "control": {"scheme": "3cpo"},
    "measure": {"every": 20, "endpoints": [0, 1]},
}

SPRAYED = """\
[network]
topology.kind = "leaf-spine"
topology.leaves = 2
topology.spines = 2
topology.hosts_per_leaf = 4
topology.spine_rate = "100Gbps"
flow_control = "none"
balance = { kind = "random" }
recovery = { loss_detection = { kind = "explicit" } }

[cc]
algorithm = "dctcp"

[[traffic]]
kind = "permutation"
shift = 4
sizes = "200KB"
"""

FOLDED = """\
[run]
name = "folded"

[network]
topology = { kind = "leaf-spine", leaves = 9, spines = 2, hosts_per_leaf = 8 }
buffer = { size = "1200KB" }

[cc]
algorithm = "none"

[[traffic]]
kind = "incast"
senders = "8-15"
receiver = 0
sizes = "400KB"

[[fault]]
kind = "down"
between = ["leaf 8", "spine 1"]
from = "1us"
until = "5us"

[measure]
queues = { ports = "all", every = "1us" }
"""
"""More hosts than a page draws one by one, pauses, and a link that fails."""

STUDY = {
    "name": "load",
    "measure": ["slowdown.p99", "goodput.total"],
    "vary": {"cc": ["hpcc", "dcqcn"], "traffic.0.load": [0.3, 0.6], "seed": [1, 2]},
    "scenario": scenarios.hadoop_dict("20us"),
}


def report(folder: Path) -> Path:
    """A run of a network, with every chart."""
    return traffic(folder, "hpcc").report(folder / "report.html")


def sprayed(folder: Path) -> Path:
    """A run whose packets arrive out of order."""
    file = folder / "sprayed.toml"
    file.write_text(SPRAYED)
    return incast.run(file).report(folder / "sprayed.html")


def folded(folder: Path) -> Path:
    """A run of more hosts than a page draws one by one."""
    file = folder / "folded.toml"
    file.write_text(FOLDED)
    return incast.run(file).report(folder / "folded.html")


def explained(folder: Path) -> Path:
    """Two flows, explained."""
    found = traffic(folder, "hpcc").explain(0, 1)
    assert isinstance(found, list)
    return write_explanations(found, folder / "explained.html")


def broken_down(folder: Path) -> Path:
    """The breakdown of FCT over many flows under two algorithms, as bars."""
    found = {
        algorithm: breakdown(run, 5, results._run_again)
        for algorithm in ("hpcc", "dcqcn")
        for run in [traffic(folder, algorithm)]
    }
    return breakdown_page.write(found, folder / "broken-down.html")


def replayed(folder: Path) -> Path:
    """A replay of PFC pauses that reach a flow which shares no full link."""
    return incast.run(tomllib.loads(PAUSED)).replay(folder / "replayed.html", end="30us")


def deadlock(folder: Path) -> Path:
    """A run with a deadlock of PFC."""
    return incast.run(scenarios.ring(folder), stop="3ms").report(folder / "deadlock.html")


def fabric(folder: Path) -> Path:
    """Memory fabrics: one section of a single run with all charts, and one section of two runs."""
    sizes = {f"{count} endpoints": _fabric(count) for count in (16, 32)}
    sections = {"One run": {"16 endpoints": sizes["16 endpoints"]}, "Two runs": sizes}
    return html.write_sections(sections, folder / "fabric.html", title="Fabrics")


def comparison(folder: Path) -> Path:
    """Two algorithms, compared with each other."""
    runs = {algorithm: traffic(folder, algorithm) for algorithm in ("hpcc", "dcqcn")}
    return incast.Comparison(runs, baseline="hpcc").report(folder / "comparison.html")


def paired(folder: Path) -> Path:
    """Two algorithms, compared over seeds."""
    file = folder / "traffic.toml"
    file.write_text(TRAFFIC)
    return incast.compare(file, "hpcc,dcqcn", seeds=5).report(folder / "paired.html")


def reproduction(folder: Path) -> Path:
    """A made-up paper."""
    planned = Plan(outline(_paper(), Scale.QUICK))
    page = paper_page(PaperResult(planned, planned.carry_out(folder / "runs")))
    return _written(folder / "reproduction.html", page)


def bandwidth(folder: Path) -> Path:
    """The bandwidth of a collective over sizes, by two algorithms."""
    tests = incast.nccl_tests(
        "all-reduce", ranks=8, max_bytes="64K", factor=8, algorithm="ring,tree"
    )
    return tests.report(folder / "bandwidth.html")


def sweep(folder: Path) -> Path:
    """A sweep over algorithms, loads and seeds."""
    done = incast.sweep(STUDY, store=folder / "sweep", baseline="hpcc")
    charts = [done.chart(measure.name) for measure in done.study.measures]
    page = sweep_page(done.study, done.groups, charts, {}, done.ratios, done.baseline)
    return _written(folder / "sweep.html", page)


def checks(folder: Path) -> Path:
    """Of an algorithm."""
    found = conformance.check("hpcc")
    return _written(folder / "checks.html", conformance_page(found.algorithm, found.lines))


KINDS = (
    report,
    sprayed,
    folded,
    explained,
    broken_down,
    replayed,
    deadlock,
    fabric,
    comparison,
    paired,
    reproduction,
    sweep,
    bandwidth,
    checks,
)


def traffic(folder: Path, algorithm: str) -> incast.Results:
    file = folder / "traffic.toml"
    file.write_text(TRAFFIC)
    return incast.run(file, cc=algorithm)


def _fabric(endpoints: int) -> incast.Results:
    return incast.run({**FABRIC, "fabric": {"endpoints": endpoints}})


def _written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def _paper() -> Paper:
    """A paper with claims, and charts that no report has: error bars, boxes, named places, a
    diagram.
    """
    star = RunPlan(scenarios.as_dict(), hops=1600)
    figure = Figure(
        id="one",
        title="First & foremost",
        where="Fig. 1",
        runs=lambda scale: {"star": star},
        charts={
            "finish": panels.finish("Finish"),
            "bars": lambda runs: bars(),
            "boxes": lambda runs: boxes(),
            "tree": lambda runs: tree(),
        },
        claims=[_claim("X1", tolerances.close_to(4, 0)), _claim("X2", tolerances.at_least(5))],
        setup="Four flows of 100 KB to one host.",
        scaled="one run instead of two",
    )
    head = ("made-up", "A made-up paper", "It shows a page", "no author, nowhere")
    return Paper(*head, [figure], ["None is open."])


def _claim(number: str, holds: tolerances.Condition) -> Claim:
    return Claim(
        number,
        f"claim {number}",
        claimed="ten",
        measure=lambda runs: {label: len(run.flows) for label, run in runs.items()},
        holds=holds,
        tolerance="none",
        note="Found by counting.",
    )


def bars() -> Chart:
    """Means with intervals on a logarithmic axis; one mean is missing."""
    x = np.array([0.1, 0.2, 0.4])
    curves = [
        Curve(
            f"{name}, θ = ½",
            x,
            factor * np.array([10.0, 25.0, 123.45]),
            place,
            mark="points",
            group=name,
            spread=(factor * np.array([9.0, 20.0, np.nan]), factor * np.array([11, 30, np.nan])),
        )
        for place, (name, factor) in enumerate({"one": 1.0, "two": 2.0}.items())
    ]
    return Chart("bars", "Bars", Axis("load", Quantity.RATIO), _TIME, curves, note="Of few runs.")


_TIME = Axis("FCT, p99", Quantity.TIME, log=True)


def boxes() -> Chart:
    """Box plots at named places."""
    found = [Box(1, 2, 3, 4, 5, np.array([8.0, 9.0])), Box(2, 3, 4, 5, 6, np.array([]))]
    place = Axis("", Quantity.COUNT, names=("LGC, two", "DCTCP"))
    medians = np.array([box.median for box in found])
    curve = Curve("queue", np.array([0.0, 1.0]), medians, mark="boxes", boxes=found)
    return Chart("boxes", "Boxes", place, Axis("packets", Quantity.COUNT, lower=0), [curve])


def tree() -> Chart:
    """A drawing without axes."""
    place = Axis("place", Quantity.COUNT)
    hosts = Curve("2 hosts", np.array([0.0, 1.0]), np.array([0.0, 0.0]), 1, mark="dots")
    links = Curve("links", np.array([0, 0.5, 1, 0.5]), np.array([0, 1, 0, 1.0]), mark="segments")
    return Chart("tree", "A tree", place, place, [links, hosts], frame="none")
