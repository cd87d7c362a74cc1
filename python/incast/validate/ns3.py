"""Compares profile `hpcc-ns3` with the ns-3 artifact of HPCC."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from incast.errors import Error
from incast.experiment import Progress, run
from incast.measure.run import Run
from incast.registry import algorithms
from incast.scenario import Scenario
from incast.validate import artifact
from incast.validate.comparison import compare_flows, compare_packets, compare_pauses, compare_queue
from incast.validate.outcome import Outcome, judge
from incast.validate.recordings import Recording, Tolerance, recordings
from incast.validate.validation import Validation

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ns3", "ns3_outcome", "ns3_recording"]

ARTIFACT_SPEED = {"320-host fat tree": 260e3, "17-host star": 560e3}
"""Packet-hops per CPU second of the artifact's optimised build, on one 2 GHz core."""

Watch: TypeAlias = Callable[[Scenario, str], Progress | None]
"""Takes a scenario and its name, and gives the callback for its run."""


def ns3(*, quick: bool = False, watch: Watch = lambda scenario, name: None) -> Validation:
    """Runs the recorded experiments of the artifact, and compares their results.

    Args:
        quick: Leaves out the 32 921 flows on 320 hosts, which take more than a second.
        watch: Takes a scenario and its name, and gives the callback for its run.
    """
    begin = time.monotonic()
    available = algorithms()
    outcomes = []
    for recording in recordings():
        reason = _reason_to_skip(recording, quick, available)
        if reason is None:
            outcomes.append(ns3_outcome(recording, watch))
        else:
            outcomes.append(
                Outcome(recording.name, recording.title, recording.algorithm, not_run=reason)
            )
    return Validation(outcomes, time.monotonic() - begin, ARTIFACT_SPEED)


def ns3_recording(
    config: str | Path,
    fct: str | Path,
    *,
    topology: str | Path | None = None,
    flows: str | Path | None = None,
    watch: Watch = lambda scenario, name: None,
) -> Validation:
    """Runs an experiment of the artifact from its own files, and compares flow by flow.

    Every completion time must be equal to the nanosecond.

    Args:
        config: The artifact's ``config.txt``.
        fct: The artifact's output of completion times.
        topology: The topology file, if not where the config says.
        flows: The flow file, if not where the config says.
        watch: Takes a scenario and its name, and gives the callback for its run.

    Raises:
        ImportFileError: A file cannot be read, or asks for a feature that is not modelled.
        RunError: The run violated an invariant of the model.
    """
    begin = time.monotonic()
    recorded = artifact.read_fct(fct)
    with artifact.scenario(config, topology, flows) as (scenario, base_ns):
        results = run(scenario, progress=watch(scenario, scenario.name))
    comparison = compare_flows(_as_we_count(recorded, results), results, base_ns)
    outcome = Outcome(
        scenario.name,
        f"{config}",
        results.algorithm,
        flows=comparison,
        checks=judge(Tolerance(each_flow=0.0), comparison),
        **_effort(results, begin),
    )
    return Validation([outcome], time.monotonic() - begin, ARTIFACT_SPEED)


def _reason_to_skip(recording: Recording, quick: bool, available: Mapping[str, str]) -> str | None:
    if recording.algorithm not in available:
        return f"algorithm {recording.algorithm} is not in this version"
    return "left out by --quick" if quick and not recording.quick else None


def ns3_outcome(recording: Recording, watch: Watch = lambda scenario, name: None) -> Outcome:
    """Runs one of the recorded experiments, and compares its results.

    Args:
        recording: The experiment, as the artifact ran it.
        watch: Takes a scenario and its name, and gives the callback for its run.
    """
    begin = time.monotonic()
    try:
        with recording.scenario() as scenario:
            results = run(scenario, progress=watch(scenario, recording.name))
    except Error as error:
        return Outcome(recording.name, recording.title, recording.algorithm, failed=str(error))
    table = recording.table("flows")
    assert table is not None, "every recording has flows"
    flows = compare_flows({**table, "source_port": _source_ports(table)}, results)
    queue = recording.table("queue")
    pauses, packets = recording.table("pfc"), recording.table("packets")
    compared_queue = compare_queue(queue, results, recording.packet_bytes or 1) if queue else None
    compared_packets = compare_packets(packets, results.packets) if packets else None
    compared_pauses = compare_pauses(pauses, results) if pauses else None
    return Outcome(
        recording.name,
        recording.title,
        recording.algorithm,
        flows=flows,
        queue=compared_queue,
        pauses=compared_pauses,
        packets=compared_packets,
        checks=judge(recording.tolerance, flows, compared_queue, compared_packets, compared_pauses),
        **_effort(results, begin),
    )


def _as_we_count(
    recorded: dict[str, np.ndarray[Any, Any]], results: Run
) -> dict[str, np.ndarray[Any, Any]]:
    """The recording with our numbers of hosts, if the artifact's topology file numbers them
    otherwise.
    """
    import numpy as np

    flows = results.completed
    if "source_name" not in flows.columns:
        return recorded
    hosts: dict[int, int] = {}
    for end in ("source", "destination"):
        names = flows.categories(f"{end}_name")
        nodes = np.array([int(name.removeprefix("node")) for name in names.texts])[names.indices]
        hosts.update(zip(nodes.tolist(), flows.numbers(end).tolist(), strict=True))
    ends = {
        end: np.array([hosts.get(node, _NO_HOST) for node in recorded[end].tolist()])
        for end in ("source", "destination")
    }
    return {**recorded, **ends}


_NO_HOST = (1 << 16) - 1
"""A number that no host has."""


def _effort(results: Run, begin: float) -> dict[str, Any]:
    return {
        "seconds": time.monotonic() - begin,
        "packet_hops": results.summary["packet_hops"],
        "packet_hops_per_cpu_second": results.summary["packet_hops_per_cpu_second"],
    }


def _source_ports(flows: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """The UDP source ports of flows in the artifact: 10000, 10001, … for each pair of hosts."""
    import numpy as np

    earlier: dict[tuple[int, int], int] = {}
    ports = []
    for pair in zip(flows["source"].tolist(), flows["destination"].tolist(), strict=True):
        earlier[pair] = earlier.get(pair, -1) + 1
        ports.append(10_000 + earlier[pair])
    return np.array(ports, dtype=np.int64)
