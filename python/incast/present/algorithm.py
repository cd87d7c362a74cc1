"""An algorithm as a listing: its parameters with defaults and meanings, and its named sets of
parameters.
"""

from __future__ import annotations

from typing import Any

from incast.present.terminal import Ink, filled, paint
from incast.registry import algorithms, parameter_sets, parts
from incast.scenario import Scenario, schema

__all__ = ["facts", "listing"]

_PLACE = ("algorithm", "file", "class")
"""Keys that name the algorithm, and are no parameters."""


def facts(name: str) -> dict[str, Any]:
    """Facts of an algorithm: summary, parameters (``key``, ``default``, ``meaning``), parts, and
    named sets, each with the values that differ from the first set's. The default is ``None`` if it
    depends on the network, or if the parameter is left out by default.

    Args:
        name: The name of the algorithm, or its Python file.

    Raises:
        ScenarioError: The Python file has no algorithm.
    """
    known = algorithms()
    meanings = _meanings(name) if name in known else {}
    sets = parameter_sets(name)
    of_parts = [part for part in parts() if part in meanings]
    beside = meanings.keys() - {*_PLACE, "parameters", *of_parts}
    default = _values(name, None)
    default |= dict.fromkeys(sorted(beside - default.keys()))
    return {
        "name": name,
        "summary": known.get(name, "an algorithm in Python"),
        "parameters": [
            {"key": key, "default": value, "meaning": meanings.get(key, "")}
            for key, value in default.items()
        ],
        "parts": of_parts,
        "sets": [
            {
                "name": each,
                "summary": summary,
                "differs": _differences(_values(name, each), default),
            }
            for each, summary in sets.items()
        ],
    }


def listing(found: dict[str, Any]) -> str:
    """The facts as text for a terminal."""
    title = filled(f"{found['name']}: {found['summary']}")
    lines = [paint(title, Ink.HEADING), ""]
    parameters = found["parameters"]
    lines += ["parameters" if parameters else "no parameters"]
    for each in parameters:
        lines += [f"  {_with_default(each)}", *_indented(each["meaning"])]
    if found["parts"]:
        lines += ["", f"parts: {', '.join(found['parts'])}"]
    if found["sets"]:
        lines += ["", f'named sets: --cc {found["name"]}:NAME, or parameters = "NAME" in [cc]']
    for each in found["sets"]:
        title = f"{each['name']}: {each['summary']}"
        lines.append(filled(title, indent="  "))
        differs = [f"{key} = {_written(value)}" for key, value in each["differs"].items()]
        lines += _indented(", ".join(differs))
    return "\n".join(lines)


def _with_default(parameter: dict[str, Any]) -> str:
    value = parameter["default"]
    if value is None:
        return f"{parameter['key']} (no fixed default)"
    return f"{parameter['key']} = {_written(value)}"


def _indented(text: str) -> list[str]:
    return [filled(text, indent=" " * 6)] if text else []


def _values(name: str, chosen: str | None) -> dict[str, Any]:
    """All parameters of an algorithm, with their values in a set."""
    if name == "external":
        return {}
    cc = {"algorithm": name} | ({"parameters": chosen} if chosen else {})
    whole = Scenario(
        {
            "network": {"topology": {"kind": "star", "hosts": 2}},
            "cc": cc,
            "traffic": [{"kind": "incast", "receiver": 0, "sizes": "1KB"}],
        }
    ).to_dict()["cc"]
    return {key: value for key, value in whole.items() if key not in _PLACE}


def _differences(values: dict[str, Any], default: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if default.get(key) != value}


def _meanings(name: str) -> dict[str, str]:
    of_scenarios = schema()
    kinds = of_scenarios["$defs"]["CongestionControl"]["oneOf"]
    (kind,) = (kind for kind in kinds if kind["title"] == name)
    properties = kind["properties"]
    return {key: " ".join(each.get("description", "").split()) for key, each in properties.items()}


def _written(value: object) -> str:
    from incast import toml

    return toml.inline(value)
