"""A validation as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incast.present.columns import columns
from incast.present.terminal import Ink, Inked, filled, paint
from incast.present.units import count_text, per_second_text, seconds_text, size_range_text
from incast.validate.comparison import Bucket
from incast.validate.outcome import Outcome

__all__ = ["validation"]


def validation(
    outcomes: Sequence[Outcome], seconds: float, artifact_speeds: Mapping[str, float], passed: bool
) -> str:
    """A listing of flows, slowdowns, queues and PFC frames, then of checks and the verdict.

    Args:
        outcomes: The outcomes of all experiments.
        seconds: The wall time of all experiments.
        artifact_speeds: The artifact's packet-hops per CPU second, by kind of network.
        passed: Whether all numbers are within tolerance.
    """
    run = [outcome for outcome in outcomes if outcome.flows is not None]
    parts = [
        _flows(run),
        _buckets(run),
        _queues(run),
        _pauses(run),
        _traces(run),
        _checks(run),
        _not_run(outcomes),
        "\n".join(filter(None, (_speed(run, artifact_speeds), _verdict(run, seconds, passed)))),
    ]
    return "\n\n".join(part for part in parts if part)


def _flows(run: list[Outcome]) -> str:
    header = [
        "FCT",
        "algorithm",
        "flows",
        "exact",
        "≤\N{NO-BREAK SPACE}0.2\N{NO-BREAK SPACE}%",
        "≤\N{NO-BREAK SPACE}1\N{NO-BREAK SPACE}%",
        "worst",
        "of FCT",
        "ideal",
    ]
    rows = []
    for outcome in run:
        flows = outcome.flows
        assert flows is not None
        rows.append(
            [
                outcome.name,
                outcome.algorithm,
                count_text(flows.flows),
                _share(flows.exact),
                _share(flows.within_02_percent),
                _share(flows.within_1_percent),
                f"{flows.worst_ns:+g} ns" if flows.worst_ns else "0 ns",
                _signed(flows.worst) if flows.worst else "",
                _same(flows.standalone_differ),
            ]
        )
    return columns(header, rows, text=2) if rows else ""


def _buckets(run: list[Outcome]) -> str:
    header = [
        "FCT slowdown",
        "size",
        "flows",
        "p50 recorded",
        "incast",
        "diff.",
        "p99 recorded",
        "incast",
        "diff.",
    ]
    rows = []
    for outcome in run:
        assert outcome.flows is not None
        for index, bucket in enumerate(outcome.flows.buckets):
            rows.append(
                [
                    outcome.name if index == 0 else "",
                    size_range_text(bucket.from_bytes, bucket.to_bytes),
                    *_cells(bucket),
                ]
            )
    return columns(header, rows, text=2) if rows else ""


def _cells(bucket: Bucket) -> list[str]:
    return [
        count_text(bucket.flows),
        f"{bucket.p50_recorded:.4f}",
        f"{bucket.p50:.4f}",
        _signed(bucket.p50_difference),
        f"{bucket.p99_recorded:.4f}",
        f"{bucket.p99:.4f}",
        _signed(bucket.p99_difference),
    ]


def _queues(run: list[Outcome]) -> str:
    header = ["queue", "samples", "worst", "in packets", "peak recorded", "incast"]
    rows = [
        [
            outcome.name,
            count_text(queue.samples),
            f"{queue.worst_bytes} B",
            f"{queue.worst_packets:.2f}",
            f"{queue.peak_bytes_recorded} B",
            f"{queue.peak_bytes} B",
        ]
        for outcome in run
        if (queue := outcome.queue) is not None
    ]
    return columns(header, rows) if rows else ""


def _pauses(run: list[Outcome]) -> str:
    rows = [
        [outcome.name, str(pauses.recorded), str(pauses.events), str(pauses.exact)]
        for outcome in run
        if (pauses := outcome.pauses) is not None
    ]
    return columns(["PFC frames", "recorded", "incast", "the same"], rows) if rows else ""


def _traces(run: list[Outcome]) -> str:
    rows = [
        [
            outcome.name,
            str(packets.recorded),
            str(packets.events),
            packets.first_difference or "none",
        ]
        for outcome in run
        if (packets := outcome.packets) is not None
    ]
    header = ["packet trace", "events recorded", "incast", "first difference"]
    return columns(header, rows, remarks=1) if rows else ""


def _checks(run: list[Outcome]) -> str:
    rows = []
    for outcome in run:
        for index, check in enumerate(outcome.checks):
            name = outcome.name if index == 0 else ""
            verdict = Inked("ok", Ink.GOOD) if check.passed else Inked("BEYOND", Ink.BAD)
            rows.append([name, check.what, check.measured, check.limit, verdict])
        if not outcome.checks:
            rows.append([outcome.name, "not judged", "", "", ""])
    header = ["tolerance", "of", "measured", "limit", "verdict"]
    return columns(header, rows, text=2, remarks=3) if rows else ""


def _not_run(outcomes: Sequence[Outcome]) -> str:
    lines = [
        filled(
            f"not run: {outcome.name} ({outcome.title}): {outcome.not_run}", indent="  ", first=""
        )
        for outcome in outcomes
        if outcome.not_run
    ]
    lines += [
        paint(filled(f"FAILED: {outcome.name}: {outcome.failed}", indent="  ", first=""), Ink.BAD)
        for outcome in outcomes
        if outcome.failed
    ]
    return "\n".join(lines)


def _speed(run: list[Outcome], artifact_speeds: Mapping[str, float]) -> str:
    if not run:
        return ""
    largest = max(run, key=lambda outcome: outcome.packet_hops)
    artifact = ", ".join(
        f"{per_second_text(speed)} on a {network}" for network, speed in artifact_speeds.items()
    )
    speed = per_second_text(largest.packet_hops_per_cpu_second)
    says = f"{speed} packet-hops per CPU second ({largest.name}); the artifact: {artifact}"
    return filled(says, first="speed    ", indent=" " * 9)


def _verdict(run: list[Outcome], seconds: float, passed: bool) -> str:
    count = sum(outcome.passed for outcome in run)
    word = "all within tolerance" if passed else "NOT within tolerance"
    verdict = paint(f"{word}: {count} of {len(run)} experiments", Ink.GOOD if passed else Ink.BAD)
    return f"time     {seconds_text(seconds)}\nverdict  {verdict}"


def _share(share: float) -> str:
    # Rounded down, so that 100 % means all flows.
    return "100 %" if share == 1 else f"{int(share * 10000) / 100:.2f} %"


def _signed(difference: float) -> str:
    return "0" if difference == 0 else f"{difference * 100:+.3g} %"


def _same(differ: int) -> str:
    return "same" if differ == 0 else f"{count_text(differ)} differ"
