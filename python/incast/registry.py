"""What scenarios may name: algorithms, topologies, workloads, profiles."""

from __future__ import annotations

from incast import _core

__all__ = ["algorithms", "profiles", "topologies", "workloads"]


def algorithms() -> dict[str, str]:
    """Congestion control algorithms, each with one line on what it does."""
    return dict(_core.algorithms())


def topologies() -> dict[str, str]:
    """Topologies, each with one line on its shape."""
    return dict(_core.topologies())


def workloads() -> dict[str, str]:
    """Flow-size distributions, each with one line on where it was measured."""
    return dict(_core.workloads())


def profiles() -> dict[str, str]:
    """Sets of the network model's open choices, each with one line on what it stands for."""
    return dict(_core.profiles())
