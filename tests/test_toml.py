"""Written TOML reads back the same."""

import tomllib
from pathlib import Path

import networkx
import numpy as np
import pytest
from incast import toml


@pytest.mark.parametrize(
    "value",
    [
        True,
        -3,
        0.1,
        1e-12,
        float("inf"),
        "50%",
        'quote " backslash \\ newline \n tab \t bell \x07 delete \x7f µs',
        [1, [2, 3]],
        {"kind": "star", "hosts": 17, "a key": {"b.c": []}},
    ],
)
def test_round_trip(value):
    assert tomllib.loads(toml.dumps({"value": value})) == {"value": value}


def test_values_that_know_how_to_become_toml():
    assert toml.inline(Path("flows.txt")) == '"flows.txt"'
    assert toml.inline(np.int64(3)) == "3"
    assert toml.inline(np.float64(0.5)) == "0.5"
    assert toml.inline(np.array([[1, 2], [3, 4]])) == "[[1, 2], [3, 4]]"


def test_what_toml_cannot_hold():
    with pytest.raises(TypeError, match="cannot hold a NoneType: None"):
        toml.inline(None)
    with pytest.raises(TypeError, match="cannot hold a bytes: b'hpcc'"):
        toml.inline(b"hpcc")
    with pytest.raises(TypeError, match=r"cannot hold a Graph; .*write_graphml"):
        toml.inline(networkx.Graph())
    for table in ({1: 2}, {"a": {None: 2}}):
        with pytest.raises(TypeError, match="a key of a scenario is text, not "):
            toml.dumps(table)


def test_dotted():
    settings = {"cc": {"algorithm": "hpcc"}, "traffic": {0: {"load": 0.5}}, "measure": {}}
    assert list(toml.dotted(settings)) == [
        ("cc.algorithm", '"hpcc"'),
        ("traffic.0.load", "0.5"),
        ("measure", "{}"),
    ]
