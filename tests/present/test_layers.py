"""Networks in layers, and as text."""

import json

import incast
import pytest
import scenarios
from incast.cli import main
from incast.measure.layers import layers
from incast.present.layers import drawing
from made_up import Columns

G = 10**9


def ports(links, names):
    """Both ports of each link, which is given as node, node and rate."""
    ends = [each for a, b, rate in links for each in ((a, b, rate), (b, a, rate))]
    return Columns(
        node=[a for a, _, _ in ends],
        peer=[b for _, b, _ in ends],
        rate_bps=[rate for _, _, rate in ends],
        label=[f"{names[a]} port 0 → {names[b]}" for a, b, _ in ends],
    )


HOSTS = [f"host {number}" for number in range(6)]


def test_two_tiers():
    """Three leaves have two hosts each at 100 Gb/s, and a link of 50 Gb/s to each of two spines: a
    leaf has 200 Gb/s down and 100 Gb/s up.
    """
    names = [*HOSTS, "leaf 0", "leaf 1", "leaf 2", "spine 0", "spine 1"]
    down = [(host, 6 + host // 2, 100 * G) for host in range(6)]
    up = [(leaf, spine, 50 * G) for leaf in (6, 7, 8) for spine in (9, 10)]
    found = layers(ports([*down, *up], names), 6)
    assert drawing(found).splitlines() == [
        "2 switches  spine 0, spine 1",
        "  │         6 links at 50 Gbps: 3 for each above, 2 for each below",
        "3 switches  leaf 0 to 2, each 200 Gbps down and 100 Gbps up, 2 : 1",
        "  │         6 links at 100 Gbps: 2 for each above, 1 for each below",
        "6 hosts     host 0 to 5",
    ]
    told = found.to_dict()
    assert [each["distance"] for each in told["layers"]] == [0, 1, 2]
    assert told["layers"][1]["up_bps"] == (100 * G, 100 * G)
    assert told["links"][1] == {
        "below": 1,
        "above": 2,
        "links": 6,
        "rates": [{"rate_bps": 50 * G, "links": 6}],
        "of_each_below": (2, 2),
        "of_each_above": (3, 3),
    }


def test_links_within_a_layer_and_rates_that_differ():
    """In a ring, switches a and c have two hosts each, b has one, and one of c's links is
    faster.
    """
    names = [*HOSTS[:5], "a", "b", "c"]
    down = [(0, 5, 10 * G), (1, 5, 10 * G), (2, 6, 10 * G), (3, 7, 10 * G), (4, 7, 40 * G)]
    ring = [(5, 6, 10 * G), (6, 7, 10 * G), (7, 5, 10 * G)]
    assert drawing(layers(ports([*down, *ring], names), 5)).splitlines() == [
        "3 switches  a … c",
        "  │         3 links at 10 Gbps among them: 2 for each",
        "  │         4 links at 10 Gbps, 1 at 40 Gbps: 1 to 2 for each above, 1 for each below",
        "5 hosts     host 0 to 4",
    ]


@pytest.fixture
def leaf_spine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "network.toml"
    file.write_text(
        "[network.topology]\nkind = 'leaf-spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 8\n"
        "spine_rate = '100Gbps'\n"
        "[cc]\nalgorithm = 'hpcc'\n"
        "[[traffic]]\nkind = 'incast'\nreceiver = 0\nsizes = '1KB'\n"
    )
    return file


def test_show_draws_the_network(leaf_spine, capsys):
    assert main(["show", str(leaf_spine)]) == 0
    text = capsys.readouterr().out
    lines = [line.strip("# │") for line in text.splitlines() if " for each" in line]
    assert lines == [
        "8 links at 100 Gbps: 4 for each above, 2 for each below",
        "32 links at 100 Gbps: 8 for each above, 1 for each below",
    ]
    assert "each 800 Gbps down and 200 Gbps up, 4 : 1" in text
    # The output is a scenario file, with the drawing as a comment.
    again = leaf_spine.with_name("again.toml")
    again.write_text(text)
    shown = incast.Scenario(again, name="network")
    assert shown.to_dict()["network"] == incast.Scenario(leaf_spine).to_dict()["network"]
    assert main(["show", str(leaf_spine), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["network"]
    assert [len(each["nodes"]) for each in told["layers"]] == [32, 4, 2]
    assert [each["links"] for each in told["links"]] == [32, 8]


def test_files_of_networks_are_found_from_the_scenario_and_named_nodes_are_hosts(
    leaf_spine, tmp_path, monkeypatch, capsys
):
    (tmp_path / "two.graph").write_text(
        "hosts a b\nswitches s\nlink a s 100Gbps 1us\nlink b s 100Gbps 1us\n"
    )
    text = leaf_spine.read_text()
    begin = text.index("[cc]")
    leaf_spine.write_text(
        f"[network]\ntopology = {{ file = 'two.graph', format = 'graph' }}\n{text[begin:]}"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["show", str(leaf_spine)]) == 0
    assert "# 2 hosts   a, b" in capsys.readouterr().out


def test_scenarios_have_their_layers(leaf_spine):
    found = incast.Scenario(leaf_spine).layers()
    assert [each.distance for each in found.layers] == [0, 1, 2]
    assert [each.links for each in found.bundles] == [32, 8]
    with pytest.raises(incast.ScenarioError, match="a memory fabric has no layers"):
        incast.Scenario(scenarios.FABRIC).layers()
