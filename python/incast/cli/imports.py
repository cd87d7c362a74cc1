"""`incast import`: experiments and files of other simulators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import incast
from incast.cli import import_astra_sim, import_graphs, import_msccl
from incast.cli.commands import BAD_INPUT, add_command
from incast.cli.messages import complain
from incast.cli.options import Once, path
from incast.cli.outputs import check_replaced
from incast.cli.streams import place
from incast.errors import ImportFileError
from incast.files import is_stream
from incast.graphs.formats import FORMATS
from incast.present.columns import columns

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_try)
    parser.epilog = (
        "`incast import FILE` says what the file is, and imports it if it is an experiment or a "
        "table of sizes."
    )
    parser.add_argument(
        "--try",
        dest="folder",
        type=path,
        metavar="FOLDER",
        help="tell of each file in a folder what it is and whether it can be read; write nothing",
    )
    formats = parser.add_subparsers(
        title="formats", metavar="FORMAT", required=False, action=_FormatOrFile
    )
    hpcc = add_command(
        formats, "hpcc-ns3", _hpcc_ns3, "Read a config.txt of the HPCC ns-3 artifact or of a fork."
    )
    htsim = add_command(formats, "htsim", _htsim_or_uec, "Read a connection matrix of htsim.")
    sizes = add_command(
        formats, "sizes", _sizes, "Read a table of flow sizes, and write it as bytes and percent."
    )
    file = add_command(formats, _FILE, _file, "Say what a file is, and do what it is for.")
    for each, metavar, what in (
        (hpcc, "CONFIG", "the config file"),
        (sizes, "TABLE", "the table"),
        (file, "FILE", "the file"),
    ):
        each.add_argument("file", type=path, metavar=metavar, help=what)
    htsim.add_argument("file", type=path, metavar="MATRIX", nargs="?", help="the .cm file")
    _add_options_of_uec(htsim)
    for each in (hpcc, file):
        _add_options_of_hpcc(each)
    for each in (htsim, file):
        _add_options_of_htsim(each)
    for each in (sizes, file):
        _add_options_of_sizes(each)
    for options in (import_graphs, import_astra_sim, import_msccl):
        options.add_options(file)
    msccl = import_msccl.add(formats, _write)
    for each in (hpcc, htsim, file):
        each.add_argument("--topology", type=path, metavar="FILE", help="the topology file")
    for each in (hpcc, htsim, sizes, msccl, file):
        what = "table" if each is sizes else "scenario"
        each.add_argument(
            "-o",
            "--out",
            type=path,
            metavar="FILE",
            help=f"the {what} file to write; default: to standard output",
        )
        each.add_argument("--force", action="store_true", help=f"replace the {what} file")
    import_graphs.add(formats, _write)
    import_astra_sim.add(formats, _write)
    formats.choices = _AnyName(formats.choices)


_FILE = "file"
"""The command for any name that is no format: the name of a file."""


class _AnyName(dict[str, Any]):
    """The formats by name; any other name is accepted as the name of a file."""

    def __contains__(self, name: object) -> bool:
        return True


class _FormatOrFile(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Treats a name that is no format as a file, whose format is recognised."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values[0] not in self._name_parser_map:
            values = [_FILE, *values]
        super().__call__(parser, namespace, values, option_string)


def _add_options_of_hpcc(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--flows", type=path, metavar="FILE", help="in place of the config's")
    parser.add_argument(
        "--count",
        action=Once,
        metavar="first|ignore|check",
        help="of the flow file: read as many flows as its top says, as ns-3 does (the default); "
        "all; or refuse another number",
    )
    parser.add_argument(
        "--priorities",
        action=Once,
        metavar="check|ignore",
        help="ignore: read flows of several priority groups as equals",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="KEY",
        help="a key of the config to read over, as if it were not there",
    )


def _add_options_of_htsim(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--start-unit",
        metavar="us|ps",
        help="the unit of start times; versions of htsim differ",
    )
    parser.add_argument(
        "--cc",
        action=Once,
        metavar="NAME",
        help="the congestion control; default: hpcc; of graphs dctcp, of ASTRA-sim none",
    )


def _add_options_of_uec(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--uec",
        action=Once,
        metavar='"OPTIONS"',
        help="a command line of htsim_uec, in place of a matrix: all that follows from it",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="OPTION",
        help="with --uec: read over this option of it, e.g. failed for -failed",
    )


def _add_options_of_sizes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unit",
        action=Once,
        metavar="fraction|percent",
        help="what the last column counts; default: what its last line says, 1 or 100",
    )
    parser.add_argument(
        "--size-unit",
        action=Once,
        metavar="SIZE",
        help="what a size of 1 is: 1KB, or 1460B for packets; default: 1B",
    )


def _try(arguments: argparse.Namespace) -> int:
    if arguments.folder is None:
        raise ImportFileError(
            "no file is named", hint="write `incast import FILE` or `incast import --try FOLDER`"
        )
    found = incast.recognise_folder(arguments.folder)
    known = [each for each in found if each.format]
    rows = [
        [
            str(each.file.relative_to(arguments.folder)),
            each.format,
            "read" if each.is_readable else "refused",
            each.contents.replace(f"{arguments.folder}/", ""),
        ]
        for each in known
    ]
    if rows:
        print(columns(["file", "format", "result", "contents or reason"], rows, text=4), end="\n\n")
    readable = sum(each.is_readable for each in known)
    print(
        f"{len(known)} files are known, {readable} can be read; {len(found) - len(known)} are "
        "something else"
    )
    return 0


def _file(arguments: argparse.Namespace) -> int:
    formats = {"hpcc-ns3 config": _hpcc_ns3, "htsim matrix": _htsim, "sizes": _sizes}
    # Written only with `--out`: the scenario needs a network's file beside it, or lacks facts.
    on_request = {
        **dict.fromkeys(FORMATS, import_graphs.imported),
        "astra-sim network": import_astra_sim.imported,
        "msccl": import_msccl.imported,
    }
    found = _known(arguments.file)
    told = sys.stderr if arguments.out is None else sys.stdout
    print(f"{arguments.file}: {found.what}", file=told)
    if execute := formats.get(found.format):
        return execute(arguments)
    if not found.is_readable:
        complain(found.contents)
        return BAD_INPUT
    usage = found.usage.replace("FILE", str(arguments.file))
    if arguments.out is not None:
        if imported := on_request.get(found.format):
            return _write(imported(arguments), arguments.out, force=arguments.force)
        what = f"is {found.what}, which this command makes no scenario of by itself"
        raise ImportFileError(what, file=str(arguments.file), hint=f"use it so: {usage}")
    print(found.contents)
    print(f"use it so: {usage}")
    return 0


def _known(file: Path) -> incast.RecognisedFile:
    import difflib

    names = ["astra-sim", "graph", "hpcc-ns3", "htsim", "msccl", "sizes"]
    if not file.exists() and (near := difflib.get_close_matches(str(file), names, 1)):
        what = f"is neither a file nor a format; did you mean `{near[0]}`?"
        raise ImportFileError(what, file=str(file))
    found = incast.recognise(file)
    if not found.format:
        what = "is no file of a format that is known here"
        raise ImportFileError(what, file=str(file), hint="docs/importing.md lists the formats")
    return found


def _hpcc_ns3(arguments: argparse.Namespace) -> int:
    return _write(
        incast.import_hpcc_ns3(
            arguments.file,
            topology=arguments.topology,
            flows=arguments.flows,
            count=arguments.count,
            priorities=arguments.priorities,
            ignore=arguments.ignore,
        ),
        arguments.out,
        force=arguments.force,
    )


def _htsim_or_uec(arguments: argparse.Namespace) -> int:
    if arguments.uec is not None:
        _check_alone(arguments)
        imported = incast.import_htsim_uec(arguments.uec, ignore=arguments.ignore)
        return _write(imported, arguments.out, force=arguments.force)
    if arguments.file is None:
        hint = 'name a .cm file, or give a command line with --uec "-tm matrix.cm …"'
        raise ImportFileError("no connection matrix is named", hint=hint)
    if arguments.ignore:
        raise ImportFileError("--ignore reads over options of --uec", hint="leave it out")
    return _htsim(arguments)


def _htsim(arguments: argparse.Namespace) -> int:
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


def _sizes(arguments: argparse.Namespace) -> int:
    sizes = incast.import_sizes(arguments.file, unit=arguments.unit, size_unit=arguments.size_unit)
    last = "fractions" if sizes.unit == "fraction" else "percent"
    told = (
        f"{sizes.columns} columns; sizes in units of {arguments.size_unit or '1B'}; the last "
        f"column in {last}; mean {sizes.mean_bytes:.12g} bytes"
    )
    if arguments.out is None:
        print(sizes.text, end="")
        print(told, file=sys.stderr)
        return 0
    check_replaced(
        arguments.out, force=arguments.force, is_own=lambda file: _holds(file, sizes.text)
    )
    sizes.save(arguments.out)
    print(told)
    place("sizes", arguments.out)
    return 0


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def _check_alone(arguments: argparse.Namespace) -> None:
    """Refuses options beside a command line that has them itself."""
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
    # The user may have edited the scenario in this file.
    for each in imported.files(out):
        check_replaced(each, force=force, is_own=lambda _: imported.is_in(out))
    imported.save(out)
    if is_stream(out):
        print(account, file=sys.stderr)
        return 0
    print(account, end="\n\n")
    place("scenario", out)
    for network in imported.files(out)[1:]:
        place("network", network)
    return 0


def _place(setting: incast.importing.ImportedSetting) -> str:
    return "–" if setting.line is None else str(setting.line)
