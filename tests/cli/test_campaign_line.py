"""The line on a campaign's progress."""

import io
import sys

from incast.cli import campaign
from incast.cli.campaign import CampaignLine


class Terminal(io.StringIO):
    def isatty(self):
        return True


def told(monkeypatch, stream, *, quiet=False):
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(campaign.time, "monotonic", lambda: next(clock))
    with CampaignLine(quiet=quiet) as line:
        line.begin(10, 1000.0)
        for finished in range(1, 11):
            line.advance(100.0 * finished, finished)
    return stream.getvalue()


def test_elsewhere_than_on_a_terminal_there_is_a_line_a_minute(monkeypatch):
    lines = told(monkeypatch, io.StringIO()).splitlines()
    # Twenty seconds a run: at the third, the sixth and the ninth run.
    assert lines == [
        "3 of 10 runs · 30 % · 2:20 min left",
        "6 of 10 runs · 60 % · 1:20 min left",
        "9 of 10 runs · 90 % · 20 s left",
    ]


def test_a_terminal_has_one_line_that_goes_at_the_end(monkeypatch):
    text = told(monkeypatch, Terminal())
    assert "\n" not in text
    assert text.count("\r") == 11
    assert text.endswith("\r\x1b[K")


def test_quiet(monkeypatch):
    assert told(monkeypatch, io.StringIO(), quiet=True) == ""
