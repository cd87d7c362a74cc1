"""The checks of algorithms, on those that come with incast and on deliberately wrong ones."""

import json
import re
from pathlib import Path

import incast
import pytest
from incast import conformance
from incast.cli import main

GUIDE = (Path(__file__).parent.parent / "docs" / "own-algorithms.md").read_text()
TEMPLATE = Path(incast.__file__).parent / "templates" / "algorithm.py"


def told(algorithm):
    """The checks that an algorithm fails according to the guide."""
    row = re.search(rf"^\| `{algorithm}` \| ([^|]*) \|", GUIDE, re.MULTILINE)
    return set(re.findall("`(.+?)`", row[1])) if row else set()


@pytest.mark.parametrize("algorithm", sorted(set(incast.algorithms()) - {"external"}))
def test_algorithms_pass_but_for_what_the_guide_says(algorithm):
    found = conformance.check(algorithm)
    assert {line.name for line in found.lines if not line.passed} == told(algorithm)


def test_the_guide_names_every_check():
    found = conformance.check(str(TEMPLATE))
    assert found.passed
    assert [line.name for line in found.lines] == re.findall(
        r"^\| `(\w+)` \| (?:\d|the same|a flow|two|sixteen|so do)", GUIDE, re.MULTILINE
    )


SLOW = """
from incast.algorithm import *

class Slow(Algorithm):
    acks = 0

    def on_ack(self, now_ps, ack):
        self.acks += 1

    def limit(self):
        return SendLimit(rate_bps=LIMIT)
"""


def test_what_is_wrong_is_found(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("slow.py").write_text(SLOW.replace("LIMIT", "5e9"))
    assert main(["check-algorithm", "slow.py", "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "slow fails: events, alone, two, " in said
    told = " ".join(said.split())
    assert "FAIL events the rate is 5Gbps, above the link's 1Gbps, at the start of sequence" in told
    assert "(a flow of " in told
    assert "{" not in told
    assert "a flow of 20 MB takes 19." in said
    page = Path("results/check-slow/index.html").read_text()
    assert page.count('<div class="plot" ') == 6
    drawn = {file.name for file in Path("results/check-slow").iterdir()}
    assert {"two.png", "two.svg", "rates.png", "index.html"} <= drawn
    Path("raises.py").write_text(SLOW.replace("LIMIT", "1e9 / (self.acks < 9)"))
    assert main(["check-algorithm", "raises.py", "--quiet", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    by_name = {check["name"]: check["found"] for check in found["checks"]}
    for name in ("events", "two", "losses"):
        assert "ZeroDivisionError: float division by zero, in `limit` of raises" in by_name[name]
    assert main(["check-algorithm", "slwo.py", "--quiet"]) == 2
    assert "slwo.py: no such file; in" in capsys.readouterr().err


def test_settings_are_those_of_every_scenario():
    found = conformance.check(str(TEMPLATE), settings=[("cc.beta", "0.05")])
    assert found.to_dict()["algorithm"] == "algorithm"
    with pytest.raises(incast.ScenarioError, match=r"cc.bta: unknown key"):
        conformance.check(str(TEMPLATE), settings=[("cc.bta", "0.05")])
