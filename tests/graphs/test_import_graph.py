"""Graphs of other programs become scenarios that run."""

import json
import sys

import incast
import pytest
from graph_files import FILES, GML, GRAPHML, NODE_LINK, SNDLIB, SNDLIB_XML
from incast.graphs.formats import FORMATS, format_of

PLACES = [name for name in FILES if name != "infragraph"]


@pytest.fixture
def file_of(tmp_path):
    def write(name, text):
        file = tmp_path / name
        file.write_text(text)
        return file

    return write


def links(imported):
    """The ends, the rate and the delay of each link between switches."""
    lines = [line.split()[1:] for line in imported.graph.splitlines() if line.startswith("link ")]
    return [line for line in lines if not any(".host" in end for end in line[:2])]


def test_every_format_has_a_file_here():
    assert set(FILES) == set(FORMATS)


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_known_by_its_content(name):
    assert format_of(FILES[name][1]).name == name
    assert format_of("hosts a b") is None


@pytest.mark.parametrize("name", PLACES)
def test_rates_and_distances_are_read(file_of, name):
    """One degree of a meridian is 6371 km · π / 180 = 111.195 km, and 5 us/km make 555 975 ns."""
    imported = incast.import_graph(file_of(*FILES[name]), rate="1Gbps", delay="2ms")
    first, second, third = links(imported)
    assert first[2:] == ["10Gbps", "555975ns"]
    assert second[2:] == ["2500Mbps", "555975ns"]
    assert first[:2] == second[:2]
    assert "parallel-links" in imported.graph.splitlines()
    # The third link has no rate. In the SNDlib file both its ends are at the same place: 1 km, 5
    # us.
    assert third[2:] == ["1Gbps", "5us" if name.startswith("sndlib") else "2ms"]
    notes = {setting.name: setting.outcome for setting in imported.settings}
    assert notes["1 link without rate"] == "used: --rate"
    # Links to hosts have the rate of the switch's fastest link, and 1 us of delay.
    hosts = [line.split() for line in imported.graph.splitlines() if ".host" in line][1:]
    assert [line[3:] for line in hosts] == [["10Gbps", "1us"], ["10Gbps", "1us"], ["1Gbps", "1us"]]


@pytest.mark.parametrize("name", FILES)
def test_the_scenario_runs(file_of, tmp_path, name):
    imported = incast.import_graph(file_of(*FILES[name]), rate="1Gbps", delay="2ms")
    saved = imported.save(tmp_path / "net.toml")
    assert imported.is_in(saved)
    results = incast.run(saved)
    assert results.summary["flows"]["finished"] == len(results.flows) >= 2
    assert not imported.is_in(tmp_path / "none.toml")


def test_names_can_be_written(file_of):
    """Blanks become underscores; duplicate names and names that are numbers are replaced."""
    nodes = [{"id": 0, "label": "New Town"}, {"id": 1, "label": "7"}, {"id": 2, "label": "a"}]
    nodes += [{"id": 3, "label": "a"}, {"id": 4, "label": "all"}, {"id": 5, "label": " "}]
    held = {"nodes": nodes, "links": [{"source": at, "target": at + 1} for at in range(5)]}
    imported = incast.import_graph(
        file_of("net.json", json.dumps(held)), rate="1Gbps", delay="1us", hosts=2
    )
    switches = next(line for line in imported.graph.splitlines() if line.startswith("switches"))
    assert switches == "switches New_Town n7 a.2 a.3 nall n5"
    assert "a.2.host0 a.2.host1" in imported.graph


def test_ends_may_be_places_in_the_list_of_nodes(file_of):
    held = {
        "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "links": [{"source": 0, "target": 2, "value": 1}, {"source": 1, "target": 2, "value": 1}],
    }
    imported = incast.import_graph(file_of("d3.json", json.dumps(held)), rate="1Gbps", delay="1us")
    assert [link[:2] for link in links(imported)] == [["a", "c"], ["b", "c"]]


def test_hosts_of_the_file_are_hosts(file_of):
    held = {
        "nodes": [{"id": "s"}, {"id": "a", "type": "host"}, {"id": "b", "type": "server"}],
        "edges": [{"source": "s", "target": "a"}, {"source": "b", "target": "s"}],
    }
    file = file_of("net.json", json.dumps(held))
    imported = incast.import_graph(file, rate="1Gbps", delay="1us")
    assert "hosts a b" in imported.graph.splitlines()
    assert ".host" not in imported.graph
    more = incast.import_graph(file, rate="1Gbps", delay="1us", hosts=1)
    assert "hosts a b s.host" in more.graph.splitlines()


def test_a_pair_of_arcs_is_one_link(file_of):
    arcs = [("a", "b", 10), ("b", "a", 10), ("b", "c", 10), ("c", "b", 40), ("c", "d", 10)]
    held = {
        "directed": True,
        "graph": {"capacity_unit": "Gbps", "delay_unit": "us"},
        "nodes": [{"id": each} for each in "abcd"],
        "links": [{"source": a, "target": b, "capacity": c, "delay": 3} for a, b, c in arcs],
    }
    imported = incast.import_graph(file_of("net.json", json.dumps(held)))
    assert links(imported) == [[*ends, "10Gbps", "3us"] for ends in ("ab", "bc", "cd")]
    notes = [(setting.name, setting.value) for setting in imported.settings]
    assert ("links of one direction", "1") in notes
    assert ("a direction of a link", "2 to 1") in notes


def test_what_reaches_nothing_is_left_out_and_told(file_of):
    nodes = [{"id": each} for each in "abcdef"]
    pairs = ["ab", "bc", "de", "aa"]
    held = {"nodes": nodes, "links": [{"source": a, "target": b} for a, b in pairs]}
    imported = incast.import_graph(file_of("net.json", json.dumps(held)), rate="1Gbps", delay="1us")
    assert "switches a b c" in imported.graph.splitlines()
    notes = {setting.name: setting for setting in imported.settings}
    assert notes["3 nodes"].value == "d, e, f"
    assert notes["a link from a node to itself"].outcome == "left out"


def test_long_links_have_no_pfc(file_of):
    """A link of 40 000 km at 400 Gb/s holds 10 GB, far more than the buffer of 32 MiB."""
    far = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}
    file = file_of("net.json", json.dumps(far))
    long = incast.import_graph(file, rate="400Gbps", delay="200ms")
    assert 'flow_control = "none"' in long.scenario
    assert long.settings[-1].name == "flow control"
    short = incast.import_graph(file, rate="400Gbps", delay="1us")
    assert "flow_control" not in short.scenario


@pytest.mark.parametrize(
    ("name", "text", "given", "message"),
    [
        (
            "x.json",
            NODE_LINK,
            {},
            "1 link has no rate, of 3; say it for them, e.g. `--rate 10Gbps`",
        ),
        (
            "x.json",
            NODE_LINK,
            {"rate": "1Gbps"},
            "1 link has no delay, of 3; say it for them, e.g. `--delay 1ms`",
        ),
        ("x.json", NODE_LINK, {"rate": "fast"}, "rate: `fast` is no rate; give e.g. `10Gbps`"),
        ("x.json", NODE_LINK, {"delay": "5"}, "delay: `5` is no delay; give e.g. `5ms`"),
        ("x.json", NODE_LINK, {"rate_unit": "x"}, "rate_unit: `x` is no unit; give e.g. `Mbps`"),
        ("x.json", NODE_LINK, {"hosts": -1}, "hosts: -1 hosts at a switch are impossible"),
        ("x.json", NODE_LINK[:-60], {}, "x.json: is a graph of no known format"),
        (
            "x.json",
            NODE_LINK,
            {"file_format": "dot"},
            "format: there is no format `dot`; give one of",
        ),
        ("x.json", '{"a":' * 100_000, {"file_format": "node-link"}, "is nested too deep"),
        (
            "x.json",
            NODE_LINK.replace('"target": 2', '"target": 9'),
            {},
            "is no node-link JSON that networkx reads: a link has the target `9`, which is no node",
        ),
        ("x.graphml", GRAPHML[:-20], {}, "is no GraphML that networkx reads"),
        ("x.graphml", GRAPHML.replace('target="2"', ""), {}, "is no GraphML that networkx reads"),
        ("x.gml", GML.replace("target 2", "target 9"), {}, "is no GML that networkx reads"),
        (
            "x.graphml",
            GRAPHML.replace("<graphml", '<!DOCTYPE a [<!ENTITY b "c">]><graphml'),
            {},
            "has entities of its own, which are not read",
        ),
        ("x.txt", SNDLIB[:-5], {}, "x.txt:23: the section `ADMISSIBLE_PATHS` does not end"),
        (
            "x.txt",
            SNDLIB.replace("( New Old ) 10000.00", "New Old"),
            {},
            "x.txt:13: the line is not of its section; write `LINK ( SOURCE TARGET ) CAPACITY",
        ),
        ("x.txt", SNDLIB.replace("( Old Far )", "( Old Off )"), {}, "has the end `Off`, which is"),
        ("x.xml", SNDLIB_XML.replace('node id="Far"', "node"), {}, "a `node` has no `id`"),
        (
            "x.xml",
            SNDLIB_XML.replace("networkStructure", "structure"),
            {},
            "`network` has no `netw",
        ),
        ("x.xml", SNDLIB_XML[:-12], {}, "is no XML"),
        ("x.gml", "graph [ node [ id 1 ] ]", {}, "has no link between two nodes"),
    ],
)
def test_what_is_wrong_is_named(file_of, name, text, given, message):
    with pytest.raises(incast.ImportFileError) as refused:
        incast.import_graph(file_of(name, text), **given)
    assert message in str(refused.value)


def test_files_are_not_lost(file_of, tmp_path):
    file = file_of("net.graph", NODE_LINK)
    imported = incast.import_graph(file, rate="1Gbps", delay="1us")
    with pytest.raises(incast.ResultsError, match="is the file of the graph, and would be lost"):
        imported.save(tmp_path / "net.toml")
    with pytest.raises(incast.ImportFileError, match="No such file"):
        incast.import_graph(tmp_path / "none.gml")
    with pytest.raises(incast.ResultsError, match="there are two files to write"):
        imported.save("/dev/stdout")


def test_a_library_that_is_missing_is_named(file_of, monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(incast.ImportFileError, match=r"pip install 'incast\[graphs\]'"):
        incast.import_graph(file_of("x.gml", GML))


def test_units_that_are_not_told_are_asked_for(file_of):
    text = SNDLIB.replace("unit = MBITPERSEC", "time = 2004")
    file = file_of("x.txt", text)
    with pytest.raises(incast.ImportFileError, match="3 links have no rate"):
        incast.import_graph(file)
    imported = incast.import_graph(file, rate_unit="Gbps", rate="1Gbps")
    assert links(imported)[0][2] == "10Tbps"
    notes = {setting.outcome for setting in imported.settings}
    assert "used, in Gbps" in notes


def test_pixels_are_no_places(file_of):
    text = SNDLIB.replace("( 0.00 1.00 )", "( 283.00 248.00 )")
    with pytest.raises(incast.ImportFileError, match="3 links have no delay"):
        incast.import_graph(file_of("x.txt", text), rate="1Gbps")
