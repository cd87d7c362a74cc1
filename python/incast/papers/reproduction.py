"""The reproduction of a paper: its scoreboard as text, its page and figures in a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incast.campaign import workers
from incast.errors import ResultsError
from incast.files import checked_path, write_whole
from incast.papers import listing
from incast.papers.mistakes import own_code
from incast.papers.result import PaperResult

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

    def __str__(self) -> str:
        return self.table()

    def _repr_markdown_(self) -> str:
        """The scoreboard, for a notebook."""
        return self.to_markdown()

    def to_dict(self) -> dict[str, Any]:
        """All results without charts, for programs."""
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "scale": self.scale.value,
            "tally": {
                "sentence": self.scoreboard.sentence,
                "claims": {
                    number: verdict.value for number, verdict in self.scoreboard.verdicts.items()
                },
            },
            "claims": [row.to_dict() for row in self.scoreboard.rows],
            "runs": {each.figure.id: dict(each.identities) for each in self.figures},
            "failures": self.failures,
        }

    def save(self, folder: str | Path) -> Path:
        """Writes the page, the scoreboard (JSON and Markdown) and the charts (SVG and PNG). Gives
        the page's path.

        Raises:
            ResultsError: The folder cannot be written.
        """
        from incast.papers import page

        target = checked_path(folder)
        written = json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
        try:
            (target / "figures").mkdir(parents=True, exist_ok=True)
            write_whole(target / "scoreboard.json", written + "\n")
            write_whole(target / "scoreboard.md", self.to_markdown())
            drawings = [
                _Drawing(
                    chart,
                    each.figure.where,
                    each.figure.package,
                    target / "figures" / f"{each.figure.id}-{panel}",
                )
                for each in self.figures
                for panel, chart in each.charts.items()
            ]
            workers.each(_Drawing.save, drawings, self.jobs, "drew figures")
            write_whole(target / "index.html", page.page(self))
        except OSError as error:
            raise ResultsError.unwritable(target, error) from None
        return target / "index.html"


@dataclass(frozen=True)
class _Drawing:
    """A chart that is to be drawn to files."""

    chart: Chart
    where: str
    """The place of its figure in the paper."""
    package: str
    """The top package of the paper's code."""
    file: Path
    """The file's path without an ending."""

    def save(self) -> None:
        """Draws the chart as SVG and PNG."""
        from incast.present import matplotlib

        place, _, _ = self.where.partition(";")
        place = place[:1].upper() + place[1:]
        own = self.chart.title
        title = f"{place}{' ' if own.startswith('(') else ': '}{own}"
        with own_code(self.package, f"chart {self.file.name}"):
            drawn = matplotlib.draw(self.chart, title=title, caption=self.chart.note)
        for ending in ("svg", "png"):
            matplotlib.save(drawn, self.file.with_name(f"{self.file.name}.{ending}"))
