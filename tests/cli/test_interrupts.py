"""Ctrl-C: answered at once; a second Ctrl-C skips the report."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from types import SimpleNamespace

import incast.experiment
import incast.papers
import incast.present.html
import pytest
import scenarios
from incast import cli
from incast.campaign.campaign import Campaign, CampaignResult
from incast.cli import os_signals
from incast.cli.interrupts import answered
from incast.store.place import Place

LINE = "interrupted: the run ends, and what it has is stored; Ctrl-C again skips the report\n"


class Timed(io.StringIO):
    """Notes when it was last written to."""

    at = float("inf")

    def write(self, text):
        self.at = time.monotonic()
        return super().write(text)


def busy():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000)


def test_an_answer_does_not_wait_for_python(monkeypatch):
    """Python runs handlers of signals only when foreign code returns."""
    monkeypatch.setattr(sys, "stderr", Timed())
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with answered() as requests:
        requests.answer_by("in a moment")
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            busy()
        assert sys.stderr.at < (begin + time.monotonic()) / 2
    assert sys.stderr.getvalue() == "interrupted: in a moment\n"
    assert requests.count == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.set_wakeup_fd(-1) == -1


@pytest.fixture
def program(tmp_path, monkeypatch, capsys):
    """Runs the program with `times` Ctrl-C while results are stored; gives exit code and
    messages.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)

    def run(times, *options):
        keep = Place.keep

        def keeping(*arguments, **keywords):
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
                # Answers come in order, but not before the next line of Python.
                time.sleep(0.1)
            return keep(*arguments, **keywords)

        monkeypatch.setattr(Place, "keep", keeping)
        code = cli.main(["run", "star.toml", "--out", "out", "--quiet", *options])
        monkeypatch.setattr(Place, "keep", keep)
        return code, *capsys.readouterr()

    return run


def test_once_the_report_is_written(program, tmp_path):
    code, out, err = program(1)
    assert (code, err) == (130, LINE)
    assert "report   out/report.html" in out
    assert (tmp_path / "out/report.html").exists()


def test_twice_it_is_skipped(program, tmp_path):
    code, out, err = program(3)
    second = "interrupted: no report is written\n"
    third = "interrupted: what the run has is being stored, and nothing else is left to skip\n"
    note = "note: no report was written; `incast report out` writes one\n"
    assert (code, err) == (130, LINE + second + third + note)
    assert "results  out" in out
    assert incast.load(tmp_path / "out").summary["flows"]["finished"] == 4
    assert not (tmp_path / "out/report.html").exists()
    assert cli.main(["report", "out"]) == 0
    assert (tmp_path / "out/report.html").exists()


def test_a_report_that_is_being_drawn_is_skipped(program, monkeypatch, tmp_path):
    def draw(*_, **__):
        signal.raise_signal(signal.SIGINT)
        time.sleep(60)

    monkeypatch.setattr(incast.present.html, "write", draw)
    code, out, err = program(0)
    assert code == 130
    assert "results  out" in out
    assert "note: no report was written; `incast report out` writes one\n" in err
    assert not (tmp_path / "out/report.html").exists()


STUDY = """
scenario = "star.toml"
measure = "fct.mean"
[vary]
seed = [1, 2]
"""


def interrupted(*_, **__):
    signal.raise_signal(signal.SIGINT)


def test_after_its_runs_a_sweep_tells_what_is_not_written(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "study.toml").write_text(STUDY)
    with monkeypatch.context() as patch:
        patch.setattr(incast.Sweep, "save", interrupted)
        assert cli.main(["sweep", "study.toml", "--out", "out", "--quiet"]) == 130
    told = "interrupted: not all is written of dataset, page and figures; "
    assert capsys.readouterr().err == told + "the same command writes them\n"
    assert cli.main(["sweep", "study.toml", "--out", "out", "--quiet"]) == 0
    assert (tmp_path / "out/sweep.parquet").exists()


def test_after_its_runs_a_reproduction_tells_what_is_not_written(monkeypatch, tmp_path, capsys):
    done = SimpleNamespace(table=str, save=interrupted)
    monkeypatch.setattr(incast.papers, "reproduce", lambda *_, **__: done)
    out = str(tmp_path)
    assert cli.main(["reproduce", "fairness", "--quick", "--out", out, "--quiet"]) == 130
    told = "interrupted: not all is written of page and figures; the same command writes them\n"
    assert capsys.readouterr().err == told


def test_a_comparison_of_which_nothing_is_left_says_so(monkeypatch, tmp_path, capsys):
    def run(*_):
        raise incast.CampaignInterrupted(CampaignResult(), {}, of=2, lost=2)

    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    monkeypatch.setattr(Campaign, "run", run)
    assert cli.main(["compare", "star.toml", "--cc", "hpcc,none", "--quiet"]) == 130
    told = "interrupted: 0 of 2 runs are done and kept; 2 did not end, and what they had is lost; "
    assert capsys.readouterr().err == told + "the same command goes on from there\n"


class Deaf:
    """Receives a signal in a destructor, where Python prints exceptions and goes on."""

    def __init__(self, number):
        self.number = number

    def __del__(self):
        receive(self.number)


def receive(number):
    os.kill(os.getpid(), number)
    for _ in range(1000):
        pass


def in_a_callback(number):
    watched = Timed()
    watching = weakref.ref(watched, lambda _: receive(number))
    del watched
    return watching


@pytest.mark.skipif(os.name == "nt", reason="signals are of Unix")
@pytest.mark.parametrize("lose", [Deaf, in_a_callback])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_python_loses_comes_again(monkeypatch, lose, number):
    """The signal counts once, and is answered once."""
    monkeypatch.setattr(sys, "stderr", Timed())
    hook = sys.unraisablehook
    with os_signals.caught(), answered() as requests:
        requests.answer_by("first", "second")
        lose(number)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(10)
        with pytest.raises(KeyboardInterrupt):
            receive(number)
    assert requests.count == 2
    assert sys.stderr.getvalue() == "interrupted: first\ninterrupted: second\n"
    assert os_signals.exit_code(os_signals.INTERRUPTED) == 128 + number
    assert sys.unraisablehook is hook


def test_other_lost_exceptions_are_told_as_before(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: told.append(lost.exc_type))
    with os_signals.caught():
        watched = Timed()
        watching = weakref.ref(watched, lambda _: 1 / 0)
        del watched
    assert watching() is None
    assert told == [ZeroDivisionError]


WITH_PROCESSES = """
import multiprocessing, os, signal, time
from incast.algorithm import Algorithm, SendLimit

forked = multiprocessing.get_context("fork")
pool = None


def seen(_):
    # Handlers of signals, and the file that Python writes their numbers to.
    return signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, signal.set_wakeup_fd(-1)


class Mine(Algorithm):
    def __init__(self, flow, parameters):
        global pool
        if pool is None:
            pool = forked.Pool(1)
            print("in the pool", *pool.apply(seen, (0,)), flush=True)
            ended = forked.Process(target=time.sleep, args=(60,))
            ended.start()
            time.sleep(0.2)
            ended.terminate()
            ended.join()
            print("ended with", ended.exitcode, flush=True)

    def on_ack(self, now_ps, ack):
        pass

    def limit(self):
        return SendLimit(window_bytes=50_000)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize(
    "arguments", ["run star.toml --no-report --cc mine.py", "sweep study.toml --jobs 1"]
)
def test_processes_that_an_algorithm_forks_are_not_the_command(tmp_path, arguments):
    """The command ends though forked processes have its files open; it ignores their signals."""
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "study.toml").write_text(STUDY.replace("seed = [1, 2]", 'cc = ["mine.py"]'))
    (tmp_path / "mine.py").write_text(WITH_PROCESSES)
    command = [sys.executable, "-m", "incast", *arguments.split(), "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # Newer versions of Python warn about forks beside threads.
    assert "interrupted" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "in the pool True -1\nended with -15\n" in done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_keeps_handlers_of_its_own():
    def own(*_):
        pass

    before = signal.getsignal(signal.SIGTERM)
    with os_signals.caught(), answered():
        signal.signal(signal.SIGHUP, own)
        child = os.fork()
        if not child:
            kept = signal.getsignal(signal.SIGHUP) is own
            os._exit(0 if kept and signal.getsignal(signal.SIGTERM) is before else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert signal.getsignal(signal.SIGTERM) is before
