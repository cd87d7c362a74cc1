"""Pages of mechanisms that algorithms share: parts, and switch programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import incast

from incast_website.equations.layout import table as equation_table
from incast_website.heads import Head, head_of
from incast_website.markdown import prose, table
from incast_website.repository import ROOT

__all__ = ["part_files", "parts_page", "program_files", "programs_page"]

_PARTS = ROOT / "crates/incast-cc/src/parts"
_PROGRAMS = ROOT / "crates/incast-net/src/programs"
_PROGRAM_NAMES = {
    "int_on_data": "INT on data",
    "int_on_acks": "INT on ACKs",
    "fair_rate": "Fair rates (`fair-rates`)",
    "s_perc": "s-PERC (`s-perc`)",
    "one_rtt": "One-RTT Convergence (`1rc`)",
}


def part_files() -> dict[str, Path]:
    """The source file of each part, from the table at the head of `parts.rs`."""
    listed = head_of(_PARTS.with_suffix(".rs")).table
    assert listed is not None
    rows = {row[0].strip("`"): row[-1].strip("`") for row in listed.rows}
    return {name: _PARTS / rows[name] for name in incast.parts()}


def program_files() -> dict[str, Path]:
    """The source file of each switch program, by its title."""
    return {title: _PROGRAMS / f"{name}.rs" for name, title in _PROGRAM_NAMES.items()}


def parts_page() -> str:
    """The page of parts, with the definition and the parameters of each."""
    pieces = [
        "# Parts",
        "Mechanisms that several algorithms take, each written once: `hpcc+vai+sf` is HPCC with "
        "two of them, whose parameters stand in tables of their own, `vai = { … }`. Which "
        "algorithm takes which part is in the [list of algorithms](index.md).",
    ]
    for name, file in part_files().items():
        head = head_of(file)
        pieces += [f"## {head.name} {{ #{name} }}", *_mechanism(head)]
        pieces.append(f"[Keys and defaults](../algorithms.md#{_anchor(name, head)})")
    return "\n\n".join(pieces) + "\n"


def programs_page() -> str:
    """The page of switch programs."""
    pieces = [
        "# Switch programs",
        "What switches do with packets beside forwarding them. An algorithm names the programs "
        "that it needs; several run on one switch, in order. How to add one is in "
        "[extension points](../engineering/extension-points.md#switch-programs).",
    ]
    for title, file in program_files().items():
        pieces += [f"## {title}", *_mechanism(head_of(file))]
    return "\n\n".join(pieces) + "\n"


def _mechanism(head: Head) -> Iterable[str]:
    if head.sentence:
        yield prose(head.sentence[:1].upper() + head.sentence[1:])
    for kind, text in head.body:
        yield equation_table(text) if kind == "equations" else _listed(text)
    if head.table:
        columns = head.table.columns
        yield table(columns, [list(map(_cell, columns, row)) for row in head.table.rows])
    yield from (prose(text) for text in head.after)
    for label, text in head.remarks.items():
        yield f"**{label}**: {prose(text)}"


def _listed(text: str) -> str:
    """A paragraph as Markdown; a list stays a list."""
    items = re.split(r"(?:^|\s)- (?=the )", text)
    if len(items) < 3:
        return prose(text)
    return "\n".join(f"- {prose(item)}" for item in items if item)


def _cell(column: str, text: str) -> str:
    if not text.strip("–"):
        return ""
    return prose(text) if column == "symbol" else text


def _anchor(name: str, head: Head) -> str:
    """The anchor of a part's heading in docs/algorithms.md, as the site numbers it."""
    title = {"prob": "probabilistic feedback", "weights": "weights by connections"}
    words = title.get(name, head.name).lower()
    return f"{name}-{re.sub(r'[^a-z0-9-]+', '-', words)}"
