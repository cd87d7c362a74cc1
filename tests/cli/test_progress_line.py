"""The line on the progress of one run."""

import io
import sys

import incast
import pytest
import scenarios
from incast.cli import progress
from incast.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def told(monkeypatch):
    """Reports the progress of a run of 2.5 minutes to a stream, every ten seconds."""

    def tell(stream, *, quiet=False):
        clock = iter(range(0, 10_000, 10))
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
        with Progress(quiet=quiet) as shown:
            callback = shown.of(incast.Scenario(scenarios.as_dict()), "hpcc")
            for step in range(1, 31):
                if callback is not None:
                    done = {"time_ps": step * 10**9, "flows_finished": step // 10}
                    callback(done | {"hops": 40 * step})
        return stream.getvalue()

    return tell


def test_a_terminal_has_one_line_that_begins_with_what_matters(told):
    text = told(Terminal())
    assert "\n" not in text
    assert text.endswith("\r\x1b[K")
    eighth = text.split("\r\x1b[K")[8]
    assert eighth.startswith("hpcc: 20 % · ")
    assert eighth.index(" left · ") < eighth.index(" simulated · ")


@pytest.mark.parametrize("columns", [20, 24, 25, 26, 60, 80, 100])
def test_a_narrow_terminal_has_as_many_whole_parts_as_fit(columns, told, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    whole = told(Terminal()).split("\r\x1b[K")[1:-1]
    assert len(whole) == 30
    monkeypatch.setenv("COLUMNS", str(columns))
    for line, shown in zip(whole, told(Terminal()).split("\r\x1b[K")[1:-1], strict=True):
        parts = line.split(" · ")
        fitting = [" · ".join(parts[:count]) for count in range(1, len(parts) + 1)]
        assert shown == [each for each in fitting if len(each) < columns][-1]


def test_a_part_that_does_not_fit_is_cut(told, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    out = io.StringIO()
    progress.rewrite(out, "hpcc with a long name: 3 % · 2 h left")
    assert out.getvalue() == "\r\x1b[Khpcc with a long na"


def test_elsewhere_there_is_a_line_a_minute(told):
    lines = told(io.StringIO()).splitlines()
    assert 3 <= len(lines) <= 6
    assert all(" % · " in line and line.startswith("hpcc: ") for line in lines)


def test_quiet(told):
    assert told(io.StringIO(), quiet=True) == ""
