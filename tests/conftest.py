"""Fixtures of several packages of tests."""

from __future__ import annotations

import signal

import incast
import pytest
import scenarios
import synthetic
from incast.campaign import workers
from incast.papers import reproduction


@pytest.fixture(scope="session", autouse=True)
def _signals():
    """SIGINT interrupts and SIGHUP ends, even where the tests were started with these signals
    ignored: a shell ignores SIGINT in background jobs, nohup ignores SIGHUP.
    """
    ours = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    numbers = {name: getattr(signal, name) for name in ours if hasattr(signal, name)}
    before = {number: signal.signal(number, ours[name]) for name, number in numbers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _no_terminal():
    """Messages have the width that they have without a terminal: pytest tells its own width to the
    processes that it starts.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        yield


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Made-up results folders, by name."""
    root = tmp_path_factory.mktemp("results")
    return {
        "star": synthetic.star(root / "star"),
        "star-none": synthetic.star(root / "star-none", algorithm="none", seed=2),
        "partial": synthetic.star(root / "partial", partial=True),
        "fabric": synthetic.fabric(root / "fabric"),
        "empty": synthetic.empty(root / "empty"),
    }


@pytest.fixture
def star(folders):
    return incast.load(folders["star"])


@pytest.fixture
def fabric(folders):
    return incast.load(folders["fabric"])


@pytest.fixture
def empty(folders):
    return incast.load(folders["empty"])


@pytest.fixture
def without_workers(monkeypatch):
    """Judges claims and draws figures in this process. Workers take half a second each to start;
    `tests/campaign/test_workers.py` tests them.
    """

    def each(function, tasks, workers, what, memory=None):
        return [function(task) for task in tasks]

    monkeypatch.setattr(workers, "each", each)


@pytest.fixture
def undrawn(without_workers, monkeypatch):
    """Draws no figures of reproductions, for tests of texts and pages."""
    monkeypatch.setattr(reproduction._Drawing, "save", lambda drawing: None)


@pytest.fixture
def ring(tmp_path):
    """A scenario of five switches in a ring, whose flows deadlock."""
    return scenarios.ring(tmp_path)
