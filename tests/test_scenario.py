"""The same scenario from a file, a dict, or another scenario is equal."""

import os
import pickle
from pathlib import Path

import incast
import pytest
import scenarios
from incast import toml


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "star.toml"
    path.write_text(scenarios.STAR)
    return path


def test_file_and_dict_are_the_same_scenario(file):
    from_file = incast.Scenario(file)
    assert from_file.name == "star"
    assert incast.Scenario(str(file)).identity == from_file.identity
    assert incast.Scenario(scenarios.as_dict(), name="star").identity == from_file.identity


def test_defaults_are_filled_in(file):
    scenario = incast.Scenario(file).to_dict()
    assert scenario["network"]["profile"] == "default"
    assert scenario["run"]["seed"] == 1


def test_the_full_scenario_is_the_same_scenario(file):
    scenario = incast.Scenario(file)
    assert incast.Scenario(scenario.to_dict()).identity == scenario.identity


def test_describe(file):
    facts = incast.Scenario(file, stop="1ms").describe()
    assert (facts["hosts"], facts["switches"], facts["links"]) == (5, 1, 5)
    assert facts["expected_flows"] == 4
    assert facts["stop_ps"] == 1_000_000_000
    assert 4_000_000 < facts["base_rtt_ps"] < 4_500_000


@pytest.mark.parametrize(
    "overrides",
    [
        {"seed": 3},
        {"run": {"seed": 3}},
        {"run.seed": 3},
        {"settings": [("run.seed", "3")]},
    ],
)
def test_ways_to_say_the_same(file, overrides):
    assert incast.Scenario(file, **overrides).describe()["seed"] == 3


def test_overrides_reach_into_lists(file):
    scenario = incast.Scenario(file, traffic={0: {"sizes": "7KB"}})
    assert scenario.to_dict()["traffic"][0]["sizes"] == "7KB"
    assert scenario.to_dict()["traffic"][0]["receiver"] == 4


def test_a_scenario_can_be_changed_again_and_again(file):
    first = incast.Scenario(file, seed=3)
    second = incast.Scenario(first, name="other")
    assert (second.describe()["seed"], second.name) == (3, "other")
    assert first.name == "star"


def test_ways_to_name_another_algorithm_are_one(file):
    """Each way drops the old algorithm's parameters, and keeps those given with the new name."""
    other = incast.Scenario(file, cc="swift").identity
    assert incast.Scenario(file, **{"cc.algorithm": "swift"}).identity == other
    assert incast.Scenario(file, cc={"algorithm": "swift"}).identity == other
    assert incast.Scenario(file, settings=[("cc.algorithm", "swift")]).identity == other
    with_beta = [("cc.beta", "0.3"), ("cc.algorithm", '"swift"')]
    first, second = (incast.Scenario(file, settings=each) for each in (with_beta, with_beta[::-1]))
    assert first.identity == second.identity != other
    last = [("cc", '{ algorithm = "dcqcn" }'), ("cc.algorithm", ' "swift" ')]
    assert incast.Scenario(file, settings=last).identity == other
    first_named = incast.Scenario(file, settings=last[::-1])
    assert first_named.describe()["algorithm"] == "dcqcn"
    of_a_set = incast.Scenario(file, settings=[("cc.algorithm", "swift:fairness")])
    assert of_a_set.identity == incast.Scenario(file, cc="swift:fairness").identity
    same = incast.Scenario(file, settings=[("cc.algorithm", "hpcc")])
    assert same.identity == incast.Scenario(file).identity


@pytest.mark.parametrize(
    ("cc", "more"),
    [
        ("hpcc", {"settings": [("cc.algorithm", "dcqcn")]}),
        ("hpcc", {"settings": [("cc", '{ algorithm = "dcqcn" }')]}),
        ("hpcc", {"cc.algorithm": "dcqcn"}),
        ("swift:fairness", {"cc.parameters": "default"}),
    ],
)
def test_an_algorithm_is_named_once(file, cc, more):
    error = error_of(file, cc=cc, **more)
    assert "the congestion control is given twice" in error.what
    assert cc in error.what
    assert error.key.startswith("cc")


@pytest.mark.parametrize(
    "more",
    [
        {"settings": [("run.seed", "2")]},
        {"settings": [("run", "{ seed = 2 }")]},
        {"run.seed": 2},
        {"run": {"seed": 2}},
    ],
)
def test_a_seed_is_given_once(file, more):
    error = error_of(file, seed=1, **more)
    assert "the seed is given twice: it is 1" in error.what
    assert error.key in ("run", "run.seed")
    assert incast.Scenario(file, seed=1, run={"name": "other"}).describe()["seed"] == 1


def test_another_algorithm_drops_the_parameters_of_the_first(file):
    assert incast.Scenario(file, cc="none").describe()["algorithm"] == "none"


def test_an_algorithm_may_come_with_parts_and_a_set_of_parameters(file):
    scenario = incast.Scenario(file, cc="swift+vai+sf:fairness")
    assert scenario.describe()["algorithm"] == "swift+vai+sf"
    assert scenario.to_dict()["cc"]["base_target"] == "5us"
    error = error_of(file, cc="swift:fairnes")
    assert error.key == "cc.parameters"
    assert "did you mean `fairness`?" in error.hint


def test_the_same_algorithm_keeps_its_parameters(file):
    assert incast.Scenario(file, cc="hpcc").identity == incast.Scenario(file).identity
    changed = incast.Scenario(file, cc={"additive_increase": "2Gbps"})
    assert changed.to_dict()["cc"]["additive_increase"] == "2Gbps"
    # Changing the algorithm back does not bring back its old parameters.
    back = incast.Scenario(incast.Scenario(file, cc="none"), cc="hpcc")
    assert back.identity != incast.Scenario(file).identity


def error_of(*arguments, **overrides):
    with pytest.raises(incast.ScenarioError) as raised:
        incast.Scenario(*arguments, **overrides)
    return raised.value


def test_a_mistake_in_a_file_has_a_line(file):
    file.write_text(scenarios.STAR.replace('"hpcc"', '"hpc"'))
    error = error_of(file)
    assert (error.file, error.line, error.key) == (str(file), 5, "cc.algorithm")
    assert error.what == "unknown algorithm `hpc`"
    assert error.hint.startswith("did you mean `hpcc`?")


def test_a_mistake_in_a_dict_has_a_key_alone():
    scenario = scenarios.as_dict()
    scenario["cc"]["algorithm"] = "hpc"
    error = error_of(scenario)
    assert (error.file, error.line, error.key) == (None, None, "cc.algorithm")
    assert str(error).startswith("cc.algorithm: unknown algorithm `hpc`; did you mean")


def test_a_mistake_in_an_override_has_no_line(file):
    error = error_of(file, cc="hpc")
    assert (error.file, error.line, error.key) == (None, None, "cc.algorithm")


def test_text_that_is_no_toml(file):
    file.write_text("[cc")
    assert error_of(file).line == 1
    assert error_of(file, cc="none").line == 1


def test_a_file_that_does_not_exist(file):
    error = error_of(file.parent / "stra.toml")
    assert error.what == "no such file"
    assert "star.toml" in error.hint
    assert "come with incast" not in error_of(file.parent / "mine.toml").hint
    hint = error_of("star").hint
    assert all(path.name in hint and str(path.parent) in hint for path in incast.shipped().values())


def test_a_class_is_no_algorithm_of_a_scenario(file):
    error = error_of(file, cc=incast.algorithm.Algorithm)
    assert "the class Algorithm; an algorithm is named by its file" in error.what


def test_a_huge_file_of_zeros_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "zeros.toml"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(incast.ScenarioError) as caught:
        incast.Scenario(path)
    assert caught.value.what == "10737418240 bytes are too large for a scenario"
    assert caught.value.hint == "keep long lists of flows in a file of their own"


def test_a_pipe_is_refused_unread(tmp_path: Path) -> None:
    """Opening a pipe would wait for a writer."""
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert error_of(pipe).what == "is no regular file"
    star = {"network": {"topology": "star"}, "cc": {"algorithm": "hpcc"}}
    entry = {"kind": "file", "file": str(pipe), "format": "csv"}
    with pytest.raises(incast.ScenarioError) as caught:
        incast.Scenario({**star, "traffic": [entry]})
    assert caught.value.what == f"`{pipe}`: is no regular file"
    assert caught.value.key == "traffic[0].file"
    assert str(pipe) in str(caught.value)


def test_a_dict_that_no_file_can_be():
    endless = {}
    endless["network"] = endless
    assert error_of(endless).what == "the dict has hundreds of levels, or holds itself"
    assert error_of({"run": {1: 2}}).what == "a key of a scenario is text, not 1"
    assert "4300 digits" in error_of({"run": {"seed": 10**5000}}).what


def test_a_file_that_is_not_text(file):
    file.write_bytes(b"\xff\xfe")
    assert error_of(file).what == "is not text in UTF-8"


def test_a_folder_is_no_scenario(tmp_path):
    assert error_of(tmp_path).file == str(tmp_path)


def test_a_value_that_toml_does_not_have(file):
    assert "cannot hold a NoneType" in error_of(file, seed=None).what
    assert "cannot hold a set" in error_of({"network": {1}}).what


def test_relative_paths_begin_at_the_file(file, tmp_path, monkeypatch):
    (tmp_path / "flows.csv").write_text("start_us,source,destination,size_bytes\n0,0,4,1000\n")
    file.write_text(
        scenarios.STAR.split("[[traffic]]")[0]
        + '[[traffic]]\nkind = "file"\nfile = "flows.csv"\nformat = "csv"\n'
    )
    monkeypatch.chdir(Path("/"))
    assert incast.Scenario(file).describe()["expected_flows"] == 1


STAR_WITH_FLOWS = {
    "network": {"topology": {"kind": "star", "hosts": 5}},
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "file", "file": "flows.csv", "format": "csv"}],
}


@pytest.mark.parametrize("given", ["a file", "a dict", "a folder", "a changed one"])
def test_files_are_the_same_after_another_folder_is_current(tmp_path, monkeypatch, given):
    for folder, size in (("one", 1000), ("two", 2000)):
        (tmp_path / folder).mkdir()
        lines = f"source,destination,size_bytes,start_us\n0,1,{size},0\n"
        (tmp_path / folder / "flows.csv").write_text(lines)
        (tmp_path / folder / "star.toml").write_text(toml.dumps(STAR_WITH_FLOWS))
    monkeypatch.chdir(tmp_path / "one")
    scenario = {
        "a file": lambda: incast.Scenario("star.toml"),
        "a dict": lambda: incast.Scenario(STAR_WITH_FLOWS),
        "a folder": lambda: incast.Scenario(STAR_WITH_FLOWS, folder=Path("../one")),
        "a changed one": lambda: incast.Scenario(incast.Scenario("star.toml"), cc="hpcc"),
    }[given]()
    monkeypatch.chdir(tmp_path / "two")
    assert incast.Scenario(scenario) == scenario
    assert incast.run(scenario)["size_bytes"] == [1000]
    study = {"scenario": scenario, "measure": ["fct.max"], "vary": {"seed": [1, 2]}}
    assert incast.sweep(study, store="results")["identity"][0] == scenario.identity
    compared = incast.compare(scenario, ["none", "dcqcn"])
    assert [run["size_bytes"][0] for run in compared.values()] == [1000, 1000]


def test_a_scenario_without_files_needs_no_current_folder(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert incast.Scenario(scenarios.as_dict()).algorithm == "hpcc"


def test_schema():
    schema = incast.schema()
    assert schema["$schema"].startswith("https://json-schema.org/")
    network, fabric = (schema["$defs"][each["$ref"].split("/")[-1]] for each in schema["oneOf"])
    assert {"network", "cc", "traffic"} <= network["properties"].keys()
    assert {"fabric", "control", "work"} <= fabric["properties"].keys()
    control = schema["$defs"]["InjectionControl"]["properties"]
    assert "watermark_initial" in control


def test_registries():
    assert {"hpcc", "none", "swift"} <= incast.algorithms().keys()
    assert list(incast.parts()) == ["vai", "sf", "prob", "1rc", "weights", "credits"]
    assert list(incast.parameter_sets("hpcc")) == ["fairness", "artifact"]
    assert incast.parameter_sets("none") == {}
    assert "star" in incast.topologies()
    assert "fb-hadoop" in incast.workloads()
    assert list(incast.profiles()) == ["default", "hpcc-ns3", "uet-htsim"]


def test_repr(file):
    scenario = incast.Scenario(file)
    assert repr(scenario) == f"<incast.Scenario 'star': hpcc, identity {scenario.identity}>"


@pytest.mark.parametrize("path", incast.shipped().values(), ids=lambda path: path.stem)
def test_shipped_scenarios_are_valid(path):
    assert incast.Scenario(path).name == path.stem


def test_a_scenario_goes_to_another_process():
    scenario = incast.Scenario(scenarios.as_dict(), seed=7, cc="none")
    again = pickle.loads(pickle.dumps(scenario))
    assert again.identity == scenario.identity
    assert incast.Scenario(again, seed=1).identity != scenario.identity


def test_scenarios_are_equal_if_their_settings_are(tmp_path):
    written = incast.Scenario(scenarios.as_dict())
    (tmp_path / "scenario.toml").write_text("# Another text.\n" + scenarios.STAR)
    again = incast.Scenario(tmp_path / "scenario.toml")
    assert written == again
    assert len({written, again, incast.Scenario(again, seed=2)}) == 2
    assert written != incast.Scenario(again, seed=2)
    assert incast.Scenario(again, seed=2) == incast.Scenario(written, **{"run.seed": 2})
    assert written != incast.Scenario(again, name="other")
    assert written != scenarios.STAR


def test_equal_scenarios_read_equal_files(tmp_path):
    def scenario(bytes_):
        lines = f"source,destination,size_bytes,start_us\n0,1,{bytes_},0\n"
        (tmp_path / "flows.csv").write_text(lines)
        traffic = [{"kind": "file", "file": "flows.csv", "format": "csv"}]
        return incast.Scenario({**scenarios.as_dict(), "traffic": traffic}, folder=tmp_path)

    assert scenario(1000) == scenario(1000)
    assert scenario(1000) != scenario(2000)


LEAVES_AND_SPINES = {
    "network": {
        "topology": {
            "kind": "leaf-spine",
            "leaves": 3,
            "spines": 2,
            "hosts_per_leaf": 4,
            "spine_rate": "100Gbps",
        },
        "ecn": {"per_tier": [{"tier": "leaf", "marking": "off"}, {"tier": "spine", "step": "0B"}]},
    },
    "cc": {"algorithm": "none"},
    "traffic": [{"kind": "incast", "receiver": 0, "sizes": "100KB"}],
}
"""Eleven flows to one host. Hosts are nodes 0 to 11, leaves 12 to 14, spines 15 and 16."""


def test_switches_mark_by_tier():
    scenario = incast.Scenario(LEAVES_AND_SPINES)
    assert incast.Scenario(scenario.to_dict()).identity == scenario.identity
    ports = incast.run(scenario).ports
    assert {port["node"] for port in ports if port["marked"] > 0} == {15, 16}
    leaves = {"network.ecn.per_tier": [{"tier": "leaf", "step": "0B"}]}
    assert incast.Scenario(scenario, **leaves).identity != scenario.identity
    error = error_of(LEAVES_AND_SPINES, network={"ecn.per_tier": {0: {"tier": "laef"}}})
    assert error.key == "network.ecn.per_tier[0].tier"
    assert error.hint == "did you mean `leaf`? (available: leaf, spine)"
