"""Hints for misspelt names."""

import pytest
from incast.names import hint


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("quee", "did you mean `queue`? (available: pauses, queue)"),
        ("nothing", "available: pauses, queue"),
    ],
)
def test_hints(name, expected):
    assert hint(name, ["queue", "pauses"]) == expected
