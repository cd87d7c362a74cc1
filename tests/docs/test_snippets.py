"""Every block of code in README and docs runs as printed, in the order of its page."""

import pytest
from page_blocks import blocks, code_in_lines
from page_reader import ROOT, Reader, wrong_arguments

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_CODE = [page for page in PAGES if blocks(page)]
MAX_NOT_RUN = 15
"""The limit of blocks that no test runs; each has a reason beside it."""


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_every_block_works_as_printed(page, tmp_path):
    reader = Reader(tmp_path)
    try:
        wrong = [
            f"{name(page)}:{block.line}: {said}\n{block.text}"
            for block in blocks(page)
            if (said := reader.read(block))
        ]
    finally:
        reader.close()
    assert not wrong, "\n\n".join(wrong)


def test_blocks_that_are_not_run_are_counted(capsys):
    every = [(page, block) for page in PAGES for block in blocks(page)]
    skipped = [(page, block) for page, block in every if block.reason]
    shorter = [(page, block) for page, block in every if block.shorter]
    with capsys.disabled():
        print(f"\n{len(skipped)} blocks of documentation are not run:")
        for page, block in skipped:
            print(f"  {name(page)}:{block.line}: {block.reason}")
        print(f"In place of {len(shorter)} a shorter command is run:")
        for page, block in shorter:
            print(f"  {name(page)}:{block.line}: `{block.shorter}`: {block.why}")
    assert len(skipped) <= MAX_NOT_RUN
    assert len(every) - len(skipped) > 80


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_in_text_have_arguments_that_there_are(page):
    found = [(line, wrong_arguments(code)) for line, code in code_in_lines(page)]
    assert [f"{name(page)}:{line}: {wrong}" for line, wrong in found if wrong] == []


def test_blocks_say_what_they_are():
    plain = [f"{name(page)}:{b.line}" for page in PAGES for b in blocks(page) if not b.language]
    assert plain == []
