"""Load balancing at senders: names, comparisons, and combinations that are refused."""

import json

import incast
import pytest
from incast.cli import main

SPRAY = """\
[network]
flow_control = "none"

[network.topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
spine_rate = "100Gbps"

[network.recovery]
loss_detection = { kind = "explicit" }

[cc]
algorithm = "dctcp"

[[traffic]]
kind = "permutation"
sizes = "100KB"
shift = 2
"""

WHY = "it compares the INT of successive ACKs hop by hop"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "spray.toml").write_text(SPRAY)
    return tmp_path


def balance_of(scenario):
    return scenario.to_dict()["network"].get("balance")


def test_every_balancer_has_a_name_and_a_summary(folder):
    names = [
        *("flow", "random", "round-robin", "oblivious", "bitmap"),
        *("reps", "reps-legacy", "mixed", "plb"),
    ]
    assert list(incast.balancers()) == names
    for name in names[1:-1]:
        scenario = incast.Scenario("spray.toml", balance=name)
        assert balance_of(scenario)["kind"] == name
        assert balance_of(scenario)["entropies"] == 64


def test_another_balancer_has_the_entropies_of_the_scenario(folder):
    reps = {"kind": "reps", "entropies": 128, "ring": 4}
    own = incast.Scenario("spray.toml", settings=[("network.balance", incast.toml.inline(reps))])
    assert balance_of(own)["ring"] == 4
    assert balance_of(incast.Scenario(own, balance="reps")) == balance_of(own)
    random = incast.Scenario(own, balance="random")
    assert balance_of(random) == {"kind": "random", "entropies": 128}
    assert balance_of(incast.Scenario(own, balance="flow")) is None
    fewer = incast.Scenario(own, settings=[("network.balance.entropies", "16")])
    assert balance_of(incast.Scenario(fewer, balance="random"))["entropies"] == 16


def test_a_pair_that_does_not_go_together_is_a_row(folder, capsys):
    command = ["compare", "spray.toml", "--cc", "dctcp,hpcc", "--balance", "flow,reps", "--quiet"]
    assert main(command) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "does not go together" in shown
    assert "hpcc, reps" in shown
    assert WHY.split()[-1] in shown
    (report,) = (folder / "results").glob("*.html")
    assert f"{WHY}; take another algorithm" in report.read_text()
    assert main([*command, "--json", "--no-report"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said["runs"]) == ["dctcp, flow", "dctcp, reps", "hpcc, flow"]
    assert list(said["refused"]) == ["hpcc, reps"]
    assert WHY in said["refused"]["hpcc, reps"]


def test_pairs_over_seeds(folder):
    compared = incast.compare("spray.toml", "dctcp,hpcc", balance="flow,oblivious", seeds=2)
    assert list(compared.by_seed) == ["dctcp, flow", "dctcp, oblivious", "hpcc, flow"]
    assert list(compared.refused) == ["hpcc, oblivious"]
    assert "hpcc, oblivious" in compared.table()
    for runs in compared.by_seed.values():
        assert list(runs) == [1, 2]


def test_algorithms_under_the_balancer_of_the_scenario(folder):
    """Without --balance, too, an algorithm that the scenario's balancer excludes has a row."""
    compared = incast.compare("spray.toml", "dctcp,hpcc", network={"balance": {"kind": "random"}})
    assert list(compared) == ["dctcp"]
    assert WHY in compared.refused["hpcc"]


def test_mistakes_are_no_rows(folder, capsys):
    for arguments, said in [
        (
            ["--balance", "flow,rep"],
            "network.balance.kind: unknown load balancing `rep`; did you mean `reps`?",
        ),
        (
            ["--balance", "flow,plb", "--cc", "none,dctpc"],
            "cc.algorithm: unknown algorithm `dctpc`; did you mean `dctcp`?",
        ),
        (["--cc", "hpcc", "--balance", "reps"], WHY),
        (["--cc", "hpcc,hpcc++", "--balance", "reps,mixed"], WHY),
        ([], "compare what?; give --cc hpcc,dcqcn, --balance flow,reps or --attack"),
    ]:
        assert main(["compare", "spray.toml", *arguments]) == 2
        assert said in " ".join(capsys.readouterr().err.split())


def test_recycled_paths_are_faster_than_hashes_that_meet(folder):
    """Sixteen flows over four spines: hashes put two flows on one spine, REPS spreads their
    packets.
    """
    changed = {
        **{f"network.topology.{key}": 4 for key in ("leaves", "spines", "hosts_per_leaf")},
        "traffic.0.sizes": "1MB",
        "traffic.0.shift": 4,
    }
    compared = incast.compare("spray.toml", balance="flow,reps", **changed)
    flow, reps = (compared[name]["slowdown"].max() for name in ("flow", "reps"))
    assert reps * 1.5 < flow


def test_results_tell_the_order_of_arrival_and_of_entropies(folder):
    def run(balance):
        settings = [("measure.entropies", "true")]
        return incast.run(incast.Scenario("spray.toml", balance=balance, settings=settings))

    sprayed, kept = run("random"), run("flow")
    order = sprayed.summary["reordering"]
    assert order["out_of_order_packets"] == sprayed["out_of_order_packets"].sum() > 0
    sent = sprayed.entropies.numbers("sent_packets")
    assert sent.sum() == sprayed.summary["packets"]["data"]
    assert len(sent) == sprayed["entropies"].sum()
    assert "out of order" in sprayed.table()
    assert "out of order" not in kept.table()
    with pytest.raises(incast.ResultsError, match="entropies were not counted"):
        kept.entropies.numbers("sent_packets")
