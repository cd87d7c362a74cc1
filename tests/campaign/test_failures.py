"""Failing runs of a campaign: what is kept of them."""

import gc
import math
import signal
import threading
import weakref

import incast
import pytest
import scenarios
from incast.campaign.campaign import Campaign, CampaignInterrupted
from incast.campaign.checked_run import CheckedRun
from incast.campaign.watch import Watch
from incast.results import Results

STUDY = {"scenario": scenarios.as_dict(), "measure": "fct.mean", "vary": {"seed": [1, 2, 3]}}


@pytest.fixture
def alive(monkeypatch):
    """The results that are in memory."""
    found = weakref.WeakSet()
    make = Results.__init__

    def noting(self, *arguments, **named):
        make(self, *arguments, **named)
        found.add(self)

    monkeypatch.setattr(Results, "__init__", noting)
    return found


def raising(results):
    raise ValueError("no such number")


def assert_few(alive):
    """At most one result is alive: the thread of the last run may not have ended yet."""
    gc.collect()
    assert len(alive) <= 1


def test_a_failed_measure_keeps_no_results(tmp_path, alive):
    sweep = incast.sweep(STUDY, measures={"mine": raising}, store=tmp_path, jobs=1)
    assert len(sweep.failures) == 3
    assert_few(alive)


def test_results_are_let_go_of_while_a_campaign_goes_on(tmp_path, alive):
    most = []

    def measured(results):
        gc.collect()
        most.append(len(alive))
        raise ValueError

    incast.sweep(STUDY, measures={"mine": measured}, store=tmp_path, jobs=1)
    assert len(most) == 3
    assert most[2] <= most[1]


def test_a_stall_keeps_no_results_in_a_sweep(ring, tmp_path, alive):
    study = {"scenario": ring, "measure": "fct.mean", "vary": {"seed": [1, 2, 3]}}
    sweep = incast.sweep(study, store=tmp_path, jobs=1)
    assert all("deadlock of PFC" in told for told in sweep.failures.values())
    assert_few(alive)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_of_an_algorithm_is_told_with_its_hint(tmp_path, jobs):
    file = tmp_path / "mine.py"
    file.write_text(
        "from incast.algorithm import Algorithm, SendLimit\n\n\n"
        "class Mine(Algorithm):\n"
        "    def on_ack(self, now_ps, ack):\n"
        "        self.rtt = 2 * ack.round_trip_ps + ack.round_trip_ps\n\n"
        "    def limit(self):\n"
        "        return SendLimit(window_bytes=50_000)\n"
    )
    study = {**STUDY, "vary": {"cc": [str(file)]}}
    [told] = incast.sweep(study, store=tmp_path / "out", jobs=jobs).failures.values()
    assert told.count("unless the class has") == 1
    assert told.endswith("None unless the class has needs = Needs(timestamps=True)")


def unstorable(self, *_):
    raise incast.ResultsError("disk full")


@pytest.mark.parametrize("jobs", [1, 2])
def test_runs_that_could_be_stored_nowhere_are_measured(tmp_path, monkeypatch, alive, jobs):
    wanted = incast.sweep(STUDY, store=tmp_path / "there")
    monkeypatch.setattr(Results, "save_sparing", unstorable)
    sweep = incast.sweep(STUDY, store=tmp_path / "full", jobs=jobs)
    assert all("could be stored nowhere" in told for told in sweep.failures.values())
    assert len(sweep.failures) == 3
    assert not math.isnan(sweep["fct.mean"][0])
    assert sweep["fct.mean"].tolist() == wanted["fct.mean"].tolist()
    assert sweep.table() == wanted.table()
    del wanted
    assert_few(alive)


FULL = """
from incast.algorithm import Algorithm, SendLimit
from incast.errors import ResultsError
from incast.results import Results


def unstorable(self, *_):
    raise ResultsError("disk full")


Results.save_sparing = unstorable


class Mine(Algorithm):
    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(window_bytes=50_000)
"""
"""A module whose results cannot be stored, in its own process or in others."""


def test_runs_in_processes_that_could_be_stored_nowhere_are_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(Results, "save_sparing", unstorable)
    (tmp_path / "mine.py").write_text(FULL)
    study = {**STUDY, "vary": {"cc": [str(tmp_path / "mine.py")], "seed": [1, 2]}}
    one, two = (incast.sweep(study, store=tmp_path / "out", jobs=jobs) for jobs in (1, 2))
    assert all("could be stored nowhere" in told for told in two.failures.values())
    assert len(two.failures) == 2
    assert not math.isnan(two["fct.mean"][0])
    assert two["fct.mean"].tolist() == one["fct.mean"].tolist()
    with pytest.raises(incast.UnstoredError) as caught:
        incast.compare(
            scenarios.as_dict(), [str(tmp_path / "mine.py"), "none"], store=tmp_path, threads=2
        )
    assert all(run["slowdown"].min() > 0 for run in caught.value.comparison.values())


def test_a_run_that_was_interrupted_and_not_stored_is_not_measured(tmp_path, monkeypatch):
    class Impatient(Watch):
        """Presses Ctrl-C while the run is under way; the main thread gets the signal."""

        def begin(self, runs, hops):
            threading.Timer(1.0, signal.raise_signal, [signal.SIGINT]).start()

    monkeypatch.setattr(Results, "save_sparing", unstorable)
    endless = CheckedRun(incast.Scenario(scenarios.hadoop_dict("10s")), 1e12)
    with pytest.raises(CampaignInterrupted) as stopped:
        Campaign(lambda results: results.partial, tmp_path, watch=Impatient()).run([endless])
    assert stopped.value.ended.kept == {}
    assert list(stopped.value.ended.failures) == [endless.identity]


def test_a_comparison_has_results_that_could_be_stored_nowhere(tmp_path, monkeypatch):
    monkeypatch.setattr(Results, "save_sparing", unstorable)
    with pytest.raises(incast.UnstoredError) as caught:
        incast.compare(scenarios.as_dict(), ["hpcc", "dctcp"], store=tmp_path, threads=1)
    assert caught.value.results.summary["seed"] == 1
    assert list(caught.value.comparison) == ["hpcc"]
