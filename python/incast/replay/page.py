"""A window of a run as an HTML page that plays it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from markupsafe import Markup

from incast._core import __version__
from incast.errors import ResultsError
from incast.measure.run import Run, is_fabric
from incast.measure.series import whole
from incast.present import key_figures
from incast.present.charts import Axis, Chart, Curve, Quantity
from incast.present.charts.chart import time_axis
from incast.present.html import write_document
from incast.present.html.document import document
from incast.present.html.encoding import script_json
from incast.present.html.network_map import Links, in_windows, skeleton
from incast.present.units import count_text, plural, time_text
from incast.replay.encoding import curves_of_queues, encoded_scene, quantities
from incast.replay.scene import Scene
from incast.replay.trace import fitting_scene, traced
from incast.replay.window import chosen_window
from incast.second_run import Again
from incast.time_units import PICOSECOND

__all__ = ["MAX_HOSTS", "write"]

MAX_HOSTS = 128
"""The most hosts, or NICs of hosts, of a network that is replayed."""
_SCRIPTS = ("positions", "events", "docks", "paint", "told", "replay")
"""Scripts of the page, after those that draw the network."""
_MAX_QUEUES = 5


def write(
    run: Run,
    file: Path,
    again: Again,
    *,
    begin: str | None = None,
    end: str | None = None,
    flow: int | None = None,
    title: str | None = None,
) -> Path:
    """Writes the page, and gives the page's path.

    Args:
        run: A run of a network.
        file: The file to write.
        again: Runs a scenario.
        begin: The begin of the window, such as ``"10us"``.
        end: The end of the window.
        flow: The flow that is highlighted at first.
        title: The title of the page; by default, the name of the scenario.

    Raises:
        ResultsError: The network is too large, the window has too many packets, the second run
            differs, there is no such flow, or the file cannot be written.
    """
    hosts = _checked(run, flow)
    window = chosen_window(run, begin, end, flow)
    found = traced(run, window, again)
    scene = fitting_scene(found, window)
    if flow is not None and all(hop.flow != flow for hop in scene.hops):
        span = f"from {time_text(scene.window.begin)} to {time_text(scene.window.end)}"
        what = f"{run.name}: {span} no packet of flow {flow} is in the network"
        raise ResultsError(what, hint="name another window: `start_ps` in results.flows says when")
    title = title or f"Replay of {run.name}"
    return write_document(file, lambda: _page(run, scene, title, hosts, flow))


def _checked(run: Run, flow: int | None) -> int:
    """Checks that the run can be replayed, and gives its number of hosts."""
    if is_fabric(run):
        what = f"{run.name}: a memory fabric has no packets"
        raise ResultsError(what, hint="replay results of a [network]")
    hosts = int(run.summary.get("nics") or run.summary["hosts"])
    if hosts > MAX_HOSTS:
        what = f"{run.name}: the network has {plural(hosts, 'host')}"
        hint = f"a replay draws {MAX_HOSTS} at most; `incast report` draws this one without packets"
        raise ResultsError(what, hint=hint)
    if flow is not None and flow not in whole(run.flows.numbers("flow_id")):
        raise ResultsError(f"{run.name}: there is no flow {flow}", hint="`incast show DIR` counts")
    return hosts


def _page(run: Run, scene: Scene, title: str, hosts: int, flow: int | None) -> str:
    links = Links(scene.run)
    window = scene.window
    data = {
        **skeleton(scene.run, links, hosts, folded_above=MAX_HOSTS),
        # The drawing shows no faults: the player dashes a link while it is down.
        "faults": [],
        "quantities": quantities(scene, links),
        "queues": in_windows(curves_of_queues(scene), links.labels),
        "replay": encoded_scene(scene, links, flow),
    }
    sent = sum(
        hop.out is not None and hop.leaves is not None and window.begin <= hop.leaves < window.end
        for hop in scene.hops
    )
    return document(
        "replay.html",
        package=__package__,
        title=title,
        charts=[("replay-queues", _queues(scene))],
        version=__version__,
        style=_asset("replay.css"),
        scripts=[_asset(f"{name}.js") for name in _SCRIPTS],
        network=key_figures.network(run.summary),
        span=f"{_exact(window.begin)} to {_exact(window.end)}",
        run_length=time_text(run.summary["simulated_ps"]),
        algorithm=run.algorithm,
        sent=count_text(sent),
        label=links.in_words(hosts),
        data=Markup(script_json(data)),
        chart_of_queues=_queues(scene),
    )


def _exact(ps: int) -> str:
    """A time in microseconds, to the nanosecond."""
    return f"{ps / 1_000_000:.3f}".rstrip("0").rstrip(".") + " µs"


def _queues(scene: Scene) -> Chart:
    longest = sorted(scene.queues.items(), key=lambda each: -int(each[1][1].max()))[:_MAX_QUEUES]
    curves = [
        Curve(scene.ports[place].label, times * PICOSECOND, sizes, colour, mark="steps")
        for colour, (place, (times, sizes)) in enumerate(longest)
    ]
    more = len(scene.queues) - len(longest)
    note = f"The {len(longest)} longest; {plural(more, 'port')} had others." if more > 0 else ""
    return Chart(
        "replayed-queues",
        "Queues in the window",
        time_axis(),
        Axis("queue", Quantity.SIZE, lower=0),
        curves,
        note=f"A click moves the replay there. {note}".strip(),
        missing="No packet waited at a port in this window.",
    )


def _asset(name: str) -> str:
    assert __package__ is not None
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
