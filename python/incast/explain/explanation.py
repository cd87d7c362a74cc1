"""Explanations of flows and collectives, with the methods that users call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from incast.explain.answers import CollectiveAnswer, FlowAnswer
from incast.present import explanation

if TYPE_CHECKING:
    from incast.present.charts import Chart

__all__ = ["CollectiveExplanation", "Explanation"]


class Explanation(FlowAnswer):
    """The FCT of a flow, split exactly into parts, and the other flows it met: see
    :class:`incast.explain.answers.FlowAnswer`. ``print()`` shows it.
    """

    def report(self, file: str | Path, *, title: str | None = None) -> Path:
        """Writes a self-contained HTML page with the flow's parts and charts, and gives the page's
        path.

        Args:
            file: The file to write.
            title: The title of the page; by default, the number of the flow.

        Raises:
            ResultsError: The file cannot be written.
        """
        from incast.explain import page

        return page.write([self], file, title=title)

    def charts(self) -> list[Chart]:
        """Charts of the flow: parts of its FCT, its limits, queues on its path, flows it met."""
        from incast.explain import charts

        return charts.charts(self)

    def __str__(self) -> str:
        return explanation.listing(self)

    def _repr_html_(self) -> str:
        """The answer and its charts, for a notebook."""
        from incast.present.html.parts import Listing
        from incast.present.notebook.box import box
        from incast.present.notebook.images import drawn

        return box(
            "explained.html",
            title=explanation.title(self),
            lines=[explanation.answer(self), explanation.sender(self)],
            parts=Listing("", *explanation.parts_table(self), text=2, remarks=1),
            charts=drawn(self.charts()),
        )


class CollectiveExplanation(CollectiveAnswer):
    """The time of a collective, split along the messages of its critical path: see
    :class:`incast.explain.answers.CollectiveAnswer`. ``print()`` shows it.
    """

    def __str__(self) -> str:
        return explanation.listing_of_collective(self)
