"""Infrastructures of InfraGraph as networks."""

import json

import incast
import pytest
import yaml
from graph_files import INFRAGRAPH


def imported(tmp_path, text, **given):
    file = tmp_path / "infra.yaml"
    file.write_text(text)
    return incast.import_graph(file, **given)


def links(graph):
    return [line.split()[1:] for line in graph.splitlines() if line.startswith("link ")]


def test_edges_between_instances_are_links(tmp_path):
    """Each of the two NICs of a server has a leaf of its own; latencies are 500 ns."""
    graph = imported(tmp_path, INFRAGRAPH).graph
    assert "hosts host0 host1" in graph.splitlines()
    assert "switches leaf0 leaf1" in graph.splitlines()
    ends = [("host0", "leaf0"), ("host0", "leaf1"), ("host1", "leaf0"), ("host1", "leaf1")]
    assert links(graph) == [[*pair, "400Gbps", "500ns"] for pair in ends]


def test_json_is_the_same(tmp_path):
    text = json.dumps({"infrastructure": yaml.safe_load(INFRAGRAPH), "annotations": {}})
    assert imported(tmp_path, text).graph == imported(tmp_path, INFRAGRAPH).graph


def test_bytes_are_eight_bits_and_many_to_many_is_each_with_each(tmp_path):
    held = yaml.safe_load(INFRAGRAPH)
    held["links"][0]["physical"] = {"bandwidth": {"gigabytes_per_second": 50}}
    held["edges"] = [
        {
            "ep1": {"instance": "host", "component": "nic[0]"},
            "ep2": {"instance": "leaf", "component": "port[:2]"},
            "scheme": "many2many",
            "link": "eth",
        }
    ]
    graph = imported(tmp_path, yaml.safe_dump(held), delay="1us").graph
    # Two NICs, each with two ports to both of two leaves: eight links.
    assert len(links(graph)) == 8
    assert {(link[2], link[3]) for link in links(graph)} == {("400Gbps", "1us")}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("device: server", "device: serve", "instances[0].device: there is no device `serve`"),
        ("count: 2, choice: nic", "count: 0, choice: nic", "`0` is no number of them"),
        ('component: "nic[0:2]"}\n    ep2', 'component: "nic[0:3]"}\n    ep2', "goes beyond them"),
        ('"leaf[0:2]"', '"spine[0:2]"', "edges[0].ep2.instance: there is no instance `spine`"),
        ('"port[0]"', '"plug[0]"', "edges[0].ep2.component: there is no component `plug`"),
        ('"port[0]"', '"port[0"', "`port[0` is no name with numbers"),
        ("    link: eth", "    link: ib", "edges[0].link: there is no link `ib`"),
        ("scheme: one2one\n    link: eth", "scheme: ring\n    link: eth", "a ring is not read"),
        ("gigabits_per_second: 400", "gigatransfers_per_second: 16", "4 links have no rate"),
        ("\nedges:", "\nconnections: [a]\nold:", "`connections`, which InfraGraph had before"),
        ("{name: leaf,", "{name: host,", "instances[1]: `host` stands there twice"),
        ("{name: host, device: server, count: 2}", "host", "instances: is no list of objects"),
        ("count: 2}\n  - {name: leaf", "count: 2000000}\n  - {name: leaf", "more than 1048576"),
        ("links:\n  - name: eth", "links: [\n  - name: eth", "is neither YAML nor JSON"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, old, new, message):
    assert old in INFRAGRAPH
    text = INFRAGRAPH.replace(old, new)
    with pytest.raises(incast.ImportFileError) as refused:
        imported(tmp_path, text, file_format="infragraph")
    assert message in str(refused.value)
