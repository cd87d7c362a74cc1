"""Why flows and collectives took as long as they did, as users see it."""

from __future__ import annotations

from incast.explain.answers import CollectiveAnswer, FlowAnswer
from incast.present import explanation

__all__ = ["CollectiveExplanation", "Explanation"]


class Explanation(FlowAnswer):
    """Where the time of a flow went, exactly, and who was there: see
    :class:`incast.explain.answers.FlowAnswer`. ``print()`` shows it.
    """

    def __str__(self) -> str:
        return explanation.listing(self)


class CollectiveExplanation(CollectiveAnswer):
    """Where the time of a collective went, along the messages that held up its end: see
    :class:`incast.explain.answers.CollectiveAnswer`. ``print()`` shows it.
    """

    def __str__(self) -> str:
        return explanation.listing_of_collective(self)
