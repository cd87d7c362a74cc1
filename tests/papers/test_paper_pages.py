"""Pages of reproductions: their answers to a reader who doubts a verdict."""

import re
from pathlib import Path

import pytest
from incast import papers
from installations import OURS

PAGES = Path(__file__).parents[2] / "docs" / "reproductions"
ID = re.compile(r"\| ([A-Z]\d\d[\w-]*) \|")
TABLE = "| id | variation | measured | verdict |"


def rows(text):
    """Rows of tables that begin with the id of a claim, as the id and the cells."""
    for line in text.splitlines():
        if found := ID.match(line):
            yield found[1], [cell.strip(" *") for cell in line.strip("| ").split(" | ")]


def own_verdict(cells):
    """The verdict of the claim itself; that of another reading stands below it in the same cell."""
    return cells[-1].partition("<br>")[0].strip("*")


@pytest.mark.parametrize("name", OURS)
def test_every_claim_that_does_not_hold_has_a_variation(name):
    counted = {claim.id for claim in papers.paper(name).claims if claim.kind.counts}
    counted |= {claim.partition("-")[0] for claim in counted}
    text = (PAGES / f"{name}.md").read_text("utf-8")
    scoreboard, _, tried = text.partition(TABLE)
    found = {each for each, cells in rows(tried) if cells[1] != "the row"}
    found |= {each.partition("-")[0] for each in found}
    doubted = {
        each
        for each, cells in rows(scoreboard)
        if own_verdict(cells) in ("trend only", "does not hold")
    }
    assert doubted & counted, "a page without such a claim"
    assert doubted & counted <= found


@pytest.mark.parametrize("name", OURS)
def test_variations_of_a_page_are_those_of_its_claims(name):
    _, _, tried = (PAGES / f"{name}.md").read_text("utf-8").partition(TABLE)
    known = {
        claim.id: {variation.title for variation in claim.variations}
        for claim in papers.paper(name).claims
    }
    for each, (_, title, *_) in rows(tried):
        assert title == "the row" or title in known[each], f"{each}: {title}"
