"""The stub file describes the module that was built."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_stubs_are_the_binary(pytestconfig):
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "incast._core"],
        capture_output=True,
        text=True,
        cwd=pytestconfig.rootpath,
    )
    assert done.returncode == 0, done.stdout + done.stderr
