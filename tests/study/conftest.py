"""Fixtures of the tests of studies."""

import pytest
import scenarios


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with scenarios, in which tests write studies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "poisson.toml").write_text(scenarios.hadoop("20us"))
    return tmp_path
