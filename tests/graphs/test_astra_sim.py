"""Experiments of ASTRA-sim as scenarios."""

import json

import incast
import pytest

NETWORK = """\
topology: [ Switch ]  # Ring, Switch, FullyConnected
npus_count: [ 8 ]
bandwidth: [ 50.0 ]   # GB/s
latency: [ 500.0 ]    # ns
"""
SYSTEM = {
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "preferred-dataset-splits": 4,
    "all-reduce-implementation": ["ring"],
    "all-gather-implementation": ["ring"],
    "reduce-scatter-implementation": ["ring"],
    "all-to-all-implementation": ["ring"],
    "local-mem-bw": 1600,
    "peak-perf": 900,
    "roofline-enabled": 1,
}


@pytest.fixture
def files(tmp_path):
    def write(network=NETWORK, system=SYSTEM):
        (tmp_path / "network.yml").write_text(network)
        (tmp_path / "system.json").write_text(json.dumps(system))
        return tmp_path / "network.yml", tmp_path / "system.json"

    return write


def links(graph):
    return [line.split()[1:] for line in graph.splitlines() if line.startswith("link ")]


def test_a_switch_is_a_star(files, tmp_path):
    """50 GB/s are 50 · 2³⁰ · 8 bit/s = 429.4967296 Gb/s."""
    network, system = files()
    imported = incast.import_astra_sim(network, system=system)
    assert links(imported.graph) == [
        [f"npu{npu}", "switch0", "429496729600bps", "500ns"] for npu in range(8)
    ]
    assert 'algorithm = "ring"' in imported.scenario
    results = incast.run(imported.save(tmp_path / "run.toml"))
    # An all-reduce over a ring of 8 ranks: each rank sends in 14 steps.
    assert len(results.flows) == 8 * 14


def test_dimensions_join_routers(files):
    """NPU i is at (i % 2, i // 2): a ring of two is one link, a ring of three has three."""
    network, _ = files(
        "topology: [Ring, Ring]\nnpus_count: [2, 3]\nbandwidth: [1, 2]\nlatency: [1, 2]\n"
    )
    found = links(incast.import_astra_sim(network).graph)
    gigabyte = 2**30 * 8
    # The link of an NPU has the rates of its ports: one of 1 GB/s and two of 2 GB/s.
    assert found[:6] == [
        [f"npu{at}", f"router{at}", f"{5 * gigabyte}bps", "1ns"] for at in range(6)
    ]
    pairs = [(link[0][6:], link[1][6:], link[2], link[3]) for link in found[6:]]
    assert pairs == [
        *((str(at), str(at + 1), f"{gigabyte}bps", "1ns") for at in (0, 2, 4)),
        *(
            (str(a), str(b), f"{2 * gigabyte}bps", "2ns")
            for first in (0, 1)
            for a, b in ((first, first + 2), (first + 2, first + 4), (first + 4, first))
        ),
    ]


def test_full_connection_joins_all_pairs_and_a_switch_of_two_dimensions_its_line(files):
    network, _ = files(
        "topology: [FullyConnected, Switch]\nnpus_count: [3, 2]\n"
        "bandwidth: [1, 1]\nlatency: [1, 1]\n"
    )
    found = [link[:2] for link in links(incast.import_astra_sim(network).graph)[6:]]
    assert found == [
        *(["router0", "router1"], ["router0", "router2"], ["router1", "router2"]),
        *(["router3", "router4"], ["router3", "router5"], ["router4", "router5"]),
        *(["router0", "switch1.0"], ["router3", "switch1.0"]),
        *(["router1", "switch1.1"], ["router4", "switch1.1"]),
        *(["router2", "switch1.2"], ["router5", "switch1.2"]),
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Switch ]", "Torus ]", "topology[0]: `Torus` is not known; there are Ring, Switch, Fully"),
        ("[ 8 ]", "[ 1 ]", "npus_count[0]: `1` is no number of NPUs"),
        ("[ 8 ]", "[ 8, 2 ]", "the lists have different lengths"),
        ("[ 50.0 ]", "[ tbd ]", "bandwidth[0]: `tbd` is no bandwidth; give GB/s, e.g. 50.0"),
        ("[ 500.0 ]", "[ 0 ]", "latency[0]: `0` is no latency"),
        ("[ 500.0 ]", "500", "latency: is no list"),
        ("latency", "latencies", "latencies: `latencies` is not known"),
        ("[ 8 ]", "[ 8", "network.yml:3: is no YAML"),
        ("[ 8 ]", "[ 100000 ]", "npus_count: there are 100000 NPUs; give 65536 at most"),
    ],
)
def test_what_is_wrong_in_a_network_is_named(files, old, new, message):
    network, _ = files(NETWORK.replace(old, new))
    with pytest.raises(incast.ImportFileError) as refused:
        incast.import_astra_sim(network)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"all-reduce-implementation": ["ringg"]}, "all-reduce-implementation: `ringg` is not"),
        ({"all-gather-implementation": ["direct"]}, "is `direct`, but all-reduces are done by `r"),
        ({"all-reduce-implementation": ["ring", "direct"]}, "dimensions have different algorithms"),
        (
            {"all-reduce-implementation-custom": ["x"]},
            "is not modelled; name one of the algorithms",
        ),
        ({"colour": 1}, "colour: `colour` is not modelled"),
        ({"peak-perf": 0}, "peak-perf: the roofline has no peak rate"),
    ],
)
def test_what_is_not_modelled_in_a_system_is_named(files, changes, message):
    network, system = files(system={**SYSTEM, **changes})
    with pytest.raises(incast.ImportFileError) as refused:
        incast.import_astra_sim(network, system=system)
    assert "system.json" in str(refused.value)
    assert message in str(refused.value)


def test_what_has_no_effect_is_told(files):
    network, system = files()
    imported = incast.import_astra_sim(network, system=system)
    told = {setting.name: setting.outcome for setting in imported.settings}
    assert told["endpoint-delay"].startswith("not used:")
    # 1600 GB/s, of 10⁹ bytes each.
    machine = 'used: roofline = { peak_tflops = 900.0, memory_rate = "12800000000000bps" }'
    assert told["peak-perf"] == machine
    assert told["all-to-all-implementation"].startswith("done directly")
    tree = {"all-reduce-implementation": ["doubleBinaryTree"], "roofline-enabled": 0}
    network, system = files(system={**SYSTEM, **tree})
    imported = incast.import_astra_sim(network, system=system)
    assert 'algorithm = "tree"' in imported.scenario
    assert "not used: no roofline" in {setting.outcome for setting in imported.settings}


def test_files_of_a_system_that_are_none_are_named(files, tmp_path):
    network, system = files()
    system.write_text("{")
    with pytest.raises(incast.ImportFileError, match=r"system.json:1: is no JSON"):
        incast.import_astra_sim(network, system=system)
    with pytest.raises(incast.ImportFileError, match="No such file"):
        incast.import_astra_sim(tmp_path / "none.yml")
    with pytest.raises(incast.ImportFileError, match="is of a workload, which is not given"):
        incast.import_astra_sim(network, groups=tmp_path / "comm_group.json")
