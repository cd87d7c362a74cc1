"""Comparisons over seeds as listings: means, ratios to a baseline, notes on runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from incast.measure.paired import PairedRatio
from incast.measure.run import Run
from incast.measure.statistics import Interval
from incast.present import key_figures, listings, paired, what_ran
from incast.present.baseline import CUT, Better, Number, Value, numbers
from incast.present.columns import columns
from incast.present.delay_targets import foreign_targets
from incast.present.key_figures import percentile_text, too_few_note
from incast.present.key_figures.steadiness import (
    BRACKETS,
    counting_rules,
    ends,
    is_cut,
    late_percent,
)
from incast.present.paired import ONE_DOES
from incast.present.terminal import Ink, filled, paint
from incast.present.units import plural, size_range_text

__all__ = [
    "BySeed",
    "Compared",
    "first_runs",
    "heading",
    "mean_rows",
    "means_caption",
    "notes",
    "ratio_header",
    "ratio_rows",
    "ratios",
    "table",
]

BySeed: TypeAlias = Mapping[str, Mapping[int, Run]]
"""Runs by label, each by seed."""
_Numbers: TypeAlias = "dict[str, dict[int, dict[Number, Value]]]"


class Compared(NamedTuple):
    """Runs to compare by seed, and the baseline."""

    by_seed: BySeed
    baseline: str
    difference: float
    """The relative difference that matters."""


def table(compared: Compared, absent: Sequence[str] = ()) -> str:
    """The whole comparison for a terminal."""
    by_seed = compared.by_seed
    means, against = mean_rows(by_seed), ratio_rows(compared)
    parts = [
        "\n".join(filled(line, first="", indent="  ") for line in heading(by_seed)),
        columns([means_caption(by_seed), *by_seed], means),
        columns(ratio_header(compared), against, text=2, remarks=2) if against else "",
        filled(too_few_note(row[1:] for row in means)),
        filled(paired.note(compared.difference)) if against else "",
        *(paint(filled(note), Ink.DOUBTFUL) for note in notes(by_seed)),
        listings.not_run(absent) if absent else "",
    ]
    return "\n\n".join(part for part in parts if part)


def heading(by_seed: BySeed) -> list[str]:
    """A description of the runs: scenario, network, traffic, seeds."""
    runs = first_runs(by_seed)
    names = dict.fromkeys(run.name for run in runs.values())
    sizes = dict.fromkeys(key_figures.size(run.summary) for run in runs.values())
    seeds = list(dict.fromkeys(seed for runs in by_seed.values() for seed in runs))
    return [
        ", ".join(names),
        "; ".join(sizes),
        *what_ran.of_runs(runs),
        paired.seeds_text(seeds),
    ]


def first_runs(by_seed: BySeed) -> dict[str, Run]:
    """The run of the first seed, for each label."""
    return {label: next(iter(runs.values())) for label, runs in by_seed.items() if runs}


def means_caption(by_seed: BySeed) -> str:
    """The caption of a listing of means: the number of seeds, and that incomplete runs are left
    out.
    """
    numbers = _whole_runs(by_seed)
    least, most = min(numbers, default=0), max(numbers, default=0)
    several = str(most) if least == most else f"{least} to {most}"
    return f"means over {several} seeds" if most > 1 else "one seed"


def mean_rows(by_seed: BySeed) -> list[list[str]]:
    """A row for each number, with its mean over seeds and Student's 95 % interval in each column,
    and the number of seeds if some lack it. Percentiles of too few values are in parentheses.
    Numbers that are 0 in every run are left out.
    """
    found = _numbers(by_seed)
    most = _most_seeds(by_seed)
    return [
        [number.name, *(_mean(number, of_label, most) for of_label in found.values())]
        for number in _names(found)
    ]


def ratios(by_seed: BySeed, baseline: str) -> dict[str, dict[Number, PairedRatio]]:
    """For each other label, the ratios of its numbers to the baseline's."""
    return _ratios(_numbers(by_seed), baseline)


def _ratios(found: _Numbers, baseline: str) -> dict[str, dict[Number, PairedRatio]]:
    names = _names(found)
    base = found[baseline]
    return {
        label: {number: _ratio(number, of_label, base) for number in names}
        for label, of_label in found.items()
        if label != baseline
    }


def ratio_header(compared: Compared) -> list[str]:
    """Names of the columns of :func:`ratio_rows`."""
    told = f"with {plural(_most_seeds(compared.by_seed), 'seed')}"
    return [f"against {compared.baseline}", "run", "ratio", "95 % interval", told]


def ratio_rows(compared: Compared) -> list[list[str]]:
    """A row for each number and each other run: ratio, interval, and whether the two are told
    apart.
    """
    numbers = _numbers(compared.by_seed)
    by_label = _ratios(numbers, compared.baseline)
    most = _most_seeds(compared.by_seed)
    rows = []
    for number in next(iter(by_label.values()), {}):
        for index, (label, found) in enumerate(by_label.items()):
            ratio = found[number]
            shown = paired.ratio_text(ratio)
            if ratio.ratio == ratio.ratio:
                few = _fewest(number, numbers[label], numbers[compared.baseline])
                shown = percentile_text(shown, number.permille or 0, few)
            cells = [
                shown,
                paired.interval_text(ratio),
                paired.of_fewer(
                    ratio, paired.verdict(ratio, number.better, compared.difference), most
                ),
            ]
            rows.append([number.name if index == 0 else "", label, *cells])
    return rows


def _fewest(number: Number, *runs: Mapping[int, Mapping[Number, Value]]) -> int:
    """The smallest number of values, over these runs, of which a percentile is taken."""
    found = [each for of in runs for each in of.values()]
    return min((each[number].of_values for each in found if number in each), default=0)


def notes(by_seed: BySeed) -> list[str]:
    """Notes that readers need. Caveats that differ only in their numbers are given once."""
    first = first_runs(by_seed)
    return [
        *counting_rules({label: run.summary for label, run in first.items()}),
        *foreign_targets(first),
        *_alike(by_seed),
        *_caveats(by_seed),
    ]


def _alike(by_seed: BySeed) -> list[str]:
    """Labels whose seeds all gave the same numbers, so that more seeds add nothing."""
    # Compared as text, as missing numbers (NaN) equal nothing. Fingerprints would differ, as seeds
    # also draw UDP ports.
    found = _numbers(by_seed).items()
    numbers = {label: [repr(each) for each in of.values() if each] for label, of in found}
    alike = [label for label, of in numbers.items() if len(of) > 1 and len(set(of)) == 1]
    if not alike:
        return []
    whose = "" if len(alike) == len(by_seed) else f" of {', '.join(alike)}"
    return [f"All seeds{whose} gave the same numbers. {ONE_DOES}"]


def _caveats(by_seed: BySeed) -> list[str]:
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for label, runs in by_seed.items():
        for seed, run in runs.items():
            for note in key_figures.caveats(run.summary):
                found.setdefault((label, _kind(note)), []).append((seed, note))
    return [_note(label, told) for (label, _), told in found.items()]


def _kind(note: str) -> str:
    """The common text of notes that differ only in their numbers, or in which numbers they give."""
    said, _, _ = note.partition(BRACKETS)
    return re.sub(r"\d[\d.,]*(?: \w+)?", "0", said)


def _note(label: str, told: Sequence[tuple[int, str]]) -> str:
    seed, note = max(told, key=lambda each: (_duration(each[1]), late_percent(each[1])))
    alike = f" So with {plural(len(told) - 1, 'other seed')}." if len(told) > 1 else ""
    return f"{label}, seed {seed}: {note}{alike}"


def _duration(note: str) -> float:
    """The duration in ps that a note recommends. Of several seeds, the longest is shown."""
    found = re.search(r"([\d.]+) (µs|ms|s) would do", note)
    return float(found[1]) * {"µs": 1e6, "ms": 1e9, "s": 1e12}[found[2]] if found else 0.0


def _numbers(by_seed: BySeed) -> _Numbers:
    runs = {(label, seed): run for label, of in by_seed.items() for seed, run in of.items()}
    texts = {f"{label}\0{seed}": run.summary for (label, seed), run in runs.items()}
    found = dict(zip(runs, numbers(texts).values(), strict=True))
    return {
        label: {
            seed: {} if _ended_early(run) else _in_order({**found[label, seed], **_by_size(run)})
            for seed, run in of.items()
        }
        for label, of in by_seed.items()
    }


def _by_size(run: Run) -> dict[Number, Value]:
    """The tail of FCT slowdown in each class of sizes that has flows."""
    found = {}
    for each in run.summary.get("fct_slowdown", {}).get("by_size", ()):
        hidden = is_cut(each, "p99")
        if each["p99"] is not None or hidden:
            name = f"p99, {size_range_text(each['from_bytes'], each['to_bytes'])}"
            path = f"fct_slowdown.by_size.{each['from_bytes']}"
            known = float("nan") if each["p99"] is None else each["p99"]
            value = Value(known, each["count"], hidden, ends(each, "p99"))
            found[Number(name, path, Better.LOWER, 990)] = value
    return found


def _in_order(found: dict[Number, Value]) -> dict[Number, Value]:
    """Numbers of FCT slowdown first."""
    return dict(sorted(found.items(), key=lambda each: not each[0].path.startswith("fct_slowdown")))


def _whole_runs(by_seed: BySeed) -> list[int]:
    """For each label, the number of complete runs."""
    return [sum(not _ended_early(run) for run in runs.values()) for runs in by_seed.values()]


def _most_seeds(by_seed: BySeed) -> int:
    """The largest number of seeds of a label with complete runs."""
    return max(_whole_runs(by_seed), default=0)


def _ended_early(run: Run) -> bool:
    """Whether a run was interrupted or stalled, so that its numbers do not cover the whole
    traffic.
    """
    stall = run.summary.get("stall") or {}
    return bool(run.summary["partial"] or stall.get("ended_run"))


def _names(found: _Numbers) -> list[Number]:
    """Numbers in order of first appearance, without those that are 0 in every run."""
    every = [each for of_label in found.values() for each in of_label.values()]
    names = dict.fromkeys(number for each in every for number in each)
    return [name for name in names if any(name in each and each[name].number for each in every)]


def _ratio(
    number: Number,
    of_label: Mapping[int, Mapping[Number, Value]],
    base: Mapping[int, Mapping[Number, Value]],
) -> PairedRatio:
    """The ratio of a label's number to the baseline's, over the seeds that both have."""
    both = [seed for seed in of_label if seed in base]
    missing = Value(float("nan"))
    own, others = ([runs[seed].get(number, missing) for seed in both] for runs in (of_label, base))
    # Whether late flows hide a seed's number is not random, so the ratio is cut.
    cut = any(each.is_cut for each in (*own, *others))
    found = PairedRatio.of([each.number for each in own], [each.number for each in others], cut=cut)
    lowest = PairedRatio.of([each.least for each in own], [each.most for each in others])
    highest = PairedRatio.of([each.most for each in own], [each.least for each in others])
    return found.between(lowest, highest)


def _mean(number: Number, of_label: Mapping[int, Mapping[Number, Value]], most: int) -> str:
    """The mean of a number, with the number of seeds if some lack it."""
    known = [each[number] for each in of_label.values() if number in each]
    values = [each for each in known if each.is_known]
    own = [each.number for each in values]
    # These numbers are not below 0, and slowdowns below 1 only occur under faults.
    of_slowdown = number.path.startswith("fct_slowdown") and min(own, default=0.0) >= 1
    found = Interval.student(own).not_below(1.0 if of_slowdown else 0.0)
    if not found.count:
        return CUT if known else "–"
    text = mean = number.text(found.mean)
    # An interval whose ends print like the mean adds nothing.
    if found.low == found.low:
        ends = [number.text(end) for end in (found.low, found.high)]
        text += f" [{', '.join(ends)}]" if set(ends) != {mean} else ""
    shown = percentile_text(text, number.permille or 0, min(each.of_values for each in values))
    return f"{shown} of {found.count}" if found.count < most else shown
