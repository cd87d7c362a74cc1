"""Pages of the Python API: lists the names on each page. mkdocstrings formats their docstrings."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import GetSetDescriptorType
from typing import Any

import griffe

from incast_website.links import named

__all__ = ["PAGES", "ApiPage", "Docstrings", "names", "page"]


@dataclass(frozen=True)
class ApiPage:
    """One page: its title, its introduction, and the names on it."""

    title: str
    opening: str
    objects: tuple[str, ...]


_CALLED = {
    "incast.validate.ns3.ns3": "incast.validate.ns3",
    "incast.validate.profiles.profiles": "incast.validate.profiles",
    "incast.validate.uet.uet": "incast.validate.uet",
}
"""Names that users call, for functions whose module has the same name."""

_RESULTS = "A run gives [`Results`][incast.Results]: Arrow tables, a summary, charts, a report."

PAGES = {
    "running": ApiPage(
        "Running scenarios",
        "A scenario is a file, TOML text, a dictionary or a [`Scenario`][incast.Scenario]. "
        + _RESULTS,
        (
            *("incast.run", "incast.compare", "incast.sweep", "incast.nccl_tests"),
            *(
                "incast.Scenario",
                "incast.schema",
                "incast.shipped",
                "incast.Watch",
                "incast.import_hpcc_ns3",
                "incast.import_htsim",
                "incast.import_msccl",
                "incast.import_htsim_uec",
                "incast.import_graph",
                "incast.import_astra_sim",
                "incast.import_sizes",
                "incast.recognise",
                "incast.recognise_folder",
            ),
            "incast.Imported",
            "incast.ImportedSizes",
            "incast.RecognisedFile",
        ),
    ),
    "live": ApiPage(
        "A network that a program drives",
        "For simulators, and programs that answer the ends of flows "
        "([what it promises](../../live-networks.md)).",
        ("incast.Network", "incast.FlowEnd", "incast.NetworkStalledError"),
    ),
    "results": ApiPage(
        "Results",
        _RESULTS + " What columns and key figures mean is in [Results](../../results.md).",
        (
            *("incast.load", "incast.Results", "incast.results_tables.ResultsTables"),
            *("incast.present.plots.Plots", "incast.export.methods.Exports"),
            "incast.explain.answers",
            *("incast.Comparison", "incast.PairedComparison", "incast.Sweep"),
            *("incast.NcclTests", "incast.Table"),
        ),
    ),
    "algorithm": ApiPage(
        "Algorithms of your own",
        "What a class in a Python file is told, and what it answers. "
        "The [guide](../../own-algorithms.md) begins with an example.",
        ("incast.algorithm",),
    ),
    "names": ApiPage(
        "Names",
        "What scenarios and studies may name; [tables of all](../names.md).",
        tuple(
            f"incast.{name}"
            for name in (
                *("algorithms", "parts", "parameter_sets", "topologies", "workloads"),
                *("profiles", "traffic_kinds", "balancers", "charts", "measures"),
            )
        ),
    ),
    "papers": ApiPage(
        "Papers and validation",
        "Reproductions ([how verdicts are found](../../reproductions/index.md)), and comparisons "
        "with recordings of other simulators ([validation](../../validation.md)).",
        (
            *("incast.papers", "incast.validate.ns3.ns3", "incast.validate.profiles.profiles"),
            *("incast.validate.ns3_outcome", "incast.validate.ns3_recording"),
            *("incast.validate.Validation", "incast.validate.Outcome"),
            *("incast.validate.ProfileEffects", "incast.validate.uet.uet"),
            "incast.validate.UetValidation",
        ),
    ),
    "measures": ApiPage(
        "Metrics and fluid models",
        "Numbers of a run's series, and fluid models of algorithms.",
        (
            *("incast.measure.metrics", "incast.fluid.aimd", "incast.fluid.dctcp"),
            *("incast.fluid.lgc", "incast.fluid.logistic", "incast.fluid.SamplingFrequency"),
        ),
    ),
    "errors": ApiPage(
        "Errors",
        "Every error that a call raises for a wrong input, or for a run that failed, is an "
        "[`incast.Error`][incast.Error]. Ctrl-C raises [`incast.Interrupted`][incast.Interrupted], "
        "a `KeyboardInterrupt` with the partial results.",
        tuple(
            f"incast.{name}"
            for name in (
                *("Error", "ScenarioError", "StudyError", "ImportFileError", "PaperError"),
                *(
                    "ResultsError",
                    "ColumnError",
                    "LabelError",
                    "UnstoredError",
                    "RunError",
                    "StallError",
                    "AlgorithmError",
                ),
                *(
                    "ClusterError",
                    "CodeError",
                    "Interrupted",
                    "CampaignInterrupted",
                    "NcclTestsInterrupted",
                ),
            )
        ),
    ),
}


def names() -> set[str]:
    """All names that are on a page."""
    return {name for each in PAGES.values() for name in each.objects}


def page(name: str) -> str:
    """A page as Markdown, with a directive for each name."""
    found = PAGES[name]
    pieces = [f"# {found.title}", found.opening]
    for each in found.objects:
        heading = f"\n    options:\n      heading: {_CALLED[each]}" if each in _CALLED else ""
        pieces.append(f"::: {each}{heading}")
    return "\n\n".join(pieces) + "\n"


class Docstrings(griffe.Extension):
    """Adapts docstrings for the site."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Adds missing docstrings from the extension module. Converts roles such as
        :func:`incast.run`, and names of pages, to Markdown.
        """
        if not obj.docstring and (said := _said_by_the_binary(obj.path)):
            obj.docstring = griffe.Docstring(said, parent=obj)
        if obj.docstring:
            said = re.sub(
                r":(?:func|class|meth|data|attr|mod|exc):`~?([^`]+)`", r"`\1`", obj.docstring.value
            )
            obj.docstring.value = named(said, _link)


def _link(title: str, place: PurePosixPath) -> str:
    return f"[{title}](../../{place})"


def _said_by_the_binary(path: str) -> str:
    """The docstring of an attribute of the extension module, whose stub has only types."""
    try:
        found = pkgutil.resolve_name(path)
    except (AttributeError, ImportError):
        return ""
    is_compiled = isinstance(found, GetSetDescriptorType)
    return str(found.__doc__ or "") if is_compiled else ""
