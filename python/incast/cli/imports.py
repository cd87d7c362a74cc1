"""`incast import`: experiments of other simulators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import incast
from incast.cli.commands import add_command
from incast.cli.options import Once, path
from incast.cli.outputs import check_replaced
from incast.cli.streams import place
from incast.errors import ImportFileError
from incast.files import is_stream
from incast.present.columns import columns

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds its arguments."""
    parser.set_defaults(execute=_hpcc_ns3)
    formats = parser.add_subparsers(title="simulators", metavar="SIMULATOR", required=True)
    hpcc = add_command(
        formats, "hpcc-ns3", _hpcc_ns3, "Read a config.txt of the HPCC ns-3 artifact."
    )
    hpcc.add_argument("file", type=path, metavar="CONFIG", help="the config file")
    hpcc.add_argument("--flows", type=path, metavar="FILE", help="in place of the config's")
    htsim = add_command(formats, "htsim", _htsim, "Read a connection matrix of htsim.")
    htsim.add_argument("file", type=path, metavar="MATRIX", nargs="?", help="the .cm file")
    htsim.add_argument(
        "--uec",
        action=Once,
        metavar='"OPTIONS"',
        help="a command line of htsim_uec, in place of a matrix: all that follows from it",
    )
    htsim.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="OPTION",
        help="with --uec: read over this option of it, e.g. failed for -failed",
    )
    htsim.add_argument(
        "--start-unit",
        metavar="us|ps",
        help="the unit of start times; versions of htsim differ",
    )
    htsim.add_argument(
        "--cc", action=Once, metavar="NAME", help="the congestion control; default: hpcc"
    )
    for each in (hpcc, htsim):
        each.add_argument("--topology", type=path, metavar="FILE", help="the topology file")
        each.add_argument(
            "-o",
            "--out",
            type=path,
            metavar="FILE",
            help="the scenario file to write; default: to standard output",
        )
        each.add_argument("--force", action="store_true", help="replace the scenario file")


def _hpcc_ns3(arguments: argparse.Namespace) -> int:
    return _write(
        incast.import_hpcc_ns3(arguments.file, topology=arguments.topology, flows=arguments.flows),
        arguments.out,
        force=arguments.force,
    )


def _htsim(arguments: argparse.Namespace) -> int:
    if arguments.uec is not None:
        _check_alone(arguments)
        imported = incast.import_htsim_uec(arguments.uec, ignore=arguments.ignore)
        return _write(imported, arguments.out, force=arguments.force)
    if arguments.file is None:
        hint = 'name a .cm file, or give a command line with --uec "-tm matrix.cm …"'
        raise ImportFileError("no connection matrix is named", hint=hint)
    if arguments.ignore:
        raise ImportFileError("--ignore reads over options of --uec", hint="leave it out")
    return _write(
        incast.import_htsim(
            arguments.file,
            topology=arguments.topology,
            start_unit=arguments.start_unit,
            algorithm="hpcc" if arguments.cc is None else arguments.cc,
        ),
        arguments.out,
        force=arguments.force,
    )


def _check_alone(arguments: argparse.Namespace) -> None:
    """Refuses beside a command line what it says itself."""
    for option, given in (
        ("MATRIX", arguments.file),
        ("--topology", arguments.topology),
        ("--start-unit", arguments.start_unit),
        ("--cc", arguments.cc),
    ):
        if given is not None:
            hint = "leave it out: -tm, -topo and options of congestion control say it"
            raise ImportFileError(f"{option} has no effect beside --uec", hint=hint)


def _write(imported: incast.Imported, out: Path | None, *, force: bool) -> int:
    rows = [[_place(each), each.name, each.value, each.outcome] for each in imported.settings]
    account = columns(["line", "setting", "value", "result"], rows, text=4)
    if out is None:
        print(imported.scenario, end="")
        print(account, file=sys.stderr)
        return 0
    # A scenario is a file to be changed, and may have been.
    check_replaced(out, force=force, is_own=imported.is_in)
    imported.save(out)
    if is_stream(out):
        print(account, file=sys.stderr)
        return 0
    print(account, end="\n\n")
    place("scenario", out)
    return 0


def _place(setting: incast.importing.ImportedSetting) -> str:
    return "–" if setting.line is None else str(setting.line)
