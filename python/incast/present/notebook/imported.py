"""An experiment of another simulator in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from incast.present.html.parts import Listing
from incast.present.html.toml_markup import parts
from incast.present.notebook.box import box

__all__ = ["html"]


def html(name: str, settings: Sequence[tuple[int | None, str, str, str]], toml: str) -> str:
    """The settings of an imported experiment (line, name, value, outcome), and the folded
    scenario.
    """
    rows = [["–" if line is None else str(line), *texts] for line, *texts in settings]
    return box(
        "scenario.html",
        title=name,
        lines=[],
        settings=Listing("", ["line", "setting", "value", "result"], rows, text=4),
        fold="As a scenario",
        toml=parts(toml),
    )
