"""The plan of a test: a scenario for each size, algorithm and congestion control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from incast.campaign.checked_run import CheckedRun
from incast.collectives.fixed_keys import check_collective, check_traffic, without_traffic
from incast.collectives.networks import DEFAULT_RANKS, built_for, host_numbers
from incast.collectives.operations import DATATYPES, Operation, operation
from incast.collectives.rows import BandwidthTest
from incast.collectives.sizes import measured_sizes
from incast.errors import ScenarioError
from incast.keywords import scenario_for
from incast.names import hint
from incast.present.key_figures.of_network import size as network_size
from incast.scenario import Scenario

__all__ = ["Asked", "Plan", "PlannedTest", "Ranks", "Source", "names", "ranks_of"]

Source: TypeAlias = "str | Path | Mapping[str, Any] | Scenario"


@dataclass(frozen=True)
class Ranks:
    """The ranks, and the network on which they run."""

    source: Source
    hosts: list[int]
    network: str
    """A sentence that describes the network."""


@dataclass(frozen=True)
class PlannedTest:
    """The run for one size, algorithm and congestion control."""

    algorithm: str
    cc: str
    size: int
    count: int
    checked: CheckedRun


def ranks_of(
    function: Callable[..., Any],
    scenario: Source | None,
    ranks: int | None,
    hosts: str | Sequence[int] | None,
    overrides: Mapping[str, Any],
) -> Ranks:
    """The ranks and their hosts. Without a scenario, a network is built for them.

    Raises:
        ScenarioError: The network has too few hosts, or the scenario is not valid.
    """
    check_traffic(overrides)
    listed = None if hosts is None else host_numbers(hosts)
    if listed is not None and ranks is not None:
        raise ScenarioError("ranks and hosts say the same", key="hosts", hint="give one of them")
    source = scenario
    if source is None:
        needed = 1 + max(listed, default=0) if listed is not None else ranks or DEFAULT_RANKS
        source = built_for(max(needed, 2))
    probe = [{"kind": "collective", "operation": "send-receive", "data": "1B"}]
    found = _checked(function, source, {**without_traffic(overrides), "traffic": probe})
    there = int(found.describe()["hosts"])
    wanted = DEFAULT_RANKS if scenario is None else there
    chosen = listed if listed is not None else list(range(wanted if ranks is None else ranks))
    if len(chosen) < 2:
        key = "hosts" if listed is not None else "ranks"
        raise ScenarioError("a collective has two ranks or more", key=key, hint="give e.g. 8")
    if listed is not None and max(listed) >= there:
        what = f"host {max(listed)} does not exist"
        raise ScenarioError(what, key="hosts", hint=f"the network has hosts 0 to {there - 1}")
    if len(chosen) > there:
        what = f"{len(chosen)} ranks need a host each, and the network has {there}"
        raise ScenarioError(what, key="ranks", hint=f"give at most {there}")
    return Ranks(source, chosen, _network(found, scenario is None))


def _network(scenario: Scenario, is_built: bool) -> str:
    """A sentence that describes a network; overrides may have changed a network that was built."""
    facts, network = scenario.describe(), scenario.to_dict()["network"]
    topology = network["topology"]
    kind = topology.get("kind") if isinstance(topology, Mapping) else None
    if not is_built or kind not in _SHAPES:
        return f"{facts['name']}: {network_size(facts)}"
    rate = network.get("link_rate") or topology.get("host_rate") or topology.get("rate")
    delay = network.get("link_delay") or topology["delay"]
    shape = _SHAPES[kind].format(**topology)
    planes = f", {network['planes']} planes" if network.get("planes", 1) != 1 else ""
    return f"{shape}{planes}, {rate}, links of {delay}, MTU {network['packets']['mtu']}"


_SHAPES = {
    "star": "{hosts} hosts on one switch",
    "leaf-spine": "leaf-spine, {leaves} leaves of {hosts_per_leaf} hosts, {spines} spines",
}
"""Sentences that describe the topologies that may be built."""


@dataclass(frozen=True)
class Asked:
    """The request: what to measure, checked as far as possible without the network.

    Raises:
        ScenarioError: The request is not valid.
    """

    operation: str
    datatype: str
    root: int
    iterations: int
    warmup: int

    def __post_init__(self) -> None:
        operation(self.operation)
        if self.datatype not in DATATYPES:
            what, known = f"unknown type `{self.datatype}`", hint(self.datatype, DATATYPES)
            raise ScenarioError(what, key="datatype", hint=known)
        if self.iterations < 1:
            what = f"`{self.iterations}` operations cannot be timed"
            raise ScenarioError(what, key="iterations", hint="give 1 or more")
        if self.warmup < 0:
            what = f"`{self.warmup}` is not a number of operations"
            raise ScenarioError(what, key="warmup", hint="give 0 or more")


@dataclass(frozen=True)
class Plan:
    """The operation, the ranks, and the sizes to measure."""

    operation: Operation
    ranks: Ranks
    test: BandwidthTest
    sizes: Mapping[int, int]
    """The sizes in bytes, each with its count of elements."""
    left_out: Sequence[int]
    """Requested sizes that are rounded down to nothing."""

    @staticmethod
    def of(asked: Asked, sizes: Sequence[int], ranks: Ranks) -> Plan:
        """Makes the plan of a request.

        Raises:
            ScenarioError: All sizes are rounded down to nothing, or there is no such root.
        """
        what, count = operation(asked.operation), len(ranks.hosts)
        if not 0 <= asked.root < count:
            known = f"give one of 0 to {count - 1}"
            raise ScenarioError(f"there is no rank {asked.root}", key="root", hint=known)
        test = BandwidthTest(
            what.name,
            count,
            ranks.network,
            asked.datatype,
            what.reduction,
            asked.root if what.rooted else -1,
            asked.iterations,
            asked.warmup,
        )
        word = DATATYPES[asked.datatype]
        return Plan(what, ranks, test, *measured_sizes(sizes, what, word, count))

    def tests(
        self,
        function: Callable[..., Any],
        ways: Sequence[tuple[str | None, str | None]],
        traffic: Mapping[str, Any],
        overrides: Mapping[str, Any],
    ) -> list[PlannedTest]:
        """Makes and checks all runs.

        Args:
            function: The function that the user called, for hints.
            ways: Pairs of an algorithm and a congestion control.
            traffic: Optional keys of the collective.
            overrides: Settings for every run.

        Raises:
            ScenarioError: A run is not valid.
        """
        check_collective(traffic)
        tests = []
        for algorithm, cc in ways:
            for size, count in self.sizes.items():
                entry = {**self._entry(algorithm, size), **traffic}
                # The entry comes first, as overrides may change keys of it.
                own = {"traffic": [entry], "name": self._name(algorithm, size)}
                settings = {**own, **overrides}
                if cc is not None:
                    settings["cc"] = cc
                found = _checked(function, self.ranks.source, settings)
                how, control = algorithm or self.operation.default, cc or found.algorithm
                tests.append(PlannedTest(how, control, size, count, CheckedRun.of(found)))
        return tests

    def _entry(self, algorithm: str | None, size: int) -> dict[str, Any]:
        """The traffic entry of a run."""
        hosts = self.ranks.hosts
        return {
            "kind": "collective",
            "operation": self.operation.name,
            "data": f"{size}B",
            "hosts": _text(hosts),
            "rounds": self.test.iterations + self.test.warmup,
            **({} if algorithm is None else {"algorithm": algorithm}),
            **({"root": hosts[self.test.root]} if self.operation.rooted else {}),
        }

    def _name(self, algorithm: str | None, size: int) -> str:
        """The name of a run in its results folder."""
        return "-".join(filter(None, ("nccl-tests", self.operation.name, algorithm, f"{size}B")))


def names(given: str | Sequence[str] | None, key: str) -> Sequence[str | None]:
    """Names from a list or a text with commas, each once; a list of ``None`` if nothing is
    given.
    """
    if given is None:
        return [None]
    named = given.split(",") if isinstance(given, str) else given
    found = list(dict.fromkeys(name.strip() for name in named if name.strip()))
    if not found:
        raise ScenarioError("names nothing", key=key, hint="leave it out, or name one")
    return list(found)


def _text(hosts: Sequence[int]) -> str:
    """Numbers of hosts in the form of scenarios: consecutive numbers as a range."""
    ranges: list[list[int]] = []
    for host in hosts:
        if ranges and host == ranges[-1][1] + 1:
            ranges[-1][1] = host
        else:
            ranges.append([host, host])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ranges)


_ARGUMENTS = {
    "algorithm": "algorithm",
    "data": "max_bytes",
    "hosts": "ranks",
    "node_size": "node_size",
    "rings": "rings",
    "channels": "channels",
    "chunk": "chunk",
    "rounds": "iterations",
    "root": "root",
}
"""The argument that determines each key of the traffic, for error messages."""
_TRAFFIC = "traffic[0]."


def _checked(function: Callable[..., Any], source: Source, settings: Mapping[str, Any]) -> Scenario:
    try:
        found = scenario_for(function, source, settings)
    except ScenarioError as error:
        key = str(error.key or "")
        if key == "traffic" and error.what.startswith("unknown key"):
            raise _is_fabric() from None
        if key == "nic.qps" and not error.file:
            error.hint = "set nic.qps=per-flow, or take another algorithm"
        argument = _ARGUMENTS.get(key.removeprefix(_TRAFFIC))
        if key.startswith(_TRAFFIC) and argument:
            error.key, error.file, error.line = argument, None, None
        raise
    if found.kind != "network":
        raise _is_fabric()
    return found


def _is_fabric() -> ScenarioError:
    what = "it is of a memory fabric, whose work is of other kinds"
    return ScenarioError(what, key="scenario", hint="give one with [network], or none")
