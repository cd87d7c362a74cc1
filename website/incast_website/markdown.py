"""Small pieces of Markdown that the generated pages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from incast_website.equations.mathml import Setting, html

__all__ = ["cell", "code", "prose", "table"]


def code(text: str) -> str:
    """Text set as code; nothing for nothing."""
    return f"`{text}`" if text else ""


def cell(text: str) -> str:
    """Text that may stand in a table: one line, bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Columns in which no row has anything are left out."""
    body = [[cell(each) for each in row] for row in rows]
    kept = [at for at in range(len(columns)) if any(row[at] for row in body)]
    lines = [[columns[at] for at in kept], ["---"] * len(kept)]
    lines += [[row[at] for at in kept] for row in body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def prose(text: str) -> str:
    """A sentence of a doc comment, with its formulas set as formulas."""
    text = re.sub(r"\[(`[^`]+`)\](?:\([\w:]+\))?", r"\1", text)
    marked = html(text, Setting.INLINE).strip()
    return re.sub(r"(<math>.*?</math>)", r'<span class="formula">\1</span>', marked)
