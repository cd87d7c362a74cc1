"""Flows alone on their paths, and their share of a run's packet-hops.

A flow is alone while no other flow that is alive uses one of its ports. It is alive from its start
until its sender has its last ACK. A lone flow sends at most at the rate of its slowest link.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from incast import _core
from incast.errors import ResultsError
from incast.measure.ports import Place, ends_of_flows, every_port

if TYPE_CHECKING:
    from incast.measure.run import Run
    from incast.scenario import Scenario

__all__ = ["Life", "lone_share", "times_alone"]


class Life(NamedTuple):
    """The start and the end of a flow in ps, and the ports it uses."""

    start: int
    end: int
    ports: Collection[Place]


def lone_share(run: Run, scenario: Scenario, base_rtts: float, *, with_acks: bool) -> float:
    """An upper bound on the share of packet-hops made by lone flows.

    Args:
        run: A run of a network.
        scenario: Its scenario.
        base_rtts: The shortest period alone that counts, in base RTTs.
        with_acks: Whether a flow also uses the ports that its ACKs take.

    Raises:
        ResultsError: Rows of flows were not kept, links failed, or flows take several paths.
    """
    flows = run.flows
    if run.summary.get("faults") is not None:
        raise ResultsError(f"{run.name}: paths change with faults", hint="ask a run without faults")
    starts, acked = flows.numbers("start_ps"), flows.numbers("acked_bytes")
    ends = np.fmin(starts + flows.numbers("fct_ps"), run.summary["simulated_ps"])
    links = list(_links(run, scenario))
    ports = [(*data, *acks) if with_acks else data for data, acks in links]
    times = zip(starts.tolist(), ends.tolist(), ports, strict=True)
    least = base_rtts * scenario.describe()["base_rtt_ps"]
    alone = times_alone([Life(int(start), int(end), own) for start, end, own in times], least)
    rates = {port.place: port.rate_bps for port in every_port(run)}
    most = [min(rates[place] for place in data) / 8e12 for data, _ in links]
    hops = np.array([len(data) for data, _ in links])
    whole = float(acked @ hops)
    return float(np.fmin(acked, np.array(alone) * most) @ hops) / whole if whole else float("nan")


def _links(run: Run, scenario: Scenario) -> Iterator[tuple[list[Place], list[Place]]]:
    """For each flow, the ports that its data take, and the ports that its ACKs take."""
    core = scenario._core
    assert isinstance(core, _core.Scenario)
    columns = [run.flows[name] for name in ("flow_id", "traffic", "source_port")]
    numbers = [column.astype(int).tolist() for column in (*columns, *ends_of_flows(run))]
    for flow, traffic, source_port, source, destination in zip(*numbers, strict=True):
        found = core.ports_of_flow(traffic, source, destination, source_port)
        if found is None:
            what = f"{run.name}: flow {flow} is not one of the scenario"
            raise ResultsError(what, hint="a file of the scenario has changed; run it again")
        if any(len({node for node, _ in ports}) < len(ports) for ports in found):
            what = f"{run.name}: flow {flow} takes several paths"
            raise ResultsError(what, hint='ask a run with `network.balance.kind = "flow"`')
        yield found


def times_alone(lives: Sequence[Life], least: float) -> list[int]:
    """For each flow, how long it was alone, in ps; only periods longer than `least` count."""
    events = sorted(
        (time, begins, flow)
        for flow, life in enumerate(lives)
        if life.start < life.end
        for time, begins in ((life.start, True), (life.end, False))
    )
    alone = [0] * len(lives)
    since = [life.start for life in lives]
    shared = [0] * len(lives)
    present: dict[Place, set[int]] = {}

    def share(flow: int, more: int, now: int) -> None:
        """Updates the number of a flow's ports that other flows use, too; a period may begin or
        end.
        """
        before = shared[flow]
        shared[flow] += more
        if before and not shared[flow]:
            since[flow] = now
        elif shared[flow] and not before:
            close(flow, now)

    def close(flow: int, now: int) -> None:
        span = now - since[flow]
        alone[flow] += span if span > least else 0

    # At equal times ends come before starts.
    for now, begins, flow in events:
        if not begins and not shared[flow]:
            close(flow, now)
        for port in set(lives[flow].ports):
            here = present.setdefault(port, set())
            if not begins:
                here.remove(flow)
            if len(here) == 1:
                share(next(iter(here)), 1 if begins else -1, now)
            if begins:
                if here:
                    share(flow, 1, now)
                here.add(flow)
    return alone
