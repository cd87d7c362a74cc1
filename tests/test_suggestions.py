"""A value, key or option that a message suggests is itself accepted."""

import copy
import json
import os
import random
import re
import tomllib
from pathlib import Path

import incast
import pytest
from incast.cli import main
from incast.study.study import Study
from suggestions import UNREADABLE, at, paths, suggested

EXAMPLES = Path(__file__).parent.parent / "examples"
WRONG = [
    "x", "-1", 0, 1.5, -1, "1", True, "1m", "100Gpbs", "0us", "0B", [], {}, "off", "none", "1e9",
    "300%", 10**18, "randm", "hpc", "credi", "ecpm", "strict ", "5 packet", "poison", "all",
]  # fmt: skip
DRAWS = int(os.environ.get("INCAST_TORTURE_INPUTS", 10_000)) // 10


def scenarios():
    """The example scenarios, as written and with all defaults."""
    for file in sorted(EXAMPLES.glob("*.toml")):
        scenario = incast.Scenario(file)
        yield scenario.to_dict()
        yield tomllib.loads(scenario.to_toml())


def damaged(document, dice):
    """A copy of the document with a wrong value, a misspelt key, or a missing key."""
    document = copy.deepcopy(document)
    *place, last = dice.choice(list(paths(document)))
    parent = at(document, place)
    draw = dice.random()
    if draw < 0.6 or isinstance(last, int):
        parent[last] = copy.deepcopy(dice.choice(WRONG))
    else:
        value = parent.pop(last)
        left_out = dice.randrange(len(last))
        if draw < 0.8 and (misspelt := last[:left_out] + last[left_out + 1 :]):
            parent[misspelt] = value
    return document


def refusal(document):
    try:
        incast.Scenario(document).describe()
    except incast.Error as error:
        return error
    return None


def test_scenarios_accept_what_messages_suggest(monkeypatch):
    """Other messages about the same key concern the rest of the scenario: a host that the network
    does not have, or a buffer too small for the links.
    """
    monkeypatch.chdir(EXAMPLES)
    documents = list(scenarios())
    dice = random.Random(os.environ.get("INCAST_TORTURE_SEED", "1"))
    tried = 0
    for _ in range(DRAWS):
        document = damaged(dice.choice(documents), dice)
        error = refusal(document)
        if error is None or not error.hint:
            continue
        for changed in suggested(document, error):
            tried += 1
            again = refusal(changed)
            if again is not None and again.key == error.key:
                assert again.hint != error.hint, f"{error} | {again}"
                assert not UNREADABLE.search(again.what), f"{error} | {again}"
    assert tried > DRAWS


@pytest.mark.parametrize(
    "command",
    [["run"], ["compare"], ["import"], ["list", "algorithms"], ["validate", "ns3"], ["demo"]],
)
def test_commands_accept_what_messages_suggest(command, capsys):
    """The message about a misspelt last word suggests the right one, which is then accepted."""
    *before, last = command
    for left_out in range(len(last)):
        misspelt = last[:left_out] + last[left_out + 1 :]
        assert main([*before, misspelt]) == 2
        told = capsys.readouterr().err
        meant = re.search(r"did you mean `([^`]*)`", told)
        assert meant, told
        main([*before, meant[1], "--help"])
        assert "unknown" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hpcc-ns", "htsm", "grph", "sizs", "astra-sm"])
def test_formats_of_imports_accept_what_messages_suggest(name, capsys):
    assert main(["import", name]) == 2
    meant = re.search(r"did you mean `([^`]*)`", capsys.readouterr().err)
    assert main(["import", meant[1], "--help"]) == 0
    assert "usage: incast import" in capsys.readouterr().out


OPTIONS = {
    "count": ("3\n0 1 3 100 1000 2\n", "--count"),
    "priorities": ("2\n0 1 3 100 1000 2\n1 0 2 100 1000 2\n", "--priorities"),
}


@pytest.mark.parametrize(("flows", "option"), OPTIONS.values(), ids=OPTIONS)
def test_imports_accept_the_options_that_messages_suggest(flows, option, ns3_files, capsys):
    config = ns3_files(flows)
    assert main(["import", "hpcc-ns3", config]) == 2
    given = re.search(rf"({option}) (\S+?)`", capsys.readouterr().err)
    assert main(["import", "hpcc-ns3", config, *given.groups()]) == 0


@pytest.mark.parametrize(
    "line", ["ENABLE_MYCC 1", "NO_CC_NODE 1 0", "RATE_BOUND 0", "LINK_DOWN 9 0 2"]
)
def test_imports_accept_the_keys_to_ignore_that_messages_suggest(line, ns3_files, capsys):
    config = ns3_files("1\n0 1 3 100 1000 2\n", line)
    assert main(["import", "hpcc-ns3", config]) == 2
    ignored = re.findall(r"--ignore \w+", capsys.readouterr().err)
    assert ignored
    assert main(["import", "hpcc-ns3", config, *" ".join(ignored).split()]) == 0


@pytest.fixture
def ns3_files(tmp_path):
    """An experiment of HPCC's artifact with these flows and an additional line."""

    def write(flows, more=""):
        files = Path(__file__).parent / "docs" / "hpcc-ns3"
        for name in ("config.txt", "topology.txt", "flow.txt"):
            (tmp_path / name).write_text((files / name).read_text())
        (tmp_path / "flow.txt").write_text(flows)
        with (tmp_path / "config.txt").open("a") as config:
            config.write(f"\n{more}\n")
        return str(tmp_path / "config.txt")

    return write


STUDY = {
    "measure": ["slowdown.p99", "goodput.total"],
    "vary": {"cc": ["hpcc", "dcqcn"], "seed": [1, 2]},
    "scenario": {
        "network": {"topology": {"kind": "star", "hosts": 4}},
        "cc": {"algorithm": "hpcc"},
        "traffic": [{"kind": "permutation", "shift": 1, "sizes": "1KB"}],
    },
}


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"measre": ["fct.p99"]}, "measre"),
        ({"measure": ["slowdwn.p99"]}, "measure"),
        ({"measure": ["goodput.totl"]}, "measure"),
        ({"vary": {"network.link_dely": ["1us", "2us"]}}, "vary"),
    ],
)
def test_studies_accept_what_messages_suggest(wrong, key):
    with pytest.raises(incast.Error) as caught:
        Study({**STUDY, **wrong})
    meant = re.search(r"did you mean `([^`]*)`", str(caught.value))
    assert meant, caught.value
    misspelt = {
        "vary": "link_dely",
        "measure": str(wrong.get("measure", [""])[0]),
        "measre": "measre",
    }[key]
    right = json.loads(json.dumps(wrong).replace(misspelt, meant[1]))
    Study({**STUDY, **right})
