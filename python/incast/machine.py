"""The memory that is left on this machine, and runs that do not fit into it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from incast.errors import ScenarioError
from incast.present.units import bytes_text

__all__ = ["available_memory", "check_memory"]

_CGROUPS = Path("/sys/fs/cgroup")
_SMALLER = {
    "process": "free some memory",
    "network": "take a smaller network",
    "flows": "let fewer flows start (a shorter traffic.*.duration, run.stop)",
    "series": "lower measure.rows",
    "trace": "lower measure.packets.limit",
}
"""What helps against each part of the memory."""


def check_memory(estimate: Mapping[str, Any]) -> None:
    """Refuses a run that needs more memory than there is.

    Args:
        estimate: Of :meth:`incast.Scenario.estimate`.

    Raises:
        ScenarioError: It does not fit.
    """
    available = available_memory()
    needed = estimate["memory_bytes"]
    if available is None or needed <= available:
        return
    parts = estimate["memory_parts"]
    largest = max(parts, key=parts.__getitem__)
    raise ScenarioError(
        f"the run would take about {bytes_text(needed)} of memory, {bytes_text(parts[largest])} of "
        f"it for {_NOUNS[largest]}, and {bytes_text(available)} are available",
        hint=f'{_SMALLER[largest]}; memory = "any" (--memory any) runs it nevertheless',
    )


_NOUNS = {
    "process": "the program",
    "network": "the network",
    "flows": "flows",
    "series": "series",
    "trace": "the packet trace",
}


def available_memory() -> int | None:
    """Bytes that this process may yet take without swapping: of the machine, of its control group,
    and of its address space, whichever is least; ``None`` where that cannot be known.
    """
    found = (_of_machine(), _of_group(), _of_address_space())
    return min((limit for limit in found if limit is not None), default=None)


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


def _of_group() -> int | None:
    """Of the control group (version 2) that a container or a batch system has put it into."""
    try:
        entries = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        path = next(entry[3:] for entry in entries if entry.startswith("0::"))
        group = _CGROUPS / path.lstrip("/")
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = (group / "memory.current").read_text(encoding="ascii").strip()
        return None if limit == "max" else max(int(limit) - int(used), 0)
    except (OSError, StopIteration, ValueError):
        return None


def _of_address_space() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return limit
    return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
