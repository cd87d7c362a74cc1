"""Keys of the traffic that arguments determine. Labels, sizes, factors and the number of ranks are
computed from these arguments, so a setting of such a key would make the table wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from incast.errors import ScenarioError
from incast.scenario import changed_keys, segments

__all__ = ["check_collective", "check_traffic", "without_traffic"]

_SAID_BY = {
    "kind": "OPERATION, in Python operation",
    "operation": "OPERATION, in Python operation",
    "data": "-b and -e, in Python min_bytes and max_bytes",
    "hosts": "--ranks or --hosts, in Python ranks or hosts",
    "rounds": "--iters and --warmup_iters, in Python iterations and warmup",
    "algorithm": "--algorithm, in Python algorithm",
    "root": "--root, in Python root",
    "cc": "--cc, in Python cc",
}
"""For each key of the collective, the argument that determines it."""


def check_collective(keys: Mapping[str, Any]) -> None:
    """Refuses keys of a collective that arguments determine.

    Raises:
        ScenarioError: A key is refused.
    """
    for key in keys:
        _check([str(key)], f"traffic.0.{key}")


def check_traffic(overrides: Mapping[str, Any]) -> None:
    """Refuses settings that would change the collective itself, or add traffic to it.

    Args:
        overrides: Settings of a scenario, as for :class:`incast.Scenario`.

    Raises:
        ScenarioError: A setting is refused.
    """
    others = {key: value for key, value in overrides.items() if key != "settings"}
    for key in changed_keys(others, overrides.get("settings", ())):
        section, *rest = segments(key) or [""]
        if section != "traffic":
            continue
        if len(rest) < 2 or rest[0] != "0":
            what = "the traffic is the one collective that is measured"
            hint = "give keys of it, e.g. traffic.0.compute; other jobs need a scenario and `run`"
            raise ScenarioError(what, key=key, hint=hint)
        _check(rest[1:], key)


def without_traffic(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without those of the traffic."""
    found = {key: value for key, value in overrides.items() if not _is_traffic(key)}
    if "settings" in found:
        found["settings"] = [pair for pair in found["settings"] if not _is_traffic(pair[0])]
    return found


def _is_traffic(key: str) -> bool:
    return segments(key)[:1] == ["traffic"]


def _check(steps: list[str], key: str) -> None:
    said = _SAID_BY.get(steps[0])
    if said is not None:
        what = "labels and bandwidths are computed from what an option says"
        raise ScenarioError(what, key=key, hint=f"give {said}")
