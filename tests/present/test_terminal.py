"""The width of the terminal."""

import os
import sys

import pytest
from incast.present.terminal import width

termios = pytest.importorskip("termios")


@pytest.mark.parametrize(
    ("columns", "named", "expected"),
    [(80, "", 80), (5, "", 20), (0, "", 80), (80, "132", 132), (80, "0", 80), (80, "wide", 80)],
)
def test_the_width_is_that_of_the_terminal(columns, named, expected, monkeypatch, tmp_path):
    """Standard output is a file here, so standard error's terminal counts."""
    monkeypatch.setenv("COLUMNS", named)
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    with (tmp_path / "out").open("w") as out, os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "__stdout__", out)
        monkeypatch.setattr(sys, "__stderr__", terminal)
        assert width() == expected
        monkeypatch.setattr(sys, "__stderr__", None)
        assert width() == (int(named) if named == "132" else 100)
    os.close(ours)
