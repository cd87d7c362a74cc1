"""`incast export`: writes results in formats of other programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import incast
from incast.cli.options import name, path, whole_number
from incast.cli.outputs import check_distinct
from incast.cli.streams import shown
from incast.files import is_stream
from incast.present.units import bytes_text

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_export)
    parser.add_argument("folder", type=path, metavar="DIR", help="a results folder")
    parser.add_argument(
        "--pcapng",
        type=path,
        metavar="FILE",
        help="the packet trace, with an interface for each port; compressed if the name ends in "
        ".gz; Wireshark reads both",
    )
    parser.add_argument(
        "--port",
        dest="ports",
        type=name,
        action="append",
        metavar="NAME",
        help='of --pcapng: at this port alone, as in "switch 17 port 16", or all of a node, as in '
        '"host 3"; may be given several times; default: all',
    )
    parser.add_argument(
        "--per-port",
        action="store_true",
        help="of --pcapng: a file for each port; FILE is then a folder",
    )
    parser.add_argument(
        "--snap-length",
        type=_snap_length,
        metavar="BYTES",
        help="of --pcapng: keep so many bytes of each packet; default: all",
    )
    parser.add_argument(
        "--timeline",
        type=path,
        metavar="FILE",
        help="a timeline as JSON, which ui.perfetto.dev and chrome://tracing open; compressed if "
        "the name ends in .gz",
    )
    parser.add_argument(
        "--limit",
        type=_limit,
        metavar="N",
        default=200_000,
        help="of --timeline: at most so many flows, pauses, rounds, ranks, and samples, each; "
        "default: 200000",
    )
    parser.add_argument("--force", action="store_true", help="replace files")


def _snap_length(text: str) -> int:
    from incast.export.capture import MAX_SNAP_LENGTH, MIN_SNAP_LENGTH

    return whole_number(text, "a number of bytes", MIN_SNAP_LENGTH, MAX_SNAP_LENGTH)


_MAX_LIMIT = 10**9


def _limit(text: str) -> int:
    return whole_number(text, "a number of flows", 1, _MAX_LIMIT)


def _export(arguments: argparse.Namespace) -> int:
    if arguments.pcapng is None and arguments.timeline is None:
        raise incast.Error("export what?", hint="give --pcapng, or --timeline")
    check_distinct({"--pcapng": arguments.pcapng, "--timeline": arguments.timeline})
    results = incast.load(arguments.folder)
    if arguments.pcapng is not None:
        for file in _captures(arguments, results):
            _tell(file)
    if arguments.timeline is not None:
        limit, overwrite = arguments.limit, arguments.force
        _tell(results.write_timeline(arguments.timeline, limit=limit, overwrite=overwrite))
    return 0


def _captures(arguments: argparse.Namespace, results: incast.Results) -> list[Path]:
    write = results.write_pcapng_per_port if arguments.per_port else results.write_pcapng
    written = write(
        arguments.pcapng,
        ports=arguments.ports,
        snap_length=arguments.snap_length,
        overwrite=arguments.force,
    )
    return written if isinstance(written, list) else [written]


def _tell(file: Path) -> None:
    if is_stream(file):
        # Standard output has the exported file, so the message goes to standard error.
        print(shown(file), file=sys.stderr)
    else:
        print(f"{shown(file)}  {bytes_text(file.stat().st_size)}")
