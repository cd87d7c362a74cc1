"""The memory fabric: scenarios with ``[fabric]`` in place of ``[network]``, and their results.

A fabric of accelerators does collectives inside the network: switches replicate multicast writes
and reduce the responses of reads. See ``docs/fabric.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incast import _core
from incast.scenario import read_source
from incast.table import Table

__all__ = ["FabricResults", "is_fabric", "run_fabric"]


class FabricResults:
    """The results of one fabric's run.

    Attributes:
        summary: Key figures, as in ``summary.json``.
        operations: A row for each operation: initiator, kind, target, size, times, latency.
        controls: Tokens, watermarks and unmatched flits of the sampled endpoints over time.
        queues: Flits in queues over time, by switch and virtual channel.
        folder: Where the results are stored; ``None`` if they are not.
    """

    def __init__(self, core: _core.FabricResults) -> None:
        self._core = core
        self.summary: dict[str, Any] = core.summary()
        self.operations = Table(core.operations)
        self.controls = Table(core.controls)
        self.queues = Table(core.queues)
        self.folder: Path | None = None

    def save(self, folder: str | Path) -> Path:
        """Stores the results, whole or not at all; replaces results that are there.

        Raises:
            ResultsError: The folder cannot be written.
        """
        self._core.write(str(folder))
        self.folder = Path(folder)
        return self.folder

    def table(self) -> str:
        """The key figures as text for a terminal."""
        summary, latency = self.summary, self.summary["latency"]
        lines = [
            f"{summary['name']}: {summary['scheme']}, {summary['endpoints']} endpoints, "
            f"{summary['initiators']} initiators",
            "",
            f"cycles               {summary['cycles']} ({summary['seconds'] * 1e6:.1f} us)",
            f"effective bandwidth  {summary['effective_bandwidth']:.3f} flits per cycle",
            "latency in cycles    "
            f"mean {latency['mean_cycles']:.0f}, median {latency['median_cycles']}, "
            f"p99 {latency['p99_cycles']}, max {latency['max_cycles']}",
        ]
        for kind, figures in summary["latency_by_kind"].items():
            lines.append(
                f"  {kind:<18} {figures['operations']} operations, "
                f"mean {figures['mean_cycles']:.0f}, max {figures['max_cycles']}"
            )
        if summary["collectives"]:
            lines += ["", _collectives(summary["collectives"])]
        effort = summary["effort"]
        rate = effort["flit_hops_per_cpu_second"] / 1e6
        lines += [
            "",
            f"{summary['flit_hops']} flit-hops in {effort['cpu_seconds']:.2f} CPU s "
            f"({rate:.1f} M/s)",
            f"fingerprint          {summary['fingerprint']}",
        ]
        return "\n".join(lines)


def _collectives(rows: Sequence[Mapping[str, Any]]) -> str:
    """Collectives in the columns of nccl-tests."""
    head = (
        f"{'collective':<16}{'size (B)':>12}{'cycles':>12}{'time (us)':>12}"
        f"{'algbw (GB/s)':>14}{'busbw (GB/s)':>14}"
    )
    return "\n".join([head, *map(_collective, rows)])


def _collective(row: Mapping[str, Any]) -> str:
    return (
        f"{row['collective']:<16}{row['size_bytes']:>12}{row['cycles']:>12}"
        f"{row['time_us']:>12.2f}{row['algorithm_bandwidth_gbytes_per_second']:>14.2f}"
        f"{row['bus_bandwidth_gbytes_per_second']:>14.2f}"
    )


def is_fabric(file: str | Path) -> bool:
    """Whether a scenario file has ``[fabric]`` in place of ``[network]``; ``False`` if there is no
    such file.

    Raises:
        ScenarioError: It has both.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    # Most scenarios are of networks: no need to parse them twice.
    return "fabric" in text and _core.is_fabric(text, str(file))


def run_fabric(
    scenario: str | Path | Mapping[str, Any],
    *,
    settings: Sequence[tuple[str, str]] = (),
    folder: str | Path | None = None,
    store: str | Path | None = None,
    threads: int | None = None,
) -> FabricResults:
    """Runs a fabric's scenario.

    Args:
        scenario: A TOML file, or a dict of the same shape.
        settings: Dotted keys and the TOML texts that replace their values, as after ``--set``.
        folder: Store the results in this folder.
        store: Store them in the folder ``<name>-<identity>`` in this one.
        threads: The most threads that the run may use. Results do not depend on it.

    Raises:
        ScenarioError: The scenario is not valid.
        RunError: The run deadlocked, or violated an invariant of the model.
        ResultsError: The results cannot be written.
    """
    written = read_source(scenario)
    core = _core.FabricScenario.from_toml(written.text, written.file, list(settings))
    results = FabricResults(core.run(threads))
    if folder is None and store is not None:
        folder = Path(store) / f"{core.name}-{core.identity}"
    if folder is not None:
        results.save(folder)
    return results
