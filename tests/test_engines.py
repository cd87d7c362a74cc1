"""Results belong to the engine that computed them."""

import re

import incast
import pytest
import scenarios
from incast import _core
from incast.cli import main
from incast.present import key_figures
from incast.store import folders


@pytest.fixture
def other_engine(monkeypatch):
    """A function that gives the engine another identity."""

    def become():
        monkeypatch.setattr(_core, "__engine__", "0123456789abcdef")
        monkeypatch.setattr(key_figures, "__engine__", "0123456789abcdef")

    return become


@pytest.fixture
def star(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "star.toml"
    file.write_text(scenarios.STAR)
    return file


def test_results_name_their_engine(star):
    results = incast.run(star)
    assert re.fullmatch("[0-9a-f]{16}", _core.__engine__)
    assert results.summary["engine"] == _core.__engine__
    assert "engine" not in results.table()


def test_results_of_another_engine_are_named_as_such(star, other_engine):
    results = incast.run(star)
    made_by = _core.__engine__
    other_engine()
    assert f"Computed by engine {made_by}" in " ".join(results.table().split())


def test_show_says_which_results_are_not_taken(star, other_engine, capsys):
    folder = incast.run(star, store="results").folder
    scenario = incast.Scenario(star)
    store = star.parent / "results"
    assert [*folders.of_other_engines(store, scenario)] == []
    main(["show", str(star)])
    assert f"results in {folder}" in said(capsys)
    made_by = _core.__engine__
    other_engine()
    found = [*folders.of_other_engines(store, scenario)]
    assert [(place.name, engine) for place, engine in found] == [(folder.name, made_by)]
    main(["show", str(star)])
    assert f"are not taken: made by another engine, {made_by}" in said(capsys)
    # Results of another scenario are left out.
    assert [*folders.of_other_engines(store, incast.Scenario(star, seed=7))] == []


def test_show_looks_at_stored_results_once(star, monkeypatch, capsys):
    folder = incast.run(star, store="results").folder
    judged = []
    whole = folders.whole

    def noted(place, identity):
        judged.append(place)
        return whole(place, identity)

    monkeypatch.setattr(folders, "whole", noted)
    main(["show", str(star)])
    assert f"results in {folder}" in said(capsys)
    assert [place.name for place in judged] == [folder.name]


def test_the_version_has_the_engine(capsys):
    main(["--version"])
    assert capsys.readouterr().out.strip().endswith(f"engine {_core.__engine__}")


def said(capsys):
    return " ".join(capsys.readouterr().out.replace("#", "").split())
