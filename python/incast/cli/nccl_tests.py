"""`incast nccl-tests`: bandwidth of collectives over the size of data."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import incast
from incast.cli.campaign import CampaignLine
from incast.cli.interrupts import answered
from incast.cli.messages import complain, failed, note
from incast.cli.options import (
    Several,
    add_json_option,
    add_progress_options,
    add_scenario_options,
    json_text,
    names,
    path,
)
from incast.cli.os_signals import INTERRUPTED
from incast.cli.outputs import Outputs, check_distinct, check_file
from incast.cli.own_files import is_own_csv, is_own_figure, is_own_page
from incast.cli.streams import place
from incast.collectives.operations import DATATYPES, OPERATIONS
from incast.collectives.sizes import byte_count

__all__ = ["add"]

_RUN_FAILED = 1
_ENDS = "the runs under way end; what was measured is shown"
_FORMATS = (".png", ".svg", ".pdf")


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_nccl_tests)
    parser.add_argument(
        "operation",
        metavar="OPERATION",
        help=f"one of {', '.join(OPERATIONS)}; or as nccl-tests' programs are called, "
        "e.g. all_reduce_perf, alltoall, sendrecv",
    )
    _add_sizes(parser)
    _add_ranks(parser)
    add_scenario_options(parser, scenarios="?")
    add_progress_options(parser)
    parser.add_argument(
        "--cc",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help="congestion control, one or several side by side, e.g. hpcc,dcqcn; default: the "
        "scenario's, or hpcc",
    )
    add_json_option(parser)
    parser.add_argument("--csv", type=path, metavar="FILE", help="write the rows as CSV")
    parser.add_argument(
        "--plot",
        type=_figure,
        metavar="FILE",
        help="draw bus bandwidth over size, with the payload rate of a host (.png, .svg or .pdf)",
    )
    parser.add_argument(
        "--report", type=path, metavar="FILE", help="write a page with charts and table (HTML)"
    )
    parser.add_argument(
        "--out",
        type=path,
        metavar="DIR",
        help="keep results folders there, and reuse those that are there; default: none are kept",
    )


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-b", "--minbytes", metavar="SIZE", default="8", help="the smallest size; default: 8")
    add(
        "-e",
        "--maxbytes",
        metavar="SIZE",
        default="1G",
        help="the largest size, e.g. 128M (powers of 1024) or 128MB; default: 1G",
    )
    add(
        "-f",
        "--stepfactor",
        metavar="N",
        type=int,
        default=2,
        help="from one size to the next; default: 2",
    )
    add(
        "-i",
        "--stepbytes",
        metavar="SIZE",
        help="bytes from one size to the next, in place of a factor",
    )
    add(
        "-n",
        "--iters",
        metavar="N",
        type=int,
        default=1,
        help="operations that are timed, one after the other; default: 1, as a simulation has no "
        "noise",
    )
    add(
        "-w",
        "--warmup_iters",
        "--warmup",
        metavar="N",
        type=int,
        default=0,
        help="operations before them; default: 0",
    )
    add(
        "-d",
        "--datatype",
        metavar="TYPE",
        default="float",
        help=f"type of the elements, one of {', '.join(DATATYPES)}; default: float",
    )


def _add_ranks(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-g",
        "--ranks",
        metavar="N",
        type=int,
        help="how many ranks, on the first hosts; default: 64, or all hosts of the scenario",
    )
    add("--hosts", metavar="LIST", help="the host of each rank instead, e.g. 0,4,8 or 0-15,32-47")
    add(
        "-r",
        "--root",
        metavar="RANK",
        type=int,
        default=0,
        help="that of a broadcast or reduce; default: 0",
    )
    add(
        "--algorithm",
        action=Several,
        type=names,
        metavar="NAME,NAME",
        help="how, one or several side by side: of ring, tree, halving-doubling, direct, "
        "hierarchical; default: ring, or direct for all-to-all and send-receive",
    )
    add("--rings", metavar="N", help="rings that a ring algorithm goes over, or all; default: 1")
    add(
        "--channels",
        metavar="N",
        type=int,
        help="how often at once the algorithm is run, each time for a part of the data, by a NIC "
        "of its own where hosts have several; default: as many as they have",
    )
    add("--node-size", metavar="N", type=int, help="ranks of a node, for hierarchical")
    add("--chunk", metavar="SIZE", help="the most bytes of a chunk; default: by algorithm")


def _figure(text: str) -> Path:
    """The file of `--plot`."""
    file = path(text)
    if file.suffix not in _FORMATS:
        raise argparse.ArgumentTypeError(f"`{text}` does not end in {', '.join(_FORMATS)}")
    return file


def _nccl_tests(arguments: argparse.Namespace) -> int:
    _check_places(arguments)
    code = 0
    with answered() as requests, CampaignLine(quiet=arguments.quiet) as line:
        requests.answer_by(_ENDS)
        try:
            tests = _measured(arguments, line)
        except incast.NcclTestsInterrupted as stopped:
            tests, code = stopped.tests, INTERRUPTED
    print(json_text(tests.to_dict()) if arguments.json else tests.table(), flush=True)
    for sentence in tests.notes:
        note(sentence)
    for label, failure in tests.failures.items():
        failed(label, failure)
    unwritten = _write(arguments, tests)
    return code or _missing(tests) or unwritten


def _missing(tests: incast.NcclTests) -> int:
    """The exit code: 0 if no run failed, and at least one row has numbers."""
    if tests.failures:
        return _RUN_FAILED
    if all(math.isnan(row.time_us) for row in tests.rows):
        complain("no row has numbers: every run was stopped before its end; give a later run.stop")
        return _RUN_FAILED
    return 0


def _check_places(arguments: argparse.Namespace) -> None:
    """Checks, before the runs, that the files can be written."""
    csv, plot, report = arguments.csv, arguments.plot, arguments.report
    check_distinct({"--csv": csv, "--plot": plot, "--report": report})
    for file, is_own in ((csv, is_own_csv), (plot, is_own_figure), (report, is_own_page)):
        if file is not None:
            check_file(file, force=arguments.force, is_own=is_own)


def _write(arguments: argparse.Namespace, tests: incast.NcclTests) -> int:
    """Writes the files, prints their paths, and gives the exit code."""

    def plot(file: Path) -> object:
        from incast.present import matplotlib

        return matplotlib.save(tests.plot(), file)

    outputs = Outputs()
    places: dict[str, tuple[Path | None, Callable[[Path], object]]] = {
        "results": (arguments.out, lambda folder: folder),
        "csv": (arguments.csv, tests.to_csv),
        "figure": (arguments.plot, plot),
        "report": (arguments.report, tests.report),
    }
    if not arguments.json and any(file for file, _ in places.values()):
        print()
    for label, (file, write) in places.items():
        if file is None:
            continue
        written = outputs.write(partial(write, file))
        if written is not None and not arguments.json:
            place(label, file)
    return outputs.code


def _measured(arguments: argparse.Namespace, line: CampaignLine) -> incast.NcclTests:
    given: dict[str, Any] = {} if arguments.seed is None else {"seed": arguments.seed}
    if arguments.settings:
        given["settings"] = arguments.settings
    try:
        return incast.nccl_tests(
            arguments.operation,
            arguments.scenario,
            min_bytes=arguments.minbytes,
            max_bytes=arguments.maxbytes,
            factor=arguments.stepfactor,
            step=arguments.stepbytes,
            ranks=arguments.ranks,
            hosts=arguments.hosts,
            algorithm=arguments.algorithm,
            cc=arguments.cc,
            root=arguments.root,
            datatype=arguments.datatype,
            iterations=arguments.iters,
            warmup=arguments.warmup_iters,
            traffic=_traffic(arguments),
            store=arguments.out,
            force=arguments.force,
            threads=arguments.threads,
            memory=arguments.memory,
            watch=line,
            **given,
        )
    except incast.ScenarioError as error:
        option = _OPTIONS.get(str(error.key))
        if error.file or option is None:
            raise
        raise incast.Error(error.what, key=option, hint=error.hint) from None


def _traffic(arguments: argparse.Namespace) -> dict[str, Any]:
    """Optional keys of the collective's traffic entry."""
    rings, chunk = arguments.rings, arguments.chunk
    given = {
        "rings": int(rings) if rings is not None and rings.isdecimal() else rings,
        "channels": arguments.channels,
        "node_size": arguments.node_size,
        "chunk": None if chunk is None else f"{byte_count(chunk, 'chunk')}B",
    }
    return {key: value for key, value in given.items() if value is not None}


_OPTIONS = {
    "operation": "OPERATION",
    "scenario": "SCENARIO",
    "min_bytes": "--minbytes",
    "max_bytes": "--maxbytes",
    "factor": "--stepfactor",
    "step": "--stepbytes",
    "ranks": "--ranks",
    "hosts": "--hosts",
    "algorithm": "--algorithm",
    "cc": "--cc",
    "root": "--root",
    "datatype": "--datatype",
    "iterations": "--iters",
    "warmup": "--warmup_iters",
    "rings": "--rings",
    "channels": "--channels",
    "node_size": "--node-size",
    "chunk": "--chunk",
}
"""The option for each argument of :func:`incast.nccl_tests`, for error messages."""
