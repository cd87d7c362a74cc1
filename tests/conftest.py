"""What several tests need."""

from __future__ import annotations

import signal

import incast
import pytest
import synthetic


@pytest.fixture(scope="session", autouse=True)
def _interrupts():
    """Ctrl-C interrupts, even where the tests were started with the signal ignored: a shell
    does that to what it runs in the background.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
