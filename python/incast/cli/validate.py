"""`incast validate`: compares results with those of other simulators."""

from __future__ import annotations

import argparse
import json

from incast import validate
from incast.cli.campaign import CampaignLine
from incast.cli.commands import add_command
from incast.cli.options import path, whole_number
from incast.cli.progress import Progress
from incast.errors import ImportFileError
from incast.validate.uet import SEEDS

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_ns3)
    simulators = parser.add_subparsers(title="simulators", metavar="SIMULATOR", required=True)
    ns3 = add_command(
        simulators,
        "ns3",
        _ns3,
        "Run experiments of the HPCC ns-3 artifact under profile hpcc-ns3 and compare with "
        "its results. The exit code is 0 if everything is within tolerance, 1 if not. "
        "Without --config these are the recordings that come with incast.",
    )
    ns3.add_argument(
        "--quick", action="store_true", help="only experiments that take under a second"
    )
    ns3.add_argument("--json", action="store_true", help="print numbers instead of tables")
    ns3.add_argument("--quiet", action="store_true", help="show no progress")
    own = ns3.add_argument_group("a recording of yours, in the artifact's own files")
    own.add_argument("--config", type=path, metavar="FILE", help="its config.txt")
    own.add_argument("--fct", type=path, metavar="FILE", help="its output of completion times")
    own.add_argument("--topology", type=path, metavar="FILE", help="in place of the config's")
    own.add_argument("--flows", type=path, metavar="FILE", help="in place of the config's")
    uet = add_command(
        simulators,
        "uet",
        _uet,
        "Run experiments of uet-htsim, the Ultra Ethernet Consortium's simulator, and compare with "
        "its results. The exit code is 0 if all of it is as recorded, 1 if not.",
    )
    uet.add_argument(
        "--quick", action="store_true", help="only experiments that are the same for every seed"
    )
    uet.add_argument(
        "--only", default="", metavar="TEXT", help="only experiments with this in their name"
    )
    uet.add_argument(
        "--seeds",
        type=_seeds,
        default=SEEDS,
        metavar="N",
        help=f"how many seeds of ours, where they matter; default: {SEEDS}",
    )
    uet.add_argument("--json", action="store_true", help="print numbers instead of tables")
    uet.add_argument("--quiet", action="store_true", help="show no progress")
    profiles = add_command(
        simulators,
        "profiles",
        _profiles,
        "Compare profile default with each choice of profile hpcc-ns3, one at a time. Runs the "
        "recorded incast and fat tree under each.",
    )
    profiles.add_argument(
        "--quick", action="store_true", help="only experiments that take under a second"
    )
    profiles.add_argument("--json", action="store_true", help="print numbers instead of tables")
    profiles.add_argument("--quiet", action="store_true", help="show no progress")


def _profiles(arguments: argparse.Namespace) -> int:
    with Progress(quiet=arguments.quiet) as shown:
        result = validate.profiles(quick=arguments.quick, watch=shown.of)
    print(json.dumps(result.to_dict(), indent=2) if arguments.json else result.table())
    return 0


def _seeds(text: str) -> int:
    return whole_number(text, "a number of seeds", 1, 1000)


def _uet(arguments: argparse.Namespace) -> int:
    with CampaignLine(quiet=arguments.quiet) as shown:
        result = validate.uet(
            quick=arguments.quick, only=arguments.only, seeds=arguments.seeds, watch=shown
        )
    print(json.dumps(result.to_dict(), indent=2) if arguments.json else result.table())
    return 0 if result.passed else 1


def _ns3(arguments: argparse.Namespace) -> int:
    with Progress(quiet=arguments.quiet) as shown:
        if _own(arguments):
            result = validate.ns3_recording(
                arguments.config,
                arguments.fct,
                topology=arguments.topology,
                flows=arguments.flows,
                watch=shown.of,
            )
        else:
            result = validate.ns3(quick=arguments.quick, watch=shown.of)
    print(json.dumps(result.to_dict(), indent=2) if arguments.json else result.table())
    return 0 if result.passed else 1


def _own(arguments: argparse.Namespace) -> bool:
    """Whether the user gives the files of a recording. An incomplete set is an error."""
    given = {name: getattr(arguments, name) for name in ("config", "fct", "topology", "flows")}
    if not any(given.values()):
        return False
    if missing := [name for name in ("config", "fct") if given[name] is None]:
        hint = "a recording of yours takes --config and --fct"
        raise ImportFileError(f"--{missing[0]} is not given", hint=hint)
    return True
