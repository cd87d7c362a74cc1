"""The parts of the comment at the head of a Rust file: title, prose, equations, tables, remarks.

//! DCTCP: decrease in proportion to how much of the data was marked. title: sentence //! //!
Alizadeh et al., … prose //! //! ```text … ``` equations //! //! | parameter | symbol | … table //!
//! Needs: ECN echo. Ignores: INT. remarks //! Deviations: …
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["REMARKS", "Head", "Table", "head_of"]

REMARKS = (
    "Shared by QPs",
    "Needs",
    "Ignores",
    "Deviations",
    "Deviation",
    "Deviations from the paper",
    "Readings",
    "Sources",
)
"""First words of paragraphs that have a fixed position on a page."""

_REMARK = re.compile(rf"(?:^|(?<=\. )|(?<=\n))({'|'.join(sorted(REMARKS, key=len)[::-1])}): ")


@dataclass
class Table:
    """A table: the names of its columns, and its rows."""

    columns: list[str]
    rows: list[list[str]]

    def by_first(self) -> dict[str, dict[str, str]]:
        """The rows as dicts, by their first cell."""
        return {row[0]: dict(zip(self.columns, row, strict=True)) for row in self.rows}


@dataclass
class Head:
    """The parts of the comment at the head of a file."""

    name: str
    sentence: str
    body: list[tuple[str, str]] = field(default_factory=list)
    """Paragraphs before the table, in order: `prose` or `equations`, and the text."""
    table: Table | None = None
    after: list[str] = field(default_factory=list)
    """Paragraphs after the table, except remarks."""
    remarks: dict[str, str] = field(default_factory=dict)

    def equations(self) -> list[str]:
        """The blocks of equations."""
        return [text for kind, text in self.body if kind == "equations"]


def head_of(file: Path) -> Head:
    """The head of a Rust file."""
    lines = file.read_text(encoding="utf-8").splitlines()
    comment = "\n".join(line[3:].removeprefix(" ") for line in lines if line.startswith("//!"))
    first, *paragraphs = _paragraphs(comment)
    name, _, sentence = " ".join(first.split()).partition(": ")
    head = Head(name, sentence) if sentence else Head("", name)
    for text in paragraphs:
        _add(head, text)
    return head


def _paragraphs(comment: str) -> list[str]:
    """The paragraphs of a comment; a fenced block is one paragraph."""
    found: list[str] = []
    for index, piece in enumerate(
        re.split(r"^```(?:text)?\n(.*?)^```$", comment, flags=re.M | re.S)
    ):
        if index % 2:
            found.append("```\n" + piece)
        else:
            found += [part for part in re.split(r"\n\s*\n", piece) if part.strip()]
    return found


def _add(head: Head, text: str) -> None:
    if text.startswith("```\n"):
        head.body.append(("equations", text[4:]))
    elif text.lstrip().startswith("|"):
        head.table = head.table or _table(text)
    else:
        plain, *remarks = _REMARK.split(text.strip())
        for label, remark in zip(remarks[::2], remarks[1::2], strict=True):
            head.remarks[label] = " ".join(remark.split())
        if plain.strip():
            prose = " ".join(plain.split())
            if head.table is None:
                head.body.append(("prose", prose))
            else:
                head.after.append(prose)


def _table(text: str) -> Table:
    rows = [_cells(line) for line in text.strip().splitlines()]
    columns, _, *body = rows
    merged: list[list[str]] = []
    for row in body:
        if row[0] or not merged:
            merged.append(row)
        else:
            # A row with an empty first cell continues the row above.
            merged[-1] = [f"{a} {b}".strip() for a, b in zip(merged[-1], row, strict=True)]
    return Table(columns, merged)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
