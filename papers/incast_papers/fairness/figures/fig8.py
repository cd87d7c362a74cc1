"""Figure 8: under HPCC with Variable AI and Sampling Frequency, flows finish together."""

from __future__ import annotations

from incast.measure.metrics import finish_spread
from incast.papers import panels
from incast.papers.figure import Figure
from incast.papers.tolerances import falls_to
from incast.present.units import seconds_text

from incast_papers.fairness.algorithms import HPCC, HPCC_VAI_SF
from incast_papers.fairness.metrics import each
from incast_papers.fairness.networks import stars
from incast_papers.fairness.words import WORDS


def finish_together(number: int, claim: str, default: str, both_parts: str) -> Figure:
    """The figure of one algorithm, with and without Variable AI and Sampling Frequency. Figure 9 is
    the same for Swift.
    """
    return WORDS.figure(
        f"fig{number}",
        runs=lambda scale: stars(default, both_parts),
        charts={
            "finish": panels.finish(f"Finish time vs. start time, {default}", default, both_parts)
        },
        claims=[
            WORDS.claim(
                claim,
                measure=each(finish_spread, default, both_parts),
                holds=falls_to(0.5, below=default, labels=[both_parts]),
                trend=falls_to(0.8, below=default, labels=[both_parts]),
                show=seconds_text,
            )
        ],
    )


FIGURE = finish_together(8, "B01", HPCC, HPCC_VAI_SF)
