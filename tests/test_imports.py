"""`import incast` and the program start quickly: they load nothing that only some users need."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import incast
import pytest
import scenarios
from incast.cli.commands import COMMANDS

HEAVY = {
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "jinja2",
    "numpy",
    "networkx",
    "rich",
    "scipy",
    "shtab",
}
"""Libraries."""
NEEDLESS = {
    *("concurrent", "dataclasses", "difflib", "inspect", "logging", "platform"),
    *("secrets", "socket", "subprocess", "tempfile", "traceback", "uuid"),
}
"""Modules of the standard library that take a millisecond or more each, with their own imports."""


def modules_loaded_by(statement):
    script = (
        f"import sys; before = {{*sys.modules}}; {statement}; print(*{{*sys.modules}} - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return set(done.stdout.decode().splitlines()[-1].split())


def loaded_by(statement):
    return {module.split(".")[0] for module in modules_loaded_by(statement)}


def ours(modules):
    return {module for module in modules if module.startswith("incast")}


def test_import_incast_loads_nothing_else_of_it():
    loaded = modules_loaded_by("import incast")
    # Settings of memory management have to precede the extension.
    needed = {"address_space", "late_names", "readable_signatures"}
    assert ours(loaded) == {"incast", *(f"incast.{name}" for name in needed)}
    assert not loaded & (HEAVY | NEEDLESS)


def test_a_name_loads_what_it_needs():
    loaded = ours(modules_loaded_by("import incast; incast.run"))
    assert "incast.experiment" in loaded
    assert not rooms(loaded) & {"campaign", "cli", "collectives", "papers", "study", "validate"}


def rooms(modules):
    return {module.split(".")[1] for module in modules if "." in module}


def test_intervals_load_functions_alone():
    """`scipy.stats` would take a second in each sweep and comparison."""
    interval = "from incast.measure.statistics import Average; Average.of([1.0, 2.0])"
    power = "from incast.measure.paired import seeds_to_tell; seeds_to_tell(0.1, 5, 0.05)"
    loaded = modules_loaded_by(f"{interval}; {power}")
    assert "scipy.special" in loaded
    assert "scipy.stats" not in loaded


def test_the_command_line_loads_no_heavy_library():
    assert not loaded_by("import incast.cli") & HEAVY


def test_papers_are_listed_without_scipy():
    statement = "from incast import papers; [papers.paper(name) for name in papers.names()]"
    assert "scipy" not in loaded_by(statement)


def test_a_report_needs_numpy_and_jinja2_alone(folders, tmp_path):
    statement = (
        f"import incast; incast.load({str(folders['star'])!r}).report({str(tmp_path / 'r')!r})"
    )
    assert loaded_by(statement) & HEAVY == {"numpy", "jinja2"}


@pytest.fixture
def star(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)


@pytest.mark.usefixtures("star")
def test_a_run_from_the_command_line_needs_numpy_and_jinja2_alone():
    statement = "from incast.cli import main; main(['run', '--quiet', 'star.toml'])"
    assert loaded_by(statement) & HEAVY == {"numpy", "jinja2"}


@pytest.mark.usefixtures("star")
def test_a_run_without_a_report_loads_the_command_alone(tmp_path, monkeypatch):
    # Results of other runs in that folder would be read.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    statement = "from incast.cli import main; main(['run', 'star.toml', '--no-report'])"
    loaded = modules_loaded_by(statement)
    assert not loaded & (HEAVY | NEEDLESS)
    assert not rooms(ours(loaded)) & {"campaign", "collectives", "papers", "study", "validate"}
    commands = {f"incast.cli.{module}" for module, _ in COMMANDS.values()}
    assert commands & loaded == {"incast.cli.run"}


def test_help_lists_commands_without_loading_them():
    statement = "from incast.cli import main; main(['--help'])"
    loaded = modules_loaded_by(statement)
    assert not {f"incast.cli.{module}" for module, _ in COMMANDS.values()} & loaded


def test_all_names_exist():
    assert all(hasattr(incast, name) for name in incast.__all__)
    assert incast.__all__ == sorted(incast.__all__)
    assert {*incast.__all__, "__doc__"} <= {*dir(incast)}


def test_all_names_exist_before_they_are_used():
    script = "import incast; print(sorted({*incast.__all__} - {*dir(incast)}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_type_checkers_see_the_same_names():
    branch = next(
        node
        for node in ast.parse(Path(incast.__file__).read_text()).body
        if isinstance(node, ast.If)
    )
    seen = {alias.asname for node in branch.body for alias in node.names}
    assert seen - {"algorithm"} == {*incast.__all__}
    homes = {node.module: [alias.asname for alias in node.names] for node in branch.body}
    homes.pop("incast")
    assert homes == incast._HOMES


def test_modules_are_there_without_an_import_of_their_own():
    assert "incast.algorithm" in modules_loaded_by("import incast; incast.algorithm.Algorithm")


@pytest.mark.parametrize("name", ["runn", "_run"])
def test_a_name_that_does_not_exist(name):
    with pytest.raises(AttributeError, match=f"module 'incast' has no attribute '{name}'"):
        getattr(incast, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from 'incast'"):
        exec(f"from incast import {name}")


def test_a_module_that_lacks_another_says_so(tmp_path, monkeypatch):
    """The error is not that the module itself does not exist."""
    (tmp_path / "late_package").mkdir()
    init = "from incast.late_names import late; __getattr__, __dir__ = late(__name__, {})"
    (tmp_path / "late_package" / "__init__.py").write_text(init)
    (tmp_path / "late_package" / "lacking.py").write_text("import nowhere_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("late_package")
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        package.lacking  # noqa: B018


@pytest.mark.parametrize("name", ["run", "Results"])
def test_signatures_are_readable_from_the_first_use(name):
    """Signatures of objects that load together with a name are readable, too."""
    script = (
        f"import incast, inspect; incast.{name}; print(inspect.signature(incast.Results.report))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.startswith(b"(self, file: str | Path, ")
