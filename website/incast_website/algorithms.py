"""A page for each algorithm, from the comment at the head of its file, with defaults from the
registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import incast
from incast import toml
from incast.present.algorithm import facts

from incast_website import evidence
from incast_website.equations.layout import table as equation_table
from incast_website.heads import Head, head_of
from incast_website.markdown import cell, code, prose, table
from incast_website.mechanisms import part_files
from incast_website.repository import ROOT

__all__ = ["SOURCES", "file_of", "index", "names", "page", "place"]

SOURCES = ROOT / "crates/incast-cc/src"

_SHARED = {
    "dctcp": [("The window", "aimd.rs")],
    "ecn-tcp": [("The window", "aimd.rs")],
    "fncc": [("Averages of the utilisation", "fncc/averages.rs")],
    "powertcp": [("The rate", "power.rs")],
    "theta-powertcp": [("The rate", "power.rs")],
}
"""Source files with equations that several algorithms share, or that are separate from the
algorithm's file.
"""

_LIMITS = ("Deviations", "Deviation", "Deviations from the paper", "Readings")


def names() -> list[str]:
    """The algorithms that have a page: all that come with incast."""
    return [name for name in incast.algorithms() if name != "external"]


@cache
def _files() -> dict[str, Path]:
    """The source file of each algorithm: the registry names its parameters, lib.rs the file of
    these.
    """
    registry = (SOURCES / "registry.rs").read_text(encoding="utf-8")
    exported = (SOURCES / "lib.rs").read_text(encoding="utf-8")
    found = {}
    for name, config in re.findall(r'"([^"]+)" => \w+\(crate::(\w+)\)', registry):
        module = re.search(rf"^pub use (\w+)::[^;]*\b{config}\b", exported, re.MULTILINE)
        assert module, f"lib.rs has no {config}"
        found[name] = SOURCES / f"{module[1]}.rs"
    return found


def file_of(name: str) -> Path:
    """The source file of an algorithm."""
    return _files()[name]


def place(name: str) -> str:
    """The page of an algorithm, which is named like its source file."""
    return file_of(name).stem.replace("_", "-") + ".md"


def index() -> str:
    """The list of algorithms, with the signals and parts of each."""
    rows = []
    for name, summary in incast.algorithms().items():
        if name not in names():
            continue
        head = head_of(file_of(name))
        parts = ", ".join(f"[`{part}`](parts.md#{part})" for part in facts(name)["parts"])
        rows.append((f"[`{name}`]({place(name)})", cell(summary), _signals(head), parts))
    return "\n\n".join(
        [
            "# Algorithms",
            "Every algorithm that comes with incast has a page, made from the comment at the head "
            "of its source file and from its live parameters. "
            "[All parameters on one page](../algorithms.md) has examples, too; an algorithm "
            "[of your own](../own-algorithms.md) is a class in a Python file.",
            table(["algorithm", "what", "needs", "parts"], rows),
            "[Parts](parts.md) are mechanisms that several algorithms take, as in `hpcc+vai+sf`; "
            "[switch programs](switch-programs.md) are what switches do for an algorithm beside "
            "forwarding.",
        ]
    )


def page(name: str) -> str:
    """The page of an algorithm."""
    head = head_of(file_of(name))
    found = facts(name)
    pieces = [f"# {head.name or name}", _lead(name, head), *_model(name, head)]
    pieces += [
        "## Parameters",
        *_parameters(head, found),
        *_sets(found, head),
        *_parts(head, found),
    ]
    pieces += ["## What it needs", *_needs(head)]
    pieces += ["## Where it is validated", "\n".join(evidence.of_algorithm(name))]
    pieces += ["## Limitations", *_limitations(name, head)]
    return "\n\n".join(pieces) + "\n"


def _lead(name: str, head: Head) -> str:
    sentence = head.sentence[:1].upper() + head.sentence[1:]
    chosen = f'`algorithm = "{name}"` in `[cc]`, `--cc {name}` on the command line'
    return f'<p class="lead" markdown="span">{prose(sentence)}</p>\n\n{chosen}.'


def _model(name: str, head: Head) -> Iterable[str]:
    body = list(head.body)
    if not head.equations():
        yield from (_linked(prose(text), name) for _, text in body)
        return
    papers = [text for _, text in body[: [kind for kind, _ in body].index("equations")]]
    yield from (_linked(prose(text), name) for text in papers)
    yield "## Model"
    yield from _blocks(body[len(papers) :], name)
    for title, file in _SHARED.get(name, []):
        shared = head_of(SOURCES / file)
        yield f"### {title}"
        yield prose(f"{shared.name}: {shared.sentence}" if shared.name else shared.sentence)
        yield from _blocks(shared.body, name)


def _blocks(body: list[tuple[str, str]], name: str) -> Iterable[str]:
    for kind, text in body:
        yield equation_table(text) if kind == "equations" else _linked(prose(text), name)


def _parameters(head: Head, found: dict[str, Any]) -> Iterable[str]:
    """The table of parameters with their defaults, and with remarks from the head."""
    told = head.table.by_first() if head.table else {}
    rows = []
    for each in found["parameters"]:
        row = told.get(code(each["key"]), {})
        source = row.get("source", "") or row.get("source, or meaning", "")
        symbols = row.get("symbol", "").replace("–", "").split(", ")
        default = _written(each["default"], row)
        meaning = prose(each["meaning"])
        rows.append(
            [
                code(each["key"]),
                ", ".join(map(prose, symbols)),
                default,
                meaning,
                prose(source.strip("–")),
            ]
        )
    yield table(["key", "symbol", "default", "meaning", "source"], rows) if rows else "It has none."
    yield from (_linked(prose(text), found["name"]) for text in head.after if not _of_parts(text))
    if "Sources" in head.remarks:
        yield "Sources: " + prose(head.remarks["Sources"])


def _sets(found: dict[str, Any], head: Head) -> Iterable[str]:
    """The named sets of parameters, with the values in which they differ."""
    sets = found["sets"]
    if not sets:
        return
    yield "### Named sets"
    yield "\n".join(
        f"- `{each['name']}`{' (the default)' if not at else ''}: {prose(each['summary'])}"
        for at, each in enumerate(sets)
    )
    default = {each["key"]: each["default"] for each in found["parameters"]}
    varied = [key for key in default if any(key in each["differs"] for each in sets)]
    rows = [
        [code(key), *(_written(each["differs"].get(key, default[key]), {}) for each in sets)]
        for key in varied
    ]
    yield table(["key", *(code(each["name"]) for each in sets)], rows)
    name = found["name"]
    yield f'`parameters = "NAME"` in `[cc]` takes a set, and so does `--cc {name}:NAME`.'


def _parts(head: Head, found: dict[str, Any]) -> Iterable[str]:
    """The parts that an algorithm takes."""
    if not found["parts"]:
        return
    yield "## Parts"
    yield "\n".join(
        f"- [`{part}`](parts.md#{part}): {incast.parts()[part]}" for part in found["parts"]
    )
    yield from (_linked(prose(text), found["name"]) for text in head.after if _of_parts(text))


def _of_parts(text: str) -> bool:
    return text.startswith(("Takes parts", "With `1rc`"))


def _written(value: object, row: dict[str, str]) -> str:
    """A default value. If it depends on the network, the words of the head are taken."""
    return code(toml.inline(value)) if value is not None else prose(row.get("default", "none"))


def _needs(head: Head) -> Iterable[str]:
    for label in ("Needs", "Ignores"):
        if label in head.remarks:
            yield f"**{label}**: {prose(head.remarks[label])}"
    if "Shared by QPs" in head.remarks:
        yield (
            "**Shared by QPs** ([enforcement](../enforcement.md)): "
            + prose(head.remarks["Shared by QPs"])
        )


def _limitations(name: str, head: Head) -> Iterable[str]:
    for label in _LIMITS:
        if label in head.remarks:
            yield f"**{label}**: {_linked(prose(head.remarks[label]), name)}"
    yield evidence.of_checks(name)
    yield (
        "What the network around it leaves out is in [What is not modelled](../not-modelled.md)."
    )


def _signals(head: Head) -> str:
    needs = re.split(r"(?<=[a-z])\. ", head.remarks.get("Needs", "").rstrip("."))[0]
    return prose(needs)


def _linked(text: str, name: str) -> str:
    """The text, with names of other source files as links to their pages."""
    places = {file_of(other).name: place(other) for other in names() if other != name}
    places |= {file.name: f"parts.md#{part}" for part, file in part_files().items()}
    places["fair_rate.rs"] = "switch-programs.md#fair-rates-fair-rates"

    def link(match: re.Match[str]) -> str:
        place = places.get(match[1])
        return f"[{match[0]}]({place})" if place else match[0]

    return re.sub(r"<code>(\w+\.rs)</code>", link, text)
