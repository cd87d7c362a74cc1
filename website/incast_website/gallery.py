"""The gallery: charts of examples, drawn from runs when the site is built, with their TOML."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import incast

from incast_website.repository import ROOT

__all__ = ["PICTURES", "draw", "page"]

FOLDER = "images/gallery"


@dataclass(frozen=True)
class Picture:
    """A chart of an example."""

    example: str
    chart: str
    caption: str

    @property
    def file(self) -> str:
        """The name of the image's file."""
        return f"{self.example}-{self.chart}.svg"


PICTURES = (
    Picture("incast", "queue", "Eight senders to one host: the queue that all of them meet."),
    Picture("incast", "jain", "The same eight flows: when they share the link fairly."),
    Picture("pauses", "pauses", "No congestion control, little buffer: ports that PFC pauses."),
    Picture("lossy", "rates", "A network that drops: goodput of each flow, timeouts included."),
    Picture(
        "background-and-bursts",
        "traffic",
        "Background and bursts at once: p99 of FCT slowdown of either.",
    ),
    Picture("unequal-rtts", "rtt-cdf", "Flows with unequal paths: how long their packets take."),
    Picture("spraying", "reordering", "Sprayed packets: how far behind they arrive."),
)


def page() -> str:
    """The page as Markdown; `draw` draws its images."""
    pieces = [
        "# Gallery",
        "Charts of [examples](examples.md), each with the commands that draw it. They are drawn "
        "anew whenever this site is built.",
    ]
    for picture in PICTURES:
        text = (ROOT / f"examples/{picture.example}.toml").read_text(encoding="utf-8").strip()
        commands = (
            f"incast run examples/{picture.example}.toml --out {picture.example}\n"
            f"incast plot {picture.example} --chart {picture.chart}"
        )
        pieces += [
            f"## {picture.example}: {picture.chart}",
            picture.caption,
            f"![{picture.caption}]({FOLDER}/{picture.file})",
            f"```sh\n{commands}\n```",
            f"```toml\n{text}\n```",
        ]
    return "\n\n".join(pieces) + "\n"


def draw(folder: Path) -> None:
    """Draws all pictures.

    Args:
        folder: The root of the site's pages.
    """
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        (place / picture.file).write_bytes(_drawn(picture))


@cache
def _results(example: str) -> incast.Results:
    return incast.run(ROOT / f"examples/{example}.toml")


@cache
def _drawn(picture: Picture) -> bytes:
    """An image as SVG, with a title for screen readers."""
    file = io.BytesIO()
    figure = _results(picture.example).plot(picture.chart)
    figure.savefig(file, format="svg", metadata={"Title": picture.caption, "Date": None})
    return file.getvalue()
