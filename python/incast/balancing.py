"""Load balancing chosen by its name, in place of the scenario's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["balanced"]


def balanced(
    name: str, written: Mapping[str, Any], settings: Iterable[tuple[list[str], Any]]
) -> dict[str, Any]:
    """The options of the load balancing with this name. If the scenario already uses it, they are
    the scenario's own. Otherwise only the number of entropies is kept; under ``flow``, which uses
    one path per flow, not even that.

    Args:
        name: The name of the load balancing.
        written: The scenario.
        settings: Settings that replace the scenario's: segments of the key, and the value.
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
