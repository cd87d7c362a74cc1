"""What a scenario has run, in a line: its topology and its traffic, as its author wrote them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

__all__ = ["what_ran"]

_MOST_ENTRIES = 6
_Written = Mapping[str, Any]


def what_ran(scenario: str) -> str:
    """The line; empty for what is no scenario.

    Args:
        scenario: TOML, with every default filled in.
    """
    try:
        written = tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
        return ""
    topology = written.get("network", {}).get("topology", {})
    entries = [*written.get("traffic", ()), *written.get("work", ())]
    parts = [
        _topology(topology) if isinstance(topology, dict) else str(topology),
        _together([_entry(entry) for entry in entries]),
        f"attack: {written['attack']['kind']}" if "attack" in written else "",
        f"until {written['run']['stop']}" if "stop" in written.get("run", {}) else "",
    ]
    return "; ".join(filter(None, parts))


def _together(entries: Sequence[str]) -> str:
    more = len(entries) - _MOST_ENTRIES
    shown = " + ".join(entries[:_MOST_ENTRIES])
    return f"{shown} + {more} more" if more > 0 else shown


def _topology(topology: _Written) -> str:
    """Its kind and its numbers: `leaf-spine (4 leaves, 2 spines)`."""
    numbers = [
        f"k = {value}" if name == "k" else f"{value} {name.replace('_', ' ')}"
        for name, value in topology.items()
        if isinstance(value, int) and (name, value) != ("links_per_pair", 1)
    ]
    return _with(_named(topology), numbers)


def _entry(entry: _Written) -> str:
    """An entry's kind and what makes it: `poisson (ali-storage, load 0.3, for 500us)`."""
    name = f"{entry['name']}: " if "name" in entry else ""
    return name + _with(_named(entry), list(_details(entry)))


def _named(written: _Written) -> str:
    if "file" in written:
        return PurePath(str(written["file"])).name
    return str(written.get("kind", ""))


def _with(name: str, details: Sequence[str]) -> str:
    return f"{name} ({', '.join(details)})" if details else name


def _details(entry: _Written) -> Iterator[str]:
    for key, words in _WORDS.items():
        if key in entry and entry[key] not in _USUAL.get(key, ()):
            yield words(entry[key])


def _rounds(rounds: Any) -> str:
    if isinstance(rounds, Mapping) and "every" in rounds:
        return f"{rounds.get('count', '')} rounds, one every {rounds['every']}".strip()
    return f"{rounds} rounds"


def _stagger(stagger: Any) -> str:
    if isinstance(stagger, Mapping) and "every" in stagger:
        return f"{stagger.get('group', 1)} every {stagger['every']}"
    return "staggered"


_WORDS: Mapping[str, Callable[[Any], str]] = {
    "flows": lambda flows: f"{len(flows)} listed",
    "sizes": lambda sizes: "own sizes" if isinstance(sizes, Mapping) else str(sizes),
    "size": str,
    "data": str,
    "load": "load {}".format,
    "count": "count {}".format,
    "fan_in": "{} senders".format,
    "senders": "from {}".format,
    "sources": "from {}".format,
    "receiver": "to {}".format,
    "destinations": "to {}".format,
    "stagger": _stagger,
    "rounds": _rounds,
    "start": "start {}".format,
    "duration": "for {}".format,
}
_USUAL: Mapping[str, Sequence[Any]] = {
    "senders": ["all"],
    "sources": ["all"],
    "destinations": ["all"],
    "rounds": [1],
    "start": ["0s", 0],
}
"""Values that need no word."""
