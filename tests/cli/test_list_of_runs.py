"""`incast list FOLDER`: the runs stored in a folder."""

import json
import os

import incast
import pytest
import synthetic
from incast.cli import main


@pytest.fixture
def store(tmp_path):
    """A finished run of this engine, an interrupted one of an unknown engine, and a damaged one."""
    results = incast.run({"network": {"topology": "star"}, **FLOW}, name="alone", seed=5)
    results.save(tmp_path / "a")
    synthetic.star(tmp_path / "b", partial=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "summary.json").write_text("{")
    (tmp_path / "no-results").mkdir()
    synthetic.star(tmp_path / ".killed")
    return tmp_path


FLOW = {
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "senders": "1", "receiver": 0, "sizes": "1KB"}],
}


def test_stored_runs_are_listed_with_what_they_were(store, capsys, monkeypatch):
    monkeypatch.chdir(store)
    assert main(["list", "."]) == 0
    header, _, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert header == ["name", "algorithm", "seed", "state", "engine", "folder"]
    assert rows == [
        ["alone", "none", "5", "finished", "this", "one", "a"],
        ["star16", "hpcc", "1", "interrupted", "this", "one", "b"],
        ["–", "–", "–", "not", "readable", "–", "c"],
    ]


def test_as_json(store, capsys):
    assert main(["list", str(store), "--json"]) == 0
    alone, star, torn = json.loads(capsys.readouterr().out)["runs"]
    assert alone["engine"] == incast._core.__engine__
    assert (alone["name"], alone["state"]) == ("alone", "finished")
    assert (star["engine"], star["state"]) == (alone["engine"], "interrupted")
    assert torn["engine"] is None
    assert (torn["name"], torn["state"]) == (None, "not readable")


def test_a_results_folder_is_a_list_of_itself(store, capsys):
    main(["list", str(store / "a"), "--json"])
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert run["folder"] == str(store / "a")


def test_a_folder_without_results(store, capsys):
    assert main(["list", str(store / "no-results")]) == 0
    assert "There are no stored runs in" in capsys.readouterr().out


def test_a_folder_that_is_not_there(store, capsys, monkeypatch):
    monkeypatch.chdir(store)
    assert main(["list", "nowhere/"]) == 2
    assert capsys.readouterr().err == "error: nowhere: No such file or directory\n"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_folder_that_cannot_be_read(store, capsys):
    store.chmod(0)
    try:
        assert main(["list", str(store)]) == 2
    finally:
        store.chmod(0o700)
    assert "Permission denied" in capsys.readouterr().err


def test_the_folder_of_results_is_named_to_who_asks_for_a_path(store):
    results = incast.load(store / "a")
    with pytest.raises(AttributeError, match="did you mean `folder`"):
        _ = results.path
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        _ = results.colour


def test_values_of_a_key_are_shown_with_their_meaning(capsys):
    main(["show", "rail-optimised"])
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    place = lines.index("hosts")
    assert lines[place + 2 : place + 4] == [
        "gpus A GPU, with its NIC.",
        "nodes A node, with the NICs of all of its GPUs.",
    ]
    main(["show", "rail-optimised", "--json"])
    keys = {key["key"]: key for key in json.loads(capsys.readouterr().out)["keys"]}
    assert list(keys["hosts"]["values"]) == ["gpus", "nodes"]
    # A number has no values to list.
    assert keys["rails"]["values"] == {}
