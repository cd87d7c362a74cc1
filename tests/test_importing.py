"""Experiments of other simulators."""

import incast
import pytest

TOPOLOGY = """\
4 1 3
3
0 3 100Gbps 1us 0
1 3 100Gbps 1us 0
2 3 100Gbps 1us 0
"""
FLOWS = """\
2
0 2 3 100 1000 2.0
1 2 3 100 2000 2.00001
"""
CONFIG = """\
ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE topology.txt
FLOW_FILE flows.txt
TRACE_FILE trace.txt
CC_MODE 3
RATE_AI 50Mb/s
L2_ACK_INTERVAL 1
MIN_RATE 1000Mb/s
U_TARGET 0.95
MI_THRESH 5
INT_MULTI 4
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
FAST_REACT 1
ACK_HIGH_PRIO 0
RATE_BOUND 1
BUFFER_SIZE 32
KMIN_MAP 1 100000000000 400
KMAX_MAP 1 100000000000 1600
PMAX_MAP 1 100000000000 0.2
"""
MATRIX = """\
Nodes 17
Connections 1
0->16 id 1 start 10 size 5000
"""


@pytest.fixture
def config(tmp_path):
    (tmp_path / "topology.txt").write_text(TOPOLOGY)
    (tmp_path / "flows.txt").write_text(FLOWS)
    path = tmp_path / "config.txt"
    path.write_text(CONFIG)
    return path


def test_hpcc_ns3(config, tmp_path):
    imported = incast.import_hpcc_ns3(config)
    results = incast.run(imported.save(tmp_path / "scenario.toml"))
    assert results.summary["profile"] == "hpcc-ns3"
    assert len(results.flows) == 2
    settings = {setting.name: setting for setting in imported.settings}
    assert settings["CC_MODE"].value == "3"
    assert settings["CC_MODE"].line == 7
    assert settings["CC_MODE"].outcome.startswith("used:")
    assert settings["VAR_WIN"].outcome == "used: cc.window"
    assert settings["TRACE_FILE"].outcome.startswith("not used:")


def test_a_scenario_saved_elsewhere_finds_its_files(config, tmp_path):
    (tmp_path / "deep").mkdir()
    there = incast.import_hpcc_ns3(config).save(tmp_path / "deep" / "scenario.toml")
    assert '"../topology.txt"' in there.read_text()
    assert incast.Scenario(there).describe()["hosts"] == 3


def test_a_scenario_takes_the_place_of_no_file_of_the_experiment(config, tmp_path):
    imported = incast.import_hpcc_ns3(config)
    link = tmp_path / "link.toml"
    link.symlink_to("flows.txt")
    for file in (config, tmp_path / "topology.txt", link):
        before = file.read_text()
        with pytest.raises(incast.ResultsError, match="is a file of the experiment"):
            imported.save(file)
        assert file.read_text() == before
    for _ in range(2):
        imported.save(tmp_path / "scenario.toml")


def test_other_files_than_the_configuration_names(config, tmp_path):
    (tmp_path / "one.txt").write_text("1\n0 2 3 100 1000 2.0\n")
    imported = incast.import_hpcc_ns3(config, flows=tmp_path / "one.txt")
    scenario = incast.Scenario(imported.save(tmp_path / "scenario.toml"))
    assert scenario.describe()["expected_flows"] == 1


def test_htsim(tmp_path):
    (tmp_path / "matrix.cm").write_text(MATRIX)
    imported = incast.import_htsim(tmp_path / "matrix.cm", topology="star", start_unit="us")
    results = incast.run(imported.save(tmp_path / "scenario.toml"))
    assert results.flows.numbers("start_ps").tolist() == [10_000_000]
    assert results.flows.numbers("size_bytes").tolist() == [5_000]


def test_a_trigger_that_waits_for_itself(tmp_path):
    line = "0->1 id 1 trigger 1 size 1000 send_done_trigger 1"
    text = f"Nodes 4\nConnections 1\nTriggers 1\n{line}\ntrigger id 1 oneshot\n"
    (tmp_path / "matrix.cm").write_text(text)
    refused = r"matrix\.cm:4: trigger: line 4 of rank 0 waits for itself"
    with pytest.raises(incast.ImportFileError, match=refused):
        incast.import_htsim(tmp_path / "matrix.cm", topology="star", start_unit="us")


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(incast.ImportFileError, match=r"nope\.txt"):
        incast.import_hpcc_ns3(tmp_path / "nope.txt")
    (tmp_path / "matrix.cm").write_text(MATRIX)
    with pytest.raises(incast.ImportFileError, match="unit of start times"):
        incast.import_htsim(tmp_path / "matrix.cm", topology="star")


def test_a_scenario_that_cannot_be_saved(config, tmp_path):
    with pytest.raises(incast.ResultsError):
        incast.import_hpcc_ns3(config).save(tmp_path / "nowhere" / "scenario.toml")


def test_a_notebook_shows_what_became_of_each_setting(config):
    imported = incast.import_hpcc_ns3(config)
    shown = imported._repr_html_()
    assert "config.txt" in shown
    assert all(f">{each.name}</td>" in shown for each in imported.settings)
    assert "topology" in shown.split("<pre>")[1]
    assert repr(imported).endswith(f": {len(imported.settings)} settings>")
