"""Ranks and their hosts, and the network that is built if no scenario is given."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from incast.errors import ScenarioError

__all__ = ["DEFAULT_RANKS", "built_for", "host_numbers"]

DEFAULT_RANKS = 64
"""The number of ranks if no scenario is given."""
_LEAST_PORTS = 8
"""The fewest ports of a leaf to hosts, and the most hosts on a single switch."""
_RATE, _DELAY, _MTU = "400Gbps", "500ns", "4096B"
_MAX_HOSTS = 65536
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?")


def built_for(hosts: int) -> dict[str, Any]:
    """A scenario without traffic: one switch, or two tiers with full bisection bandwidth. Leaves
    have as many links to spines as to hosts, and all links have the same rate. NICs have 400 Gb/s,
    packets 4096 B of payload, and QPs live for the whole run, as in NCCL.

    Args:
        hosts: The least number of hosts.
    """
    return {
        "run": {"name": "nccl-tests"},
        "network": {"topology": _topology(hosts), "packets": {"mtu": _MTU}},
        "nic": {"qps": "persistent"},
        "cc": {"algorithm": "hpcc"},
    }


def _topology(hosts: int) -> dict[str, Any]:
    if hosts <= _LEAST_PORTS:
        return {"kind": "star", "hosts": hosts, "rate": _RATE, "delay": _DELAY}
    ports = _LEAST_PORTS
    # Spines have as many ports as leaves, and half of a leaf's ports go to hosts: so there are at
    # most 2·ports leaves.
    while 2 * ports * ports < hosts:
        ports *= 2
    return {
        "kind": "leaf-spine",
        "leaves": -(-hosts // ports),
        "spines": ports,
        "hosts_per_leaf": ports,
        "host_rate": _RATE,
        "spine_rate": _RATE,
        "delay": _DELAY,
    }


def host_numbers(hosts: str | Iterable[int]) -> list[int]:
    """Numbers of hosts, in order of the ranks: ``0,4,8``, ``0-15,32-47``, or a list.

    Raises:
        ScenarioError: The text is no such list.
    """
    if not isinstance(hosts, str):
        found = [int(host) for host in hosts]
    else:
        found = [number for part in hosts.split(",") for number in _range(part, hosts)]
    if len(set(found)) < len(found):
        twice = next(host for host in found if found.count(host) > 1)
        raise ScenarioError(f"host {twice} is named twice", key="hosts", hint="give each once")
    return found


def _range(text: str, whole: str) -> range:
    match = _RANGE.fullmatch(text)
    if match is None:
        what = f"`{whole}` names no hosts"
        raise ScenarioError(what, key="hosts", hint="write e.g. 0,4,8 or 0-15")
    first, last = int(match[1]), int(match[2] or match[1])
    if not first <= last < _MAX_HOSTS:
        what = f"`{text.strip()}` is not a range of hosts"
        hint = f"write e.g. 0-15, up to {_MAX_HOSTS - 1}"
        raise ScenarioError(what, key="hosts", hint=hint)
    return range(first, last + 1)
