"""`incast import msccl`: algorithms of MSCCL."""

import shutil
from pathlib import Path

import incast
import pytest
from incast.cli import main

RING = Path(__file__).parents[1] / "crates/incast-import/src/msccl/tests/ring.xml"


@pytest.fixture
def ring(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(RING, tmp_path))


def test_an_algorithm_runs(ring):
    imported = incast.import_msccl(ring, data="4KB", algorithm="none")
    outcomes = {each.name: each.outcome for each in imported.settings}
    assert outcomes["nchunksperloop"] == "used: a chunk is 1KB"
    results = incast.run(imported.save("ring.toml"))
    # Six rounds of four messages; tests of the engine check the times.
    assert len(results.flows) == 24
    assert set(results.flows["size_bytes"]) == {1000}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "data: an algorithm of MSCCL does not say how large the buffers are; give their "),
        ({"data": "4001B"}, "4001B are not a multiple of the algorithm's 4 chunks"),
        ({"data": "4"}, "data: `4` has no unit"),
        ({"data": "4KB\udcff"}, "is not text in UTF-8"),
    ],
)
def test_what_is_wrong_with_the_data_is_told(ring, given, told):
    with pytest.raises(incast.ImportFileError) as error:
        incast.import_msccl(ring, **given)
    assert told in str(error.value)


def test_the_suggested_size_is_accepted(ring):
    with pytest.raises(incast.ImportFileError) as error:
        incast.import_msccl(ring)
    suggested = error.value.hint.split()[-1]
    assert f'data = "{suggested}"' in incast.import_msccl(ring, data=suggested).scenario


def test_other_algorithms_are_those_of_congestion_control(ring):
    with pytest.raises(incast.ScenarioError, match="unknown algorithm `hpccc`"):
        incast.import_msccl(ring, data="4KB", algorithm="hpccc")


def test_the_command_writes_a_scenario(ring, capsys):
    assert main(["import", "msccl", "ring.xml", "--data", "4MB", "-o", "a.toml"]) == 0
    assert "scenario  a.toml" in capsys.readouterr().out
    assert main(["import", "ring.xml", "--data", "4MB", "-o", "b.toml"]) == 0
    assert Path("a.toml").read_text() == Path("b.toml").read_text()


def test_a_file_says_what_it_is(ring, capsys):
    assert main(["import", "ring.xml"]) == 0
    told = capsys.readouterr()
    assert "ring.xml: an algorithm of MSCCL" in told.err
    assert "4 GPUs, 24 messages" in told.out
    assert "incast import msccl ring.xml --data SIZE -o scenario.toml" in told.out


def test_dumps_of_nccl_are_refused_by_name(ring, capsys):
    dump = ring.with_name("graph.xml")
    dump.write_text('<graphs version="1">\n<graph id="0" pattern="4"/>\n</graphs>\n')
    assert main(["import", "graph.xml", "-o", "a.toml"]) == 2
    told = capsys.readouterr()
    assert "the rings and trees that NCCL has chosen (NCCL_GRAPH_DUMP_FILE)" in told.out
    assert "no network, and no messages" in told.err
    assert not Path("a.toml").exists()
