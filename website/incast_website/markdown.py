"""Small pieces of Markdown, of which generated pages consist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from incast_website.equations.mathml import Setting, html

__all__ = ["cell", "code", "prose", "table"]


def code(text: str) -> str:
    """Text as code; an empty text stays empty."""
    return f"`{text}`" if text else ""


def cell(text: str) -> str:
    """Text for a cell of a table: on one line, with escaped bars."""
    return " ".join(text.split()).replace("|", "\\|")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Columns that are empty in all rows are left out."""
    body = [[cell(each) for each in row] for row in rows]
    kept = [at for at in range(len(columns)) if any(row[at] for row in body)]
    lines = [[columns[at] for at in kept], ["---"] * len(kept)]
    lines += [[row[at] for at in kept] for row in body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def prose(text: str) -> str:
    """A sentence of a doc comment as Markdown, with its formulas in MathML."""
    text = re.sub(r"\[(`[^`]+`)\](?:\([\w:]+\))?", r"\1", text)
    marked = html(text, Setting.INLINE).strip()
    return re.sub(r"(<math>.*?</math>)", r'<span class="formula">\1</span>', marked)
