"""The stub file describes the module that was built."""

import re
import subprocess
import sys
from pathlib import Path

import incast


def test_stubs_are_the_binary(pytestconfig, tmp_path):
    """Stubs import only the standard library, so that checking them does not read the package."""
    stubs = Path(incast.__file__).with_name("_core.pyi").read_text(encoding="utf-8")
    needed = re.findall(r"^ *(?:from|import) ([\w.]*)", stubs, re.MULTILINE)
    assert needed
    assert {name.split(".")[0] for name in needed} <= sys.stdlib_module_names
    alone = tmp_path / "mypy.ini"
    alone.write_text("[mypy]\nfollow_imports = skip\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "incast._core", "--mypy-config-file", alone],
        capture_output=True,
        text=True,
        cwd=pytestconfig.rootpath,
    )
    assert done.returncode == 0, done.stdout + done.stderr
