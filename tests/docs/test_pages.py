"""What pages have to name: other pages, parts of algorithms."""

import re

import incast
from page_reader import ROOT

DOCS = ROOT / "docs"


def test_the_first_page_leads_to_all_others():
    linked = set(re.findall(r"\]\(([\w-]+\.md)", (DOCS / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in DOCS.glob("*.md")} - linked == {"README.md"}


def test_the_glossary_has_every_part():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| part \|.*$", text, re.MULTILINE)
    assert set(re.findall(r"`\+([\w-]+)`", row)) == set(incast.parts())
