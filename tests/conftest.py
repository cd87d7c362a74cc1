"""What several tests need."""

from __future__ import annotations

import incast
import pytest
import synthetic


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
