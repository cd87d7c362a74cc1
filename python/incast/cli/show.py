"""`incast show`: facts and settings of a scenario, or key figures of a results folder."""

from __future__ import annotations

import argparse

import incast
from incast.cli.options import add_json_option, json_text, path
from incast.files import checked_path
from incast.machine import check_memory
from incast.present import algorithm, key_figures, kind, what_ran
from incast.present.estimate import effort, thinning
from incast.present.terminal import filled

__all__ = ["add"]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds its arguments."""
    parser.set_defaults(execute=_show)
    parser.add_argument(
        "path",
        type=path,
        help="a scenario file, a results folder, an algorithm (hpcc, mine.py), or another name "
        "that `incast list` has: leaf-spine, poisson, web-search",
    )
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
    scenario = incast.Scenario(arguments.path)
    if arguments.json:
        whole = {"identity": scenario.identity, "facts": scenario.describe()}
        costs = {"estimate": scenario.estimate(), "scenario": scenario.to_dict()}
        print(json_text({**whole, **costs}))
        return 0
    print(_facts(scenario), end="\n\n")
    print(scenario.to_toml().rstrip())
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
    ]
    # The facts as comments: what is printed is again a scenario file.
    return "\n".join(filled(each, indent="# ") for each in sentences)


def _costs(scenario: incast.Scenario) -> list[str]:
    """What a run will take."""
    estimate = scenario.estimate()
    found = [effort(estimate), *thinning(estimate)]
    try:
        check_memory(estimate)
    except incast.ScenarioError as error:
        found.append(f"incast run would refuse it: {error}")
    return found
