"""Damaged graphs of other programs: each gives a message, or a network that can be written."""

import json
import random
import sys
from collections import Counter
from pathlib import Path

import incast
import pytest
import torture

sys.path.append(str(Path(__file__).parents[1] / "graphs"))

import graph_files
from incast.graphs.attributes import Units
from incast.graphs.formats import read_graph

WORDS = ["node", "edge", "graph [", "]", "}", '"', "(", ")", "<", "/>", "id", "0", "-1", "1e999"]
WORDS += ["NaN", "\t", "&#0;", "multigraph 1", "Latitude", "[0:99999999999]", "&a", "*a", "null"]
NETWORK = "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"
SYSTEM = {"all-reduce-implementation": ["ring"], "roofline-enabled": 1, "peak-perf": 900}


def damaged(dice: random.Random, text: str) -> bytes:
    """A text with pieces cut off, taken out, doubled, put in or replaced."""
    changed = bytearray(text.encode())
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        at = dice.randrange(len(changed) + 1)
        end = min(len(changed), at + dice.choice([1, 2, 5, 40]))
        match dice.randrange(12):
            case 0:
                del changed[at:]
            case 1 | 5:
                del changed[at:end]
            case 2:
                changed[at:at] = changed[at:end]
            case 3:
                changed[at:at] = dice.choice(WORDS).encode()
            case 4:
                changed[at:end] = dice.choice(WORDS).encode()
            case _ if at < len(changed):
                changed[at] ^= 1 << dice.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("name", graph_files.FILES)
def test_damaged_graphs(tmp_path, name):
    file_name, text = graph_files.FILES[name]
    file, dice, counts = tmp_path / file_name, torture.dice(name), Counter()
    for _ in range(torture.INPUTS):
        torture.write(file, damaged(dice, text))
        try:
            graph = read_graph(file, name, Units())
        except incast.ImportFileError:
            counts["refused"] += 1
            continue
        counts["used"] += 1
        whole = graph.with_names().largest_part()
        names = [node.name for node in whole.nodes]
        assert len(set(names)) == len(names)
        assert all(each.isprintable() and not any(map(str.isspace, each)) for each in names)
    torture.told(name, counts)
    assert counts["refused"]
    assert counts["used"]


@pytest.mark.parametrize("name", graph_files.FILES)
def test_networks_of_damaged_graphs_are_read_by_the_engine(tmp_path, name):
    file_name, text = graph_files.FILES[name]
    file, dice, counts = tmp_path / file_name, torture.dice(f"{name} scenario"), Counter()
    for _ in range(torture.some(100)):
        torture.write(file, damaged(dice, text))
        try:
            incast.import_graph(file, file_format=name, rate="1Gbps", delay="1ms")
            counts["used"] += 1
        except incast.ImportFileError:
            counts["refused"] += 1
    torture.told(f"{name}, whole", counts)


def test_damaged_files_are_recognised_or_not(tmp_path):
    """Whatever format a file is taken for, the message names it, or says why the file cannot be
    read.
    """
    files = [*graph_files.FILES.values(), ("network.yml", NETWORK)]
    files += [
        ("system.json", json.dumps(SYSTEM)),
        ("comm_group.json", '{"1": [0, 1], "2": [2, 3]}'),
    ]
    dice, counts = torture.dice("recognition"), Counter()
    for _ in range(torture.some(10)):
        name, text = dice.choice(files)
        torture.write(tmp_path / name, damaged(dice, text))
        found = incast.recognise(tmp_path / name)
        assert bool(found.format) == bool(found.usage)
        assert bool(found.format) == bool(found.contents)
        counts["used" if found.is_readable else "refused" if found.format else "not known"] += 1
    torture.told("recognition", counts)
    assert counts["refused"]
    assert counts["used"]


def test_damaged_experiments_of_astra_sim(tmp_path):
    network, system = tmp_path / "network.yml", tmp_path / "system.json"
    dice, counts = torture.dice("astra-sim"), Counter()
    for _ in range(torture.some(20)):
        torture.write(network, damaged(dice, NETWORK) if dice.random() < 0.6 else NETWORK.encode())
        told = json.dumps(SYSTEM)
        torture.write(system, damaged(dice, told) if dice.random() < 0.6 else told.encode())
        try:
            incast.import_astra_sim(network, system=system)
            counts["used"] += 1
        except incast.ImportFileError:
            counts["refused"] += 1
    torture.told("astra-sim", counts)
    assert counts["refused"]
    assert counts["used"]
