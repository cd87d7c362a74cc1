"""What ran, in a line."""

from pathlib import Path

import incast
import pytest
from incast.present.what_ran import what_ran

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("example", "line"),
    [
        ("artifact", "star (17 hosts); incast (1MB, from 0-15, to 16, 2 every 20us); until 10ms"),
        (
            "background-and-bursts",
            "leaf-spine (4 leaves, 2 spines, 8 hosts per leaf); "
            "poisson (ali-storage, load 0.3, for 500us) + "
            "incast (20KB, 20 senders, to random, 5 rounds, one every 100us)",
        ),
        ("own-network", "own-network.graph; own-flows.csv"),
        ("pauses", "dumbbell (2 switches, 3 senders, 3 receivers); flows (3 listed)"),
        ("fabric", "all-reduce (1MiB)"),
    ],
)
def test_examples(example, line):
    assert what_ran(incast.Scenario(EXAMPLES / f"{example}.toml").to_toml()) == line


def test_names_attacks_and_many_entries():
    entries = "\n".join(f'[[traffic]]\nname = "t{n}"\nkind = "permutation"' for n in range(8))
    written = f'{entries}\n[attack]\nkind = "parallel"'
    line = " + ".join(f"t{n}: permutation" for n in range(6))
    assert what_ran(written) == f"{line} + 2 more; attack: parallel"


@pytest.mark.parametrize("text", ["", "no TOML", 'name = "star16"'])
def test_what_is_no_scenario_has_no_line(text):
    assert what_ran(text) == ""


def test_own_sizes_and_staggering():
    written = """
[network]
topology = "star"
[[traffic]]
kind = "incast"
sizes = { file = "sizes.csv" }
stagger = "together"
"""
    assert what_ran(written) == "star; incast (own sizes, staggered)"
