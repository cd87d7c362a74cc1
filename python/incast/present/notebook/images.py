"""Charts as images embedded in the page."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from incast.present.charts import Chart

__all__ = ["Drawn", "drawn"]


class Drawn(NamedTuple):
    """A chart as an image."""

    title: str
    source: Markup
    """The picture as a `data:` address."""
    width: int
    height: int


def drawn(found: Iterable[Chart]) -> list[Drawn]:
    """Charts as images."""
    from incast.present import matplotlib

    images = []
    for chart in found:
        png, width, height = matplotlib.png(matplotlib.draw(chart))
        address = Markup("data:image/png;base64,") + base64.b64encode(png).decode()
        images.append(Drawn(chart.title, address, width, height))
    return images
