"""FCTs of random runs in parts: parts add up to the picosecond, and nothing is left unexplained."""

import random
import warnings
from collections import Counter

import incast
import numpy as np
import torture
from explained_parts import summed
from incast.explain import journeys
from incast.explain.critical_path import PARTS
from incast.measure.fct_parts import SUMMED

ALGORITHMS = [
    *("hpcc", "dcqcn", "dctcp", "swift", "timely", "none", "ecn-tcp", "lgc", "powertcp"),
    *("theta-powertcp", "hpcc++", "fncc", "rocc", "s-perc", "s-perc+1rc+weights", "rocc+1rc"),
    *("nscc", "rccc", "hpcc+vai+sf"),
]
TOPOLOGIES = [
    {"kind": "star", "hosts": 5},
    {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts_per_leaf": 3},
    {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts_per_leaf": 4, "rate": "400Gbps"},
    {"kind": "fat-tree", "k": 4},
    {"kind": "dumbbell"},
    {
        "kind": "rail-optimised",
        "units": 1,
        "nodes_per_unit": 3,
        "rails": 2,
        "spines": 1,
        "hosts": "nodes",
    },
]
FAULTS = [
    {"kind": "loss", "links": ["host 0"], "probability": 0.02},
    {"kind": "down", "links": ["host 1"], "from": "5us", "until": "40us"},
    {"kind": "degraded", "links": ["host 0"], "rate": "10Gbps", "from": "0s"},
]
SIZES = ["1B", "1KB", "10KB", "100KB", "300KB"]
CHOSEN = 6
"""Random flows of each run that are explained, beside the slowest."""


def lossless(dice, algorithm):
    return {
        "flow_control": "pfc",
        "buffer": {"size": dice.choice(["400KiB", "1MiB", "32MiB"])},
    }


def dropping(dice, algorithm):
    selective = algorithm in ("nscc", "rccc") or dice.random() < 0.5
    return {
        "flow_control": "none",
        "buffer": {"size": dice.choice(["64KiB", "256KiB", "4MiB"])},
        "recovery": {
            "timeout": dice.choice(["100us", "1ms"]),
            "kind": "selective" if selective else "go-back-n",
        },
    }


def trimming(dice, algorithm):
    balance = dice.choice(["flow", "random", "oblivious", "reps", "round-robin"])
    return {
        "flow_control": "none",
        "recovery": {
            "timeout": "1ms",
            "kind": "selective",
            "loss_detection": {"kind": "explicit"},
        },
        "drop": {"trimming": {}},
        "balance": {"kind": balance, **({"entropies": 8} if balance != "flow" else {})},
    }


TASKS = """\
num_ranks 2
rank 0 {
forward: calc 3000
out: send 60000b to 1 tag 1
out requires forward
back: recv 20000b from 1 tag 2
}
rank 1 {
in: recv 60000b from 0 tag 1
backward: calc 5000
backward requires in
out: send 20000b to 0 tag 2
out requires backward
}
"""


def traffic(dice, tasks):
    sizes = dice.choice(SIZES)
    return dice.choice(
        [
            {"kind": "incast", "receiver": 0, "sizes": sizes},
            {"kind": "permutation", "sizes": sizes, "shift": 1},
            {"kind": "poisson", "sizes": "web-search", "load": 0.7, "duration": "100us"},
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.3, "duration": "100us"},
            {"kind": "collective", "operation": "all-reduce", "data": "200KB"},
            {"kind": "tasks", "hosts": "0,1", "file": tasks, "format": "goal"},
        ]
    )


def scenario(dice, tasks):
    """A random scenario; combinations that are not allowed are refused."""
    algorithm = dice.choice(ALGORITHMS)
    network = {"topology": dice.choice(TOPOLOGIES)}
    network |= dice.choice([lossless, dropping, trimming])(dice, algorithm)
    network |= dice.choice([{}, {}, {}, {"ack_every": 2}, {"model": {"ack_class": "data"}}])
    network |= dice.choice([{}, {}, {}, {"jitter": {"nic": "5ns", "switch": "3ns"}}])
    found = {
        "network": network,
        "cc": {"algorithm": algorithm},
        "traffic": [traffic(dice, tasks) for _ in range(dice.randint(1, 2))],
        "run": {"seed": dice.randint(1, 1000)},
        "measure": {"breakdown": True},
    }
    if dice.random() < 0.15:
        found["fault"] = [dice.choice(FAULTS)]
    if dice.random() < 0.15:
        found["nic"] = {"qps": "persistent"}
    return found


def explained(results, dice):
    """Some flows of a run, among them its slowest."""
    flows = results.completed["flow_id"].tolist()
    chosen = dict.fromkeys(
        [*dice.sample(flows, min(len(flows), CHOSEN)), *results.slowest(1)["flow_id"].tolist()]
    )
    found = results.explain(*map(int, chosen))
    return found if isinstance(found, list) else [found]


def check_matching(explanation):
    """Matches events in one pass and one by one, and compares both."""
    found = [
        match(explanation.events, explanation.ports)
        for match in (journeys.preceding, journeys.preceding_one_by_one)
    ]
    assert np.array_equal(*found)


def check(explanation, may_be_idle):
    flow = explanation.flow
    assert sum(part.ps for part in explanation.parts) == explanation.fct_ps
    spans = explanation.spans
    assert spans[0].start == flow.start_ps
    assert spans[-1].end == flow.start_ps + explanation.fct_ps
    assert [span.end for span in spans[:-1]] == [span.start for span in spans[1:]]
    assert {part.part for part in explanation.parts} <= set(PARTS)
    for part in explanation.parts:
        assert part.ps > 0
        assert part.part != "idle" or may_be_idle
        if part.part in ("queue", "nic"):
            assert sum(behind.ps for behind in part.behind) == part.ps
        if part.part == "pause":
            assert sum(began.ps for began in part.began) == part.ps
    for port in explanation.company:
        assert 0 < port.share < 1
        assert 0 < port.equal_share < 1
        # The packet that was leaving when the flow came is not counted, so that no port is
        # overfull.
        assert port.utilisation <= 1 + 1e-9


def check_sums(explanation, row):
    """Compares the sums of the run with the spans of the explanation."""
    sums = summed(explanation)
    assert {part: row[f"fct_{part}_ps"] for part in SUMMED} == {part: sums[part] for part in SUMMED}


def random_runs(name, rounds, counts, folder):
    """Runs of random scenarios with completed flows: scenario, results and dice of each run."""
    tasks = folder / "tasks.goal"
    tasks.write_text(TASKS)
    for round_ in range(rounds):
        dice = random.Random(f"{name} {torture.SEED} {round_}")
        settings = scenario(dice, str(tasks))
        try:
            with warnings.catch_warnings():
                # Some networks run on one thread.
                warnings.simplefilter("ignore")
                results = incast.run(settings, threads=dice.choice([1, 3]))
        except incast.ScenarioError:
            counts["refused"] += 1
            continue
        except incast.StallError:
            counts["stalled"] += 1
            continue
        except incast.RunError as error:
            # ACKs among data may find no room, since hosts send them even while data are paused.
            if "had no room for a packet" not in str(error):
                raise
            counts["no room"] += 1
            continue
        if not len(results.completed):
            counts["empty"] += 1
            continue
        yield settings, results, dice
        counts["runs"] += 1


def test_parts_of_random_runs_add_up(tmp_path):
    counts = Counter()
    for settings, results, dice in random_runs("explain", torture.some(250), counts, tmp_path):
        rows = {row["flow_id"]: row for row in results.completed}
        for explanation in explained(results, dice):
            check_sums(explanation, rows[explanation.flow.flow_id])
            check(explanation, may_be_idle="fault" in settings)
            check_matching(explanation)
            counts["flows"] += 1
    torture.told("explained", counts)
    assert counts["runs"] > counts["refused"]


def test_sums_of_random_runs_add_up(tmp_path):
    """For every flow of a run, the parts summed by the run add up to its FCT."""
    counts = Counter()
    for _, results, _ in random_runs("sums", torture.some(100), counts, tmp_path):
        flows = results.completed
        parts = [flows.numbers(f"fct_{part}_ps").astype(np.int64) for part in SUMMED]
        assert min(part.min() for part in parts) >= 0
        assert np.array_equal(sum(parts), flows.numbers("fct_ps").astype(np.int64))
        counts["flows"] += len(flows)
    torture.told("summed", counts)
    assert counts["runs"] > 0
