"""Campaigns: each scenario runs once, on all cores, even if others fail."""

import signal
import threading

import incast
import pytest
import scenarios
from incast.campaign.campaign import Campaign, CampaignInterrupted, share
from incast.campaign.checked_run import CheckedRun
from incast.campaign.memory import SharedMemory, memory_of
from incast.campaign.watch import Watch

_ROUNDS = {"count": 10_000, "every": "100us"}
"""Rounds that take seconds; no more, so that a failing test ends."""


def checked(rate="1Gbps", hops=1000.0, **overrides):
    overrides = {"cc.additive_increase": rate, **overrides}
    return CheckedRun(incast.Scenario(scenarios.as_dict(), **overrides), hops)


def fingerprint(results):
    return results.fingerprint


def test_each_scenario_is_run_once(tmp_path):
    todo = [checked("1Gbps"), checked("2Gbps"), checked("1Gbps")]
    ended = Campaign(fingerprint, tmp_path).run(todo)
    assert ended.failures == {}
    assert set(ended.kept) == {each.identity for each in todo}
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_do_not_depend_on_jobs_or_storing(tmp_path, jobs):
    todo = [checked(f"{rate}Gbps") for rate in range(1, 7)]
    expected = {each.identity: incast.run(each.scenario).fingerprint for each in todo}
    assert Campaign(fingerprint, tmp_path, jobs=jobs).run(todo).kept == expected
    assert Campaign(fingerprint, None, jobs=jobs).run(todo).kept == expected


def test_runs_go_on_side_by_side():
    both = threading.Barrier(2, timeout=300)

    def meet(results):
        both.wait()
        return results.fingerprint

    ended = Campaign(meet, None, jobs=2).run([checked("1Gbps"), checked("2Gbps")])
    assert len(ended.kept) == 2


def test_an_interrupt_keeps_what_is_finished(tmp_path):
    """The short run comes last: Ctrl-C arrives while the long one runs."""
    rounds = {"traffic": [{**scenarios.as_dict()["traffic"][0], "rounds": _ROUNDS}]}
    short, long = checked(hops=10), checked(hops=1e12, **rounds)

    class Impatient(Watch):
        """Presses Ctrl-C once, when a run has finished; the main thread gets the signal."""

        pressed = False

        def advance(self, hops, finished):
            if finished and not self.pressed:
                self.pressed = True
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(CampaignInterrupted, match="1 of 2 runs are done and kept") as stopped:
        Campaign(fingerprint, tmp_path, jobs=2, watch=Impatient()).run([short, long])
    assert list(stopped.value.ended.kept) == [short.identity]
    assert stopped.value.partial[long.identity].partial
    finished = incast.load(tmp_path / f"scenario-hpcc-{short.identity}")
    assert not finished.partial
    again = Campaign(fingerprint, tmp_path).run([short])
    assert again.kept == stopped.value.ended.kept


def test_what_is_there_is_read_from_a_store_that_cannot_be_written(tmp_path, monkeypatch):
    todo = [checked("1Gbps"), checked("2Gbps")]
    first = Campaign(fingerprint, tmp_path).run(todo)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert Campaign(fingerprint, tmp_path).run(todo) == first
    with pytest.raises(incast.ResultsError, match="cannot be written to"):
        Campaign(fingerprint, tmp_path).run([*todo, checked("3Gbps")])


def test_a_damaged_result_does_not_stop_a_campaign(tmp_path):
    run = checked()
    first = Campaign(fingerprint, tmp_path).run([run])
    (folder,) = tmp_path.iterdir()
    (folder / "summary.json").write_text('{"name": "tru')
    again = Campaign(fingerprint, tmp_path).run([run])
    assert again == first
    assert list(tmp_path.iterdir()) == [folder]


def test_a_warning_that_is_an_error_does_not_stop_a_campaign(tmp_path, monkeypatch):
    todo = [checked("1Gbps"), checked("2Gbps")]

    def warned(scenario, **options):
        if scenario.identity == todo[0].identity:
            raise UserWarning("the results of the run are beside it")
        return incast.run(scenario, **options)

    monkeypatch.setattr("incast.campaign.campaign.run_checked", warned)
    ended = Campaign(fingerprint, tmp_path).run(todo)
    assert str(ended.failures[todo[0].identity]) == "the results of the run are beside it"
    assert list(ended.kept) == [todo[1].identity]


def test_after_a_failure_nothing_begins_if_that_is_wanted(tmp_path):
    first, second = checked("1Gbps", hops=2), checked("2Gbps", hops=1)
    (tmp_path / f"scenario-hpcc-{first.identity}").mkdir()
    (tmp_path / f"scenario-hpcc-{first.identity}" / "thesis.tex").touch()
    ended = Campaign(fingerprint, tmp_path, jobs=1, on_failure="stop").run([first, second])
    assert list(ended.failures) == [first.identity]
    assert ended.kept == {}
    ended = Campaign(fingerprint, tmp_path, jobs=1).run([first, second])
    assert list(ended.kept) == [second.identity]


def test_progress_counts_what_is_to_be_run(tmp_path):
    class Counting(Watch):
        def __init__(self):
            self.told = []

        def begin(self, runs, hops):
            self.told.append((runs, hops))

        def advance(self, hops, finished):
            self.told.append((finished, hops))

    there, new = checked("1Gbps", hops=500.0), checked("2Gbps", hops=1000.0)
    Campaign(fingerprint, tmp_path).run([there])
    watch = Counting()
    Campaign(fingerprint, tmp_path, jobs=1, watch=watch).run([there, new])
    assert watch.told[0] == (2, 1000.0)
    assert watch.told[1] == (1, 0.0)
    assert watch.told[-1] == (2, 1000.0)


@pytest.mark.parametrize(
    ("cores", "runs", "part", "threads"),
    [
        (8, 20, 0.05, 1),
        # Three runs are left: two cores for each, and two spare.
        (8, 3, 0.1, 2),
        # The last run gets all cores.
        (8, 1, 0.1, 8),
        # A run with half of all the work gets half of the cores, however many other runs there are.
        (8, 20, 0.5, 4),
        (2, 2, 0.9, 2),
        (1, 1, 1.0, 1),
    ],
)
def test_long_and_last_runs_have_several_threads(cores, runs, part, threads):
    assert share(cores, runs, part) == threads


def needs(amount):
    """An estimate of memory: an amount beside the 60 B of the process."""
    return memory_of({"memory_bytes": 60.0 + amount, "memory_parts": {"process": 60.0}})


def test_a_run_waits_for_memory():
    shared = SharedMemory(100.0)
    began, may_end = threading.Event(), threading.Event()
    order = []

    def large():
        with shared.taken(needs(80)):
            order.append("large")
            began.set()
            may_end.wait(300)
            order.append("large ends")

    def other(name, amount):
        with shared.taken(needs(amount)):
            order.append(name)

    thread = threading.Thread(target=large)
    thread.start()
    began.wait(300)
    other("small", 20)
    waiting = threading.Thread(target=other, args=("too large beside it", 21))
    waiting.start()
    waiting.join(0.1)
    assert order == ["large", "small"]
    may_end.set()
    waiting.join(300)
    thread.join(300)
    assert order == ["large", "small", "large ends", "too large beside it"]
    # A run alone is not held back, however large.
    other("huge", 1000)
    assert order[-1] == "huge"


def test_no_run_waits_for_memory_once_a_campaign_shall_stop():
    """The run that holds the memory may never give it back."""
    shared, stop = SharedMemory(10.0), threading.Event()
    with shared.taken(8.0, stop):
        stop.set()
        with pytest.raises(KeyboardInterrupt), shared.taken(8.0, stop):
            pass


def test_comparisons_run_side_by_side():
    long = {"traffic": [{**scenarios.as_dict()["traffic"][0], "rounds": _ROUNDS}]}
    told = []

    def progress(label):
        def tell(_done):
            told.append(label)
            if len(set(told)) == 2:
                signal.raise_signal(signal.SIGINT)

        return tell

    with pytest.raises(incast.Interrupted) as stopped:
        incast.compare({**scenarios.as_dict(), **long}, ["hpcc", "none"], progress=progress)
    assert [run.partial for run in stopped.value.comparison.values()] == [True, True]
    assert stopped.value.results in stopped.value.comparison.values()


def test_a_comparison_tells_its_progress():
    told = []
    watch = Watch()
    watch.begin = lambda runs, hops: told.append(runs)
    watch.advance = lambda hops, finished: told.append(finished)
    incast.compare(scenarios.as_dict(), ["hpcc", "none"], watch=watch)
    assert told[0] == told[-1] == 2


def test_a_file_that_changes_under_way_is_told(tmp_path):
    """The second run would be another experiment than the checked one."""
    file = tmp_path / "flows.csv"
    file.write_text("source,destination,size_bytes,start_ps\n0,1,1000,0\n")
    scenario = scenarios.as_dict() | {
        "traffic": [{"kind": "file", "file": str(file), "format": "csv"}]
    }
    todo = [CheckedRun(incast.Scenario(scenario, seed=seed), 9.0 / seed) for seed in (1, 2)]

    def keep(results):
        file.write_text("source,destination,size_bytes,start_ps\n0,1,2000,0\n")
        return results.fingerprint

    ended = Campaign(keep, tmp_path / "store", jobs=1).run(todo)
    assert list(ended.kept) == [todo[0].identity]
    with pytest.raises(incast.RunError, match="a file of the scenario changed between its check"):
        raise ended.failures[todo[1].identity]
