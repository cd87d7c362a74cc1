"""Imports from ASTRA-sim: the network of its analytical backend, its system file, its workloads.

A network has dimensions, each a ring, a switch or full connection of `npus_count` NPUs, with a
bandwidth in GB/s of 2³⁰ bytes and a latency in ns for each link (`NetworkFunction.cc`,
`NetworkParser.cc`). A single dimension that is a switch becomes a star, with a host for each NPU.
In other networks NPUs also forward traffic, so an NPU becomes a host with its own router. The link
between them is as fast as all ports of the NPU together.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from incast.errors import ImportFileError, printable
from incast.files import checked_path
from incast.graphs.formats import text_of
from incast.graphs.importing import NETWORK, ImportedGraph, checked, scenario_path
from incast.graphs.network_graph import GraphLink, GraphNode, NetworkGraph
from incast.graphs.optional import read_yaml
from incast.graphs.quantities import number

__all__ = ["import_astra_sim", "read_network", "read_system"]

_SHAPES = ("Ring", "Switch", "FullyConnected")
_MAX_NPUS, _MAX_LINKS = 1 << 16, 1 << 22
_ROUTER_DELAY_PS = 1000
"""Delay of the link between an NPU's host and its router; it cannot be 0."""


def import_astra_sim(
    network: str | Path,
    *,
    system: str | Path | None = None,
    workload: str | Path | None = None,
    groups: str | Path | None = None,
    algorithm: str = "none",
) -> ImportedGraph:
    """Reads an experiment of ASTRA-sim.

    Args:
        network: The file of the analytical network, ``network.yml``.
        system: The system file, with the algorithms of collectives and the peak rate of an NPU.
        workload: The path of the traces without the ending ``.0.et``; by default an all-reduce of 1
            MB.
        groups: The file of the traces' process groups, ``comm_group.json``.
        algorithm: The congestion control; ASTRA-sim's analytical network has none.

    Raises:
        ImportFileError: A file cannot be read, or asks for a feature that is not modelled.
    """
    source = checked_path(network, ImportFileError)
    try:
        graph = _network(_yaml(source))
        told = _System.read(checked_path(system, ImportFileError)) if system else _System()
    except OSError as error:
        raise ImportFileError(error.strerror or str(error), file=str(error.filename)) from None
    except ImportFileError as error:
        error.file = error.file or str(source)
        raise
    traffic = _traffic(source.parent, workload, groups, told)
    scenario = _SCENARIO.format(
        source=printable(source.name), network=NETWORK, algorithm=algorithm, traffic=traffic
    )
    return checked(source, replace(graph, notes=[*graph.notes, *told.notes]), scenario)


def read_network(file: Path) -> NetworkGraph:
    """Reads the network of a file.

    Raises:
        ImportFileError: The file is no such network, or its network is not modelled.
    """
    try:
        return _network(_yaml(file))
    except ImportFileError as error:
        error.file = error.file or str(file)
        raise


def read_system(file: Path) -> int:
    """Counts the settings of a system file.

    Raises:
        ImportFileError: The file is no system file, or asks for a feature that is not modelled.
    """
    return len(_System.read(file).notes)


_SCENARIO = """\
# From {source} of ASTRA-sim.

[network]
topology = {{ file = "{network}", format = "graph" }}

[cc]
algorithm = "{algorithm}"

[nic]
qps = "persistent"

[[traffic]]
{traffic}"""


def _traffic(
    folder: Path, workload: str | Path | None, groups: str | Path | None, system: _System
) -> str:
    if workload is None:
        if groups is not None:
            what = "is of a workload, which is not given"
            raise ImportFileError(what, file=str(groups), hint="give it with --workload")
        lines = ['kind = "collective"', 'operation = "all-reduce"', 'data = "1MB"']
    else:
        seen = scenario_path(checked_path(workload, ImportFileError), folder)
        lines = ['kind = "tasks"', f'file = "{seen}"', 'format = "chakra"']
        if groups is not None:
            seen = scenario_path(checked_path(groups, ImportFileError), folder)
            lines.append(f'groups = {{ file = "{seen}" }}')
        if system.roofline is not None:
            lines.append(f"roofline = {system.roofline}")
    if system.algorithm is not None:
        lines.append(f'algorithm = "{system.algorithm}"')
    return "\n".join(lines) + "\n"


def _yaml(file: Path) -> dict[str, Any]:
    held = read_yaml(text_of(file), "a network of ASTRA-sim", "no YAML")
    if not isinstance(held, dict):
        hint = "write `topology`, `npus_count`, `bandwidth` and `latency`"
        raise ImportFileError("is no network of ASTRA-sim", hint=hint)
    return held


@dataclass(frozen=True)
class _Dimension:
    shape: str
    count: int
    rate_bps: int
    delay_ps: int


_KEYS = ("topology", "npus_count", "bandwidth", "latency")


def _network(held: dict[str, Any]) -> NetworkGraph:
    for key in held:
        if key not in _KEYS:
            hint = f"there are {', '.join(_KEYS)}"
            raise ImportFileError(f"`{key}` is not known", key=str(key), hint=hint)
    listed = []
    for key in _KEYS:
        values = held.get(key)
        if not isinstance(values, list) or not values:
            raise ImportFileError("is no list", key=key, hint="write e.g. `[ 8 ]`")
        listed.append(values)
    if len({len(values) for values in listed}) > 1:
        lengths = ", ".join(f"{key} {len(each)}" for key, each in zip(_KEYS, listed, strict=True))
        what = f"the lists have different lengths: {lengths}"
        raise ImportFileError(what, hint="give one value for each dimension")
    dimensions = [_dimension(at, *values) for at, values in enumerate(zip(*listed, strict=True))]
    npus = prod(each.count for each in dimensions)
    if npus > _MAX_NPUS:
        what = f"there are {npus} NPUs"
        raise ImportFileError(what, key="npus_count", hint=f"give {_MAX_NPUS} at most")
    if [each.shape for each in dimensions] == ["Switch"]:
        return _star(dimensions[0])
    return _routers(dimensions, npus)


def _dimension(at: int, shape: Any, count: Any, bandwidth: Any, latency: Any) -> _Dimension:
    if shape not in _SHAPES:
        hint = f"there are {', '.join(_SHAPES)}"
        raise ImportFileError(f"`{shape}` is not known", key=f"topology[{at}]", hint=hint)
    if isinstance(count, bool) or not isinstance(count, int) or count < 2:
        hint = "give a whole number from 2 on"
        raise ImportFileError(f"`{count}` is no number of NPUs", key=f"npus_count[{at}]", hint=hint)
    rate, delay = number(bandwidth), number(latency)
    if rate is None:
        what = f"`{bandwidth}` is no bandwidth"
        raise ImportFileError(what, key=f"bandwidth[{at}]", hint="give GB/s, e.g. 50.0")
    if delay is None:
        what = f"`{latency}` is no latency"
        raise ImportFileError(what, key=f"latency[{at}]", hint="give ns from above 0, e.g. 500.0")
    bps = round(rate * 2**30 * 8)
    ps = round(delay * 1000)
    if not (0 < bps < 2**63 and 0 < ps < 2**62):
        what = f"{bandwidth} GB/s and {latency} ns are no link"
        raise ImportFileError(what, key=f"bandwidth[{at}]", hint="give e.g. 50.0 and 500.0")
    return _Dimension(shape, count, bps, ps)


def _star(dimension: _Dimension) -> NetworkGraph:
    nodes = [GraphNode(f"npu{npu}", is_host=True) for npu in range(dimension.count)]
    links = [
        GraphLink((npu, dimension.count), dimension.rate_bps, dimension.delay_ps)
        for npu in range(dimension.count)
    ]
    return NetworkGraph([*nodes, GraphNode("switch0")], links, [_BANDWIDTH])


_BANDWIDTH = ("bandwidth", "GB/s", "used: GB of 2³⁰ bytes, as in ASTRA-sim")


def _routers(dimensions: list[_Dimension], npus: int) -> NetworkGraph:
    nodes = [GraphNode(f"npu{npu}", is_host=True) for npu in range(npus)]
    nodes += [GraphNode(f"router{npu}") for npu in range(npus)]
    ports = sum(_ports(each) * each.rate_bps for each in dimensions)
    links = [GraphLink((npu, npus + npu), ports, _ROUTER_DELAY_PS) for npu in range(npus)]
    stride = 1
    for at, dimension in enumerate(dimensions):
        lines = [
            [npus + first + place * stride for place in range(dimension.count)]
            for first in range(npus)
            if first // stride % dimension.count == 0
        ]
        for number_of_line, line in enumerate(lines):
            if dimension.shape == "Switch":
                pairs = [(router, len(nodes)) for router in line]
                nodes.append(GraphNode(f"switch{at}.{number_of_line}"))
            elif dimension.shape == "Ring":
                # A ring of two nodes has one link.
                ring = zip(line, [*line[1:], line[0]], strict=True)
                pairs = list(ring) if len(line) > 2 else [(line[0], line[1])]
            else:
                pairs = [(a, b) for a, b in product(line, line) if a < b]
            links += [GraphLink(pair, dimension.rate_bps, dimension.delay_ps) for pair in pairs]
            if len(links) > _MAX_LINKS:
                what = f"there are more than {_MAX_LINKS} links"
                raise ImportFileError(what, key=f"npus_count[{at}]", hint="give fewer NPUs")
        stride *= dimension.count
    what = "each is a host at a router of its own, as fast as all its ports, 1 ns away"
    paths = ("paths", "shortest", "ASTRA-sim goes dimension by dimension")
    return NetworkGraph(nodes, links, [_BANDWIDTH, ("NPUs", str(npus), what), paths])


def _ports(dimension: _Dimension) -> int:
    neighbours = dimension.count - 1
    return {"Switch": 1, "Ring": min(2, neighbours)}.get(dimension.shape, neighbours)


_COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
_ALGORITHMS = {
    "ring": "ring",
    "oneRing": "ring",
    "direct": "direct",
    "oneDirect": "direct",
    "halvingDoubling": "halving-doubling",
    "oneHalvingDoubling": "halving-doubling",
    "doubleBinaryTree": "tree",
}
_ONLY_ALL_REDUCE = ("tree",)
_NO_EFFECT = {
    "scheduling-policy": "collectives begin when what they wait for has ended",
    "endpoint-delay": "an NPU takes no time for a message",
    "active-chunks-per-dimension": "a collective is not cut into chunks",
    "preferred-dataset-splits": "a collective is not cut into chunks",
    "collective-optimization": "collectives are not laid over dimensions",
    "local-reduction-delay": "reducing takes no time",
    "model-shared-bus": "there is no bus inside of an NPU",
    "boost-mode": "all NPUs are simulated",
    "trace-enabled": "of ASTRA-sim's log",
    "track-local-mem": "of ASTRA-sim's log",
    "local-mem-trace-filename": "of ASTRA-sim's log",
    "L": "of the bus inside of an NPU",
    "o": "of the bus inside of an NPU",
    "g": "of the bus inside of an NPU",
    "G": "of the bus inside of an NPU",
}


@dataclass(frozen=True)
class _System:
    """The settings of a system file that are used."""

    algorithm: str | None = None
    roofline: str | None = None
    notes: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def read(cls, file: Path) -> _System:
        try:
            held = json.loads(text_of(file))
        except ValueError as error:
            what, line = f"is no JSON: {error}", getattr(error, "lineno", None)
            hint = "is the file cut off?"
            raise ImportFileError(what, file=str(file), line=line, hint=hint) from None
        except RecursionError:
            what = "is no JSON: it is nested too deep"
            raise ImportFileError(what, file=str(file), hint="write an object") from None
        if not isinstance(held, dict):
            what = "is no system of ASTRA-sim"
            raise ImportFileError(what, file=str(file), hint="write an object")
        try:
            return cls._of(held)
        except ImportFileError as error:
            error.file = str(file)
            raise

    @classmethod
    def _of(cls, held: dict[str, Any]) -> _System:
        notes = []
        roofline = _roofline(held)
        used = {"peak-perf", "local-mem-bw", "roofline-enabled", "replay-only"}
        for key, value in held.items():
            if key in used:
                effect = f"used: roofline = {roofline}" if roofline else "not used: no roofline"
                notes.append((key, str(value), effect))
            elif key in _NO_EFFECT:
                notes.append((key, str(value), f"not used: {_NO_EFFECT[key]}"))
            elif key.removesuffix("-implementation") not in _COLLECTIVES:
                hint = "leave it out"
                if key.endswith("-custom"):
                    hint = "name one of the algorithms, e.g. `ring`"
                raise ImportFileError(f"`{key}` is not modelled", key=key, hint=hint)
        algorithm, told = _algorithm(held)
        return cls(algorithm, roofline, (*notes, *told))


def _roofline(held: dict[str, Any]) -> str | None:
    """The NPU's compute and memory rates, in the form of a scenario. GB here are 10⁹ bytes
    (`Sys.cc`).
    """
    if not held.get("roofline-enabled") or held.get("replay-only"):
        return None
    peak = number(held.get("peak-perf"))
    if peak is None:
        what = "the roofline has no peak rate"
        raise ImportFileError(what, key="peak-perf", hint="give TFLOPS, e.g. 900")
    memory = number(held.get("local-mem-bw"))
    rate = "" if memory is None else f', memory_rate = "{_gbps(memory)}"'
    return f"{{ peak_tflops = {float(peak)}{rate} }}"


def _gbps(memory: Fraction) -> str:
    bps = round(memory * 8 * 10**9)
    if not 0 < bps < 2**63:
        what = "this is no rate of a memory"
        raise ImportFileError(what, key="local-mem-bw", hint="give GB/s, e.g. 3350")
    return f"{bps}bps"


def _algorithm(held: dict[str, Any]) -> tuple[str | None, list[tuple[str, str, str]]]:
    """The algorithm of collectives; a traffic entry has one algorithm for all its collectives."""
    told: dict[str, str] = {}
    for collective in _COLLECTIVES:
        key = f"{collective}-implementation"
        if key not in held:
            continue
        names = held[key] if isinstance(held[key], list) else [held[key]]
        for name in names:
            if not isinstance(name, str) or name not in _ALGORITHMS:
                hint = f"there are {', '.join(_ALGORITHMS)}"
                raise ImportFileError(f"`{name}` is not known", key=key, hint=hint)
        chosen = {_ALGORITHMS[name] for name in names}
        if len(chosen) != 1:
            hint = "name one for all dimensions"
            what = "dimensions have different algorithms, and a collective here has one"
            raise ImportFileError(what, key=key, hint=hint)
        told[collective] = chosen.pop()
    algorithm = told.get("all-reduce")
    notes = []
    for collective, name in told.items():
        key = f"{collective}-implementation"
        if collective == "all-to-all":
            notes.append((key, name, "done directly: each rank sends to all others"))
            continue
        done = "ring" if collective != "all-reduce" and algorithm in _ONLY_ALL_REDUCE else algorithm
        if (done or "ring") != name:
            what = f"is `{name}`, but all-reduces are done by `{algorithm or 'ring'}`"
            raise ImportFileError(what, key=key, hint="give both the same")
        notes.append((key, name, "used"))
    return algorithm, notes
