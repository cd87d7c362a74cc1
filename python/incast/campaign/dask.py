"""A campaign on a Dask cluster: workers run, results come back as files.

Dask runs again what was under way on a worker that died; a run is the same wherever it goes on.
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
"""A cluster that grows with its work has to see some; each run that is handed over has a thread."""
_COMING_BACK = 4
"""Results that come back at a time: they are in memory until they are stored."""
_CONNECT_SECONDS = 15


class Signature(NamedTuple):
    """What two machines must have in common for their results to be equal."""

    version: str
    fingerprint: str
    """The fingerprint of a small run."""


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
        """Runs that are handed to it at a time: more than it can do at once."""
        threads: int = sum(self._client.nthreads().values())
        return min(max(2 * threads, _MIN_PLACES), _MAX_PLACES)

    def check(self) -> None:
        """Makes sure that workers have the version of this process, and give its results. Those
        that join later are checked at each run.

        Raises:
            ClusterError: They do not.
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
        """As :func:`incast.run`: the results are in the folder of this machine at the end."""
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
        """Has a worker run a scenario, and puts its results into a folder."""
        # A key of its own: an earlier call's failure is not this one's.
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
            # One that is not done is of no use any more; one that is done makes room.
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
        # A client of an impossible address complains when it goes.
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
        ClusterError: The worker's version is another, or files that the scenario names are.
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
        # A stall is told where the results are kept.
        with shared.taken(shared.needed(scenario.estimate())), suppress(StallError):
            _run_here(checked, folder, memory)
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def _run_here(checked: CheckedRun, folder: Path, memory: Memory) -> None:
    """Runs a scenario on this worker. An algorithm that ends its process does not end the worker,
    and a KeyboardInterrupt is the algorithm's own: those of users do not come here.
    """
    try:
        if can_run(checked.scenario):
            options: dict[str, Any] = {"force": False, "memory": memory}
            run_in_process(checked, folder=folder, progress=lambda _: None, **options)
        else:
            # It was checked anew when it came to this worker.
            run_checked(checked.scenario, folder=folder, threads=1, memory=memory)
        return
    except KeyboardInterrupt:
        pass
    # Not beside the exception: that has results, which would be sent with it.
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
"""Some milliseconds of work in which floating-point numbers and random ones matter."""


@cache
def _shared_memory() -> SharedMemory:
    """The shared memory of a worker's process."""
    return SharedMemory.of_machine()


def _probe() -> Any:
    """A function that is sent as it is, so that workers without incast can say so."""

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
        # Raises what ends the campaign.
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
