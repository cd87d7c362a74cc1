"""`incast import graph`: graphs of other programs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import incast
from incast.cli.commands import add_command
from incast.cli.options import Once, path, whole_number
from incast.graphs.importing import MOST_HOSTS

__all__ = ["add", "add_options", "add_outputs", "imported"]

_OPTIONS = {
    "rate": ("RATE", "the rate of links of which the file has none, e.g. 10Gbps"),
    "delay": ("TIME", "the delay of links of which the file has none, nor coordinates"),
    "host-rate": ("RATE", "the rate of links to added hosts; default: the fastest of the switch"),
    "host-delay": ("TIME", "their delay; default: 1us"),
    "rate-unit": ("UNIT", "what one of a rate without a unit is, e.g. Mbps"),
    "delay-unit": ("UNIT", "what one of a delay without a unit is, e.g. ms"),
}


def add(formats: Any, write: Callable[..., int]) -> None:
    """Adds this command to the formats of `incast import`."""

    def execute(arguments: argparse.Namespace) -> int:
        graph = imported(arguments, arguments.format)
        return write(graph, arguments.out, force=arguments.force)

    graph = add_command(
        formats,
        "graph",
        execute,
        "Read a graph: GraphML, GML, node-link JSON, SNDlib, InfraGraph. Writes the network "
        "beside the scenario, in which nodes are switches with hosts.",
    )
    graph.add_argument("file", type=path, metavar="FILE", help="the file")
    graph.add_argument(
        "--format",
        action=Once,
        metavar="NAME",
        help="graphml, gml, node-link, sndlib, sndlib-xml or infragraph; default: as it looks",
    )
    add_options(graph)
    graph.add_argument(
        "--cc", action=Once, metavar="NAME", help="the congestion control; default: dctcp"
    )
    add_outputs(graph)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds options for facts that the file does not have."""
    parser.add_argument(
        "--hosts",
        type=lambda text: whole_number(text, "a number of hosts", 0, MOST_HOSTS),
        action=Once,
        metavar="N",
        help="hosts at each switch; default: 1, or none if the file has hosts",
    )
    for name, (metavar, about) in _OPTIONS.items():
        parser.add_argument(f"--{name}", action=Once, metavar=metavar, help=about)


def imported(arguments: argparse.Namespace, file_format: str | None = None) -> incast.Imported:
    """Imports the graph that the arguments name."""
    names = [name.replace("-", "_") for name in _OPTIONS]
    return incast.import_graph(
        arguments.file,
        file_format=file_format,
        hosts=arguments.hosts,
        algorithm="dctcp" if arguments.cc is None else arguments.cc,
        **{name: getattr(arguments, name) for name in names},
    )


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Adds options for the output: a scenario, and the network in a file beside it."""
    parser.add_argument(
        "-o", "--out", type=path, metavar="FILE", required=True, help="the scenario file to write"
    )
    parser.add_argument("--force", action="store_true", help="replace scenario and network")
