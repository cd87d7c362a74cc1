"""`incast show`: facts and settings of a scenario, or key figures of a results folder."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import incast
from incast import _core
from incast.algorithm import without_code
from incast.cli.options import add_json_option, add_set_option, json_text, path
from incast.errors import printable
from incast.files import checked_path
from incast.machine import fitting
from incast.measure.layers import Layers
from incast.present import algorithm, key_figures, kind, what_ran
from incast.present.estimate import effort, fewer_rows, thinning
from incast.present.layers import drawing
from incast.present.terminal import filled
from incast.store.folders import Folders, of_other_engines

__all__ = ["add"]

_MOST_HOSTS = 10_000


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.set_defaults(execute=_show)
    parser.add_argument(
        "path",
        type=path,
        help="a scenario file, a results folder, an algorithm (hpcc, mine.py), or another name "
        "that `incast list` has: leaf-spine, poisson, web-search",
    )
    add_set_option(parser, "replace a setting of a scenario, e.g. traffic.0.load=0.7")
    add_json_option(parser)


def _show(arguments: argparse.Namespace) -> int:
    checked_path(arguments.path)
    if arguments.path.is_dir():
        results = incast.load(arguments.path)
        results.check()
        print(json_text(results.summary) if arguments.json else results.table())
        return 0
    is_file = arguments.path.exists()
    if arguments.path.suffix == ".py" or (
        not is_file and str(arguments.path) in incast.algorithms()
    ):
        found = algorithm.facts(str(arguments.path))
        print(json_text(found) if arguments.json else algorithm.listing(found))
        return 0
    named = None if is_file else kind.facts(str(arguments.path))
    if named is not None:
        print(json_text(named) if arguments.json else kind.listing(named))
        return 0
    try:
        with without_code():
            scenario = incast.Scenario(arguments.path, settings=arguments.settings)
    except incast.CodeError as error:
        return _show_code(arguments, error)
    if arguments.json:
        network = _layers(scenario)
        whole = {
            "identity": scenario.identity,
            "facts": scenario.describe(),
            "network": None if network is None else network.to_dict(),
        }
        costs = {"estimate": scenario.estimate(), "scenario": scenario.to_dict()}
        print(json_text({**whole, **costs}))
        return 0
    print(_facts(scenario), end="\n\n")
    print(scenario.to_toml().rstrip())
    return 0


def _show_code(arguments: argparse.Namespace, code: incast.CodeError) -> int:
    """Prints a scenario as it is written. Its facts depend on code, which is not run here."""
    text = arguments.path.read_text("utf-8")
    if arguments.json:
        print(json_text({"code": code.file, "scenario": tomllib.loads(text)}))
        return 0
    what = (
        f"The algorithm is Python code in {code.file}. This command never runs it, and shows the "
        "scenario as it is written; `incast run` runs the code."
    )
    print(filled(what, indent="# "), end="\n\n")
    print("\n".join(map(printable, text.splitlines())))
    return 0


def _facts(scenario: incast.Scenario) -> str:
    facts = scenario.describe()
    sentences = [
        f"{scenario.name}: {key_figures.settings(facts)}",
        key_figures.network(facts),
        *what_ran.sentences(scenario.to_dict()),
        key_figures.work(facts),
        *_costs(scenario),
        f"identity {scenario.identity}",
        *_stored(scenario),
    ]
    found = _layers(scenario)
    drawn = [] if found is None else ["#", drawing(found, indent="# ")]
    # The facts are comments, so that the printed text is a scenario file again.
    return "\n".join(
        [
            *(filled(each, indent="# ") for each in sentences),
            *drawn,
        ]
    )


def _layers(scenario: incast.Scenario) -> Layers | None:
    """The layers of a scenario's network; ``None`` for a fabric, or for a network too large to
    build at once.
    """
    if scenario.kind != "network" or scenario.describe()["hosts"] > _MOST_HOSTS:
        return None
    return scenario.layers()


def _stored(scenario: incast.Scenario) -> list[str]:
    """Notes on results of this scenario in the default folder."""
    store = Path("results")
    own = Folders(store).whole(scenario)
    found = [f"results in {own}"] if own is not None else []
    return found + [
        f"results in {folder} are not taken: made by another engine, "
        f"{engine or 'which is not known'}; this one is {_core.__engine__}"
        for folder, engine in of_other_engines(store, scenario)
    ]


def _costs(scenario: incast.Scenario) -> list[str]:
    """Notes on the time and memory of a run."""
    estimate = scenario.estimate()
    found = [effort(estimate), *thinning(estimate)]
    try:
        found += fewer_rows(fitting(estimate))
    except incast.ScenarioError as error:
        found.append(f"incast run would refuse it: {error}")
    return found
