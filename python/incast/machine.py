"""The memory that is available on this machine, and runs that do not fit into it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from incast.address_space import address_space_limit
from incast.errors import ScenarioError
from incast.present.units import bytes_text

__all__ = ["available_memory", "fitting", "resident_memory", "without_rows"]

_OWN_GROUPS = Path("/proc/self/cgroup")
_CGROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT = 1 << 62
"""Bytes from which a limit means no limit; version 1 of control groups then writes about twice
this.
"""
_SMALLER = {
    "process": "free some memory, or raise the limit of this process (ulimit -v)",
    "network": "take a smaller network",
    "packets": "take shorter links (network.topology), or an earlier run.stop",
    "flows": "let fewer flows start (a shorter traffic.*.duration, run.stop, larger attack.piece)",
    "rows": "keep rows of fewer flows (measure.flows.rows)",
    "operations": "give it less work (work.*.count, work.*.size)",
    "series": "lower measure.rows",
    "trace": "lower measure.packets.limit",
}
"""For each part of the memory, how to make it smaller."""


def fitting(estimate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The estimate of the run as it fits into the available memory. If the scenario leaves the rows
    of flows open, and rows of all flows would not fit, only few flows have rows.

    Args:
        estimate: The result of :meth:`incast.Scenario.estimate`.

    Raises:
        ScenarioError: The run does not fit.
    """
    left = available_memory()
    if left is None:
        return estimate
    if estimate.get("leaves_rows_open") and not _fits(_with_all_rows(estimate), left):
        estimate = without_rows(estimate)
    if _fits(estimate, left):
        return estimate
    parts = estimate["memory_parts"]
    largest = max(parts, key=parts.__getitem__)
    raise ScenarioError(
        f"the run would take about {bytes_text(estimate['memory_bytes'])} of memory, "
        f"{bytes_text(parts[largest])} of it for {_NOUNS[largest]}, and "
        f"{bytes_text(_available(estimate, left))} are available",
        hint=f'{_SMALLER[largest]}; memory = "any" (--memory any) runs it nevertheless',
    )


def without_rows(estimate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The estimate for a run that keeps rows of few flows only."""
    parts = estimate["memory_parts"]
    return {
        **estimate,
        "memory_bytes": estimate["memory_bytes"] - parts["rows"],
        "memory_parts": {**parts, "rows": 0.0},
        "rows_fit": False,
    }


def _with_all_rows(estimate: Mapping[str, Any]) -> Mapping[str, Any]:
    """The estimate for a run whose rows of all flows are loaded."""
    more = estimate["rows_if_loaded_bytes"] - estimate["memory_parts"]["rows"]
    return {**estimate, "memory_bytes": estimate["memory_bytes"] + more}


def _fits(estimate: Mapping[str, Any], left: int) -> bool:
    needed: float = estimate["memory_bytes"]
    return needed <= left or needed <= _available(estimate, left)


def _available(estimate: Mapping[str, Any], left: int) -> float:
    """Memory that is left, plus the program's own, which the estimate includes."""
    process: float = estimate["memory_parts"].get("process", 0)
    return left + min(process, resident_memory() or 0)


_NOUNS = {
    "process": "the program",
    "network": "the network",
    "packets": "packets on their way along links",
    "flows": "flows",
    "rows": "rows of flows",
    "operations": "operations",
    "series": "series",
    "trace": "the packet trace",
}


def available_memory() -> int | None:
    """Bytes that this process may still take without swapping: the least of what the machine, its
    control groups and its address space leave. ``None`` if that is unknown.
    """
    found = (_of_machine(), _of_groups(), _of_address_space())
    return min((limit for limit in found if limit is not None), default=None)


def resident_memory() -> int | None:
    """Bytes of this process in memory; ``None`` if that is unknown."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return _physical()
    amounts = dict(line.split(":", 1) for line in lines if ":" in line)
    kibibytes = amounts.get("MemAvailable", "").split()
    return int(kibibytes[0]) * 1024 if kibibytes else _physical()


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


class _GroupFiles(NamedTuple):
    """Names of a control group's files, in each version."""

    root: Path
    limit: str
    used: str
    cache: str
    """The entry of ``memory.stat`` for file pages that the kernel can reclaim."""


def _of_groups() -> int | None:
    """What the memory limits of control groups leave, which containers and batch systems set: the
    process's own group and all groups above it, of either version.
    """
    try:
        entries = _OWN_GROUPS.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    found = []
    for entry in entries:
        _, _, rest = entry.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            names = _GroupFiles(_CGROUPS, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = _GroupFiles(
                _CGROUPS / "memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            )
        else:
            continue
        group = names.root / path.lstrip("/")
        # A container may see its own group as the root; then the path of its group does not exist.
        within = [each for each in (group, *group.parents) if each.is_relative_to(names.root)]
        found += [_left_in(each, names) for each in within]
    return min((left for left in found if left is not None), default=None)


def _left_in(group: Path, names: _GroupFiles) -> int | None:
    try:
        limit = int((group / names.limit).read_text(encoding="ascii"))
        if limit >= _NO_LIMIT:
            return None
        used = int((group / names.used).read_text(encoding="ascii"))
    except (OSError, ValueError):  # The group does not exist, or its limit is `max`.
        return None
    return max(limit - used + _cache_of(group, names), 0)


def _cache_of(group: Path, names: _GroupFiles) -> int:
    try:
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        amounts = dict(line.split() for line in lines)
        return int(amounts.get(names.cache, 0))
    except (OSError, ValueError):
        return 0


def _of_address_space() -> int | None:
    limit = address_space_limit()
    if limit is None:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return limit
    return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
