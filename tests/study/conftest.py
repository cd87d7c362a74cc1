"""What tests of studies have in common."""

import pytest
import scenarios


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a scenario, in which studies are written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "poisson.toml").write_text(scenarios.hadoop("20us"))
    return tmp_path
