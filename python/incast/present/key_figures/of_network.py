"""Key figures of a network's run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from incast.present.key_figures import steadiness
from incast.present.key_figures.caveats_of_network import caveats
from incast.present.key_figures.figure import (
    NOT_MEASURED,
    KeyFigure,
    Statistics,
    Summary,
    percentile_text,
)
from incast.present.units import (
    bytes_text,
    count_text,
    per_second_text,
    percent_text,
    plural,
    rate_text,
    ratio_text,
    seconds_text,
    size_range_text,
    time_text,
)

__all__ = [
    "PARTY_COLUMNS",
    "caveats",
    "costs",
    "entry_name",
    "measured",
    "party_cells",
    "reach",
    "settings",
    "size",
    "statistics",
    "work",
]

_SLOWDOWN_COLUMNS = {
    "mean": "mean",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "p999": "p99.9",
    "max": "max",
}
"""Keys of a summary's statistics, and their names in print."""
_PERMILLE = {"p50": 500, "p95": 950, "p99": 990, "p999": 999}


def statistics(summary: Summary) -> Statistics:
    """FCT slowdown: a row for each class of sizes that has flows, and a row for all flows."""
    slowdown = summary["fct_slowdown"]
    rows = [
        (size_range_text(bucket["from_bytes"], bucket["to_bytes"]), _statistics(bucket))
        for bucket in slowdown["by_size"]
        if bucket["count"]
    ]
    return Statistics(
        "FCT slowdown",
        "flow size",
        ["flows", *_SLOWDOWN_COLUMNS.values()],
        [*rows, (_everything(summary), _statistics(slowdown["all"]))],
    )


def _everything(summary: Summary) -> str:
    """The name of the row for flows of all sizes."""
    return "counted flows" if steadiness.is_windowed(summary) else "all flows"


PARTY_COLUMNS = {"p50": "p50", "p99": "p99", "p999": "p99.9"}
"""Keys of a party's statistics, and their names in print."""


def party_cells(party: Mapping[str, Any]) -> list[str]:
    """The cells of a party: messages, mean goodput, FCT slowdown."""
    slowdowns = _values(party["fct_slowdown"], PARTY_COLUMNS)
    return [count_text(party["messages"]), rate_text(party["goodput_bps"]), *slowdowns]


def measured(summary: Summary) -> list[KeyFigure]:
    """The measured key figures."""
    return [
        _flows(summary),
        *steadiness.counted_flows(summary),
        *steadiness.loads(summary),
        *_window(summary.get("measuring_window")),
        _goodput(summary["goodput_bps"]),
        *_collectives(summary),
        *_jain(summary.get("jain_index")),
        *_settling(summary.get("jain_index")),
        *_fair_share(summary.get("fair_share")),
        *_order(summary),
        *_queues(summary.get("queue_bytes")),
        *_round_trips(summary),
        *_packet_latency(summary.get("longest_packet_latency_ps")),
        _pauses(summary["pfc"]),
        *_packets(summary["packets"], summary["recovery"]),
        *_reordering(summary.get("reordering")),
        *_faults(summary.get("faults")),
        _utilisation(summary["utilisation"]),
        *_equal_links(summary.get("equal_links")),
        *_trace(summary.get("packet_trace")),
    ]


def costs(summary: Summary) -> list[KeyFigure]:
    """Key figures of the run itself: simulated time, wall time, packet-hops."""
    speed = per_second_text(summary["packet_hops_per_cpu_second"])
    wall = seconds_text(summary["wall_seconds"])
    return [
        KeyFigure("simulated", time_text(summary["simulated_ps"]), f"in {wall} of wall time"),
        KeyFigure("packet-hops", count_text(summary["packet_hops"]), f"{speed} of CPU time"),
    ]


def settings(summary: Summary) -> str:
    """Algorithm, profile and seed."""
    return f"{summary['algorithm']}, profile {summary['profile']}, seed {summary['seed']}"


def size(summary: Summary) -> str:
    """Size of the network in words."""
    hosts, switches = plural(summary["hosts"], "host"), plural(summary["switches"], "switch")
    return f"{hosts}{_nics(summary)}, {switches}, {plural(summary['links'], 'link')}"


def _nics(summary: Summary) -> str:
    """The number of NICs, if hosts have several."""
    hosts, nics = summary["hosts"], summary.get("nics")
    if nics is None:
        return ""
    each, more = divmod(nics, hosts)
    return f" with {nics} NICs" if more else f" of {each} NICs"


def work(facts: Summary) -> str:
    """Expected flows, stop time, measuring window and loads of a scenario."""
    window = facts["measuring_window_ps"]
    measured = f"; measured from {' to '.join(map(time_text, window))}" if window else ""
    stop = f"; stops at {time_text(facts['stop_ps'])}" if facts["stop_ps"] else ""
    flows = plural(round(facts["expected_flows"]), "flow")
    return "; ".join([f"{flows} expected{stop}{measured}", *steadiness.offered(facts)])


def reach(summary: Summary) -> list[KeyFigure]:
    """Base RTT and BDP. They differ between algorithms, whose headers differ. Each is the largest
    over all pairs of hosts, not always of the same pair.
    """
    return [
        KeyFigure("base RTT", f"≤ {time_text(summary['base_rtt_ps'])}"),
        KeyFigure("BDP", f"≤ {bytes_text(summary['bdp_bytes'])}"),
    ]


def _statistics(bucket: Mapping[str, Any]) -> list[str]:
    return [count_text(bucket["count"]), *_values(bucket, _SLOWDOWN_COLUMNS)]


def _values(distribution: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Values of a distribution as text; percentiles of too few values are marked."""
    count = distribution["count"]
    return [
        steadiness.too_late(distribution, key)
        or percentile_text(ratio_text(distribution[key]), _PERMILLE[key], count)
        if key in _PERMILLE
        else ratio_text(distribution[key])
        for key in keys
    ]


def _flows(summary: Summary) -> KeyFigure:
    flows = summary["flows"]
    started, finished = flows["started"], flows["finished"]
    all_begun = "all that began" if summary.get("unfinished_ranks") else "all"
    detail = (
        f"{all_begun} finished" if started == finished else f"finished, of {count_text(started)}"
    )
    return KeyFigure("flows", count_text(finished), detail)


def _window(window: Mapping[str, Any] | None) -> list[KeyFigure]:
    """The window over which means are taken, if it is not the whole run."""
    if window is None or window["until_ps"] <= window["from_ps"]:
        # A caveat reports an empty window.
        return []
    begin, end = (time_text(window[key]) for key in ("from_ps", "until_ps"))
    detail = "goodput, Jain's index, queues; see measure.from"
    return [KeyFigure("measured", f"{begin} – {end}", detail)]


def _goodput(goodput: Mapping[str, Any]) -> KeyFigure:
    each = rate_text(goodput["mean_per_flow"])
    return KeyFigure("goodput", rate_text(goodput["total"]), f"{each} per flow on average")


def entry_name(summary: Summary, number: int) -> str:
    """The name of a traffic entry, or its number."""
    names = [party["name"] for party in summary.get("traffic", ())]
    return names[number] if number < len(names) else f"traffic {number}"


def _collectives(summary: Summary) -> list[KeyFigure]:
    """Two key figures for each collective: time and bus bandwidth; with its name if there are
    several.
    """
    entries = summary.get("collectives")
    found = []
    for entry in entries or ():
        number = entry["traffic"]
        name = "" if len(entries or ()) == 1 else f", {entry_name(summary, number)}"
        done = plural(entry["rounds"], "round")
        if not entry["data_bytes"]:
            ranks = f"of {plural(entry['hosts'], 'rank')}; {done}"
            found.append(KeyFigure(f"tasks{name}", time_text(entry["time_ps"]), ranks))
            continue
        what = entry.get("operation", "all-reduce")
        sizes = f"{bytes_text(entry['data_bytes'])} over {plural(entry['hosts'], 'host')}"
        algorithm = rate_text(entry["algorithm_bandwidth_bps"])
        found += [
            KeyFigure(f"{what}{name}", time_text(entry["time_ps"]), f"{sizes}; {done}"),
            KeyFigure(
                f"bus bandwidth{name}",
                rate_text(entry["bus_bandwidth_bps"]),
                f"algorithm bandwidth {algorithm}",
            ),
        ]
    return found


def _jain(jain: Mapping[str, Any] | None) -> list[KeyFigure]:
    if jain is None:
        return [KeyFigure("Jain's index", "–", NOT_MEASURED)]
    fair = jain["time_to_095_ps"]
    return [
        KeyFigure("Jain's index", f"{jain['mean']:.3f}", f"on average; {jain['min']:.3f} at worst"),
        KeyFigure(
            "fair after",
            time_text(fair) if fair is not None else "never",
            "Jain's index ≥ 0.95, counted from the last arrival",
        ),
    ]


def _settling(jain: Mapping[str, Any] | None) -> list[KeyFigure]:
    settling = jain.get("after_arrivals") if jain else None
    if not settling or settling["arrivals"] < 2:
        # A single arrival is the last one, whose time is already a key figure.
        return []
    arrivals = plural(settling["arrivals"], "arrival")
    detail = (
        f"fair again after {count_text(settling['settled'])} of {arrivals}, then up to the next"
    )
    times = settling["time_to_095_ps"]
    value = time_text(times["mean"]) if times["count"] else "never"
    return [KeyFigure("settles in", value, detail)]


def _fair_share(shares: Mapping[str, Any] | None) -> list[KeyFigure]:
    if shares is None:
        return []
    low, high = (ratio_text(shares[key]) for key in ("min", "max"))
    detail = f"of the max-min fair rate, for the median flow; from {low} to {high}"
    return [KeyFigure("fair share", ratio_text(shares["p50"]), detail)]


def _order(summary: Summary) -> list[KeyFigure]:
    correlation = summary.get("start_finish_correlation")
    if correlation is None:
        return []
    detail = "correlation; −1: late starters finish first"
    return [KeyFigure("start–finish", f"{correlation:+.2f}".replace("-", "−"), detail)]


def _queues(queue: Mapping[str, Any] | None) -> list[KeyFigure]:
    if queue is None:
        return [KeyFigure("queue peak", "–", NOT_MEASURED)]
    peak = KeyFigure("queue peak", bytes_text(queue["peak"]), queue.get("peak_port") or "")
    if queue.get("mean") is None:
        return [peak]
    of_samples = "of all samples of all switch ports"
    return [
        peak,
        KeyFigure("queue mean", bytes_text(queue["mean"]), of_samples),
        KeyFigure("queue p99", bytes_text(queue["p99"]), of_samples),
    ]


def _pauses(pfc: Mapping[str, Any]) -> KeyFigure:
    if not pfc["pauses"]:
        return KeyFigure("pauses", "0")
    ports = plural(pfc["ports_paused"], "port")
    detail = f"of {ports}, {time_text(pfc['paused_ps'])} in total"
    return KeyFigure("pauses", count_text(pfc["pauses"]), detail)


def _packets(packets: Mapping[str, Any], recovery: Mapping[str, Any]) -> list[KeyFigure]:
    control = f"and {count_text(packets['control'])} of control"
    speculative = packets.get("speculative_dropped", 0)
    dropped = packets["dropped"] + speculative
    told = f"{count_text(speculative)} of them speculative" if speculative else ""
    return [
        KeyFigure("data packets", count_text(packets["data"]), control),
        KeyFigure("marked", count_text(packets["marked"])),
        KeyFigure("dropped", count_text(dropped), told),
        *_trimmed(packets),
        _retransmitted(packets["retransmitted"], recovery),
        *_timeouts(recovery),
    ]


def _trimmed(packets: Mapping[str, Any]) -> list[KeyFigure]:
    trimming = packets.get("trimming")
    if trimming is None:
        return []
    told = [f"packets, {bytes_text(trimming['trimmed_bytes'])} of payload"]
    if at_last_hop := trimming["at_last_hop"]:
        told.append(f"{count_text(at_last_hop)} at last hops")
    if dropped := trimming["headers_dropped"]:
        told.append(f"{plural(dropped, 'header')} dropped")
    return [KeyFigure("trimmed", count_text(trimming["trimmed"]), ", ".join(told))]


def _retransmitted(count: int, recovery: Mapping[str, Any]) -> KeyFigure:
    if not count:
        return KeyFigure("retransmitted", "0")
    told = [f"packets, {bytes_text(recovery['retransmitted_bytes'])}"]
    if after := recovery["timeout_retransmitted_bytes"]:
        told.append(f"{bytes_text(after)} of it after timeouts")
    if in_vain := recovery["duplicate_packets"]:
        told.append(f"{plural(in_vain, 'packet')} in vain")
    return KeyFigure("retransmitted", count_text(count), ", ".join(told))


def _timeouts(recovery: Mapping[str, Any]) -> list[KeyFigure]:
    if not recovery["timeouts"]:
        return []
    flows = plural(recovery["flows_timed_out"], "flow")
    share = percent_text(recovery["timeout_wait_share"])
    detail = f"of {flows}; waiting for them is {share} of the time of all flows"
    return [KeyFigure("timeouts", count_text(recovery["timeouts"]), detail)]


def _reordering(order: Mapping[str, Any] | None) -> list[KeyFigure]:
    """``23.1%  of 64,000 data packets, 14.2 behind on average, 97 at most; 84.0 KB waited at host 3
    port 0 → leaf 0``, where any packet arrived out of order.
    """
    if order is None or order["distance"] is None:
        return []
    distance = order["distance"]
    behind = (
        f"{ratio_text(distance['mean'])} behind on average, {count_text(distance['max'])} at most"
    )
    waited = f"{bytes_text(order['buffer_bytes'])} waited at {order['buffer_port']}"
    detail = f"of {plural(order['received_packets'], 'data packet')}, {behind}; {waited}"
    return [KeyFigure("out of order", percent_text(order["out_of_order_share"]), detail)]


def _faults(faults: Mapping[str, Any] | None) -> list[KeyFigure]:
    """Packets lost to faults of links, by cause; and the time to recover for each failed link."""
    if faults is None:
        return []
    causes = {
        "lost_link_down": "links were down",
        "lost_corrupted": "corrupted",
        "lost_unreachable": "no way",
    }
    lost = [f"{count_text(faults[key])}: {why}" for key, why in causes.items() if faults[key]]
    total = sum(faults[key] for key in causes)
    found = [KeyFigure("lost on links", count_text(total), "; ".join(lost))]
    down = [entry for entry in faults["entries"] if entry["kind"] == "down"]
    for entry in down:
        name = "recovery" if len(down) == 1 else f"recovery, fault {entry['fault']}"
        found.append(KeyFigure(name, _recovery(entry), _harmed(entry)))
    return found


def _recovery(entry: Mapping[str, Any]) -> str:
    if entry["not_recovered"]:
        return "not at the end"
    return time_text(entry["recovery_ps"]) if "recovery_ps" in entry else "–"


def _harmed(entry: Mapping[str, Any]) -> str:
    """``switch 16 – switch 20: 8 flows lost packets``."""
    more = entry["link_count"] - 1
    links = entry["links"][0] + (f" and {plural(more, 'other link')}" if more else "")
    times = f", down {entry['times']} times" if entry["times"] > 1 else ""
    return f"{links}{times}: {plural(entry['flows'], 'flow')} lost packets"


def _utilisation(utilisation: Mapping[str, Any]) -> KeyFigure:
    host_links = percent_text(utilisation["mean_host_links"])
    where = f"at {utilisation['max_port']}; " if utilisation.get("max_port") else ""
    detail = f"{where}host links {host_links} on average"
    return KeyFigure("utilisation", percent_text(utilisation["max"]), detail)


def _equal_links(links: Mapping[str, Any] | None) -> list[KeyFigure]:
    """``1.08  busiest of a switch's links upwards over their mean; Jain's index 0.996``."""
    if links is None:
        return []
    jain = f"Jain's index {links['jain']:.3f}"
    detail = f"busiest of a switch's links upwards over their mean; {jain}"
    return [KeyFigure("link shares", f"{links['largest_over_mean']:.2f}", detail)]


def _round_trips(summary: Summary) -> list[KeyFigure]:
    """Round trips, one key figure for each traffic entry; with its name if there are several."""
    entries = summary.get("rtt_ps")
    found = []
    for entry in entries or ():
        number = entry["traffic"]
        name = "RTT" if len(entries or ()) == 1 else f"RTT, {entry_name(summary, number)}"
        detail = f"p99 {time_text(entry['p99'])}, max {time_text(entry['max'])}"
        found.append(KeyFigure(name, time_text(entry["p50"]), f"median; {detail}"))
    return found


def _packet_latency(latency: Mapping[str, Any] | None) -> list[KeyFigure]:
    """The 99.9th percentile, over flows, of the latency of each flow's slowest packet."""
    if latency is None or latency["p999"] is None:
        return []
    detail = f"p99.9 of flows' slowest packets; median {time_text(latency['p50'])}"
    return [KeyFigure("packet latency", time_text(latency["p999"]), detail)]


def _trace(trace: Mapping[str, Any] | None) -> list[KeyFigure]:
    if trace is None:
        return []
    detail = "all events" if trace["cut_ps"] is None else f"up to {time_text(trace['cut_ps'])}"
    return [KeyFigure("packet trace", count_text(trace["events"]), detail)]
