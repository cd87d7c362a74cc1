"""Numbers in notes and explanations of claims come from runs, or are reviewed."""

import re

import pytest
from incast import papers
from incast.papers.explanation import Recorded
from installations import OURS

QUANTITY = re.compile(
    r"(?<![\w§-])\d+(\.\d+)? ?(µs|ms|KB|MB|Gb/s|Mb/s|%|RTTs?|packets?|cycles?)(?!\w)|\b0\.\d+"
)
"""A number with a unit, or a number below one."""

REVIEWED = {
    "3cpo": "G01 G06 G11 G17 G29-persists",
    "fairness": "A09-hpcc A09-hpcc-rtt A09-swift A09-swift-rtt A11-hpcc A11-swift A12-hpcc "
    "A12-swift A14-fair A14-fair-swift A16 B03 B04 B07 B07-congestion "
    "B07-min-rate B07-twelve B08 B08-congestion B08-twelve B09 B11-hpcc "
    "B11-swift B12-hpcc B12-swift B13-hpcc B13-swift B13-web-hpcc B13-web-swift "
    "B14-hpcc B14-swift B14-web-hpcc B14-web-swift B16-hpcc B16-swift B19 B20 "
    "B23 B24-hpcc B24-swift C05 C07",
    "fncc": "F01 F01-paper F02 F02-paper F03 F03-paper F04-first F05-sooner "
    "F07-queue-200 F07-queue-400 F08-200 F08-400 F09-200 F09-200-paper F09-400 "
    "F09-400-paper F12 F13 F14 F15 F16-last F17 F17-paper F18 F18-paper F19 "
    "F19-paper F20 F21 F22-web F22-web-paper F23 F23-p95 F23-p95-paper "
    "F23-paper F24 F24-paper W01 W06",
    "hardware": "H01-2 H01-2-line H01-4 H01-4-line H01-8 H01-8-line H09 H09-paper H09-vendor",
    "isolation": "D06 D07 D07-step D09 D10 D11 D11-ratio D12 D13 D14 D21 E01 E02 E16 "
    "E16-acks E16-demand E31",
    "lgc": "L04-queue L04-rates L05-sd L06-sd L07-k1 L07-k2 L07-k3 L07-k4 L07-k5 "
    "L07-k6 L14-alike L15-speed L15-stability L16 L17 L19 L19-two L20 L21 "
    "L21-many L21-poisson L21-two L22 L22-two L23-dctcp L23-lgc L23-lgc-two "
    "L23-ratio L24-dctcp L24-lgc L24-lgc-two L24-ratio L25 L25-window "
    "L26-dequeue L27-acked L28 L28-window L29-dequeue L30 L31 L35",
}
"""Claims whose plain words have reviewed quantities: settings, arithmetic on settings, theory,
numbers of other sources, or tolerances of earlier rules. None of them is measured here.
"""

FEWEST_RECORDED = {"fncc": 1}
"""The least number of recorded texts, for papers that have some."""


def plain(text):
    """The parts of a text that are plain strings."""
    if isinstance(text, str):
        yield text
    elif isinstance(text, tuple):
        for part in text:
            yield from plain(part)


def recorded(text):
    if isinstance(text, Recorded):
        yield text
    elif isinstance(text, tuple):
        for part in text:
            yield from recorded(part)


@pytest.mark.parametrize("name", OURS)
def test_plain_words_quote_no_measured_number(name):
    """A measured number belongs in a function of the runs, or in a Recorded text. A claim with
    another quantity joins the list above.
    """
    found = {
        claim.id
        for claim in papers.paper(name).claims
        for text in (claim.note, claim.explanation, claim.replaced)
        if any(QUANTITY.search(part) for part in plain(text))
    }
    assert found == set(REVIEWED[name].split())


@pytest.mark.parametrize("name", OURS)
def test_fingerprints_are_of_runs_of_the_figure(name):
    plan = papers.outline(name)
    count = 0
    for figure in plan.figures:
        for claim in figure.claims:
            for text in (
                *recorded(claim.note),
                *recorded(claim.explanation),
                *recorded(claim.replaced),
            ):
                count += 1
                assert text.fingerprints.keys() <= plan.runs(figure).keys(), claim.id
                assert all(
                    re.fullmatch("[0-9a-f]{16}", each) for each in text.fingerprints.values()
                )
    assert count >= FEWEST_RECORDED.get(name, 0)
