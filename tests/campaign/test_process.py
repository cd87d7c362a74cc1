"""Runs of algorithms in Python, each in a process of its own."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import incast
import pytest
import scenarios
from incast.campaign.campaign import Campaign
from incast.campaign.checked_run import CheckedRun
from incast.campaign.process import run_in_process
from incast.study.study import Study

MINE = """
import os
from pathlib import Path

from incast.algorithm import Algorithm, SendLimit


class Fixed(Algorithm):
    def on_ack(self, now_ps, ack):
        {on_ack}

    def limit(self):
        return SendLimit(window_bytes=50_000)
"""


PATIENCE = 300
"""Seconds: far more than anything takes that ends, and less than the endless parts of these
tests.
"""
TOUCH = "Path(f'pid-{os.getpid()}').touch()"
"""Creates a file named by the id of the process."""


def pids(folder):
    return {int(file.name.removeprefix("pid-")) for file in folder.glob("pid-*")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    return tmp_path


def write(folder, on_ack="pass"):
    (folder / "mine.py").write_text(MINE.format(on_ack=on_ack))


def study(**more):
    vary = {"cc": ["mine.py"], "seed": [1, 2], **more}
    return {"scenario": "star.toml", "measure": "fct.mean", "vary": vary}


def test_results_are_those_of_threads(folder):
    write(folder, on_ack=TOUCH)
    one = incast.sweep(study(), store="one", jobs=1)
    assert pids(folder) == {os.getpid()}
    two = incast.sweep(study(), store="two", jobs=2)
    assert two.failures == {}
    assert two.dataset.equals(one.dataset)
    assert len(pids(folder)) == 3


@pytest.mark.parametrize("searched", [[], [""], [Path("elsewhere"), "with:colon"]])
def test_modules_are_those_of_the_campaign(folder, monkeypatch, searched):
    """An algorithm's file may have the name of a module that incast imports."""
    monkeypatch.setattr(sys, "path", [*searched, *sys.path])
    (folder / "with:colon").mkdir()
    (folder / "with:colon" / "window.py").touch()
    write(folder, on_ack="import window" if "with:colon" in searched else "pass")
    (folder / "mine.py").rename(folder / "token.py")
    assert incast.sweep(study(cc=["token.py"]), store="out", jobs=2).failures == {}


def test_exceptions_come_back_with_their_traceback(folder):
    write(folder, on_ack="raise ValueError('no such window')")
    with pytest.raises(incast.AlgorithmError, match="no such window") as caught:
        incast.compare("star.toml", ["mine.py", "hpcc"], store="out", threads=2)
    assert caught.value.flow >= 0
    assert 'mine.py", line 10, in on_ack' in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("on_ack", "told"),
    [
        ("import sys; assert sys.stdin.read() == ''", None),
        ("input()", "EOFError: EOF when reading a line"),
        ("breakpoint()", "BdbQuit"),
    ],
)
def test_an_algorithm_that_reads_finds_nothing(folder, on_ack, told):
    write(folder, on_ack=on_ack)
    program = f"""
import incast
for failure in incast.sweep({study()!r}, store="out", jobs=2).failures.values():
    print("told:", failure)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=300)
    failures = [line for line in done.stdout.splitlines() if line.startswith("told: ")]
    assert [told in each for each in failures] == ([] if told is None else [True, True])
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("on_ack", "jobs"),
    [
        ("raise KeyboardInterrupt", 1),
        ("raise KeyboardInterrupt", 2),
        ("import signal; os.kill(os.getpid(), signal.SIGINT)", 2),
    ],
)
def test_an_algorithm_that_raises_what_ctrl_c_does_ends_its_run_alone(folder, on_ack, jobs):
    write(folder, on_ack=on_ack)
    sweep = incast.sweep(study(cc=["mine.py", "hpcc"], seed=[1]), store="out", jobs=jobs)
    told = "star: the algorithm ended the run, as Ctrl-C does"
    assert list(sweep.failures.values()) == [told]
    assert sweep["fct.mean"][1] > 0


def test_a_process_that_dies_is_told(folder):
    write(folder, on_ack="os._exit(7)")
    sweep = incast.sweep(study(), store="out", jobs=2)
    assert list(sweep.failures.values()) == ["star: the process of the run ended with code 7"] * 2


FORKING = """
        import time
        forked = os.fork()
        if forked == 0:
            time.sleep(60)
            os._exit(0)
        Path(f"pid-{forked}").touch()
        os._exit(4)
"""


def refusing(number):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize(
    ("call", "number", "told"),
    [
        ("os.pipe", errno.EMFILE, "Too many open files"),
        ("subprocess.Popen", errno.EAGAIN, "Resource temporarily unavailable"),
    ],
)
def test_a_process_that_cannot_be_started_is_a_failure_of_its_run(
    folder, monkeypatch, call, number, told
):
    write(folder)
    monkeypatch.setattr(f"incast.campaign.process.{call}", refusing(number))
    before = len(list(Path("/dev/fd").iterdir()))
    sweep = incast.sweep(study(cc=["mine.py", "none"]), store="out", jobs=2)
    what = f"star: no process can be started for the run: {told}; let fewer go on at a time"
    assert list(sweep.failures) == ["cc = mine.py, seed = 1", "cc = mine.py, seed = 2"]
    assert all(each.startswith(what) for each in sweep.failures.values())
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_process_that_is_gone_at_once_is_told(folder, monkeypatch):
    write(folder)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    told = incast.sweep(study(), store="out", jobs=2).failures.values()
    assert set(told) == {"star: the process of the run ended with code 1"}


def test_a_process_that_dies_before_what_it_forked_is_told_at_once(folder):
    """A forked process holds the pipe for answers open."""
    write(folder, on_ack=FORKING)
    sweep = incast.sweep(study(), store="out", jobs=2)
    alive = [is_alive(pid) for pid in pids(folder)]
    for pid in pids(folder):
        os.kill(pid, signal.SIGKILL)
    assert list(sweep.failures.values()) == ["star: the process of the run ended with code 4"] * 2
    assert alive == [True, True]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_changed_since_its_check_is_not_run(folder, jobs):
    """A file that was changed back can run in the same folders: nothing else is in them."""
    write(folder)
    read = Study(study())
    write(folder, on_ack="self.acks = 1")
    out = folder / "out"
    campaign = Campaign(lambda results: results.fingerprint, out, jobs=jobs)
    ended = campaign.run(run.checked for run in read.runs)
    assert ended.kept == {}
    told = "star: a file of the scenario changed after it was checked; the same command"
    assert all(str(error).startswith(told) for error in ended.failures.values())
    assert [*out.iterdir()] == []
    write(folder)
    assert incast.sweep(study(), store=out, jobs=jobs).failures == {}


@pytest.mark.parametrize("forks", [False, True])
def test_an_interrupt_keeps_what_is_finished(folder, forks):
    """The finished run is kept, even though a forked process holds the worker's input open."""
    write(folder)
    (folder / "endless.toml").write_text(scenarios.ENDLESS)
    scenario = incast.Scenario("endless.toml", cc="mine.py")
    pressed, forked = [], []

    def interrupt(done):
        pressed.append(done)
        if forks:
            forked.append(os.fork())
            if not forked[-1]:
                time.sleep(60)
                os._exit(0)
        raise KeyboardInterrupt

    with pytest.raises(incast.Interrupted) as stopped:
        run_in_process(
            CheckedRun.of(scenario),
            folder=folder / "out",
            force=False,
            memory="any",
            progress=interrupt,
        )
    for pid in forked:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert len(pressed) == 1
    assert stopped.value.results.partial
    assert incast.load(folder / "out").partial


SWEEP = """
import sys
import incast, scenarios
scenario = scenarios.hadoop_dict("10s")
vary = {"cc": ["mine.py"], "seed": [1, 2]}
study = {"scenario": scenario, "measure": "fct.mean", "vary": vary}
incast.sweep(study, store="out", jobs=int(sys.argv[1]))
"""


@pytest.fixture
def campaign(folder):
    """A sweep in a process of its own, once its runs are under way, and the ids of their
    processes.
    """
    started = []

    def start(jobs):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        program = subprocess.Popen(
            [sys.executable, "-c", SWEEP, str(jobs)], env=environment, stderr=subprocess.PIPE
        )
        started.append(program)
        until = time.monotonic() + PATIENCE
        while len(pids(folder)) < jobs and time.monotonic() < until:
            time.sleep(0.05)
        processes = pids(folder)
        assert len(processes) == jobs
        return program, processes

    yield start
    for program in started:
        program.kill()
        program.wait()
        program.stderr.close()
    for pid in filter(is_alive, pids(folder)):
        os.kill(pid, signal.SIGKILL)


def assert_all_end(processes):
    until = time.monotonic() + PATIENCE
    while any(is_alive(pid) for pid in processes) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in processes)


BLOCKED = "import time; time.sleep(1000)"
"""Waits, as for an answer of another program."""
STUBBORN = """
        import time
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                pass
"""


COMPUTING = "sum(range(10**12))"
"""Keeps other Python code of its process from running."""


@pytest.mark.parametrize("then", ["pass", BLOCKED, STUBBORN, COMPUTING])
def test_processes_end_when_the_campaign_is_killed(folder, campaign, then):
    write(folder, on_ack=f"{TOUCH}; {then}" if then is not STUBBORN else TOUCH + then)
    program, processes = campaign(jobs=2)
    program.send_signal(signal.SIGKILL)
    _, told = program.communicate(timeout=PATIENCE)
    assert_all_end(processes)
    assert told == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_ends_runs_that_are_in_a_system_call(folder, campaign, number):
    write(folder, on_ack=f"{TOUCH}; {BLOCKED}")
    program, processes = campaign(jobs=2)
    program.send_signal(number)
    _, told = program.communicate(timeout=PATIENCE)
    assert_all_end(processes)
    assert number == signal.SIGTERM or b"interrupted: 0 of 2 runs are done and kept\n" in told
    stored = [incast.load(each) for each in (folder / "out" / "runs").iterdir()]
    assert [results.partial for results in stored] == [True, True]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of the parent's end")
def test_a_process_whose_campaign_was_killed_at_once_ends():
    begun = f"from incast.campaign import deadline; deadline.hear(campaign=0); {COMPUTING}"
    program = subprocess.run([sys.executable, "-c", begun], timeout=300)
    assert program.returncode == -signal.SIGALRM


SLOW_TO_STORE = """
import time
from incast.results import Results

save = Results.save_sparing


def slowly(*arguments):
    # Longer than a process has that stores nothing.
    time.sleep(5)
    return save(*arguments)


Results.save_sparing = slowly
"""


def test_a_process_that_stores_results_is_waited_for(folder, campaign):
    (folder / "mine.py").write_text(SLOW_TO_STORE + MINE.format(on_ack=TOUCH))
    program, _ = campaign(jobs=2)
    program.send_signal(signal.SIGINT)
    _, told = program.communicate(timeout=PATIENCE)
    assert b"interrupted: 0 of 2 runs are done and kept\n" in told
    stored = [incast.load(each) for each in (folder / "out" / "runs").iterdir()]
    assert [results.partial for results in stored] == [True, True]


@pytest.mark.parametrize(("jobs", "then"), [(1, STUBBORN), (2, STUBBORN), (2, f"; {COMPUTING}")])
def test_runs_that_never_end_do_not_hold_the_campaign(folder, campaign, jobs, then):
    write(folder, on_ack=TOUCH + then)
    program, processes = campaign(jobs)
    program.send_signal(signal.SIGINT)
    _, told = program.communicate(timeout=PATIENCE)
    assert_all_end(processes)
    lost = b"%d did not end, and what they had is lost" % jobs
    assert b"interrupted: 0 of 2 runs are done and kept; %b\n" % lost in told


WAITING_FILE = """
import os, sys, time
from pathlib import Path

if hasattr(sys.modules["__main__"], "main"):  # In the process of a run.
    Path(f"pid-{os.getpid()}").touch()
    time.sleep(1000)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_file_of_an_algorithm_that_waits_ends_with_the_campaign(folder, campaign, number):
    (folder / "mine.py").write_text(WAITING_FILE + MINE.format(on_ack="pass"))
    program, processes = campaign(jobs=2)
    program.send_signal(number)
    _, told = program.communicate(timeout=PATIENCE)
    assert_all_end(processes)
    assert number == signal.SIGKILL or b"interrupted: 0 of 2 runs are done and kept\n" in told


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
