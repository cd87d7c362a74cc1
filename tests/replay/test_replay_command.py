"""`incast replay`: its page, its output, and its refusals."""

import incast
import pytest
from incast.cli import main
from replayed import PAUSED


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(PAUSED)
    assert main(["run", "mine.toml", "--quiet", "--no-report", "--out", "out"]) == 0
    return tmp_path


def test_a_page_is_written_and_named(folder, capsys):
    capsys.readouterr()
    assert main(["replay", "out", "--from", "5us", "--to", "25us", "--flow", "5", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("replay.html  ")
    assert said.endswith(" KB\n")
    text = (folder / "replay.html").read_text(encoding="utf-8")
    assert "5 µs to 25 µs of 73.2 µs" in text
    # An existing page is replaced.
    assert main(["replay", "out", "-o", "replay.html", "--quiet"]) == 0


def test_wrong_input_is_told_in_a_line(folder, capsys):
    for arguments, said in (
        (["out", "--from", "5"], "the begin of the window: `5` has no unit"),
        (["out", "--flow", "9"], "there is no flow 9"),
        (["out", "-o", "mine.toml"], "exists and is no report"),
    ):
        capsys.readouterr()
        assert main(["replay", *arguments, "--quiet"]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert "Traceback" not in told
    assert (folder / "mine.toml").read_text() == PAUSED


def test_python_writes_the_same(folder):
    assert main(["replay", "out", "--quiet"]) == 0
    page = incast.load(folder / "out").replay(folder / "other.html")
    assert page.read_text(encoding="utf-8") == (folder / "replay.html").read_text(encoding="utf-8")
