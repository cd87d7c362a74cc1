"""A topology, kind of traffic, balancer or workload as a listing: its keys, with defaults and
meanings.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from incast import toml
from incast.present.columns import aligned
from incast.present.terminal import Ink, filled, paint
from incast.registry import balancers, topologies, workloads
from incast.scenario import Scenario, schema, traffic_kinds

__all__ = ["facts", "listing"]

_REQUIRED = "must be given"


def facts(name: str) -> dict[str, Any] | None:
    """Facts: the summary, how a scenario names it, and its keys (``key``, ``default``, ``meaning``,
    and ``values`` with their meanings). ``None`` if no topology, kind of traffic, load balancing or
    workload has this name.
    """
    if name in topologies():
        return _topology(name)
    if name in traffic_kinds():
        return _one_of("Traffic", name, f'kind = "{name}" in [[traffic]], with')
    if name in workloads():
        written = f'sizes = "{name}" in [[traffic]]'
        return {"name": name, "summary": workloads()[name], "written": written, "keys": []}
    if name in balancers():
        written = f'balance = {{ kind = "{name}", … }} in [network], with'
        return _one_of("Balance", name, written)
    return None


def listing(found: dict[str, Any]) -> str:
    """The facts as text for a terminal."""
    title = filled(f"{found['name']}: {found['summary']}")
    lines = [paint(title, Ink.HEADING), "", filled(found["written"])]
    for each in found["keys"]:
        default = each["default"]
        value = "" if default is None else f" = {default}"
        lines += ["", f"  {each['key']}{f' ({_REQUIRED})' if default == _REQUIRED else value}"]
        lines += [filled(each["meaning"], indent=" " * 6)] if each["meaning"] else []
        lines += [aligned(list(each["values"].items()), indent=" " * 8)] if each["values"] else []
    return "\n".join(lines)


def _topology(name: str) -> dict[str, Any]:
    whole = Scenario(
        {
            "network": {"topology": name},
            "cc": {"algorithm": "none"},
            "traffic": [{"kind": "permutation", "sizes": "1KB"}],
        }
    ).to_dict()["network"]["topology"]
    kind = whole["kind"]
    described = next(each for each in _described("TopologySpec") if each["kind"] == kind)
    keys = [
        {
            "key": key,
            "default": toml.inline(whole[key]) if key in whole else None,
            "meaning": _meaning(of_key),
            "values": _values(of_key),
        }
        for key, of_key in described["keys"].items()
    ]
    written = f'topology = "{name}" in [network], or {{ kind = "{kind}", … }} with'
    return {"name": name, "summary": topologies()[name], "written": written, "keys": keys}


def _one_of(what: str, name: str, written: str) -> dict[str, Any]:
    described = next(each for each in _described(what) if each["kind"] == name)
    keys = [
        {
            "key": key,
            "default": _REQUIRED
            if key in described["required"]
            else toml.inline(of_key["default"])
            if "default" in of_key
            else None,
            "meaning": _meaning(of_key),
            "values": _values(of_key),
        }
        for key, of_key in described["keys"].items()
    ]
    return {"name": name, "summary": described["summary"], "written": written, "keys": keys}


@cache
def _definitions() -> dict[str, Any]:
    """The definitions of the schema. They are cached, as parsing takes fifteen milliseconds and
    each key needs them.
    """
    named: dict[str, Any] = schema()["$defs"]
    return named


def _described(what: str) -> list[dict[str, Any]]:
    """The kinds in the schema: name, summary, keys without `kind`, and required keys."""
    named = _definitions()
    if what == "Traffic":
        kinds = named["Scenario"]["properties"]["traffic"]["items"]["oneOf"]
    else:
        kinds = named[what]["oneOf"]
    return [
        {
            "kind": each["properties"]["kind"]["const"],
            "summary": each["description"],
            "keys": {key: value for key, value in each["properties"].items() if key != "kind"},
            "required": each["required"],
        }
        for each in kinds
    ]


def _values(of_key: dict[str, Any]) -> dict[str, str]:
    """The allowed words of a key, each with its meaning; empty if the key takes other values."""
    named = _definitions()
    refs = [each.get("$ref", "") for each in (of_key, *of_key.get("anyOf", ()))]
    kinds = [named[ref.rpartition("/")[2]] for ref in refs if ref]
    words = [each for kind in kinds for each in kind.get("oneOf", ()) if "const" in each]
    return {str(each["const"]): _meaning(each) for each in words}


def _meaning(of_key: dict[str, Any]) -> str:
    return " ".join(of_key.get("description", "").split())
