"""A run as a timeline for Perfetto: flows by host, collectives, pauses, queues."""

from __future__ import annotations

import warnings
from pathlib import Path

from incast.errors import ResultsError
from incast.export.flow_tracks import FlowTracks
from incast.export.nodes import Nodes
from incast.export.place import checked_target, stored
from incast.export.port_tracks import PortTracks
from incast.export.task_tracks import TaskTracks
from incast.export.trace_events import Tracks
from incast.measure.run import Run, is_fabric

__all__ = ["write"]


def write(run: Run, file: Path, limit: int, overwrite: bool) -> Path:
    """Writes a timeline, and gives its path. Warnings, and the file itself, say what was left
    out.
    """
    checked_target(file, overwrite=overwrite)
    if is_fabric(run):
        what = f"{run.name}: a memory fabric has no flows"
        raise ResultsError(what, hint="export results of a [network]")
    if limit < 1:
        raise ResultsError(f"cannot keep {limit} flows", hint="keep 1 or more")
    tracks = Tracks()
    nodes = Nodes(run, tracks)
    tasks = TaskTracks(run, tracks, nodes, limit)
    flows = FlowTracks(run, tracks, nodes, limit, tasks.flows_of_paths())
    ports = PortTracks(run, tracks, nodes, limit)
    left_out = [*flows.left_out, *tasks.left_out, *ports.left_out]
    facts = {
        "scenario": run.name,
        "algorithm": run.algorithm,
        "identity": run.identity,
        "incast": run.summary["incast"],
        "left out": left_out,
    }
    parts = [flows.events(), tasks.events(), flows.arrows(tasks.steps), *ports.events()]
    with stored(file) as out:
        tracks.write(out, parts, facts)
    for each in left_out:
        warnings.warn(f"{run.name}: {each}", stacklevel=3)
    return file
