"""The example of a Rust program with an algorithm of its own, which `cargo test` builds."""

import os
import subprocess
from pathlib import Path

import incast
import pytest
from incast import templates

ROOT = Path(__file__).parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = TARGET / "debug" / "examples" / "own_algorithm"
SCENARIO = """
[network]
topology = {{ kind = "star", hosts = 9 }}

[cc]
algorithm = "{algorithm}"
{parameters}

[[traffic]]
kind = "incast"
receiver = 8
sizes = "500KB"
stagger = {{ group = 2, every = "10us" }}
"""


@pytest.fixture
def program():
    if not PROGRAM.exists():
        assert "CI" not in os.environ, "cargo test builds the examples before pytest runs"
        pytest.skip("the example is not built: cargo test --workspace --example own_algorithm")
    return PROGRAM


def run(program, scenario, results):
    return subprocess.run([program, scenario, results], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("parameters", ["", 'additive_increase = "4KB"\nbeta = 0.25'])
def test_results_are_those_of_the_same_in_python(program, parameters, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(SCENARIO.format(algorithm="external", parameters=parameters))
    ran = run(program, own, tmp_path / "results")
    assert ran.stderr == ""
    template = Path(templates.__file__).parent / "algorithm.py"
    python = tmp_path / "python.toml"
    python.write_text(SCENARIO.format(algorithm=template, parameters=parameters))
    fingerprint = incast.run(python).fingerprint
    assert ran.stdout == f"fingerprint {fingerprint}\n"
    stored = incast.load(tmp_path / "results")
    assert (stored.fingerprint, stored.algorithm) == (fingerprint, "mark-aimd")


def test_a_wrong_parameter_is_told(program, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(SCENARIO.format(algorithm="external", parameters="gain = 1"))
    ran = run(program, own, tmp_path / "results")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "unknown field `gain`, expected `additive_increase` or `beta`" in ran.stderr
