"""Two algorithms in one network, from the scenario to the output."""

import textwrap

import incast
import numpy as np
import pytest

MIXED = {
    "network": {"topology": {"kind": "star", "hosts": 6}},
    "cc": {"algorithm": "hpcc"},
    "traffic": [
        {"kind": "incast", "senders": "0-1", "receiver": 5, "sizes": "100KB"},
        {"kind": "incast", "name": "old", "senders": "2-4", "receiver": 5, "sizes": "100KB"}
        | {"cc": "dcqcn"},
    ],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return incast.run(MIXED, store=tmp_path_factory.mktemp("results"))


def test_results_name_the_algorithm_of_each_flow(results):
    assert results.algorithm == "hpcc, dcqcn"
    of_entry = results.flows.numbers("traffic") == 1
    expected = np.where(of_entry, "dcqcn", "hpcc")
    assert list(results["cc"]) == list(expected)
    assert [each["algorithm"] for each in results.summary["traffic"]] == ["hpcc", "dcqcn"]


def test_terminal_report_and_charts_name_it(results, tmp_path):
    table = results.table()
    assert "under hpcc" in table
    assert "under dcqcn" in table
    assert any(line.split()[:2] == ["old,", "dcqcn"] for line in table.splitlines()), table
    page = results.report(tmp_path / "report.html").read_text()
    assert "hpcc, dcqcn" in page
    assert "old, dcqcn" in page


def test_results_of_one_algorithm_are_as_they_were():
    same = MIXED | {"traffic": [{**MIXED["traffic"][0], "cc": "hpcc"}, MIXED["traffic"][0]]}
    results = incast.run(same)
    assert results.algorithm == "hpcc"
    assert "cc" not in results.flows
    assert "algorithm" not in results.summary["traffic"][0]
    assert "under" not in results.table()


def test_results_that_are_loaded_again_are_the_same(results):
    again = incast.load(results.folder)
    assert again.summary == results.summary
    from_its_own_text = incast.Scenario(results.folder / "scenario.toml")
    assert from_its_own_text.identity == results.identity


def test_entries_keep_their_algorithm_in_a_comparison():
    runs = incast.compare(MIXED, cc="hpcc,swift")
    assert [run.algorithm for run in runs.values()] == ["hpcc, dcqcn", "swift, dcqcn"]
    rows = [line.split() for line in runs.table().splitlines()]
    assert any(row[:3] == ["old,", "dcqcn", "hpcc"] for row in rows), runs.table()
    assert any(row[:2] == ["incast", "hpcc"] for row in rows), runs.table()


def test_an_entry_is_varied_in_a_sweep(tmp_path):
    vary = {"traffic": {"1": {"cc": ["dcqcn", "swift"]}}}
    study = {"name": "entry", "scenario": MIXED, "measure": ["slowdown.mean"], "vary": vary}
    sweep = incast.sweep(study, store=tmp_path)
    assert list(sweep["traffic.1.cc"]) == ["dcqcn", "swift"]
    slowdowns = list(sweep["slowdown.mean"])
    assert slowdowns[0] != slowdowns[1]


def test_an_algorithm_in_python_beside_another(tmp_path):
    (tmp_path / "mine.py").write_text(
        textwrap.dedent("""\
            from incast.algorithm import Ack, Algorithm, Flow, Needs, SendLimit


            class Mine(Algorithm):
                needs = Needs(ecn=True)

                def __init__(self, flow: Flow, parameters: None) -> None:
                    self.flow = flow

                def on_ack(self, now_ps: int, ack: Ack) -> None:
                    assert (ack.round_trip_ps, ack.telemetry) == (None, [])

                def limit(self) -> SendLimit:
                    return SendLimit(window_bytes=20_000)
            """)
    )
    mixed = {**MIXED, "traffic": [MIXED["traffic"][0], {**MIXED["traffic"][1], "cc": "mine.py"}]}
    scenario = incast.Scenario(mixed, folder=tmp_path)
    assert scenario.is_in_python
    assert scenario.algorithm == "hpcc, mine"
    assert incast.run(scenario).summary["flows"]["finished"] == 5


@pytest.mark.parametrize(
    ("cc", "what"),
    [
        ("fncc", "needs INT in data packets, `fncc` of traffic[1] in ACKs"),
        ("rocc", "`rocc` of traffic[1] needs switch programs that act on every flow"),
        ({"algorithm": "dctcp", "gian": 1}, "unknown key `gian`"),
    ],
)
def test_what_does_not_go_together_is_told(cc, what):
    with pytest.raises(incast.ScenarioError) as told:
        incast.Scenario(MIXED, **{"traffic.1.cc": cc})
    assert what in told.value.what
    assert told.value.key.startswith("traffic[1].cc")
