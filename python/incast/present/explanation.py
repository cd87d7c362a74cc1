"""The explanation of a flow in words: a short answer, then the parts of its FCT."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from incast.explain.answers import CollectiveAnswer, FlowAnswer
from incast.explain.company import AtPort
from incast.explain.parts import Began, Behind, Part
from incast.present.columns import columns
from incast.present.part_names import PART_NAMES
from incast.present.terminal import Ink, filled, paint
from incast.present.units import (
    bytes_text,
    count_text,
    percent_text,
    plural,
    rate_text,
    ratio_text,
    time_text,
)

__all__ = [
    "answer",
    "company_table",
    "listing",
    "listing_of_collective",
    "parts_table",
    "sender",
    "title",
]

_HELD = {
    "window": "it waited for round trips with a full window",
    "pacing": "its own pace held it back",
    "queue": "packets queued",
    "pause": "PFC had paused ports",
    "nic": "other packets left its NIC",
    "turn": "other flows of its QP came first",
    "grant": "it had no grant",
    "credit": "it had no credit",
    "resending": "it sent packets again",
    "loss": "it did not know yet what was to be sent again",
    "timeout": "it waited for timeouts",
    "receiver": "data waited for their ACK to be made",
    "idle": "ports were idle",
    "computing": "ranks computed",
}
"""For each part that holds a flow up, its description. Sending and propagation hold no flow up."""
_NOTED = 0.01
"""The smallest share of an FCT that gets a row of its own."""
_MOST_NAMED = 3
_FEW = 10
"""A flow with fewer packets gets no sentence on its share of a link."""
_MOST_PORTS = 3


def listing(found: FlowAnswer) -> str:
    """The whole explanation, for a terminal."""
    blocks = [
        "\n".join([paint(filled(title(found)), Ink.HEADING), filled(answer(found))]),
        columns(*parts_table(found), text=2, remarks=1),
        _company(found.company),
        filled(sender(found)),
    ]
    return "\n\n".join(block for block in blocks if block)


def listing_of_collective(found: CollectiveAnswer) -> str:
    """The explanation of a critical path: how its time is split, and its slowest message."""
    flows = len({message.flow.flow_id for message in found.messages})
    head = (
        f"traffic[{found.traffic}]: {time_text(found.time_ps)} along the critical path, "
        f"{plural(flows, 'message')}, from {time_text(found.start_ps)} on"
    )
    told = _share_of(found.parts, found.time_ps, found.computing_ps)
    worst = max(found.messages, key=lambda message: message.flow.slowdown)
    rows = _part_rows(found.parts, found.time_ps, None)
    if found.computing_ps:
        share = percent_text(found.computing_ps / found.time_ps)
        rows.append(["computing", "", time_text(found.computing_ps), share, ""])
    rows.append(["critical path", "", time_text(found.time_ps), percent_text(1.0), ""])
    header = ["part of the time", "where", "time", "share", "behind"]
    return "\n\n".join(
        [
            "\n".join([paint(filled(head), Ink.HEADING), filled(told)]),
            columns(header, rows, text=2, remarks=1),
            f"Its slowest message:\n{listing(worst)}",
        ]
    )


def _part_name(part: Part) -> str:
    """The name of a part in print."""
    return f"{PART_NAMES[part.part]}, of ACKs" if part.of_replies else PART_NAMES[part.part]


def title(found: FlowAnswer) -> str:
    """The flow, its FCT and its slowdown."""
    flow = found.flow
    hosts = f"{_host(flow.source)} → {_host(flow.destination)}"
    return (
        f"flow {flow.flow_id}, {hosts}, {bytes_text(flow.size_bytes)}, started at "
        f"{time_text(flow.start_ps)}: FCT {time_text(found.fct_ps)}, slowdown "
        f"{ratio_text(flow.slowdown)} (alone {time_text(found.ideal_ps)})"
    )


def _host(name: str) -> str:
    return f"host {name}" if name.isdecimal() else name


def answer(found: FlowAnswer) -> str:
    """Two sentences: what held the flow up, and which flows it met."""
    return " ".join(filter(None, (_share_of(found.parts, found.fct_ps), _met(found))))


def _share_of(parts: Sequence[Part], whole_ps: int, computing_ps: int = 0) -> str:
    """A sentence on the parts that took most of the time."""
    held: dict[str, int] = defaultdict(int)
    held["computing"] = computing_ps
    for part in parts:
        if part.part in _HELD:
            held[part.part] += part.ps
    ranked = sorted(held.items(), key=lambda each: -each[1])
    ranked = [each for each in ranked if each[1] >= _NOTED * whole_ps]
    if not ranked:
        return "Nothing held it up: it sent, and its last packet and ACK were on their way."
    own = sum(part.ps for part in parts if part.part not in _HELD)
    told = [f"for {percent_text(ps / whole_ps)} {_HELD[part]}" for part, ps in ranked[:2]]
    rest = f"sending once and the way of its last packet took {percent_text(own / whole_ps)}"
    return f"Of its time, {', '.join(told)}; {rest}."


def _met(found: FlowAnswer) -> str:
    if not found.company:
        return "It met no other flow on its path."
    if len(found.events.departures) < _FEW:
        # With so few bytes, shares of a link mean little.
        return ""
    worst = found.company[0]
    share = percent_text(worst.share)
    equal = percent_text(worst.equal_share)
    return (
        f"It had to share most at {worst.port.label}: it met {plural(len(worst.others), 'flow')} "
        f"there, had {share} of the bytes, and would have had {equal} with equal shares."
    )


def parts_table(found: FlowAnswer) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the parts of the FCT, with the sum last."""
    rows = _part_rows(found.parts, found.fct_ps, found.flow.flow_id)
    header = ["part of the FCT", "where", "time", "share", "behind"]
    return header, [*rows, ["FCT", "", time_text(found.fct_ps), percent_text(1.0), ""]]


def _part_rows(parts: Sequence[Part], whole_ps: int, flow: int | None) -> list[list[str]]:
    """A row for each part; parts below one per cent share a row.

    Args:
        parts: The parts, the longest first.
        whole_ps: The total time.
        flow: The number of the flow, if all parts are of one flow.
    """
    small = [part for part in parts if part.ps < _NOTED * whole_ps]
    if len(small) == 1:
        small = []
    rows = [
        [
            _part_name(part),
            part.port or "",
            time_text(part.ps),
            percent_text(part.ps / whole_ps),
            _behind(flow, part.behind) or _began(part),
        ]
        for part in parts[: len(parts) - len(small)]
    ]
    rest = sum(part.ps for part in small)
    if small:
        name = f"{len(small)} smaller parts"
        rows.append([name, "", time_text(rest), percent_text(rest / whole_ps), ""])
    return rows


def _behind(flow: int | None, behind: Sequence[Behind]) -> str:
    """The flows whose packets left while this flow waited, with the most time first."""
    total = sum(each.ps for each in behind)
    if not total:
        return ""
    told = [
        f"{percent_text(each.ps / total)} {_whose(flow, each)}" for each in behind[:_MOST_NAMED]
    ]
    rest = len(behind) - len(told)
    return ", ".join(told) + (f", and {count_text(rest)} more" if rest else "")


def _began(part: Part) -> str:
    """The origins of a port's pauses."""
    told = [
        f"{percent_text(each.ps / part.ps)} {_beginning(each)}" for each in part.began[:_MOST_NAMED]
    ]
    rest = len(part.began) - len(told)
    return "; ".join(told) + (f"; and {count_text(rest)} more" if rest else "")


def _beginning(each: Began) -> str:
    if each.flow is None:
        return "until it was known, after a fault, whether its peer pauses"
    return f"began at {each.port}, most there of flow {each.flow}"


def _whose(flow: int | None, each: Behind) -> str:
    if each.flow is None:
        return "PFC frames"
    if each.flow == flow:
        return "its own" if each.is_data else "its own ACKs"
    return f"flow {each.flow}" if each.is_data else f"ACKs of flow {each.flow}"


def _company(company: Sequence[AtPort]) -> str:
    return columns(*company_table(company), remarks=1) if company else ""


def company_table(company: Sequence[AtPort]) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the ports at which the flow met others."""
    rows = [
        [
            each.port.label,
            count_text(len(each.others)),
            percent_text(each.share),
            percent_text(each.equal_share),
            percent_text(each.utilisation),
            ", ".join(
                f"flow {other.flow} ({bytes_text(other.wire_bytes)})"
                for other in each.others[:_MOST_NAMED]
            ),
        ]
        for each in company[:_MOST_PORTS]
    ]
    header = ["met others at", "flows", "own share", "equal share", "in use", "most data of"]
    return header, rows


def sender(found: FlowAnswer) -> str:
    """A sentence on the limits and decreases of the flow's algorithm."""
    limits = []
    if found.windows is not None:
        low, high = map(bytes_text, found.windows)
        limits.append(f"window {low} to {high}" if low != high else f"window {low}")
    if found.rates is not None:
        low, high = map(rate_text, found.rates)
        limits.append(f"pace {low} to {high}" if low != high else f"pace {low}")
    falls = found.decreases
    at = [
        f"{count_text(count)} at {what}"
        for count, what in (
            (falls.marked_acks, "marked ACKs"),
            (falls.other_acks, "other ACKs"),
            (falls.cnps, "CNPs"),
            (falls.losses, "losses"),
            (falls.timers, "timers"),
            (falls.others, "other moments"),
        )
        if count
    ]
    told = f"decreases: {', '.join(at)}" if at else "no decrease"
    below = ""
    if limits and found.below_share_ps is not None:
        time = time_text(found.below_share_ps)
        share = percent_text(found.below_share_ps / found.fct_ps)
        below = f" Its limit was below an equal share for {time}, {share} of the FCT."
    limits_and_falls = ", ".join([*limits, told])
    return f"{found.algorithm} at its sender: {limits_and_falls}.{below}{_losses(found)}"


def _losses(found: FlowAnswer) -> str:
    """A sentence on the flow's losses and retransmissions; empty if there were none."""
    flow = found.flow
    counted = [
        text
        for count, text in (
            (flow.timeouts, plural(flow.timeouts, "timeout")),
            (flow.retransmitted, f"{plural(flow.retransmitted, 'packet')} sent again"),
            (flow.duplicates, f"{count_text(flow.duplicates)} of them in vain"),
            (flow.lost, f"{count_text(flow.lost)} lost on links"),
        )
        if count
    ]
    return f" In all: {', '.join(counted)}." if counted else ""
