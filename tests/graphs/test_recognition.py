"""The formats of files that Python reads are recognised by their contents."""

import shutil
from pathlib import Path

import graph_files
import incast
import pytest
from incast.cli import main

ASTRA = Path(__file__).parents[1] / "docs" / "astra-sim"
NAMES = {
    "network.yml": ("astra-sim network", "5 nodes, 4 links"),
    "system.json": ("astra-sim system", "7 settings"),
    "comm_group.json": ("astra-sim groups", "2 groups, read with their traces"),
}


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(ASTRA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "comm_group.json").write_text('{"1": [0, 1], "2": [2, 3]}')
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_files_of_astra_sim(folder, name):
    found = incast.recognise(folder / name)
    assert (found.format, found.contents) == NAMES[name]
    assert found.is_readable
    assert found.usage.startswith("incast import astra-sim ")


@pytest.mark.parametrize("name", graph_files.FILES)
def test_graphs(tmp_path, name):
    file_name, text = graph_files.FILES[name]
    (tmp_path / file_name).write_text(text)
    found = incast.recognise(tmp_path / file_name)
    assert (found.format, found.is_readable) == (name, True)
    assert " nodes, " in found.contents


def test_a_folder_with_files_of_both(folder, capsys):
    (folder / "net.txt").write_text("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n")
    (folder / "package.json").write_text('{"name": "x", "version": "1"}')
    (folder / "deep.json").write_text("[" * 5000)
    assert main(["import", "--try", str(folder)]) == 0
    assert "4 files are known, 4 can be read; 2 are something else" in capsys.readouterr().out


def test_what_cannot_be_read_is_told(folder, capsys):
    network = folder / "network.yml"
    network.write_text(network.read_text().replace("50.0", "tbd"))
    found = incast.recognise(network)
    assert not found.is_readable
    assert "`tbd` is no bandwidth; give GB/s, e.g. 50.0" in found.contents
    assert main(["import", str(network)]) == 2
    assert "`tbd` is no bandwidth" in capsys.readouterr().err


def test_a_file_of_these_says_how_it_is_used(folder, capsys):
    assert main(["import", str(folder / "network.yml")]) == 0
    told = capsys.readouterr()
    assert "a network of ASTRA-sim's analytical backend" in told.err
    assert f"use it so: incast import astra-sim {folder / 'network.yml'} -o" in told.out


def test_models_of_sndlib_are_no_networks(tmp_path):
    file = tmp_path / "model.txt"
    file.write_text("?SNDlib native format; type: model; version: 1.0\nLINK_MODEL = BIDIRECTED\n")
    assert incast.recognise(file).format == ""
