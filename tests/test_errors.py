"""An error is one sentence, and its parts."""

import incast
import pytest


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "wrong"),
        ({"file": "a.toml"}, "a.toml: wrong"),
        ({"file": "a.toml", "line": 6, "key": "cc"}, "a.toml:6: cc: wrong"),
        ({"key": "cc", "hint": "write hpcc"}, "cc: wrong; write hpcc"),
        ({"line": 3}, "wrong"),
    ],
)
def test_sentence(parts, sentence):
    assert str(incast.Error("wrong", **parts)) == sentence


def test_attributes():
    error = incast.ScenarioError("wrong", file="a.toml", line=6, key="cc", hint="right")
    assert (error.what, error.file, error.line) == ("wrong", "a.toml", 6)
    assert (error.key, error.hint) == ("cc", "right")


@pytest.mark.parametrize("name", ["ScenarioError", "ImportFileError", "ResultsError", "RunError"])
def test_all_are_incast_errors(name):
    assert issubclass(getattr(incast, name), incast.Error)
