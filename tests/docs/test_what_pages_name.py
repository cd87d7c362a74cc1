"""Things that pages have to name: other pages, parts of algorithms."""

import re

import incast
from incast.present.part_names import PART_NAMES
from page_reader import ROOT

DOCS = ROOT / "docs"


def test_the_first_page_leads_to_all_others():
    linked = set(re.findall(r"\]\(([\w-]+\.md)", (DOCS / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in DOCS.glob("*.md")} - linked == {"README.md"}


def test_the_glossary_has_every_part():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| part \|.*$", text, re.MULTILINE)
    assert set(re.findall(r"`\+([\w-]+)`", row)) == set(incast.parts())


def test_parts_of_a_flow_have_the_words_of_the_terminal():
    text = (DOCS / "explain.md").read_text(encoding="utf-8")
    named = {
        part: f"*{said}*" if said != part else f"`{part}`" for part, said in PART_NAMES.items()
    }
    assert [
        part for part, said in named.items() if said not in text or f"`{part}`" not in text
    ] == []


def test_a_table_stands_between_blank_lines_with_all_its_rows():
    a_row_alone = r"(?<!\|)\n(\|.*)\n(?!\|[ :|-]+\n)"
    text_right_below = r"\n(\|.*)\n(?=[^|\n])"
    wrong = re.compile(f"{a_row_alone}|{text_right_below}")
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]:
        prose = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
        assert [found.group() for found in wrong.finditer(prose)] == [], page.name
