"""`import incast` is quick: it loads nothing that only some users need."""

import subprocess
import sys

import scenarios

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


def loaded_by(statement):
    script = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return {module.split(".")[0] for module in done.stdout.decode().split()}


def test_import_incast_loads_no_heavy_library():
    assert not loaded_by("import incast") & HEAVY


def test_the_command_line_loads_no_heavy_library():
    assert not loaded_by("import incast.cli") & HEAVY


def test_papers_are_listed_without_scipy():
    statement = "from incast import papers; [papers.paper(name) for name in papers.PAPERS]"
    assert "scipy" not in loaded_by(statement)


def test_a_report_needs_numpy_and_jinja2_alone(folders, tmp_path):
    statement = (
        f"import incast; incast.load({str(folders['star'])!r}).report({str(tmp_path / 'r')!r})"
    )
    assert loaded_by(statement) & HEAVY == {"numpy", "jinja2"}


def test_a_run_from_the_command_line_needs_numpy_and_jinja2_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    statement = "from incast.cli import main; main(['run', '--quiet', 'star.toml'])"
    assert loaded_by(statement) & HEAVY == {"numpy", "jinja2"}


def test_all_names_exist():
    import incast

    assert all(hasattr(incast, name) for name in incast.__all__)
    assert incast.__all__ == sorted(incast.__all__)
