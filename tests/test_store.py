"""The places of results, if something is in the way: no results are lost, and warnings say where
they are.
"""

import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import incast
import pytest
import scenarios
from incast import lock_wait
from incast.late_warnings import late_warnings
from incast.store.ending import until_kept
from incast.store.place import Place, recover


def keep(results, folder, force=False, ending=None):
    with late_warnings() as warn:
        return Place(folder, results.identity, force=force).keep(results, warn, ending)


def never(_done):
    raise AssertionError("nothing should run")


def interrupt_at(flows):
    """Presses Ctrl-C as soon as this number of flows has finished."""

    def progress(done):
        if done["flows_finished"] >= flows:
            signal.raise_signal(signal.SIGINT)

    return progress


@pytest.fixture
def endless(tmp_path):
    file = tmp_path / "endless.toml"
    file.write_text(scenarios.ENDLESS)
    return file


def interrupted(scenario, folder=None, flows=1):
    with pytest.raises(incast.Interrupted) as stopped:
        incast.run(scenario, folder=folder, progress=interrupt_at(flows))
    return stopped.value.results


def test_an_interrupted_run_does_not_replace_one_that_got_further(endless, tmp_path):
    folder = tmp_path / "run"
    # How far a run gets before it notices Ctrl-C depends on the machine; so the second run counts
    # on from the first.
    sooner = interrupted(endless)
    further = interrupted(endless, folder, flows=sooner.summary["flows"]["finished"] + 1)
    assert sooner.summary["simulated_ps"] < further.summary["simulated_ps"]
    with pytest.warns(UserWarning, match="holds the same run, interrupted later; the results of"):
        keep(sooner, folder)
    assert sooner.folder == tmp_path / "run-interrupted"
    kept = incast.load(folder)
    assert kept.partial
    assert kept.fingerprint == further.fingerprint
    assert incast.load(sooner.folder).fingerprint == sooner.fingerprint
    again = interrupted(endless, folder, flows=further.summary["flows"]["finished"] + 5_000)
    assert again.folder == folder
    assert incast.load(folder).fingerprint == again.fingerprint


def test_a_whole_run_replaces_an_interrupted_one(endless, tmp_path):
    folder = tmp_path / "run"
    interrupted(endless, folder)
    with pytest.warns(UserWarning, match="holds an interrupted run of another .* will replace it"):
        whole = incast.run(scenarios.as_dict(), folder=folder)
    assert incast.load(folder).fingerprint == whole.fingerprint


def test_an_interrupted_run_does_not_replace_that_of_another_seed(endless, tmp_path):
    folder = tmp_path / "run"
    first = interrupted(endless, folder, flows=1)
    with pytest.warns(UserWarning, match="holds an interrupted run of another scenario, seed or"):
        second = interrupted(incast.Scenario(endless, seed=2), folder, flows=1_000)
    assert second.folder == tmp_path / "run-interrupted"
    assert incast.load(folder).identity == first.identity


def test_whole_results_of_another_seed_are_refused_before_the_run(tmp_path):
    folder = tmp_path / "run"
    first = incast.run(scenarios.as_dict(), folder=folder)
    what = (
        "holds a whole run of another scenario, seed or version .`scenario`, hpcc, seed 1, "
        f"identity {first.identity}.; name another folder, or replace it with --force"
    )
    with pytest.raises(incast.ResultsError, match=what):
        incast.run(scenarios.as_dict(), folder=folder, seed=2, progress=never)
    assert incast.load(folder).fingerprint == first.fingerprint
    forced = incast.run(scenarios.as_dict(), folder=folder, seed=2, force=True)
    assert incast.load(folder).fingerprint == forced.fingerprint != first.fingerprint


def test_whole_results_of_another_seed_that_came_meanwhile_stay(tmp_path):
    folder = tmp_path / "run"
    first = incast.run(scenarios.as_dict(), folder=folder)
    second = incast.run(scenarios.as_dict(), seed=2)
    with pytest.warns(UserWarning, match="holds a whole run of another scenario, seed or version"):
        assert keep(second, folder) is second
    assert second.folder == tmp_path / f"run-{second.identity}"
    assert incast.load(folder).fingerprint == first.fingerprint
    # The same call finds the results beside the folder, and says so.
    with pytest.warns(UserWarning, match=f"are beside it.*: in {second.folder}"):
        found = incast.run(scenarios.as_dict(), seed=2, folder=folder, progress=never)
    assert (found.reused, found.folder) == (True, second.folder)


@pytest.mark.parametrize("name", ["run-2", "run-copy", "run-interrupted"])
def test_a_neighbour_that_holds_the_same_run_is_none_of_its_business(tmp_path, name):
    incast.run(scenarios.as_dict(), folder=tmp_path / name)
    results = incast.run(scenarios.as_dict(), folder=tmp_path / "run")
    assert not results.reused
    assert results.folder == tmp_path / "run"
    assert incast.load(tmp_path / "run").fingerprint == results.fingerprint


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A place that cannot be taken, nor a folder beside it, on a machine without temporary
    folders.
    """
    (tmp_path / "file").write_text("in the way")

    def without(*_arguments, **_options):
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", without)
    return tmp_path / "file" / "run"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files, and a place for results that cannot be taken."""
    (tmp_path / "file").write_text("in the way")
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder, tmp_path / "file" / "run"


def kept_elsewhere(seed, place):
    """The folder of a run's results if they cannot be stored in a place."""
    with pytest.warns(UserWarning, match="the results of the run are in"):
        return keep(incast.run(scenarios.as_dict(), seed=seed), place).folder


def test_runs_without_a_place_share_one_temporary_folder_and_are_found_there(temporary):
    folder, place = temporary
    own = folder / f"incast-{os.getuid()}"
    kept = [kept_elsewhere(seed, place) for seed in (1, 2)]
    assert [each.parent for each in kept] == [own, own]
    assert list(folder.iterdir()) == [own]
    assert own.stat().st_mode & 0o777 == 0o700, "for its owner alone"
    with pytest.warns(UserWarning, match=f"are in a temporary folder.*: in {kept[1]}"):
        found = Place(place, kept[1].name.split("-")[0]).earlier()
    assert found is not None
    assert found.folder == kept[1]


@pytest.mark.parametrize("taken", ["open to others", "a link", "a file"])
def test_a_temporary_folder_that_others_can_change_is_not_taken(temporary, taken):
    """Results in such a folder are not trusted, and nothing is written to it."""
    folder, place = temporary
    kept = kept_elsewhere(1, place)
    own = kept.parent
    if taken == "open to others":
        own.chmod(0o777)
    else:
        own.rename(folder / "moved")
        (own.symlink_to if taken == "a link" else own.write_text)(str(folder / "moved"))
    assert Place(place, kept.name.split("-")[0]).earlier() is None
    elsewhere = kept_elsewhere(2, place)
    assert elsewhere.parent not in (own, folder / "moved")
    assert elsewhere.parent.parent == folder


def test_results_for_which_there_is_no_place_are_in_the_error(nowhere, tmp_path):
    results = incast.run(scenarios.as_dict())
    with pytest.raises(incast.UnstoredError) as caught:
        keep(results, nowhere)
    assert caught.value.results is results
    said = str(caught.value)
    assert said.startswith("the results of scenario could be stored nowhere: ")
    assert f"{nowhere.parent}: is a file" in said
    assert "No usable temporary directory found in ['/tmp']" in said
    assert "let TMPDIR name a folder" in said
    saved = caught.value.results.save(tmp_path / "saved")
    assert incast.load(saved).fingerprint == results.fingerprint


def test_the_command_shows_what_could_not_be_stored(monkeypatch, tmp_path, capsys):
    from incast import cli

    def lost(_place, results, *_others):
        raise incast.UnstoredError(results, ["run: disk full"])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Place, "keep", lost)
    Path("star.toml").write_text(scenarios.STAR)
    assert cli.main(["run", "star.toml", "--quiet"]) == 2
    shown = capsys.readouterr()
    assert "fingerprint" in shown.out
    assert shown.err.startswith(
        "error: the results of star could be stored nowhere: run: disk full"
    )


def test_all_runs_of_a_comparison_that_could_not_be_stored_are_shown(monkeypatch, tmp_path, capsys):
    """The second run fails while the first is stored: both have ended, and a third does not
    begin.
    """
    from incast import cli

    both = threading.Barrier(2, timeout=300)

    def lost(_place, results, *_others):
        both.wait()
        raise incast.UnstoredError(results, ["run: disk full"])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Place, "keep", lost)
    Path("star.toml").write_text(scenarios.STAR)
    names = ["hpcc", "none", "swift"]
    with (
        pytest.warns(UserWarning, match="could be stored nowhere"),
        pytest.raises(incast.UnstoredError) as caught,
    ):
        incast.compare("star.toml", names, store=".", threads=2)
    assert len(caught.value.comparison) == 2
    command = ["compare", "star.toml", "--cc", ",".join(names), "--threads", "2", "--quiet"]
    assert cli.main(command) == 2
    shown = capsys.readouterr()
    figures, _, not_run = shown.out.partition("Not run: ")
    assert sorted(each in figures for each in names) == [False, True, True]
    assert sorted(each in not_run for each in names) == [False, False, True]
    assert [shown.err.count(each) for each in ("warning: ", "error: ", "disk full")] == [1, 1, 2]


HOLD = """\
import fcntl, os, sys
handle = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def locked(tmp_path):
    """A folder that another process has locked, and the process."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield tmp_path, holder
        holder.communicate()


@contextmanager
def told(then):
    """Collects the texts of warnings, and calls `then` after the first."""
    texts = []

    def tell(message, *_):
        texts.append(str(message))
        if len(texts) == 1:
            then()

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = tell
        yield texts


def test_a_lock_that_is_waited_for_is_told(locked):
    folder, holder = locked
    results = incast.run(scenarios.as_dict())
    with told(holder.communicate) as texts:
        results.save(folder / "run")
    told_once = rf"{folder}: is locked by (process {holder.pid} \(python|another process)"
    assert [bool(re.search(told_once, text)) for text in texts] == [True]
    assert incast.load(folder / "run").fingerprint == results.fingerprint


def test_a_lock_of_the_own_process_is_not_told(tmp_path):
    """Another run of the process has the lock, for long if the disk is slow."""
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    release = threading.Timer(1.5, os.close, [handle])
    release.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        incast.run(scenarios.as_dict(), folder=tmp_path / "run")
    release.join()


def test_what_is_beside_a_folder_costs_a_run_nothing(tmp_path):
    """Leftovers of killed runs are found without looking at thousands of neighbours."""

    def seconds(store):
        begin = time.process_time()
        for number in range(100):
            recover(store / f"run-{number}")
        return time.process_time() - begin

    for store in ("few", "many"):
        (tmp_path / store).mkdir()
    for number in range(5_000):
        (tmp_path / "many" / f"other-{number}").mkdir()
    assert seconds(tmp_path / "many") < 3 * seconds(tmp_path / "few") + 0.05


def test_an_interrupt_ends_the_wait_for_a_lock(locked, monkeypatch):
    monkeypatch.setattr(lock_wait, "_PATIENCE", float("inf"))
    folder, _ = locked
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        incast.run(scenarios.as_dict(), folder=folder / "run", progress=never)
    assert [each for each in folder.iterdir() if each.is_dir()] == []


def test_an_interrupt_while_results_wait_for_a_lock_loses_none(locked):
    """The results are stored elsewhere, where no lock is."""
    folder, _ = locked
    results = incast.run(scenarios.as_dict())
    interrupt = partial(signal.raise_signal, signal.SIGINT)
    with until_kept() as ending, told(interrupt) as texts:
        kept = keep(results, folder / "run", ending=ending)
    assert kept.folder.parent.parent == Path(tempfile.gettempdir())
    assert incast.load(kept.folder).fingerprint == results.fingerprint
    waits, elsewhere = texts
    assert "waiting for it" in waits
    assert f"the results of the run are in {kept.folder}" in elsewhere


def test_patience_has_an_end(locked, monkeypatch):
    monkeypatch.setattr(lock_wait, "_PATIENCE", 0.3)
    folder, _ = locked
    with pytest.raises(incast.ResultsError, match=r"is locked by .*; end that, or name another"):
        incast.run(scenarios.as_dict(), folder=folder / "run", progress=never)


def test_signals_do_not_end_the_wait_without_the_lock(locked):
    """On some systems a signal interrupts the wait for a lock. The third signal makes the holder
    release it.
    """
    folder, holder = locked
    results = incast.run(scenarios.as_dict())
    received = []

    def receive(*_):
        received.append(holder)
        if len(received) == 3:
            holder.communicate()

    before = signal.signal(signal.SIGALRM, receive)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        results.save(folder / "run")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(received) >= 3
    assert fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB) is None


def test_a_warning_that_is_an_error_loses_no_results(locked):
    """The warning is raised once the results are stored."""
    folder, holder = locked
    results = incast.run(scenarios.as_dict())
    release = threading.Timer(1.5, holder.communicate)
    release.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="waiting for it"):
            keep(results, folder / "run")
    release.join()
    assert incast.load(folder / "run").fingerprint == results.fingerprint


def test_a_run_whose_warnings_are_errors_is_stored_elsewhere(locked, monkeypatch):
    """The last warning names the folder of the results."""
    monkeypatch.setattr(lock_wait, "_TOLD_AFTER", 0.1)
    folder, _ = locked
    ended = incast.run(scenarios.as_dict())
    # Before the run, the folder was not locked.
    monkeypatch.setattr("incast.store.place.recover", lambda folder: None)
    monkeypatch.setattr(lock_wait, "_PATIENCE", 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="the results of the run are in ") as raised:
            incast.run(scenarios.as_dict(), folder=folder / "run")
    place = str(raised.value).rpartition(" are in ")[2]
    assert incast.load(place).fingerprint == ended.fingerprint
