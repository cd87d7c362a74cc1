"""Imports graphs of other programs as scenarios."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from incast.errors import Error, ImportFileError, ResultsError, ScenarioError, printable
from incast.files import checked_path, is_stream, write_whole
from incast.graphs.attributes import Units
from incast.graphs.formats import read_graph
from incast.graphs.network_graph import (
    GraphLink,
    GraphNode,
    NetworkGraph,
    as_rate,
    as_time,
    counted,
)
from incast.graphs.quantities import rate_bps, rate_in, time_in, time_ps
from incast.importing import Imported, ImportedSetting
from incast.scenario import Scenario

__all__ = ["MOST_HOSTS", "NETWORK", "ImportedGraph", "checked", "import_graph", "scenario_path"]


@dataclass(frozen=True, repr=False)
class ImportedGraph(Imported):
    """A scenario whose network is a graph of another program."""

    graph: str

    def save(self, file: str | Path) -> Path:
        """Writes the scenario to a file, and the network to a file of the same name with the ending
        ``.graph``. Gives the path of the scenario.

        Raises:
            ResultsError: A file cannot be written.
        """
        target = checked_path(file)
        if is_stream(target):
            what = "is a pipe or a device, but there are two files to write"
            raise ResultsError(what, file=str(target), hint="name a file, e.g. `net.toml`")
        network = self.files(target)[1]
        for each in self.files(target):
            if each.exists() and self.source.exists() and each.samefile(self.source):
                what = "is the file of the graph, and would be lost"
                raise ResultsError(what, file=str(each), hint="name another file")
        for each, text in ((network, self.graph), (target, self._beside(target))):
            try:
                write_whole(each, text)
            except OSError as error:
                what = error.strerror or str(error)
                raise ResultsError(what, file=str(each)) from None
        return target

    def is_in(self, file: str | Path) -> bool:
        """Whether a file has this scenario, and the file beside it this network."""
        target = checked_path(file)
        network = self.files(target)[1]
        held = ((target, self._beside(target)), (network, self.graph))
        try:
            return all(each.read_text(encoding="utf-8") == text for each, text in held)
        except (OSError, UnicodeDecodeError):
            return False

    def files(self, file: Path) -> list[Path]:
        """The files that :meth:`save` writes: the scenario and the network."""
        return [file, file.with_suffix(".graph")]

    def _beside(self, target: Path) -> str:
        """The scenario's text for this file, with relative paths that lead to the same files."""

        def moved(match: re.Match[str]) -> str:
            if match[1] == NETWORK:
                return f'file = "{self.files(target)[1].name}"'
            return f'file = "{scenario_path(self.folder / match[1], target.parent)}"'

        return _FILE.sub(moved, self.scenario)


_FILE = re.compile(r'\bfile = "([^"]*)"')


def scenario_path(file: Path, folder: Path) -> str:
    """A path as a scenario in this folder writes it.

    Raises:
        ImportFileError: A scenario cannot have such a path.
    """
    seen = Path(file if file.is_absolute() else os.path.relpath(file, folder)).as_posix()
    if not seen.isprintable() or any(letter in seen for letter in '"\\'):
        raise ImportFileError("no scenario can name it", file=str(file), hint="rename it")
    return seen


NETWORK = "network.graph"
"""The network's file name in scenarios that are not saved."""


def import_graph(
    file: str | Path,
    *,
    file_format: str | None = None,
    hosts: int | None = None,
    rate: str | None = None,
    delay: str | None = None,
    host_rate: str | None = None,
    host_delay: str | None = None,
    rate_unit: str | None = None,
    delay_unit: str | None = None,
    algorithm: str = "dctcp",
) -> ImportedGraph:
    """Reads a graph: GraphML, GML, node-link JSON, SNDlib, InfraGraph.

    Nodes become switches, with `hosts` hosts at each; nodes that the file calls hosts are hosts.

    Args:
        file: The file.
        file_format: Its format, if the file does not show it: ``graphml``, ``gml``, ``node-link``,
            ``sndlib``, ``sndlib-xml`` or ``infragraph``.
        hosts: Hosts at each switch; by default 1, or none if the file has hosts of its own.
        rate: The rate of links without a rate in the file, such as ``"10Gbps"``.
        delay: The propagation delay of links without a delay, and without places of both ends, in
            the file.
        host_rate: The rate of links to added hosts; by default, the rate of the fastest link of
            their switch.
        host_delay: The propagation delay of links to added hosts; by default 1 us.
        rate_unit: The unit of rates without a unit, such as ``"Mbps"``.
        delay_unit: The unit of delays without a unit, such as ``"ms"``.
        algorithm: The congestion control.

    Raises:
        ImportFileError: The file cannot be read, or a rate or delay is missing.
    """
    source = checked_path(file, ImportFileError)
    given = _Given.of(hosts, rate, delay, host_rate, host_delay)
    _check_unit(rate_unit, "rate_unit", "Mbps", is_known=rate_unit and rate_in(1, rate_unit))
    _check_unit(delay_unit, "delay_unit", "ms", is_known=delay_unit and time_in(1, delay_unit))
    try:
        graph = read_graph(source, file_format, Units(rate_unit, delay_unit))
    except OSError as error:
        raise ImportFileError(error.strerror or str(error), file=str(source)) from None
    whole = graph.with_names().largest_part()
    try:
        complete = _with_hosts(_completed(whole, given), given)
    except ImportFileError as error:
        error.file = str(source)
        raise
    scenario = _SCENARIO.format(source=printable(source.name), network=NETWORK, algorithm=algorithm)
    return checked(source, complete, scenario)


@dataclass(frozen=True)
class _Given:
    """Values that the caller adds to the file."""

    hosts: int | None
    rate: int | None
    delay: int | None
    host_rate: int | None
    host_delay: int

    @classmethod
    def of(
        cls,
        hosts: int | None,
        rate: str | None,
        delay: str | None,
        host_rate: str | None,
        host_delay: str | None,
    ) -> _Given:
        if hosts is not None and not 0 <= hosts <= MOST_HOSTS:
            what = f"{hosts} hosts at a switch are impossible"
            raise ImportFileError(what, key="hosts", hint=f"give 0 to {MOST_HOSTS}")
        return cls(
            hosts,
            _rate_of(rate, "rate"),
            _time_of(delay, "delay"),
            _rate_of(host_rate, "host_rate"),
            _time_of(host_delay, "host_delay") or 10**6,
        )


MOST_HOSTS = 65_000


def _rate_of(text: str | None, key: str) -> int | None:
    if text is None:
        return None
    if (rate := rate_bps(text)) is None:
        raise ImportFileError(f"`{text}` is no rate", key=key, hint="give e.g. `10Gbps`")
    return rate


def _time_of(text: str | None, key: str) -> int | None:
    if text is None:
        return None
    if (time := time_ps(text)) is None:
        raise ImportFileError(f"`{text}` is no delay", key=key, hint="give e.g. `5ms`")
    return time


def _check_unit(unit: str | None, key: str, example: str, *, is_known: object) -> None:
    if unit is not None and not is_known:
        raise ImportFileError(f"`{unit}` is no unit", key=key, hint=f"give e.g. `{example}`")


def _completed(graph: NetworkGraph, given: _Given) -> NetworkGraph:
    """The graph with the missing rates and delays of links filled in."""
    notes = list(graph.notes)
    for what, option, value, missing, of in (
        ("rate", "--rate 10Gbps", given.rate, _without(graph, "rate_bps"), as_rate),
        ("delay", "--delay 1ms", given.delay, _without(graph, "delay_ps"), as_time),
    ):
        if not missing:
            continue
        links = f"{counted(missing, 'link')} {'has' if missing == 1 else 'have'}"
        if value is None:
            hint = f"say it for them, e.g. `{option}`"
            raise ImportFileError(f"{links} no {what}, of {len(graph.links)}", hint=hint)
        notes.append(
            (f"{counted(missing, 'link')} without {what}", of(value), f"used: {option.split()[0]}")
        )
    completed = [
        GraphLink(
            each.ends,
            given.rate if each.rate_bps is None else each.rate_bps,
            given.delay if each.delay_ps is None else each.delay_ps,
        )
        for each in graph.links
    ]
    return NetworkGraph(graph.nodes, completed, notes)


def _without(graph: NetworkGraph, attribute: str) -> int:
    return sum(getattr(link, attribute) is None for link in graph.links)


def _with_hosts(graph: NetworkGraph, given: _Given) -> NetworkGraph:
    """The graph with hosts added at each switch."""
    own = sum(node.is_host for node in graph.nodes)
    each = given.hosts if given.hosts is not None else int(not own)
    notes = list(graph.notes)
    if own:
        notes.append(("hosts of the file", str(own), "used"))
    if each:
        notes.append(("hosts", f"{counted(each, 'host')} at each switch", "added"))
    fastest: dict[int, int] = {}
    for link in graph.links:
        for end in link.ends:
            fastest[end] = max(fastest.get(end, 0), link.rate_bps or 0)
    nodes, links = list(graph.nodes), list(graph.links)
    names = {node.name for node in nodes}
    for at, node in enumerate(graph.nodes):
        if node.is_host:
            continue
        for number in range(each):
            name = f"{node.name}.host" if each == 1 else f"{node.name}.host{number}"
            while name in names:
                name += "'"
            names.add(name)
            rate = given.host_rate or fastest[at]
            links.append(GraphLink((len(nodes), at), rate, given.host_delay))
            nodes.append(GraphNode(name, is_host=True))
    if sum(node.is_host for node in nodes) < 2:
        what = "the network has fewer than two hosts"
        raise ImportFileError(what, hint="have some at each switch, e.g. `--hosts 1`")
    return NetworkGraph(nodes, links, notes)


def checked(source: Path, graph: NetworkGraph, scenario: str) -> ImportedGraph:
    """A scenario that can be run. PFC is off if links are too long for the buffers."""
    switches = sum(not node.is_host for node in graph.nodes)
    counts = f"{counted(switches, 'switch', 'switches')}, {counted(len(graph.links), 'link')}"
    text = graph.to_text(f"From {printable(source.name)}: {counts}.")
    settings = [ImportedSetting(None, *note) for note in graph.notes]
    imported = ImportedGraph(scenario, source.parent, settings, source, text)
    refused = _refused(imported)
    if refused is not None and "headroom" in refused.what:
        without = replace(imported, scenario=scenario.replace("\n[cc]", _WITHOUT_PFC + "\n[cc]"))
        if _refused(without) is None:
            what = "PFC would keep more headroom than the buffer has, on links so long"
            note = ImportedSetting(None, "flow control", "none", what)
            return replace(without, settings=[*settings, note])
    if refused is not None:
        refused.file = refused.file or str(source)
        raise refused
    return imported


_SCENARIO = """\
# From {source}.

[network]
topology = {{ file = "{network}", format = "graph" }}
buffer = {{ size = "32MiB" }}

[cc]
algorithm = "{algorithm}"

# Each host sends to one other.
[[traffic]]
kind = "permutation"
sizes = "1MB"
"""
_WITHOUT_PFC = 'flow_control = "none"\n'


def _refused(imported: ImportedGraph) -> Error | None:
    """Why the scenario cannot be run; ``None`` if it can."""
    with tempfile.TemporaryDirectory(prefix="incast-") as folder:
        try:
            Scenario(imported.save(Path(folder) / "network.toml"))
        except ScenarioError as error:
            file = (
                None
                if error.file is None or Path(error.file).parent == Path(folder)
                else error.file
            )
            return ImportFileError(error.what, file=file, key=error.key, hint=error.hint)
    return None
