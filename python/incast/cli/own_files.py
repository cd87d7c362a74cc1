"""Recognises files that a command wrote earlier: only such files are replaced."""

from __future__ import annotations

from pathlib import Path

from incast.collectives.rows import COLUMNS

__all__ = ["is_own_csv", "is_own_figure", "is_own_page"]

_PART = 4096
"""The bytes at the beginning and at the end of a file in which its kind is written."""


def is_own_csv(file: Path) -> bool:
    """Whether a file is empty, or is a CSV file of `incast nccl-tests`."""
    head = _ends(file)[0]
    return not head or head.startswith(f"{','.join(COLUMNS)}\n".encode())


def is_own_page(file: Path) -> bool:
    """Whether a file is empty, or is an HTML page of incast."""
    head = _ends(file)[0]
    return not head or (head.lower().startswith(b"<!doctype html>") and b"incast</title>" in head)


def is_own_figure(file: Path) -> bool:
    """Whether a file is empty, or is a figure of incast."""
    head, tail = _ends(file)
    of_svg, of_png, of_pdf = b"<dc:title>incast</dc:title>", b"Software\0incast", b"(incast)"
    return not head or of_svg in head or of_png in head or of_pdf in head + tail


def _ends(file: Path) -> tuple[bytes, bytes]:
    with file.open("rb") as read:
        head = read.read(_PART)
        read.seek(max(0, file.stat().st_size - _PART))
        return head, read.read()
