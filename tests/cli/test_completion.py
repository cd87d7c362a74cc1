"""What shells complete."""

import shutil
import subprocess

import pytest
from incast.cli import main


@pytest.fixture
def script(tmp_path, capsys):
    """The script for bash."""
    assert main(["completion", "bash"]) == 0
    file = tmp_path / "incast.bash"
    file.write_text(capsys.readouterr().out)
    return file


def completed(script, *words):
    """The completions that bash offers for the last word."""
    asked = " ".join(f"'{word}'" for word in words)
    commands = (
        f"source {script}; COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; COMP_TYPE=9; "
        f"_shtab_incast; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", commands], capture_output=True, text=True, cwd=script.parent
    )
    assert not done.stderr
    return {word.strip() for word in done.stdout.split()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash(script):
    assert {"run", "reproduce"} <= completed(script, "incast", "r")
    assert completed(script, "incast", "run", "--thr") == {"--threads"}
    assert "hpcc" in completed(script, "incast", "run", "--cc", "hp")
    assert completed(script, "incast", "list", "alg") == {"algorithms"}
    assert completed(script, "incast", "reproduce", "fai") == {"fairness"}
    (script.parent / "star.toml").touch()
    assert "star.toml" in completed(script, "incast", "run", "st")


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh"])
def test_other_shells(shell, capsys):
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert "check-algorithm" in said
    assert "powertcp" in said


def test_an_unknown_shell_is_refused(capsys):
    assert main(["completion", "bsh"]) == 2
    assert "did you mean `bash`" in capsys.readouterr().err
