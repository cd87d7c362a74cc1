"""A paper, reproduced: its scoreboard as text, its page and figures in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.errors import ResultsError
from incast.papers.framework import listing
from incast.papers.framework.result import PaperResult

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["Reproduction"]


class Reproduction(PaperResult):
    """The results of reproducing a paper, for readers."""

    def table(self) -> str:
        """The scoreboard as text, for a terminal."""
        return listing.scoreboard(self)

    def to_markdown(self) -> str:
        """The scoreboard as Markdown."""
        return listing.markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the charts, for programs."""
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "scale": self.scale.value,
            "claims": [row.to_dict() for row in self.scoreboard.rows],
            "runs": {each.figure.id: dict(each.identities) for each in self.figures},
            "failures": self.failures,
        }

    def save(self, folder: str | Path) -> Path:
        """Writes the page, the scoreboard (JSON and Markdown) and the charts (SVG and PNG), and
        gives the page.

        Raises:
            ResultsError: The folder cannot be written.
        """
        from incast.papers.framework import page

        target = Path(folder)
        written = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        try:
            (target / "figures").mkdir(parents=True, exist_ok=True)
            (target / "scoreboard.json").write_text(written + "\n", encoding="utf-8")
            (target / "scoreboard.md").write_text(self.to_markdown(), encoding="utf-8")
            for name, chart in self._named_charts():
                _save(chart, target / "figures", name)
            (target / "index.html").write_text(page.page(self), encoding="utf-8")
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        return target / "index.html"

    def _named_charts(self) -> Iterator[tuple[str, Chart]]:
        for each in self.figures:
            for panel, chart in each.charts.items():
                yield f"{each.figure.id}-{panel}", chart


def _save(chart: Chart, folder: Path, name: str) -> None:
    from incast.present import matplotlib

    figure = matplotlib.draw(chart)
    for ending in ("svg", "png"):
        matplotlib.save(figure, folder / f"{name}.{ending}")
