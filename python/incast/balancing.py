"""Load balancing by its name, in place of what a scenario has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["balanced"]


def balanced(
    name: str, written: Mapping[str, Any], settings: Iterable[tuple[list[str], Any]]
) -> dict[str, Any]:
    """The options of load balancing by this name: the scenario's own if it has it, else as many
    entropies as the scenario's, if it says how many. Flows that keep one path have one.

    Args:
        name: Of the load balancing.
        written: The scenario.
        settings: Segments of keys, and values, that replace what it says.
    """
    network = written.get("network")
    said = network.get("balance") if isinstance(network, dict) else None
    options = dict(said) if isinstance(said, dict) else {}
    for key, value in settings:
        match key:
            case ["network", "balance"]:
                options = dict(value) if isinstance(value, dict) else {}
            case ["network", "balance", option]:
                options[option] = value
    if options.get("kind") == name:
        return options
    entropies = {key: value for key, value in options.items() if key == "entropies"}
    return {"kind": name} | (entropies if name != "flow" else {})
