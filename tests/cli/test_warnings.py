"""Warnings on the terminal."""

import pytest
import scenarios
from incast import cli

DIVIDING = """
import numpy as np
from incast.algorithm import Algorithm, SendLimit


class Dividing(Algorithm):
    def on_ack(self, now_ps, ack):
        np.float64(1) / np.float64(0)

    def limit(self):
        return SendLimit(window_bytes=50_000)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_warning_of_an_algorithm_is_told_once_with_its_line(tmp_path, monkeypatch, capsys, jobs):
    """The warning comes with every ACK of two runs, which may be in separate processes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "mine.py").write_text(DIVIDING)
    (tmp_path / "study.toml").write_text(
        'scenario = "star.toml"\nmeasure = "fct.max"\nvary.cc = ["mine.py"]\nvary.seed = [1, 2]\n'
    )
    assert cli.main(["sweep", "study.toml", "--jobs", str(jobs)]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning")]
    line = f"{tmp_path / 'mine.py'}:8"
    assert told == [f"warning: {line}: RuntimeWarning: divide by zero encountered in scalar divide"]
