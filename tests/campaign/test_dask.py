"""Sweeps on a Dask cluster of two workers on this machine."""

import os
import signal
import subprocess
import sys
import threading
import time

import incast
import pytest
import scenarios
from incast.campaign import dask

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        distributed.LocalCluster(**options, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def study(seeds, duration="50us"):
    return {
        "scenario": scenarios.hadoop_dict(duration),
        "measure": ["slowdown.p99", "fct.mean"],
        "vary": {"cc": ["hpcc", "dcqcn"], "seed": range(seeds)},
    }


def test_results_are_those_of_one_machine(client, tmp_path):
    here = incast.sweep(study(3), store=tmp_path / "here")
    there = incast.sweep(study(3), store=tmp_path / "there", client=client)
    assert there.failures == {}
    assert there.dataset.equals(here.dataset)
    for one in (tmp_path / "here" / "runs").iterdir():
        other = tmp_path / "there" / "runs" / one.name
        assert incast.load(other).fingerprint == incast.load(one).fingerprint
        assert (other / "flows.parquet").read_bytes() == (one / "flows.parquet").read_bytes()
        assert incast.load(other).summary["threads"] == 1


def test_what_is_there_is_not_run_again(client, tmp_path):
    incast.sweep(study(1), store=tmp_path)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")}
    incast.sweep(study(2), store=tmp_path, client=client)
    after = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("summary.json")}
    assert len(after) == 4
    assert {file: after[file] for file in before} == before


def test_a_worker_that_is_killed_costs_time_alone(client, tmp_path):
    """The worker is killed when the first results are there, in the middle of another run."""
    read = study(3, duration="20ms")
    ended = {}

    def sweep():
        ended["sweep"] = incast.sweep(read, store=tmp_path / "there", client=client)

    thread = threading.Thread(target=sweep)
    thread.start()
    runs = tmp_path / "there" / "runs"
    while thread.is_alive() and not list(runs.glob("*/summary.json")):
        time.sleep(0.01)
    busy = next(worker for worker, tasks in client.processing().items() if tasks)
    pids = client.run(os.getpid)
    os.kill(pids[busy], signal.SIGKILL)
    thread.join(300)
    assert pids[busy] not in client.run(os.getpid).values()
    assert ended["sweep"].failures == {}
    here = incast.sweep(read, store=tmp_path / "here")
    assert ended["sweep"].dataset.equals(here.dataset)


def test_a_run_that_fails_is_told(client, tmp_path):
    in_the_way = tmp_path / "runs" / f"study-hpcc-{'0' * 16}"
    in_the_way.mkdir(parents=True)
    read = study(1)
    identity = incast.Scenario(read["scenario"], cc="hpcc", seed=0).identity
    in_the_way.rename(place := in_the_way.with_name(f"scenario-hpcc-{identity}"))
    (place / "thesis.tex").touch()
    sweep = incast.sweep(read, store=tmp_path, client=client)
    (failure,) = sweep.failures.values()
    assert "exists and is not a results folder" in failure


def test_ctrl_c_keeps_what_is_finished(client, tmp_path):
    class Impatient(incast.Watch):
        pressed = False

        def advance(self, hops, finished):
            if finished and not self.pressed:
                self.pressed = True
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(incast.CampaignInterrupted) as stopped:
        incast.sweep(study(20, "2ms"), store=tmp_path, client=client, watch=Impatient())
    assert stopped.value.of == 40
    kept = stopped.value.ended.kept
    assert 0 < len(kept) < 40
    assert len(list(tmp_path.glob("runs/*/summary.json"))) == len(kept)


def test_a_stall_is_told_as_on_one_machine(client, ring, tmp_path):
    read = {"scenario": ring, "measure": "fct.mean", "vary": {"cc": ["rocc"]}}
    here = incast.sweep(read, store=tmp_path / "here")
    there = incast.sweep(read, store=tmp_path / "there", client=client)
    assert "deadlock of PFC since" in there.failures["cc = rocc"]
    assert there.failures == here.failures
    (folder,) = (tmp_path / "there" / "runs").iterdir()
    assert incast.load(folder).stall["kind"] == "deadlock"


def test_workers_of_another_version_are_refused(client, tmp_path, monkeypatch):
    other = dask.Signature("0.0.7", dask.signature().fingerprint)
    monkeypatch.setattr(dask, "signature", lambda: other)
    with pytest.raises(incast.ClusterError, match=r"has incast 0\.1\.0, and this is 0\.0\.7"):
        incast.sweep(study(1), store=tmp_path, client=client)
    other = dask.Signature(incast.__version__, "0" * 16)
    with pytest.raises(incast.ClusterError, match="gives other results than this machine"):
        incast.sweep(study(1), store=tmp_path, client=client)


def test_a_worker_that_joins_later_is_checked(tmp_path):
    scenario = incast.Scenario(scenarios.as_dict())
    other = dask.Signature("0.0.7", "")
    with pytest.raises(incast.ClusterError, match="install one version everywhere"):
        dask.run_on_worker(scenario, scenario.identity, other, "fit")
    with pytest.raises(incast.ClusterError, match="a file that the scenario names is another"):
        dask.run_on_worker(scenario, "0" * 16, dask.signature(), "fit")


def test_from_the_command_line(client, tmp_path):
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "study.toml").write_text(
        'scenario = "star.toml"\nmeasure = "fct.mean"\nvary.cc = ["hpcc", "none"]\n'
    )
    command = [sys.executable, "-m", "incast", "sweep", "study.toml", "--quiet", "--dask"]
    address = client.scheduler.address
    done = subprocess.run([*command, address], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "fct.mean" in done.stdout
    assert len(list(tmp_path.glob("results/study/runs/*/summary.json"))) == 2


def test_a_scheduler_that_is_not_there(monkeypatch):
    monkeypatch.setattr(dask, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(incast.ClusterError, match="no Dask scheduler answers at tcp://127"):
        dask.connected("tcp://127.0.0.1:9")
    with pytest.raises(incast.ClusterError, match="no Dask scheduler answers at nonsense:xx"):
        dask.connected("nonsense:xx")


def test_workers_without_incast_are_told(client, tmp_path, monkeypatch):
    def probe():
        import incast_of_another_name

        return incast_of_another_name

    monkeypatch.setattr(dask, "_probe", lambda: probe)
    with pytest.raises(incast.ClusterError, match="has no incast: ModuleNotFoundError"):
        incast.sweep(study(1), store=tmp_path, client=client)


ENDING = """
import os
from incast.algorithm import Algorithm, SendLimit


class Mine(Algorithm):
    def on_ack(self, now_ps, ack):
        {on_ack}

    def limit(self):
        return SendLimit(window_bytes=50_000)
"""


@pytest.mark.parametrize(
    ("on_ack", "told"),
    [
        ("raise KeyboardInterrupt", "star: the algorithm ended the run, as Ctrl-C does"),
        ("os.kill(os.getpid(), 2)", "star: the algorithm ended the run, as Ctrl-C does"),
        ("os._exit(7)", "star: the process of the run ended with code 7"),
    ],
)
def test_an_algorithm_that_ends_its_run_does_not_end_workers(client, tmp_path, on_ack, told):
    (tmp_path / "star.toml").write_text(scenarios.STAR)
    (tmp_path / "mine.py").write_text(ENDING.format(on_ack=on_ack))
    before = client.run(os.getpid)
    vary = {"cc": [str(tmp_path / "mine.py"), "hpcc"]}
    read = {"scenario": tmp_path / "star.toml", "measure": "fct.mean", "vary": vary}
    sweep = incast.sweep(read, store=tmp_path / "out", client=client)
    assert list(sweep.failures.values()) == [told]
    assert sweep["fct.mean"][1] > 0
    assert client.run(os.getpid) == before
