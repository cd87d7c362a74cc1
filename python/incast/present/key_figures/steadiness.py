"""The flows that count in statistics of FCT, whether the network was steady, and its loads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from incast.present.key_figures.figure import KeyFigure, Summary
from incast.present.units import count_text, percent_text, ratio_text, time_text

__all__ = [
    "BRACKETS",
    "TOLD_LATE",
    "caveats",
    "counted_flows",
    "counting_rules",
    "ends",
    "is_cut",
    "is_near_capacity",
    "is_unsteady",
    "is_windowed",
    "late_percent",
    "late_share",
    "loads",
    "offered",
    "rounded_up",
    "too_late",
    "unfinished",
    "unsteady_note",
]

TOLD_LATE = 0.001
"""The largest share of late flows among the counted flows that needs no note."""
BRACKETS = " With arrivals going on, slowdowns would be "
"""Words of the note on late flows, after which it gives the ranges of percentiles."""
_PERCENTILES = {"p50": (0.5, "p50"), "p95": (0.05, "p95"), "p99": (0.01, "p99")} | {
    "p999": (0.001, "p99.9")
}
"""Keys of a summary's statistics: the share of flows above, and the name in print."""
_NEAR = 0.9
"""A note is due from this fraction of the load that congestion control aims at."""
_KEYS = "`duration` or `count`, and `run.stop`"
"""Keys that determine how long flows arrive."""


def is_windowed(summary: Summary) -> bool:
    """Whether statistics of FCT leave out flows by their start time."""
    return "all_flows" in summary


def too_late(distribution: Mapping[str, Any], key: str) -> str | None:
    """``≥ 14.1``: the lower bound of a percentile that late flows could move without limit;
    ``None`` for other percentiles.
    """
    late = distribution.get("late")
    if late is None or late[key]["at_most"] is not None:
        return None
    return f"≥ {ratio_text(late[key]['at_least'])}"


def counted_flows(summary: Summary) -> list[KeyFigure]:
    """For each entry, the number of counted flows, and the period in which they started."""
    found = []
    for entry in summary.get("counted_flows", ()):
        if entry["from_ps"] is None:
            continue
        name = _named("counted flows", summary, entry)
        begin, end = (time_text(entry[key]) for key in ("from_ps", "until_ps"))
        detail = f"of {count_text(entry['of'])}: FCTs are of those started from {begin} to {end}"
        found.append(KeyFigure(name, count_text(entry["flows"]), detail))
    return found


def loads(summary: Summary) -> list[KeyFigure]:
    """Loads of open-loop traffic: the requested load, the load that was drawn, and the load on the
    wire.
    """
    told = summary.get("loads")
    if told is None:
        return []
    found = [
        KeyFigure(
            _named("load drawn", summary, entry),
            ratio_text(entry["drawn"]),
            f"asked for {ratio_text(entry['asked'])}; "
            f"seeds vary by {percent_text(entry['spread'])}",
        )
        for entry in told["entries"]
    ]
    wire = told["wire"]
    if wire is not None:
        # A port's load includes packets sent after the arrivals, so it may exceed 1.
        most = "and on after arrivals" if wire["port_load"] > 1 else ratio_text(wire["port_load"])
        detail = f"with headers, {wire['links']}; most at {wire['port']}, {most}"
        found.append(KeyFigure("load on the wire", ratio_text(wire["load"]), detail))
    return found


def offered(facts: Summary) -> Iterator[str]:
    """For a scenario: the load that seeds will draw, and the flows that will count in statistics of
    FCT.
    """
    for entry in facts.get("open_loop", ()):
        drawn = (
            f"load {ratio_text(entry['load'])}, of which seeds draw more or less by "
            f"{percent_text(entry['load_spread'])} (standard deviation)"
        )
        if entry["counted_ps"] is None:
            yield f"{drawn}; FCTs are of all flows"
            continue
        begin, end = map(time_text, entry["counted_ps"])
        yield f"{drawn}; FCTs are of flows that start from {begin} to {end}"


def caveats(summary: Summary) -> list[str]:
    """Caveats: FCTs that depend on how long flows arrived, and a network near capacity."""
    entries = summary.get("counted_flows", ())
    notes = [note for entry in entries for note in _of_entry(summary, entry)]
    if len(summary.get("traffic", ())) > 1:
        every = "all counted flows together"
        notes.append(_cut(every, summary, summary["fct_slowdown"]["all"], _counted(summary)))
    return [*filter(None, notes), *_near_capacity(summary)]


def is_unsteady(entry: Mapping[str, Any]) -> bool:
    """Whether FCTs of an entry of ``counted_flows`` depend on how long flows arrived. False if the
    run cannot tell.
    """
    return entry["steady"] is False


def unsteady_note(runs: Mapping[str, Iterable[Summary]]) -> str:
    """A sentence that names the curves with unsteady runs; empty if all runs are steady.

    Args:
        runs: The runs of each curve, by the curve's label.
    """
    entries = {
        label: [entry for summary in several for entry in summary.get("counted_flows", ())]
        for label, several in runs.items()
    }
    unsteady = [label for label, each in entries.items() if any(map(is_unsteady, each))]
    # With a single run, curves are not labelled by the run.
    which = "" if len(runs) == 1 else f": {', '.join(unsteady)}"
    return f" Not steady{which}." if unsteady else ""


def late_share(summary: Summary) -> float:
    """The share of counted flows that are late."""
    late = (summary.get("fct_slowdown", {}).get("all") or {}).get("late")
    return late["count"] / _counted(summary) if late else 0.0


def _of_entry(summary: Summary, entry: Mapping[str, Any]) -> Iterator[str | None]:
    where = _named("", summary, entry)
    place = f"{where.removeprefix(', ')}: " if where else ""
    if not entry["flows"] and entry["from_ps"] is not None:
        begin, end = (time_text(entry[key]) for key in ("from_ps", "until_ps"))
        yield f"{place}No flow started from {begin} to {end}: statistics of FCT have no values."
    elif is_unsteady(entry):
        yield _not_steady(place, summary, entry)
    which = f"the counted flows of {where.removeprefix(', ')}" if where else "the counted flows"
    yield _cut(which, summary, _own_slowdowns(summary, entry), entry["flows"])


def is_cut(distribution: Mapping[str, Any], key: str) -> bool:
    """Whether late flows could move a statistic without limit; `key` is the mean or a
    percentile.
    """
    late = distribution.get("late") if isinstance(distribution, Mapping) else None
    if not isinstance(late, Mapping):
        return False
    if key == "mean":
        return bool(late["count"] > TOLD_LATE * distribution["count"])
    return key in _PERCENTILES and late[key]["at_most"] is None


def ends(distribution: Mapping[str, Any], key: str) -> tuple[float, float] | None:
    """The range over which late flows could move a percentile; ``None`` if there are no late flows,
    or no limit.
    """
    late = distribution.get("late")
    if not late or key not in _PERCENTILES or late[key]["at_most"] is None:
        return None
    return late[key]["at_least"], late[key]["at_most"]


def counting_rules(runs: Mapping[str, Summary]) -> list[str]:
    """If runs side by side count flows by different rules, a sentence on the rule of each run."""
    rules: dict[str, list[str]] = {}
    for label, summary in runs.items():
        if rule := _rule(summary):
            rules.setdefault(rule, []).append(label)
    if len(rules) < 2:
        return []
    told = "; ".join(f"{', '.join(labels)}: {rule}" for rule, labels in rules.items())
    return [
        f"FCT statistics are not of the same flows. {told}. They compare only where `measure.fct`, "
        "`measure.from` and `measure.until` are the same."
    ]


def _rule(summary: Summary) -> str:
    """The rule by which flows of open-loop traffic count; empty without such traffic."""
    entries = summary.get("counted_flows", ())
    if not entries:
        return ""
    windows = [entry for entry in entries if entry["from_ps"] is not None]
    if not windows:
        return "all flows"
    if all(map(_is_middle_third, windows)):
        return "those that start in the middle third of the arrivals"
    begin, end = (time_text(windows[0][key]) for key in ("from_ps", "until_ps"))
    return f"those that start from {begin} to {end}"


def _is_middle_third(entry: Mapping[str, Any]) -> bool:
    """Whether the window is as long as the warm-up, up to a picosecond of rounding."""
    length: int = entry["until_ps"] - entry["from_ps"]
    return abs(length - int(entry["warm_up_ps"])) <= 1


def _own_slowdowns(summary: Summary, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The slowdowns of a traffic entry. A single entry without a name has those of the run."""
    of: list[Mapping[str, Any]] = summary.get("traffic", [])
    found: Mapping[str, Any] = (
        of[entry["traffic"]]["fct_slowdown"] if of else summary["fct_slowdown"]["all"]
    )
    return found


def _counted(summary: Summary) -> int:
    """The number of counted flows, completed or not. Of traffic that is not open-loop, only
    completed flows are included.
    """
    entries = {each["traffic"]: each["flows"] for each in summary.get("counted_flows", ())}
    others = [
        each["fct_slowdown"]["count"]
        for number, each in enumerate(summary.get("traffic", ()))
        if number not in entries
    ]
    return sum([*entries.values(), *others])


def unfinished(summary: Summary) -> int:
    """The number of counted flows of open-loop traffic that were unfinished at the end of the
    run.
    """
    count: int = summary["fct_slowdown"]["all"]["count"]
    return _counted(summary) - count


def _not_steady(place: str, summary: Summary, entry: Mapping[str, Any]) -> str:
    older = percent_text(entry["older_than_warm_up"])
    warm_up = f"the warm-up lasted ({time_text(entry['warm_up_ps'])})"
    if entry["from_ps"] is None:
        warm_up = f"a third of the arrivals ({time_text(entry['warm_up_ps'])})"
    longer = f"{time_text(rounded_up(entry['steady_duration_ps']))} would do, at least"
    would_do = "" if is_near_capacity(summary) else f"; {longer} ({_KEYS})"
    return (
        f"Not steady: {place}{older} of the flows under way at a time had started longer ago than "
        f"{warm_up}. Figures of FCT still depend on how long flows arrive{would_do}."
    )


def _cut(which: str, summary: Summary, slowdowns: Mapping[str, Any], flows: int) -> str | None:
    """A note on late flows, with the ranges in which percentiles would lie if arrivals had gone on.

    Args:
        which: The flows in words.
        summary: The summary of the run.
        slowdowns: The slowdowns of these flows.
        flows: The number of counted flows.
    """
    late = slowdowns.get("late")
    if late is None:
        return None
    share = late["count"] / flows
    hidden = any(late[key]["at_most"] is None for key in _PERCENTILES)
    if not (share > TOLD_LATE or hidden):
        return None
    moved = ", ".join(_brackets(slowdowns, late, share))
    stopped = summary["flows"]["finished"] < summary["flows"]["started"]
    unfinished = flows - slowdowns["count"] if stopped else 0
    told = f"Cut: {percent_text(share)} of {which} {_how_late(late['count'], unfinished)}."
    return f"{told}{BRACKETS}{moved}." if moved else told


def _how_late(late: int, unfinished: int) -> str:
    """Whether late flows ended after the arrivals, or were unfinished at the end of the run."""
    if unfinished <= 0:
        return "ended after arrivals did, while the network emptied"
    not_ended = "had not ended when the run did"
    return not_ended if unfinished >= late else f"ended after arrivals did, or {not_ended}"


def late_percent(note: str) -> float:
    """The percentage of flows that a note reports as cut; 0 for other notes."""
    found = re.match(r"Cut: ([\d.]+) % of ", note)
    return float(found[1]) if found else 0.0


def _brackets(
    slowdowns: Mapping[str, Any], brackets: Mapping[str, Any], share: float
) -> Iterator[str]:
    for key, (above, name) in _PERCENTILES.items():
        bracket = brackets[key]
        if bracket["at_most"] is None:
            yield f"{name} ≥ {ratio_text(bracket['at_least'])}"
        elif share > above / 10:
            low, high = ratio_text(bracket["at_least"]), ratio_text(bracket["at_most"])
            if low != high:
                yield f"{name} {low} to {high} (here {ratio_text(slowdowns[key])})"


def is_near_capacity(summary: Summary) -> bool:
    """Whether the load on the wire is close to what congestion control aims at."""
    wire = (summary.get("loads") or {}).get("wire")
    return wire is not None and wire["at_asked"] >= _NEAR * wire["target"]


def _near_capacity(summary: Summary) -> Iterator[str]:
    if not is_near_capacity(summary):
        return
    wire = summary["loads"]["wire"]
    aim = (
        f"{summary['algorithm']} aims at {ratio_text(wire['target'])} of a link"
        if wire["target"] < 1
        else "a link carries no more than 1"
    )
    yield (
        "Near capacity: with headers, INT and what is sent again, the load that is asked for is "
        f"{ratio_text(wire['at_asked'])} on the wire ({wire['links']}), and {aim}. There FCTs may "
        "grow for as long as flows arrive, and no longer run may do."
    )


def _named(what: str, summary: Summary, entry: Mapping[str, Any]) -> str:
    """The name of a key figure, with the traffic entry if there are several."""
    names = [party["name"] for party in summary.get("traffic", ())]
    number = entry["traffic"]
    return f"{what}, {names[number]}" if len(names) > 1 and number < len(names) else what


def rounded_up(ps: float) -> int:
    """A time rounded up to two digits, as it is an estimate."""
    if ps <= 0:
        return 0
    unit = int(10 ** max(math.floor(math.log10(ps)) - 1, 0))
    return math.ceil(ps / unit) * unit
