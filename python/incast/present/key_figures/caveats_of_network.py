"""Caveats about the key figures of a network's run."""

from __future__ import annotations

from incast.present.key_figures import steadiness
from incast.present.key_figures.figure import Summary
from incast.present.units import count_text, percent_text, plural, time_text

__all__ = ["caveats"]


def caveats(summary: Summary) -> list[str]:
    """Caveats: a deadlock or another stall, unfinished flows, FCTs that depend on how long flows
    arrived, an attack without attackers, an incomplete trace or series, links above their rate.
    """
    notes = (
        _stall(summary),
        _interruption(summary),
        _timeouts(summary),
        *steadiness.caveats(summary),
        *_idle_faults(summary),
        _unfinished_ranks(summary),
        _no_attack(summary),
        _left_whole(summary),
        _cut(summary),
        _kept_rows(summary),
        _thinned(summary),
        _empty_window(summary),
        _no_round_trips(summary),
        _rounding(summary),
    )
    return [note for note in notes if note is not None]


def _stall(summary: Summary) -> str | None:
    stall = summary.get("stall")
    if stall is None:
        return None
    message = stall["message"]
    end = " The run ended there." if stall["ended_run"] else " The run was not ended by it."
    return f"{message[0].upper()}{message[1:]}.{end}"


def _interruption(summary: Summary) -> str | None:
    flows = summary["flows"]
    unfinished = flows["started"] - flows["finished"]
    if summary["partial"]:
        when = f"{time_text(summary['simulated_ps'])} of simulated time"
        flows = f"{plural(unfinished, 'flow')} under way"
        # A live network may still go on, so it is not called interrupted.
        begin = "At" if summary.get("live") else "Interrupted at"
        return (
            f"{begin} {when}, with {flows}: statistics of flows cover those that had finished, and "
            "favour short ones."
        )
    if unfinished:
        stalled = summary.get("stall", {}).get("ended_run", False)
        end = "run stalled" if stalled else "scenario stopped"
        return (
            f"{plural(unfinished, 'flow')} had not finished when the {end}"
            f"{_left_out(summary, unfinished)}"
        )
    return None


def _left_out(summary: Summary, unfinished: int) -> str:
    """The effect of unfinished flows on statistics of FCT."""
    left_out = ": statistics of flows leave them out, and favour short ones."
    if not steadiness.is_windowed(summary) or summary.get("roles"):
        return left_out
    counted = steadiness.unfinished(summary)
    if not counted:
        all_open = len(summary.get("traffic", ())) <= len(summary["counted_flows"])
        return ": none of them started in the window of counted flows." if all_open else left_out
    which = "they" if counted == unfinished else f"{count_text(counted)} of them"
    return (
        f". As flows that count, {which} are in percentiles of FCT as the slowest; means and "
        "maxima leave them out."
    )


_RULING = 0.05
"""Timeouts dominate a run if waiting for them takes at least this share of the time of its
flows.
"""


def _timeouts(summary: Summary) -> str | None:
    recovery = summary["recovery"]
    share = recovery["timeout_wait_share"]
    if share < _RULING:
        return None
    timeouts = plural(recovery["timeouts"], "retransmission timeout")
    mean = time_text(recovery["timeout_wait_ps"] / recovery["timeouts"])
    return (
        f"Timeouts rule this run: flows spent {percent_text(share)} of their time waiting for "
        f"{timeouts} of {mean} on average, not for the network. FCTs and goodput follow "
        "`network.recovery.timeout` more than the algorithm."
    )


def _idle_faults(summary: Summary) -> list[str]:
    """A note on faults of links that no packet crossed: probably other links were meant."""
    entries = (summary.get("faults") or {}).get("entries", ())
    link = {True: "the link", False: "any link"}
    return [
        f"No packet crossed {link[entry['link_count'] == 1]} of fault {entry['fault']} "
        f"({entry['links'][0]}) in all of the run, before it or after. `ports.parquet` says which "
        "links flows take."
        for entry in entries
        if entry["unused_links"] == entry["link_count"] and entry["from_ps"] > 0
    ]


def _unfinished_ranks(summary: Summary) -> str | None:
    ranks = summary.get("unfinished_ranks", 0)
    if not ranks:
        return None
    were = "was" if ranks == 1 else "were"
    return (
        f"{plural(ranks, 'rank')} {were} not done when the run ended: what they had still to send, "
        "receive and compute is left out."
    )


def _no_attack(summary: Summary) -> str | None:
    messages = {role["name"]: role["messages"] for role in summary.get("roles", ())}
    if messages.get("attacker") == 0:
        return "There was no attack: no flow of the traffic fits `attack.attackers`."
    return None


def _left_whole(summary: Summary) -> str | None:
    entries = summary.get("left_whole", ())
    if not entries:
        return None
    named = ", ".join(f"traffic[{number}]" for number in entries)
    return (
        f"The attack leaves the messages of {named} whole: it cuts flows, and these are sends of a "
        "task graph or a collective, which wait for each other."
    )


def _cut(summary: Summary) -> str | None:
    trace = summary.get("packet_trace")
    if trace is None or trace["cut_ps"] is None:
        return None
    return (
        f"The trace of packets ends at {time_text(trace['cut_ps'])}, where its limit was reached: "
        "it is whole up to there. Raise measure.packets.limit, or trace fewer ports, flows or "
        "times."
    )


def _kept_rows(summary: Summary) -> str | None:
    kept = summary.get("flow_rows")
    if kept is None:
        return None
    rows = plural(kept["completed"] + kept["unfinished"], "row")
    if kept["of"] == "all":
        there = f"flows.parquet has {rows}, more than measure.rows: reports do not load them."
    else:
        why = (
            "Rows of all flows would not have fitted into memory, so measure.flows.rows"
            if kept["for_memory"]
            else "measure.flows.rows"
        )
        there = f'{why} is "{kept["of"]}": flows.parquet has {rows}.'
    error = percent_text(kept["percentiles_within"])
    return (
        f"{there} Statistics are of all flows; percentiles of FCT and slowdown are at most "
        f"{error} above the true ones."
    )


def _thinned(summary: Summary) -> str | None:
    thinned = summary.get("thinned_series")
    if thinned is None:
        return None
    parts = [
        f"of {name} every {time_text(kept['kept_every_ps'])}, not {time_text(kept['every_ps'])}"
        for name in ("queues", "flows")
        if (kept := thinned.get(name))
    ]
    series = f"has samples {' and '.join(parts)}" if parts else ""
    frames = thinned.get("pfc_cut_ps")
    cut = f"has PFC frames up to {time_text(frames)}" if frames is not None else ""
    what = ", and ".join(filter(None, (series, cut)))
    return (
        f"series.parquet {what}, to keep to measure.rows; peaks, means and percentiles of queues "
        "are of all samples. Raise measure.rows, or sample fewer ports or flows, or less often."
    )


def _empty_window(summary: Summary) -> str | None:
    window = summary.get("measuring_window")
    if window is None or summary["goodput_bps"]["total"] is not None:
        return None
    begin, end = (time_text(each) for each in (window["from_ps"], summary["simulated_ps"]))
    ended = f"the network stands at {end}" if summary.get("live") else f"the run ended at {end}"
    return (
        f"The measuring window is empty: it begins at {begin}, {ended}, and no two samples lie "
        "between. Goodput, Jain's index and the mean and percentiles of queues have no values. "
        "Write an earlier measure.from."
    )


def _no_round_trips(summary: Summary) -> str | None:
    if summary.get("rtt_ps") != []:
        return None
    end = time_text(summary["simulated_ps"])
    return (
        "No round trip was counted: no ACK came between measure.round_trips.from and the end of "
        f"the run, at {end}."
    )


def _rounding(summary: Summary) -> str | None:
    if summary["utilisation"]["max"] <= 1 or summary["clock"] != "nanoseconds":
        return None
    return (
        "A link carried more than its rate: the clock of nanoseconds, as ns-3's, rounds the "
        "transmission time of each packet down to a whole one."
    )
