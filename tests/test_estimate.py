"""Estimates before a run, compared with runs."""

from __future__ import annotations

import incast
import pytest
from incast import machine

STAR = {"topology": {"kind": "star", "hosts": 17}}
TREE = {"topology": {"kind": "leaf-spine", "leaves": 4, "spines": 2, "hosts_per_leaf": 8}}

SCENARIOS = {
    "incast": {
        "network": STAR,
        "traffic": [{"kind": "incast", "receiver": 16, "sizes": "1MB"}],
    },
    "stopped incast": {
        "run": {"stop": "300us"},
        "network": STAR,
        "traffic": [{"kind": "incast", "receiver": 16, "sizes": "1MB"}],
    },
    "permutation": {
        "network": TREE,
        "traffic": [{"kind": "permutation", "sizes": "300KB", "jitter": "20us"}],
    },
    "poisson": {
        "network": TREE,
        "traffic": [
            {"kind": "poisson", "sizes": "fb-hadoop", "load": 0.5, "duration": "3ms"},
            {"kind": "incast", "receiver": 3, "sizes": "20KB"},
        ],
    },
    "stopped poisson": {
        "run": {"stop": "1500us"},
        "network": TREE,
        "traffic": [{"kind": "poisson", "sizes": "fb-hadoop", "load": 0.4, "duration": "4ms"}],
    },
    "many flows": {
        "network": STAR,
        "traffic": [{"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 60_000}],
    },
    "stopped all-to-all": {
        "run": {"stop": "200us"},
        "network": {"topology": {"kind": "star", "hosts": 200}},
        "traffic": [{"kind": "all-to-all", "sizes": "1MB"}],
    },
    "all-reduce": {
        "network": TREE,
        "traffic": [{"kind": "all-reduce", "data": "2MB", "hosts": "0-15"}],
    },
    "small rounds of an all-reduce": {
        "network": TREE,
        "traffic": [
            {
                "kind": "collective",
                "operation": "all-reduce",
                "data": "32KB",
                "rounds": 60,
                "compute": "2us",
            }
        ],
    },
    "entries that meet": {
        "network": STAR,
        "traffic": [
            {"kind": "incast", "receiver": 16, "sizes": "50KB", "start": f"{start}us"}
            for start in range(20)
        ],
    },
    "parallel pieces": {
        "network": STAR,
        "attack": {"kind": "parallel", "piece": "1KB", "attackers": {"share": 0.5}},
        "traffic": [{"kind": "permutation", "sizes": "500KB"}],
    },
    "stopped staggered pieces": {
        "run": {"stop": "400us"},
        "network": TREE,
        "attack": {
            "kind": "staggered",
            "piece": "2KB",
            "spacing": "3us",
            "attackers": {"hosts": "0-7"},
        },
        "traffic": [{"kind": "permutation", "sizes": "1MB"}],
    },
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_packet_hops_flows_and_rows_are_near_those_of_the_run(name):
    """Packet-hops and flows are within a quarter, simulated time and rows of series within a factor
    of two. The estimate ignores queues in the network and the sending rates of algorithms.
    """
    scenario = incast.Scenario({**SCENARIOS[name], "cc": {"algorithm": "hpcc"}})
    estimate = scenario.estimate()
    results = incast.run(scenario)
    summary = results.summary
    assert estimate["packet_hops"] == pytest.approx(summary["packet_hops"], rel=0.25)
    assert estimate["flows"] == pytest.approx(summary["flows"]["started"], rel=0.25)
    assert 0.5 < estimate["end_ps"] / summary["simulated_ps"] < 2
    rows = estimate["queues"]["rows"] + estimate["flow_series"]["rows"]
    assert 0.5 < rows / len(results.series) < 2


def test_pieces_of_an_attack_are_flows_that_have_to_fit():
    """The attack has 1.7 thousand million pieces, and each piece is a flow."""
    attack = {"kind": "parallel", "piece": "1B", "attackers": {"share": 1.0}}
    traffic = [{"kind": "permutation", "sizes": "100MB"}]
    scenario = incast.Scenario(
        {"network": STAR, "cc": {"algorithm": "hpcc"}, "attack": attack, "traffic": traffic}
    )
    assert scenario.describe()["expected_flows"] == scenario.estimate()["flows"] == 17 * 10**8
    measure = scenario.to_dict()["measure"]
    assert (measure["flows"]["which"], measure["fair_share"]) == ("none", "none")
    refused = r"the run would take about 595 GB of memory, 595 GB of it for flows, .* attack"
    with pytest.raises(incast.ScenarioError, match=refused):
        incast.run(scenario)


def test_tasks_of_a_file_are_counted(tmp_path):
    """Sends that may all begin at once are alive together; computing tasks take memory."""
    at_once = [f"s{i}: send 1b to 1 tag {i}\n" for i in range(3000)]
    after = [f"s{i} requires s{i - 1}\n" for i in range(1, 3000)]
    received = [f"r{i}: recv 1b from 0 tag {i}\n" for i in range(3000)]
    computed = [f"c{i}: calc 1\n" for i in range(3000)]

    def estimate(first, second):
        first, second = "".join(first), "".join(second)
        text = f"num_ranks 2\nrank 0 {{\n{first}}}\nrank 1 {{\n{second}}}\n"
        (tmp_path / "tasks.goal").write_text(text)
        entry = {"kind": "tasks", "hosts": "0-1", "format": "goal", "file": "tasks.goal"}
        scenario = {"network": STAR, "cc": {"algorithm": "hpcc"}, "traffic": [entry]}
        return incast.Scenario(scenario, folder=tmp_path).estimate()

    burst, chain = estimate(at_once, received), estimate(at_once + after, received)
    assert burst["flows"] == chain["flows"] == 3000
    assert burst["memory_parts"]["flows"] == 3000 * (700 + 20) + 6000 * 150
    assert burst["memory_parts"]["flows"] > chain["memory_parts"]["flows"]
    computing = estimate(computed, computed)
    assert computing["memory_parts"]["flows"] == 6000 * 150


def test_what_is_sent_again_is_told_to_be_left_out():
    from incast.present.estimate import effort

    lossy = {**SCENARIOS["incast"], "cc": {"algorithm": "none"}}
    lossy["network"] = {**STAR, "flow_control": "none", "buffer": {"size": "1MB"}}
    scenario = incast.Scenario(lossy)
    assert " packet-hops and what is sent again: " in effort(scenario.estimate())
    results = incast.run(scenario)
    assert results.summary["packet_hops"] > 1.5 * scenario.estimate()["packet_hops"]
    lossless = {**SCENARIOS["incast"], "cc": {"algorithm": "none"}}
    assert "sent again" not in effort(incast.Scenario(lossless).estimate())


def test_what_will_be_thinned_is_told_by_show_and_by_run(tmp_path, capsys, monkeypatch):
    from incast import cli

    monkeypatch.chdir(tmp_path)
    scenario = {**SCENARIOS["incast"], "cc": {"algorithm": "hpcc"}, "measure": {"rows": 2000}}
    (tmp_path / "incast.toml").write_text(incast.Scenario(scenario).to_toml())
    assert cli.main(["show", "incast.toml"]) == 0
    shown = capsys.readouterr().out
    assert cli.main(["run", "incast.toml"]) == 0
    told = capsys.readouterr()
    assert "packet-hops: under 1 s at 8 M to 40 M a second; " in shown
    for text in (shown, told.err):
        assert "to keep to measure.rows" in text
    assert "series.parquet has samples of queues every" in told.out
    # A stored run is not run again, and costs nothing.
    assert cli.main(["run", "incast.toml"]) == 0
    assert capsys.readouterr().err == ""


def test_what_does_not_fit_is_refused_unless_told_to(tmp_path, capsys, monkeypatch):
    from incast import cli

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "available_memory", lambda: 10_000_000)
    monkeypatch.setattr(machine, "resident_memory", lambda: 20_000_000)
    scenario = {**SCENARIOS["incast"], "cc": {"algorithm": "hpcc"}}
    (tmp_path / "incast.toml").write_text(incast.Scenario(scenario).to_toml())
    refusal = r"would take about .* of memory, .* for the program, and 30 MB are available; .*any"
    with pytest.raises(incast.ScenarioError, match=refusal):
        incast.run(scenario)
    assert cli.main(["run", "incast.toml"]) != 0
    assert "30 MB are available" in capsys.readouterr().err
    assert not list(tmp_path.glob("results/*"))
    assert cli.main(["show", "incast.toml"]) == 0
    assert "incast run would refuse it" in capsys.readouterr().out
    assert cli.main(["run", "incast.toml", "--memory", "any"]) == 0
    assert incast.run(scenario, memory="any").summary["flows"]["finished"] == 16


def test_packets_on_long_links_are_refused_where_they_do_not_fit(monkeypatch):
    """Links with a delay of a second hold 12 million packets each: 9 GB, beside 66 MB for the
    rest.
    """
    monkeypatch.setattr(machine, "available_memory", lambda: 6 * 10**9)
    flows = [
        {"source": 0, "destination": 1, "size": "50GB"},
        {"source": 2, "destination": 3, "size": "50GB"},
    ]
    far = {
        "run": {"stop": "4s"},
        "network": {
            "topology": {"kind": "star", "hosts": 4, "delay": "1s"},
            "flow_control": "none",
        },
        "cc": {"algorithm": "none"},
        "traffic": [{"kind": "flows", "flows": flows}],
    }
    with pytest.raises(incast.ScenarioError, match=r"GB of it for packets on .*shorter links"):
        incast.run(far)


def test_the_part_that_takes_most_is_named(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 10**9)
    many = {"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 10**9}
    scenario = incast.Scenario(
        {
            "network": STAR,
            "cc": {"algorithm": "hpcc"},
            "traffic": [many],
            "measure": {"flows": {"rows": "slowest 1000000000"}},
        }
    )
    with pytest.raises(
        incast.ScenarioError, match=r"GB of it for rows of flows, .*; keep rows of fewer flows"
    ):
        machine.fitting(scenario.estimate())


def test_rows_that_do_not_fit_are_left_out_where_that_is_open(monkeypatch):
    """100 MB and 900 MB of rows do not fit into 500 MB; 100 MB do. With more memory all fit."""
    estimate = {
        "memory_bytes": 1e9,
        "memory_parts": {"process": 0.0, "flows": 1e8, "rows": 9e8},
        "rows_if_loaded_bytes": 9e8,
        "leaves_rows_open": True,
    }
    monkeypatch.setattr(machine, "available_memory", lambda: 500_000_000)
    found = machine.fitting(estimate)
    assert (found["memory_bytes"], found["rows_fit"]) == (1e8, False)
    with pytest.raises(incast.ScenarioError, match=r"900 MB of it for rows of flows"):
        machine.fitting({**estimate, "leaves_rows_open": False})
    monkeypatch.setattr(machine, "available_memory", lambda: 50_000_000)
    with pytest.raises(incast.ScenarioError, match=r"about 100 MB .*, 100 MB of it for flows"):
        machine.fitting(estimate)
    monkeypatch.setattr(machine, "available_memory", lambda: 10**9)
    assert machine.fitting(estimate) is estimate


def test_rows_on_the_disk_take_no_memory_but_are_left_out_where_they_could_not_be_loaded(
    monkeypatch,
):
    """A billion flows have 230 GB of rows, of which at most 80 MB are in memory."""
    many = {"kind": "poisson", "sizes": "1KB", "load": 0.5, "count": 10**9}
    scenario = {"network": STAR, "cc": {"algorithm": "hpcc"}, "traffic": [many]}
    monkeypatch.setattr(machine, "available_memory", lambda: 10**9)
    left_open = incast.Scenario(scenario).estimate()
    assert left_open["memory_parts"]["rows"] == 20 * 4e6
    assert left_open["rows_if_loaded_bytes"] == 230e9
    assert not machine.fitting(left_open)["rows_fit"]
    written = incast.Scenario(scenario, measure={"flows": {"rows": "all"}}).estimate()
    assert machine.fitting(written) is written


def test_what_the_program_has_already_is_not_asked_for_again(monkeypatch):
    """The program needs 80 MB and the flows 100 MB. 30 MB are in use already, so that 150 MB are
    still needed.
    """
    parts = {"process": 80e6, "flows": 100e6}
    estimate = {"memory_bytes": 180e6, "memory_parts": parts}
    monkeypatch.setattr(machine, "resident_memory", lambda: 30_000_000)
    monkeypatch.setattr(machine, "available_memory", lambda: 150_000_000)
    machine.fitting(estimate)
    monkeypatch.setattr(machine, "available_memory", lambda: 149_000_000)
    with pytest.raises(incast.ScenarioError, match=r"about 180 MB .*, and 179 MB are available"):
        machine.fitting(estimate)
    # In a notebook with much else in memory, only the program's part counts as already in use.
    monkeypatch.setattr(machine, "resident_memory", lambda: 10**9)
    monkeypatch.setattr(machine, "available_memory", lambda: 99_000_000)
    with pytest.raises(incast.ScenarioError, match=r"and 179 MB are available"):
        machine.fitting(estimate)


def test_this_machine_has_memory():
    available = machine.available_memory()
    assert available is None or 10**6 < available < 10**15


def test_a_limit_on_the_address_space_counts(monkeypatch):
    import resource

    monkeypatch.setattr(machine, "_of_machine", lambda: 10**15)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**15, 10**15))
    assert machine.available_memory() < 10**15
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10**6, 10**6))
    assert machine.available_memory() == 0


def _group(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def test_the_smallest_of_all_control_groups_counts(tmp_path, monkeypatch):
    """A batch system limits the job, not the step in it: the group of the step has `max`."""
    (tmp_path / "own").write_text("0::/job/step\n")
    root = tmp_path / "fs"
    monkeypatch.setattr(machine, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(machine, "_CGROUPS", root)
    _group(root / "job" / "step", memory__max="max", memory__current=400)
    assert machine._of_groups() is None
    _group(root / "job", memory__max=1000, memory__current=400)
    assert machine._of_groups() == 600
    # File pages that the kernel would give back do not count as used.
    _group(root / "job", memory__stat="anon 300\ninactive_file 50\nactive_file 20")
    assert machine._of_groups() == 650
    _group(root, memory__max=500, memory__current=450)
    assert machine._of_groups() == 50
    _group(root / "job" / "step", memory__max=410)
    assert machine._of_groups() == 10
    _group(root / "job" / "step", memory__max=300)
    assert machine._of_groups() == 0


def test_control_groups_of_the_first_version_count(tmp_path, monkeypatch):
    (tmp_path / "own").write_text("5:cpu,cpuacct:/x\n4:memory:/slurm/job\n0::/init.scope\n")
    root = tmp_path / "fs"
    monkeypatch.setattr(machine, "_OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(machine, "_CGROUPS", root)
    unlimited = 9223372036854771712
    job = {"memory__limit_in_bytes": unlimited, "memory__usage_in_bytes": 10**6}
    _group(root / "memory" / "slurm" / "job", **job)
    assert machine._of_groups() is None
    user = {"memory__limit_in_bytes": 5 * 10**6, "memory__usage_in_bytes": 3 * 10**6}
    _group(root / "memory" / "slurm", **user, memory__stat="total_inactive_file 1000")
    assert machine._of_groups() == 2 * 10**6 + 1000
    # In a container the path is that of the machine, and the root is the container's own group.
    (tmp_path / "own").write_text("4:memory:/docker/0123\n")
    assert machine._of_groups() is None
    _group(root / "memory", memory__limit_in_bytes=7000, memory__usage_in_bytes=6000)
    assert machine._of_groups() == 1000


def test_without_control_groups_there_is_no_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "_OWN_GROUPS", tmp_path / "nothing")
    assert machine._of_groups() is None
