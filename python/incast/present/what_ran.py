"""A description of runs in words: the topology, and a line for each traffic entry or piece of
work.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from incast.errors import ResultsError
from incast.measure.run import Run, Runs
from incast.present.units import percent_text, plural

__all__ = ["of_runs", "sentences"]

_MOST_ENTRIES = 6
_MOST_SCENARIOS = 2
_Entry: TypeAlias = Mapping[str, Any]


def of_runs(runs: Runs) -> list[str]:
    """The lines that describe runs. Common lines are given once, others under the labels of their
    runs.
    """
    try:
        written = {label: run.scenario for label, run in runs.items()}
    except ResultsError:
        # The folder was removed; key figures are still in memory.
        return []
    found = {label: _of_run(run, written[label]) for label, run in runs.items()}
    first = next(iter(found.values()), [])
    if all(lines == first for lines in found.values()):
        return first
    if len(found) > _MOST_SCENARIOS:
        # Labels already say what differs between runs.
        return []
    alike = [line for line in first if all(line in lines for lines in found.values())]
    return alike + [
        f"{label}: {line}" for label, lines in found.items() for line in lines if line not in alike
    ]


_SAID: WeakKeyDictionary[Run, list[str]] = WeakKeyDictionary()
"""A cache of the lines of runs, as parsing a scenario with many flows takes seconds."""


def _of_run(run: Run, scenario: str) -> list[str]:
    if run not in _SAID:
        _SAID[run] = _parsed(run, scenario)
    return _SAID[run]


def _parsed(run: Run, scenario: str) -> list[str]:
    try:
        return sentences(tomllib.loads(scenario), run.summary)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        folder = getattr(run, "folder", None)
        file = str(folder / "scenario.toml") if folder is not None else None
        told = f": {error}" if isinstance(error, tomllib.TOMLDecodeError) else ""
        what = f"no run of {run.name} has written this{told}"
        raise ResultsError(
            what, file=file, hint="it is damaged; run it again, with --force"
        ) from None


def sentences(scenario: Mapping[str, Any], summary: Mapping[str, Any] | None = None) -> list[str]:
    """Lines such as ``poisson: web-search sizes, 40 % load, for 5 ms, 505 flows``.

    Args:
        scenario: The scenario with every default filled in.
        summary: The summary of a run, which has the numbers of flows.
    """
    if "fabric" in scenario:
        return _few([_work(each) for each in scenario.get("work", [])])
    entries = scenario.get("traffic", [])
    counts = _counts(entries, summary or {})
    names = _names(entries, summary or {})
    algorithms = _algorithms(scenario, summary or {})
    lines = [
        _line(each, name, [*_KINDS.get(each["kind"], _other)(each), *algorithm, *count])
        for each, name, algorithm, count in zip(entries, names, algorithms, counts, strict=True)
    ]
    attack = scenario.get("attack", {"kind": "none"})
    network = scenario.get("network", {})
    return [
        *([_topology(network)] if network.get("topology") else []),
        *_few(lines),
        *_few([_fault(each) for each in scenario.get("fault", [])]),
        *([] if attack["kind"] == "none" else [_attack(attack)]),
    ]


def _fault(fault: _Entry) -> str:
    """``fault: switch 16 – switch 20 down, from 1 ms until 3 ms``."""
    links = " – ".join(fault["between"]) if "between" in fault else ", ".join(fault["links"])
    how = {
        "down": "down",
        "degraded": f"at {_text(fault['rate'])}" if "rate" in fault else "",
        "loss": f"loses {percent_text(fault['probability'])}" if "probability" in fault else "",
    }[fault["kind"]]
    facts = [
        f"{links} {how}",
        f"from {_text(fault['from'])}"
        + (f" until {_text(fault['until'])}" if "until" in fault else ""),
        f"{fault['times']} times, every {_text(fault['every'])}" if "times" in fault else "",
    ]
    return f"fault: {', '.join(fact for fact in facts if fact)}"


def _few(lines: list[str]) -> list[str]:
    more = len(lines) - _MOST_ENTRIES
    return [*lines[:_MOST_ENTRIES], f"and {more} more"] if more > 0 else lines


def _topology(network: _Entry) -> str:
    """The kind and the numbers of a topology:
    ``leaf-spine: 4 leaves, 2 spines, 8 hosts per leaf, 2 planes``.
    """
    topology = network["topology"]
    numbers = [
        f"{key} = {value}" if len(key) == 1 else _of_key(value, key)
        for key, value in topology.items()
        if type(value) is int and (key, value) != ("links_per_pair", 1)
    ]
    lengths = " × ".join(map(str, topology.get("dimensions", ())))
    wrapped = [] if topology.get("wrap", True) else ["not wrapped"]
    nvlink = [f"NVLink of {_text(topology['nvlink_rate'])}"] if "nvlink_rate" in topology else []
    nodes = ["hosts are nodes"] if topology.get("hosts") == "nodes" else []
    planes = [f"{network['planes']} planes"] if network.get("planes", 1) != 1 else []
    name = PurePath(str(topology.get("file", topology.get("kind", "")))).name
    facts = [*([lengths] if lengths else []), *numbers, *wrapped, *nvlink, *nodes, *planes]
    return f"{name}: {', '.join(facts)}" if facts else name


def _of_key(count: int, key: str) -> str:
    """A number with the noun of its key: ``4 leaves``, ``8 hosts per leaf``,
    ``1 host per leaf``.
    """
    noun, *rest = key.split("_")
    if count == 1:
        noun = {"leaves": "leaf", "switches": "switch"}.get(noun, noun.removesuffix("s"))
    return " ".join([str(count), noun, *rest])


def _counts(entries: Sequence[_Entry], summary: Mapping[str, Any]) -> list[list[str]]:
    """The number of flows (under attack, messages) of each entry, if results have it."""
    told = summary.get("traffic", [])
    attacked = "roles" in summary
    if len(told) == len(entries):
        return [[plural(each["messages"], "message" if attacked else "flow")] for each in told]
    if len(entries) == 1 and "flows" in summary and not attacked:
        return [[plural(summary["flows"]["started"], "flow")]]
    return [[] for _ in entries]


def _algorithms(scenario: Mapping[str, Any], summary: Mapping[str, Any]) -> list[list[str]]:
    """The algorithm of each entry with congestion control, if entries have different ones."""
    entries, told = scenario.get("traffic", []), summary.get("traffic", [])
    if not any("cc" in entry for entry in entries):
        return [[] for _ in entries]
    if len(told) == len(entries):
        if not all("algorithm" in each for each in told):
            return [[] for _ in entries]
        names = [each["algorithm"] for each in told]
    else:
        names = [entry.get("cc", scenario["cc"])["algorithm"] for entry in entries]
    return [
        [f"under {name}"] if entry.get("controlled", True) else []
        for entry, name in zip(entries, names, strict=True)
    ]


def _names(entries: Sequence[_Entry], summary: Mapping[str, Any]) -> list[str]:
    """Names of entries as in results; entries of the same kind have numbers."""
    told = summary.get("traffic", [])
    named = told if len(told) == len(entries) else entries
    return [
        str(each.get("name", entry["kind"])) for each, entry in zip(named, entries, strict=True)
    ]


def _line(entry: _Entry, name: str, parts: Sequence[str]) -> str:
    kind = str(entry["kind"])
    head = kind if name == kind else f"{name}: {kind}"
    tenant = [f"tenant {entry['tenant']}"] if "tenant" in entry else []
    said = ", ".join(part for part in [*parts, *tenant] if part)
    return f"{head}{', ' if name != kind else ': '}{said}"


def _poisson(entry: _Entry) -> list[str]:
    return [
        _sizes(entry.get("sizes")),
        f"{percent_text(entry['load'])} load",
        _begin(entry),
        f"for {_text(entry['duration'])}" if "duration" in entry else "",
        f"until {plural(entry['count'], 'flow')}" if "count" in entry else "",
        _between(entry, "sources", "destinations"),
        "without congestion control" if not entry.get("controlled", True) else "",
    ]


def _incast(entry: _Entry) -> list[str]:
    receiver = entry["receiver"]
    fan_in = f"{entry['fan_in']} of " if "fan_in" in entry else ""
    stagger = entry.get("stagger")
    return [
        f"{fan_in}{_hosts(entry.get('senders', 'all'))} to {_receiver(receiver)}",
        _sizes(entry.get("sizes")),
        f"{stagger['group']} every {_text(stagger['every'])}" if stagger else "",
        *_burst(entry),
    ]


def _permutation(entry: _Entry) -> list[str]:
    shift = f"each to the one {entry['shift']} further on" if "shift" in entry else ""
    return [_hosts(entry.get("hosts", "all")), shift, _sizes(entry.get("sizes")), *_burst(entry)]


def _all_to_all(entry: _Entry) -> list[str]:
    return [
        _between(entry, "sources", "destinations") or "all hosts",
        f"each to {entry['fan_out']} at random" if "fan_out" in entry else "",
        "to the farthest only" if entry.get("farthest") else "",
        _sizes(entry.get("sizes")),
        *_burst(entry),
    ]


def _all_reduce(entry: _Entry) -> list[str]:
    return [f"{_text(entry['data'])} by {entry['algorithm']}", *_ranks(entry)]


def _collective(entry: _Entry) -> list[str]:
    by = f" by {entry['algorithm']}" if "algorithm" in entry else ""
    return [
        f"{entry['operation']} of {_text(entry['data'])}{by}",
        *_ranks(entry),
        f"root {entry['root']}" if "root" in entry else "",
        f"nodes of {entry['node_size']}" if "node_size" in entry else "",
        f"chunks of {_text(entry['chunk'])}" if "chunk" in entry else "",
    ]


def _ranks(entry: _Entry) -> list[str]:
    rounds = entry.get("rounds", 1)
    return [
        _hosts(entry.get("hosts", "all")),
        f"{entry['rings']} rings" if entry.get("rings", 1) != 1 else "",
        plural(entry["channels"], "channel") if "channels" in entry else "",
        f"{rounds} times" if rounds != 1 else "",
        f"computing for {_text(entry['compute'])}" if _is_some(entry, "compute") else "",
        _begin(entry),
    ]


def _flows(entry: _Entry) -> list[str]:
    return [f"{len(entry['flows'])} listed"]


def _file(entry: _Entry) -> list[str]:
    return [PurePath(str(entry["file"])).name]


def _tasks(entry: _Entry) -> list[str]:
    listed = f"{len(entry['tasks'])} listed" if "tasks" in entry else PurePath(entry["file"]).name
    return [
        listed,
        _hosts(entry.get("hosts", "all")),
        f"collectives by {entry['algorithm']}" if "algorithm" in entry else "",
        _begin(entry),
    ]


def _other(entry: _Entry) -> list[str]:
    """An entry of a kind without special words: its settings."""
    told = ("kind", "name", "tenant", "cc", "sizes")
    sizes = [_sizes(entry.get("sizes"))] if "sizes" in entry else []
    return sizes + [
        f"{key.replace('_', ' ')} {_text(value)}"
        for key, value in entry.items()
        if key not in told and isinstance(value, str | int | float) and value not in _PLAIN
    ]


def _live(_entry: _Entry) -> list[str]:
    return ["started by a program"]


_KINDS: dict[str, Callable[[_Entry], list[str]]] = {
    "poisson": _poisson,
    "incast": _incast,
    "permutation": _permutation,
    "all-to-all": _all_to_all,
    "all-reduce": _all_reduce,
    "collective": _collective,
    "flows": _flows,
    "file": _file,
    "tasks": _tasks,
    "live": _live,
}
_PLAIN = ("0s", "all", False)
"""Default values, which are not mentioned."""


def _burst(entry: _Entry) -> list[str]:
    rounds = entry.get("rounds")
    return [
        _begin(entry),
        f"within {_text(entry['jitter'])}" if _is_some(entry, "jitter") else "",
        f"{rounds['count']} times, every {_text(rounds['every'])}" if rounds else "",
    ]


def _begin(entry: _Entry) -> str:
    return f"from {_text(entry['start'])}" if _is_some(entry, "start") else ""


def _is_some(entry: _Entry, key: str) -> bool:
    return str(entry.get(key, "0s")) != "0s"


def _between(entry: _Entry, sources: str, destinations: str) -> str:
    ends = (entry.get(sources, "all"), entry.get(destinations, "all"))
    return "" if ends == ("all", "all") else f"{_hosts(ends[0])} to {_hosts(ends[1])}"


def _hosts(chosen: object) -> str:
    if chosen == "all":
        return "all hosts"
    text = ",".join(map(str, chosen)) if isinstance(chosen, list) else str(chosen)
    if text == "shuffled":
        return "all hosts, shuffled"
    # Hyphens inside of names stay.
    ranges = re.sub(r"\b([0-9]+)\s*-\s*([0-9]+)\b(?=\s*(,|$))", r"\1–\2", text)
    ranges = re.sub(r"\s*,\s*", ", ", ranges)
    return f"host {text}" if text.isdecimal() else f"hosts {ranges}"


def _receiver(receiver: object) -> str:
    return "another host each time" if receiver == "random" else f"host {receiver}"


def _sizes(sizes: object) -> str:
    if sizes is None:
        return ""
    if isinstance(sizes, str):
        return f"{_text(sizes)} each" if sizes[:1].isdecimal() else f"{sizes} sizes"
    if isinstance(sizes, Mapping):
        if isinstance(sizes.get("mix"), list):
            return " and ".join(_sizes(part["sizes"]) for part in sizes["mix"])
        if isinstance(sizes.get("file"), str):
            return f"sizes of {PurePath(sizes['file']).name}"
    return "sizes of one's own"


def _attack(attack: Mapping[str, Any]) -> str:
    ((key, value),) = attack["attackers"].items()
    who = {
        "share": lambda: f"{percent_text(value)} of the hosts",
        "hosts": lambda: _hosts(value),
        "larger_than": lambda: f"flows larger than {_text(value)}",
        "tenant": lambda: f"tenant {value}",
    }[key]()
    return f"attack: {attack['kind']}, by {who}"


def _work(entry: _Entry) -> str:
    parts = [
        f"{_text(entry['size'])}" if "size" in entry else "",
        f"{plural(entry['count'], 'operation')} each" if "count" in entry else "",
        f"group {entry['group']}" if entry.get("group") else "",
        f"from cycle {entry['start']}" if entry.get("start") else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f"{entry['kind']}: {said}" if said else str(entry["kind"])


def _text(value: object) -> str:
    """A value with a blank before its unit: ``"500us"`` is ``500 µs``."""
    return re.sub(r"^([\d.]+)([A-Za-zµ]+)$", r"\1 \2", str(value)).replace(" us", " µs")
