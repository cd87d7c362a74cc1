"""Effects of a network model's open choices on completion times, one choice at a time, with the
same flows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from incast.experiment import Progress, run
from incast.measure.run import Run
from incast.present.columns import columns
from incast.present.units import bytes_text, count_text, size_range_text
from incast.scenario import Scenario
from incast.validate.recordings import Recording, recordings

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ProfileEffects", "profiles"]

CHOICES: dict[str, dict[str, Any]] = {
    "default": {},
    "clock: nanoseconds": {"model": {"clock": "nanoseconds"}},
    "the same, ties: insertion": {"model": {"clock": "nanoseconds", "ties": "insertion"}},
    "ECMP: murmur3": {"model": {"ecmp": "murmur3"}},
    "next hops: descending": {"next_hop_order": "descending-node"},
    "ACKs: among data": {"model": {"ack_class": "data"}},
    "INT: exact": {"model": {"int_format": "exact"}},
    "INT: in steps × 4": {"model": {"int_format": {"multiplier": 4, "queue_bits": 17}}},
    "INT: 0 bytes": {"packets": {"int": "0B"}},
    "NIC: linear scan": {"model": {"nic_scheduler": "linear-scan"}},
    "profile hpcc-ns3": {"profile": "hpcc-ns3"},
}
"""Each choice of profile `hpcc-ns3`, and two more, applied alone to profile `default`; then all
together.

Ties by insertion need the event queue that counts whole nanoseconds, so that clock comes with it.
"""

_EXPERIMENTS = ("s1-incast-hpcc-ai50", "s2-hadoop-hpcc")

Watch: TypeAlias = "Callable[[Scenario, str], Progress | None]"


@dataclass(frozen=True)
class Effect:
    """The effect of one choice in one experiment."""

    choice: str
    fct_same: float
    """The share of flows with the same completion time as under `default`, to the picosecond."""
    fct_within_1_percent: float
    fct_mean_difference: float
    """The relative difference of the mean completion time."""
    queue_peak_bytes: int
    slowdowns: list[dict[str, Any]]
    """Slowdowns by flow size: count, mean, p50, p99."""


@dataclass(frozen=True)
class ProfileEffects:
    """The effects of all choices, by experiment."""

    experiments: dict[str, list[Effect]]

    def table(self) -> str:
        """The figures as text for a terminal."""
        return "\n\n".join(
            f"{_totals(name, effects)}\n\n{_by_size(effects)}"
            for name, effects in self.experiments.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain numbers and lists, for JSON."""
        return asdict(self)


def profiles(*, quick: bool = False, watch: Watch = lambda scenario, name: None) -> ProfileEffects:
    """Runs the recorded experiments under profile `default`, with each choice alone, and under
    `hpcc-ns3`.

    Args:
        quick: Leaves out the 32 921 flows on 320 hosts.
        watch: Takes a scenario and its name, and gives the callback for its run.
    """
    chosen = [
        recording
        for recording in recordings()
        if recording.name in _EXPERIMENTS and (recording.quick or not quick)
    ]
    return ProfileEffects({each.name: _effects(each, watch) for each in chosen})


def _effects(recording: Recording, watch: Watch) -> list[Effect]:
    effects: list[Effect] = []
    base = None
    for choice, network in CHOICES.items():
        with TemporaryDirectory(prefix="incast-") as folder:
            scenario = _scenario(recording, network, Path(folder))
            results = run(scenario, progress=watch(scenario, choice))
        fct = _completion_times(results)
        base = fct if base is None else base
        effects.append(_effect(choice, results, fct, base))
    return effects


def _scenario(recording: Recording, network: dict[str, Any], folder: Path) -> Scenario:
    """The recorded experiment with these network settings in place of its profile's choices."""
    recording.unpack(folder)
    written = tomllib.loads((folder / "scenario.toml").read_text(encoding="utf-8"))
    written["network"] = {
        **{key: value for key, value in written["network"].items() if key != "model"},
        "profile": "default",
        **network,
    }
    written["traffic"][0]["file"] = str(folder / "flows.csv")
    written["measure"] = {"queues": {"ports": "none"}, "flows": {"which": "none"}}
    return Scenario(written)


def _completion_times(run: Run) -> np.ndarray[Any, Any]:
    """Completion times in ps, ordered by flow number."""
    import numpy as np

    order = np.argsort(run.completed.numbers("flow_id"))
    return run.completed.numbers("fct_ps")[order].astype(np.float64)


def _effect(
    choice: str,
    run: Run,
    fct: np.ndarray[Any, Any],
    base: np.ndarray[Any, Any],
) -> Effect:
    slowdown = run.summary["fct_slowdown"]
    everything = {"from_bytes": 0, "to_bytes": None, **slowdown["all"]}
    return Effect(
        choice,
        fct_same=float((fct == base).mean()),
        fct_within_1_percent=float((abs(fct / base - 1) <= 0.01).mean()),
        fct_mean_difference=float(fct.mean() / base.mean() - 1),
        queue_peak_bytes=int(run.ports.numbers("queue_max_bytes").max()),
        slowdowns=[
            {key: bucket[key] for key in ("from_bytes", "to_bytes", "count", "mean", "p50", "p99")}
            for bucket in (*slowdown["by_size"], everything)
            if bucket["count"]
        ],
    )


def _totals(name: str, effects: list[Effect]) -> str:
    header = [name, "FCT the same", "within 1 %", "mean FCT", "queue peak"]
    rows = [
        [
            effect.choice,
            f"{effect.fct_same * 100:.1f} %",
            f"{effect.fct_within_1_percent * 100:.1f} %",
            f"{effect.fct_mean_difference * 100:+.2f} %",
            bytes_text(effect.queue_peak_bytes),
        ]
        for effect in effects
    ]
    return columns(header, rows)


def _by_size(effects: list[Effect]) -> str:
    rows = []
    for index, bucket in enumerate(effects[0].slowdowns):
        size = size_range_text(bucket["from_bytes"], bucket["to_bytes"])
        for effect in effects:
            found = effect.slowdowns[index]
            first = effect is effects[0]
            rows.append(
                [
                    f"{size}, {count_text(bucket['count'])} flows" if first else "",
                    effect.choice,
                    *(f"{found[key]:.4f}" for key in ("mean", "p50", "p99")),
                ]
            )
    return columns(["FCT slowdown", "choice", "mean", "p50", "p99"], rows, text=2)
