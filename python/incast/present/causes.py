"""Causes that held up flows and collectives, in words: the slowest flows, the critical paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from incast.errors import FlowRowsError
from incast.measure.critical_path import CriticalPath, HeldUpBy, critical_paths
from incast.measure.delays import Delay, delays, rows_of_slowest, slowest
from incast.measure.run import Run
from incast.present.key_figures import KeyFigure, entry_name, has_slow_flows, have_causes
from incast.present.units import (
    bytes_text,
    count_text,
    percent_text,
    plural,
    ratio_text,
    time_text,
)

__all__ = ["NONE", "Causes", "Slowest", "held_up_by", "of_run", "shares"]

_SHOWN = 5
_MORE = "More: results.slowest(20) in Python."
_BESIDE = "Others: flows at the same host meanwhile, on average. "
_AT_HOST = 0.05
"""The mean number of other flows at a host below which the flow counts as alone there."""


@dataclass(frozen=True)
class Slowest:
    """The slowest flows of a run; there are no rows if none stands out."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remark: str
    """The meaning of the columns, and how to see more flows."""


@dataclass(frozen=True)
class Causes:
    """Causes that held up a run's flows and collectives."""

    paths: Sequence[KeyFigure]
    """The critical paths of collectives."""
    slowest: Slowest


NONE = Causes([], Slowest("", [], [], ""))


def of_run(run: Run) -> Causes:
    """The causes, as far as the run's tables tell them.

    Raises:
        ResultsError: The tables cannot be read.
    """
    if not have_causes(run.summary):
        return NONE
    try:
        slow_flows = _slowest_flows(run)
    except FlowRowsError:
        # Another note already says which rows are kept.
        slow_flows = NONE.slowest
    return Causes(_of_collectives(run), slow_flows)


def _slowest_flows(run: Run) -> Slowest:
    """The flows with the largest slowdown, with their causes as far as tables show them. Columns
    without information are left out.
    """
    if not has_slow_flows(run.summary):
        return NONE.slowest
    kept = rows_of_slowest(run, _SHOWN)
    found = delays(run, slowest(kept, _SHOWN))
    columns = [*_ALWAYS, *(each for each in _CAUSES if any(each.applies(flow) for flow in found))]
    return Slowest(
        f"Slowest of {plural(run.summary['flows']['finished'], 'flow')}",
        [column.name for column in columns],
        [[column.text(flow) for column in columns] for flow in found],
        _BESIDE * any(column.name.startswith("others") for column in columns) + _MORE,
    )


@dataclass(frozen=True)
class _Column:
    name: str
    text: Callable[[Delay], str]
    applies: Callable[[Delay], float] = lambda _: 1.0


_ALWAYS = (
    _Column("flow", lambda flow: str(flow.flow_id)),
    _Column("hosts", lambda flow: flow.hosts),
    _Column("size", lambda flow: bytes_text(flow.size_bytes)),
    _Column("start", lambda flow: time_text(flow.start_ps)),
    _Column("FCT", lambda flow: time_text(flow.fct_ps)),
    _Column("slowdown", lambda flow: ratio_text(flow.slowdown)),
)
_CAUSES = (
    _Column("timeouts", lambda flow: _timeouts(flow), lambda flow: flow.timeouts),
    _Column("sent again", lambda flow: count_text(flow.retransmitted), lambda f: f.retransmitted),
    _Column("in vain", lambda flow: count_text(flow.duplicates), lambda flow: flow.duplicates),
    _Column("lost on links", lambda flow: count_text(flow.lost), lambda flow: flow.lost),
    _Column(
        "others at sender",
        lambda flow: ratio_text(flow.at_source),
        lambda flow: flow.at_source >= _AT_HOST,
    ),
    _Column(
        "others at receiver",
        lambda flow: ratio_text(flow.at_destination),
        lambda flow: flow.at_destination >= _AT_HOST,
    ),
)


def _timeouts(flow: Delay) -> str:
    """The number of timeouts, and the time spent waiting for them."""
    if not flow.timeouts:
        return "0"
    return f"{count_text(flow.timeouts)} ({time_text(flow.timeout_wait_ps)})"


def _of_collectives(run: Run) -> list[KeyFigure]:
    """Two key figures for each critical path: how its time is split, and the message that held it
    up. The traffic entry is named if there are several collectives.
    """
    alone = len(run.summary.get("collectives") or ()) == 1
    found = []
    for path in critical_paths(run):
        name = "" if alone else f", {entry_name(run.summary, path.traffic)}"
        messages = plural(path.messages, "message")
        found.append(KeyFigure(f"critical path{name}", messages, shares(path)))
        if path.by is not None:
            what = f"flow {path.by.message.flow_id}, {held_up_by(path.by)}"
            found.append(KeyFigure(f"held up by{name}", path.by.message.hosts, what))
    return found


def shares(path: CriticalPath) -> str:
    """The time of a critical path, split into shares."""
    parts = {
        "as on the empty network": path.alone_ps,
        "held up": path.held_up_ps,
        "waiting for timeouts": path.timeout_ps,
        "computing": path.computing_ps,
    }
    return ", ".join(
        f"{percent_text(part / path.time_ps)} {name}" for name, part in parts.items() if part
    )


def held_up_by(by: HeldUpBy) -> str:
    """A message compared with the median of comparable ones, and causes as far as tables show
    them.
    """
    message = by.message
    begin = (
        f"{bytes_text(message.size_bytes)}: {time_text(message.fct_ps)}, where the median of its "
        f"like is {time_text(by.usual_ps)}"
    )
    queue = by.longest_queue_bytes
    network = [
        f"up to {plural(int(by.paused_ports), 'port')} paused" if by.paused_ports else "no pause",
        *([] if queue is None else [f"longest queue {bytes_text(queue)}"]),
    ]
    return "; ".join([begin, ", ".join([*_own(message), *network]), *_beside(message)])


def _own(message: Delay) -> list[str]:
    """What happened to the message's own packets."""
    if not message.timeouts:
        found = ["no timeout"]
    else:
        found = [f"{plural(message.timeouts, 'timeout')} of {time_text(message.timeout_wait_ps)}"]
    if message.retransmitted:
        found.append(f"{plural(message.retransmitted, 'packet')} sent again")
    if message.lost:
        found.append(f"{plural(message.lost, 'packet')} lost on links")
    return found


def _beside(message: Delay) -> list[str]:
    """The number of other flows at the message's hosts."""
    ends = {"sender": message.at_source, "receiver": message.at_destination}
    found = [f"{ratio_text(n)} at its {end}" for end, n in ends.items() if n >= _AT_HOST]
    return [f"other flows meanwhile: {', '.join(found)}"] if found else []
