"""A campaign on a Dask cluster: workers run, results come back as files.

If a worker dies, Dask repeats its runs on another one, with the same results.
"""

from __future__ import annotations

import os
import tempfile
import threading
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from incast._core import __version__
from incast.campaign.checked_run import CheckedRun, ended_by_algorithm
from incast.campaign.memory import SharedMemory
from incast.campaign.process import can_run, run_in_process
from incast.errors import ClusterError, RunError
from incast.experiment import Memory, Progress, StallError, run, run_checked, unless_stalled
from incast.late_warnings import late_warnings
from incast.results import Results, load
from incast.scenario import Scenario
from incast.store.place import Place

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["DaskCluster", "connected"]

_CHECK_INTERVAL = 0.2
"""Seconds between two checks for an interrupt."""
_MIN_PLACES, _MAX_PLACES = 32, 256
"""Bounds of the number of submitted runs: a growing cluster needs some work to begin with, but each
submitted run takes a thread here.
"""
_COMING_BACK = 4
"""The most results transferred at a time, as they are in memory until they are stored."""
_CONNECT_SECONDS = 15


class Signature(NamedTuple):
    """Facts that two machines must share for their results to be equal."""

    version: str
    fingerprint: str
    """The fingerprint of a short run."""


class DaskCluster:
    """The workers of a Dask scheduler.

    Args:
        client: A client of the scheduler; it stays open.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._coming_back = threading.Semaphore(_COMING_BACK)

    @property
    def places(self) -> int:
        """The number of runs submitted at a time, which is more than the cluster runs at once."""
        threads: int = sum(self._client.nthreads().values())
        return min(max(2 * threads, _MIN_PLACES), _MAX_PLACES)

    def check(self) -> None:
        """Checks that workers have the version of this process, and give the same results. Workers
        that join later are checked with each run.

        Raises:
            ClusterError: A worker has another version, or gives other results.
        """
        for worker, found in self._client.run(_probe(), on_error="return").items():
            if isinstance(found, BaseException):
                what = f"worker {worker} has no incast: {type(found).__name__}: {found}"
                raise ClusterError(what, hint=f"install incast {__version__} where workers run")
            _check(found, signature(), worker)

    def run(
        self,
        scenario: Scenario,
        *,
        folder: Path,
        force: bool,
        memory: Memory,
        progress: Progress,
    ) -> Results:
        """As :func:`incast.run`. At the end, the results are in the folder on this machine."""
        place = Place(folder, scenario.identity, force=force)
        if (found := place.earlier()) is not None:
            return unless_stalled(found)
        place.claim()
        with tempfile.TemporaryDirectory(prefix="incast-") as staging:
            self._bring(scenario, memory, progress, Path(staging) / "run")
            with late_warnings() as warn:
                kept = place.keep(load(Path(staging) / "run"), warn)
        assert kept.folder is not None
        return unless_stalled(load(kept.folder))

    def _bring(self, scenario: Scenario, memory: Memory, progress: Progress, folder: Path) -> None:
        """Runs a scenario on a worker, and stores its results in a folder."""
        # The key is unique, so that Dask does not give the failure of an earlier call.
        key = f"incast-{scenario.identity}-{uuid.uuid4().hex[:8]}"
        future = self._client.submit(
            run_on_worker, scenario, scenario.identity, signature(), memory, key=key, pure=False
        )
        try:
            _wait(future, progress)
            with self._coming_back:
                files = _result(future, scenario)
                folder.mkdir()
                for name, content in files.items():
                    (folder / name).write_bytes(content)
        finally:
            # Cancels an unfinished run, and frees the memory of a finished one.
            future.cancel()


def connected(address: str) -> Client:
    """A client of the scheduler at an address.

    Raises:
        ClusterError: Dask is not installed, or there is no scheduler.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError:
        what = "Dask is not installed"
        raise ClusterError(what, hint="pip install distributed") from None
    try:
        # Checked first, because a client with an impossible address logs errors when it is deleted.
        get_address_host_port(address)
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        what = f"no Dask scheduler answers at {address}: {error}"
        raise ClusterError(what, hint="give the address that `dask scheduler` prints") from None


def run_on_worker(
    scenario: Scenario, identity: str, expected: Signature, memory: Memory
) -> dict[str, bytes]:
    """Runs a scenario on a worker, and gives the files of its results.

    Raises:
        ClusterError: The worker has another version, or other files under the names in the
            scenario.
        RunError: The run failed.
    """
    _check(signature(), expected, os.uname().nodename)
    if scenario.identity != identity:
        what = f"{scenario.name}: a file that the scenario names is another one on a worker"
        raise ClusterError(what, hint="keep such files where all machines see them")
    checked = CheckedRun.of(scenario)
    shared = _shared_memory() if memory == "fit" else SharedMemory(None)
    with tempfile.TemporaryDirectory(prefix="incast-") as staging:
        folder = Path(staging) / "run"
        # A stall is reported by the machine that keeps the results.
        with shared.taken(shared.needed(scenario.estimate())), suppress(StallError):
            _run_here(checked, folder, memory)
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def _run_here(checked: CheckedRun, folder: Path, memory: Memory) -> None:
    """Runs a scenario on this worker. An algorithm that ends its process does not end the worker. A
    KeyboardInterrupt was raised by the algorithm, as the user's Ctrl-C does not reach workers.
    """
    try:
        if can_run(checked.scenario):
            options: dict[str, Any] = {"force": False, "memory": memory}
            run_in_process(checked, folder=folder, progress=lambda _: None, **options)
        else:
            # The scenario was checked again when it arrived at this worker.
            run_checked(checked.scenario, folder=folder, threads=1, memory=memory)
        return
    except KeyboardInterrupt:
        pass
    # Raised outside of the `except` block: the caught exception has results, which would be sent
    # along.
    raise ended_by_algorithm(checked.scenario)


@cache
def signature() -> Signature:
    """The signature of this machine."""
    return Signature(__version__, run(_SMALL, threads=1).fingerprint)


_SMALL: Mapping[str, Any] = {
    "network": {"topology": {"kind": "star", "hosts": 9}},
    "cc": {"algorithm": "dcqcn"},
    "traffic": [{"kind": "poisson", "sizes": "web-search", "load": 0.6, "duration": "200us"}],
}
"""A scenario that runs in milliseconds, and depends on floating-point and random numbers."""


@cache
def _shared_memory() -> SharedMemory:
    """The shared memory of a worker's process."""
    return SharedMemory.of_machine()


def _probe() -> Any:
    """A function that is pickled by value, so that it also runs on workers without incast."""

    def probe() -> Any:
        import importlib

        return importlib.import_module("incast.campaign.dask").signature()

    return probe


def _check(found: Signature, expected: Signature, worker: str) -> None:
    if found.version != expected.version:
        what = f"worker {worker} has incast {found.version}, and this is {expected.version}"
        raise ClusterError(what, hint="install one version everywhere")
    if found != expected:
        what = f"worker {worker} gives other results than this machine, with the same version"
        raise ClusterError(what, hint="install the same build everywhere")


def _wait(future: Future[dict[str, bytes]], progress: Progress) -> None:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    while not done.wait(_CHECK_INTERVAL):
        # This call raises an exception if the campaign is to end.
        progress({"hops": 0.0})


def _result(future: Future[dict[str, bytes]], scenario: Scenario) -> dict[str, bytes]:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        files: dict[str, bytes] = future.result()
        return files
    except KilledWorker as error:
        what = f"{scenario.name}: {error.allowed_failures + 1} workers died while they ran it"
        raise RunError(what, hint="they may have had too little memory") from None
    except FutureCancelledError:
        what = f"{scenario.name}: the Dask scheduler has lost the run, or has ended"
        raise RunError(what, hint="the same command goes on") from None
