"""Measures collectives as nccl-tests does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incast.campaign.campaign import Campaign, CampaignInterrupted, CampaignResult
from incast.campaign.watch import Watch
from incast.collectives.measured import NcclTests
from incast.collectives.plan import Asked, Plan, PlannedTest, Source, names, ranks_of
from incast.collectives.rows import BandwidthRow, Bandwidths
from incast.collectives.sizes import byte_count, sizes
from incast.experiment import Memory, check_threads
from incast.files import checked_path
from incast.measure.critical_path import CriticalPath, critical_paths
from incast.results import Results

__all__ = ["NcclTestsInterrupted", "nccl_tests"]


class NcclTestsInterrupted(KeyboardInterrupt):
    """Ctrl-C was pressed while collectives were measured.

    Attributes:
        tests: The rows measured until then.
    """

    def __init__(self, sentence: str, tests: NcclTests) -> None:
        super().__init__(sentence)
        self.tests = tests


def nccl_tests(
    operation: str,
    scenario: Source | None = None,
    *,
    min_bytes: str | int = "8",
    max_bytes: str | int = "1G",
    factor: int = 2,
    step: str | int | None = None,
    ranks: int | None = None,
    hosts: str | Sequence[int] | None = None,
    algorithm: str | Sequence[str] | None = None,
    cc: str | Sequence[str] | None = None,
    root: int = 0,
    datatype: str = "float",
    iterations: int = 1,
    warmup: int = 0,
    traffic: Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    force: bool = False,
    threads: int | None = None,
    memory: Memory = "fit",
    watch: Watch | None = None,
    **overrides: Any,
) -> NcclTests:
    """Measures a collective over the size of its data, as nccl-tests does: a run for each size.

    Args:
        operation: ``all-reduce``, ``reduce-scatter``, ``all-gather``, ``broadcast``, ``reduce``,
            ``all-to-all`` or ``send-receive``; or the name of nccl-tests' program.
        scenario: As for :func:`run`; its traffic is replaced. By default, a network is built for
            the ranks, under HPCC.
        min_bytes: The smallest size: ``8``, ``1K``, ``32M`` (powers of 1024), ``1MB`` or ``1MiB``.
        max_bytes: The largest size.
        factor: The factor from one size to the next.
        step: Bytes from one size to the next, in place of a factor.
        ranks: The number of ranks, on the first hosts; by default 64, or all hosts of the scenario.
        hosts: The host of each rank instead: ``"0,4,8"``, ``"0-15"``, or a list.
        algorithm: The algorithm: ``ring``, ``tree``, ``halving-doubling``, ``direct``,
            ``hierarchical``; or several, in a list or with commas. Scenarios have the same default.
        cc: The congestion control, one or several; by default, the scenario's.
        root: The rank that sends the data of a broadcast, or gets the sum of a reduce.
        datatype: The type of the elements.
        iterations: The number of timed operations, one after the other.
        warmup: The number of operations before the timed ones.
        traffic: Other keys of the collective: ``{"rings": 2, "chunk": "1MiB"}``.
        store: As for :func:`run`.
        force: As for :func:`run`.
        threads: The number of cores to use, and of runs at a time; by default, all cores.
        memory: As for :func:`run`.
        watch: Gets the progress of all runs together.
        overrides: Settings that replace the scenario's in every run.

    Raises:
        ScenarioError: An argument or the scenario is not valid; nothing has run.
        NcclTestsInterrupted: Ctrl-C was pressed; its ``tests`` has the rows measured so far.

    Runs that fail are part of the table: :attr:`NcclTests.failures`.
    """
    asked = Asked(operation, datatype, root, iterations, warmup)
    wanted = sizes(min_bytes, max_bytes, factor, step)
    who = ranks_of(nccl_tests, scenario, ranks, hosts, overrides)
    plan = Plan.of(asked, wanted, who)
    ways = [(way, control) for way in names(algorithm, "algorithm") for control in names(cc, "cc")]
    tests = plan.tests(nccl_tests, ways, traffic or {}, overrides)
    measure = _Measure(who.hosts, iterations, warmup, _payload_share(tests))
    folder, jobs = None if store is None else checked_path(store), _cores(threads)
    campaign = Campaign(
        measure, folder, jobs=jobs, force=force, memory=memory, order="given", watch=watch
    )
    return _run(plan, tests, campaign)


def _cores(threads: int | None) -> int | None:
    if threads is not None:
        check_threads(threads)
    return threads


def _run(plan: Plan, tests: Sequence[PlannedTest], campaign: Campaign[_Timed]) -> NcclTests:
    try:
        # Short runs come first, so that the table has them after Ctrl-C.
        ended = campaign.run(each.checked for each in sorted(tests, key=lambda each: each.size))
    except CampaignInterrupted as stopped:
        found = _gathered(plan, tests, stopped.ended)
        raise NcclTestsInterrupted(str(stopped), found) from None
    return _gathered(plan, tests, ended)


@dataclass(frozen=True)
class _Timed:
    """The numbers that are kept of a run."""

    picoseconds: float
    """Time of one operation; NaN if the run did not complete."""
    payload_gb_per_s: float
    path: CriticalPath | None
    """The critical path of the timed operations; ``None`` if they did not all complete."""


@dataclass(frozen=True)
class _Measure:
    """Computes the kept numbers of a run. It is a class so that it can be sent to other
    processes.
    """

    hosts: list[int]
    iterations: int
    warmup: int
    payload_share: float

    def __call__(self, results: Results) -> _Timed:
        rounds = results.collectives
        number, start, time = (rounds[name] for name in ("round", "start_ps", "time_ps"))
        timed = number >= self.warmup
        of_one, path = math.nan, None
        if timed.sum() == self.iterations:
            # As in nccl-tests: from the start of the first timed operation to the end of the last.
            of_one = ((start + time)[timed].max() - start[timed].min()) / self.iterations
            path = next(iter(critical_paths(results, from_round=self.warmup)), None)
        slowest = _slowest(results, self.hosts)
        return _Timed(float(of_one), slowest / 8e9 * self.payload_share, path)


def _slowest(results: Results, hosts: Sequence[int]) -> float:
    """The rate of the slowest host in bit/s, all of its NICs together."""
    ports, chosen = results.ports, set(hosts)
    rates: dict[int, float] = dict.fromkeys(chosen, 0.0)
    # Ports of switches have no host.
    of_port = ports["host"] if "host" in ports else ports["node"]
    for host, rate in zip(of_port, ports["rate_bps"], strict=True):
        if host == host and int(host) in chosen:
            rates[int(host)] += float(rate)
    return min(rates.values())


def _payload_share(tests: Sequence[PlannedTest]) -> float:
    """The share of payload in a full packet without telemetry."""
    packets = tests[0].checked.scenario.to_dict()["network"]["packets"]
    mtu, header = (byte_count(packets[key], key) for key in ("mtu", "data_header"))
    return mtu / (mtu + header)


def _gathered(plan: Plan, tests: Sequence[PlannedTest], ended: CampaignResult[_Timed]) -> NcclTests:
    rows = [_row(plan, each, ended) for each in tests]
    rates = [each.payload_gb_per_s for each in ended.kept.values()]
    payload, scenario = min(rates, default=math.nan), tests[0].checked.scenario.to_toml()
    return NcclTests(Bandwidths(plan.test, rows, payload, plan.left_out, scenario))


def _row(plan: Plan, each: PlannedTest, ended: CampaignResult[_Timed]) -> BandwidthRow:
    identity = each.checked.identity
    kept: Mapping[str, _Timed] = ended.kept
    failure = ended.failures.get(identity)
    row = BandwidthRow.of_time(
        (each.algorithm, each.cc),
        (each.size, each.count),
        kept[identity].picoseconds if identity in kept else math.nan,
        plan.operation.bus_factor(plan.test.ranks),
        str(failure) if failure else "",
    )
    if identity not in kept:
        return row
    row = replace(row, path=kept[identity].path)
    return row.unless_impossible(each.checked.scenario.name, kept[identity].payload_gb_per_s)
