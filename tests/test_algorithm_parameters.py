"""Parameters of algorithms in Python that no run could have, and their errors."""

import incast
import pytest
from incast.cli import main

NETWORK = {
    "network": {"topology": {"kind": "star", "hosts": 5}},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "300KB"}],
}

MINE = """
from dataclasses import dataclass, field
from incast.algorithm import *

class Mine(Algorithm):
    @dataclass
    class Parameters:
        {parameter}
        {more}

    def on_ack(self, now_ps, ack): pass
    def limit(self): return SendLimit()
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Writes a file with an algorithm that has one parameter, and gives the file's name."""
    monkeypatch.chdir(tmp_path)

    def write(parameter, more="pass"):
        (tmp_path / "mine.py").write_text(MINE.format(parameter=parameter, more=more))
        return "mine.py"

    return write


NOT_FINITE = "is not finite; write a finite number, at most 1.8e308"


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("x: float = float('inf')", f"`inf` {NOT_FINITE}"),
        ("x: float = float('nan')", f"`nan` {NOT_FINITE}"),
        ("x: float = -1e999", f"`-inf` {NOT_FINITE}"),
        ("x: float = 10**400", "int too large to convert to float; write a finite number, at most"),
        (
            "x: int = 2**63",
            "`9223372036854775808` is too large; a whole number has at most 63 bits",
        ),
        ("x: int = -2**63 - 1", "`-9223372036854775809` is too large; a whole number has at most"),
        ("x: Time = Time(2**64)", "`18446744073709551616ps` is too large; a time is at most"),
        ("x: Time = -1", "`-1ps` is negative; a time is zero or more"),
        ("x: Rate = Rate(2**64)", "`18446744073709551616bps` is too large; a rate is at most"),
        ("x: Bytes = 2**70", "`1180591620717411303424B` is too large; a size is at most 1000TB"),
        ("x: Bytes = 1e999", "cannot convert float infinity to integer; write a finite number"),
    ],
)
def test_a_default_that_no_scenario_could_have_is_told(mine, parameter, message):
    file = mine(parameter)
    for use in (incast.Scenario, incast.run, incast.Network):
        with pytest.raises(incast.ScenarioError) as told:
            use(NETWORK, cc=file)
        assert f"mine.py: default of `x`: {message}" in str(told.value)


def test_the_largest_defaults_can_be_written_and_read(mine):
    for parameter in ("x: int = 2**63 - 1", "x: int = -2**63", "x: float = 1.7e308", "x: Rate = 0"):
        scenario = incast.Scenario(NETWORK, cc=mine(parameter))
        assert incast.Scenario(scenario.to_dict()).identity == scenario.identity


def test_commands_tell_a_wrong_default(mine, tmp_path, capsys):
    mine("x: float = float('nan')")
    own = NETWORK | {"cc": {"algorithm": "mine.py"}}
    (tmp_path / "run.toml").write_text(incast.toml.dumps(own))
    for command in (["run", "run.toml"], ["check-algorithm", "mine.py"]):
        assert main(command) == 2
        error = capsys.readouterr().err.splitlines()[0]
        assert error.startswith("error: ")
        assert error.endswith(f"mine.py: default of `x`: `nan` {NOT_FINITE}")


RIGHT = "; Parameters takes each parameter by its name, and refuses values by a ValueError"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{'a': 1}[self.x]", "mine.py:10: KeyError: 'zz'"),
        ("1 / 0", "mine.py:10: ZeroDivisionError: division by zero"),
        ("len(5)", "mine.py:10: TypeError: object of type 'int' has no len()"),
        ("raise type('Own', (Exception,), {})('no\\nway')", r"mine.py:10: Own: no\nway"),
        ("raise ValueError", "mine.py:10: ValueError"),
        ("raise SystemExit(3)", "mine.py:10: SystemExit: 3"),
    ],
)
def test_what_parameters_raise_is_told_with_its_line(mine, body, message):
    file = mine("x: str = 'a'", f"def __post_init__(self):\n            if self.x > 'b': {body}")
    incast.Scenario(NETWORK, cc=file)
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(NETWORK, cc=file, **{"cc.x": "zz"})
    assert str(told.value).endswith(f"/{message}{RIGHT}")
    assert told.value.__cause__ is not None


def test_the_command_line_shows_the_line_of_what_parameters_raise(mine, tmp_path, capsys):
    mine("x: str = 'a'", "def __post_init__(self): {'a': 1}[self.x]")
    own = NETWORK | {"cc": {"algorithm": "mine.py"}}
    (tmp_path / "run.toml").write_text(incast.toml.dumps(own))
    assert main(["run", "run.toml", "--set", "cc.x=zz"]) == 2
    error = capsys.readouterr().err
    assert f"mine.py:9: KeyError: 'zz'{RIGHT}\n" in error
    assert "def __post_init__(self): {'a': 1}[self.x]" in error


def test_a_parameter_that_cannot_be_given_is_told(mine):
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(NETWORK, cc=mine("x: float = field(default=1.0, init=False)"))
    assert "mine.py: TypeError: Mine.Parameters.__init__() got an unexpected" in str(told.value)
    assert str(told.value).endswith(RIGHT)


def test_values_are_refused_in_the_words_of_the_class(mine):
    refuses = "def __post_init__(self): int(self.x)"
    with pytest.raises(incast.ScenarioError, match=r"cc: invalid literal for int.. with base 10"):
        incast.Scenario(NETWORK, cc=mine("x: str = 'a'", refuses))


TWO = """
from incast.algorithm import Algorithm, SendLimit


class A(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit()


class B(A):
    pass
"""


def with_cc(**cc):
    """Scenarios with the parameters in [cc], and in the entry's own table."""
    network = {"topology": {"kind": "star", "hosts": 5}}
    traffic = {"kind": "incast", "receiver": 0, "sizes": "10KB"}
    yield {"network": network, "cc": cc, "traffic": [traffic]}, "cc"
    own = {**traffic, "cc": cc}
    yield (
        {"network": network, "cc": {"algorithm": "none"}, "traffic": [traffic, own]},
        ("traffic[1].cc"),
    )


@pytest.mark.parametrize(
    ("cc", "told"),
    [
        ({"algorithm": "two.py:A", "class": "B"}, "class: `B` contradicts `algorithm`, which says"),
        ({"algorithm": "two.py:A", "class": ""}, "class: `` contradicts `algorithm`, which says"),
        ({"algorithm": "two.py", "file": "no.py"}, "file: `no.py` contradicts `algorithm`, which"),
        ({"algorithm": "two.py", "file": 7}, "file: `7` is a number; write text in quotes"),
    ],
)
def test_keys_that_contradict_the_name_of_a_file_are_told(tmp_path, monkeypatch, cc, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.py").write_text(TWO)
    for scenario, key in with_cc(**cc):
        with pytest.raises(incast.ScenarioError) as refused:
            incast.Scenario(scenario)
        assert str(refused.value).startswith(f"{key}.{told}")


@pytest.mark.parametrize(
    "cc",
    [
        {"algorithm": "two.py", "class": "B"},
        {"algorithm": "two.py:B", "file": "two.py", "class": "B"},
        {"algorithm": "external", "file": "two.py", "class": "B"},
    ],
)
def test_keys_complete_the_name_of_a_file(tmp_path, monkeypatch, cc):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.py").write_text(TWO)
    assert [incast.Scenario(each).algorithm for each, _ in with_cc(**cc)] == [
        "two-B",
        "none, two-B",
    ]
