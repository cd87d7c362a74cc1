"""Names: what scenarios may use (algorithms, topologies, …), and the charts of results."""

from __future__ import annotations

import json

from incast import _core

__all__ = [
    "algorithms",
    "balancers",
    "charts",
    "measures",
    "parameter_sets",
    "parts",
    "profiles",
    "topologies",
    "workloads",
]


def algorithms() -> dict[str, str]:
    """Congestion control algorithms by name, each with a one-line summary."""
    return dict(_core.algorithms())


def parts() -> dict[str, str]:
    """Parts that algorithms take (``hpcc+vai``) by name, each with a one-line summary."""
    return dict(_core.parts())


def parameter_sets(algorithm: str) -> dict[str, str]:
    """Named sets of an algorithm's parameters, each with one line on where its values are from.

    The first is the default. Empty if the algorithm has one set only, or does not exist.
    """
    return dict(_core.parameter_sets(algorithm))


def balancers() -> dict[str, str]:
    """Kinds of load balancing at senders by name (``network.balance``), each with a one-line
    summary.
    """
    kinds = json.loads(_core.schema())["$defs"]["Balance"]["oneOf"]
    return {each["properties"]["kind"]["const"]: each["description"] for each in kinds}


def topologies() -> dict[str, str]:
    """Kinds of topologies by name, each with a one-line summary of its shape."""
    return dict(_core.topologies())


def workloads() -> dict[str, str]:
    """Flow-size distributions by name, each with one line on where it was measured."""
    return dict(_core.workloads())


def profiles() -> dict[str, str]:
    """Sets of the network model's open choices by name, each with a one-line summary."""
    return dict(_core.profiles())


def charts() -> dict[str, str]:
    """Charts of results (``results.plot("queue")``), each with a one-line summary."""
    from incast.present.charts import ALL_CHARTS

    return {chart.name: chart.summary for chart in ALL_CHARTS}


def measures() -> dict[str, str]:
    """What a study can measure (``measure = ["slowdown.p99"]``), each with a one-line summary.

    ``STAT`` stands for ``mean``, ``min``, ``max``, or any percentile, such as ``p99.9``.
    """
    from incast.study.measures import measures

    return measures()
