"""Pieces of HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from incast.present import palette

__all__ = ["element", "paragraph", "swatch", "table"]


def element(tag: str, inside: str) -> str:
    """``<tag>inside</tag>``; the inside is HTML."""
    return f"<{tag}>{inside}</{tag}>"


def paragraph(inside: str, kind: str) -> str:
    """A paragraph of a class; the inside is HTML."""
    return f'<p class="{kind}">{inside}</p>'


def swatch(place: int) -> str:
    """A dot in the colour of a run."""
    return f'<i class="swatch" style="--place: var(--colour-{place % palette.SIZE})"></i>'


def table(
    caption: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    text: int,
    swatches: Iterable[int] = (),
) -> str:
    """A table of plain text whose first columns, as many as `text` says, are left-aligned.

    Args:
        caption: Its title; none if empty.
        header: Names of the columns.
        rows: What it says.
        text: How many columns hold text; the others hold numbers.
        swatches: Runs whose colour the columns after those of text have.
    """
    dots = [""] * text + [swatch(place) for place in swatches]
    dots += [""] * (len(header) - len(dots))
    names = [dot + html.escape(name) for dot, name in zip(dots, header, strict=True)]
    head = _row("th", names, text)
    body = "".join(_row("td", [html.escape(cell) for cell in row], text) for row in rows)
    title = element("caption", html.escape(caption)) if caption else ""
    return (
        f'<div class="scroll"><table>{title}<thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(tag: str, cells: Sequence[str], text: int) -> str:
    kinds = [' class="text"' if place < text else "" for place in range(len(cells))]
    inside = "".join(
        f"<{tag}{kind}>{cell}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
    )
    return element("tr", inside)
