"""Blocks of code in pages: their text is shown as code, not read as Markdown."""

import pytest
from incast_website import build, fences


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("```toml wrong\na = 1\n```\n", "```toml\na = 1\n```\n"),
        ("- a\n\n  ~~~~text  one two\n  b\n  ~~~~\n", "- a\n\n  ~~~~text\n  b\n  ~~~~\n"),
        ("```toml\na = 1\n```\n", "```toml\na = 1\n```\n"),
        ("```\nwhat ```toml wrong``` is\n```\n", "```\nwhat ```toml wrong``` is\n```\n"),
    ],
)
def test_blocks_begin_with_their_language_alone(written, shown):
    assert fences.with_language_alone(written) == shown


def test_gathered_pages_have_no_more_than_a_language(tmp_path):
    build.gather(tmp_path / "pages")
    text = (tmp_path / "pages/scenario.md").read_text(encoding="utf-8")
    assert "```toml\n" in text
    assert "```toml wrong" not in text


def test_a_page_that_shows_the_markdown_of_a_block_is_refused(tmp_path):
    pages, site = tmp_path / "pages", tmp_path / "site"
    pages.mkdir()

    def built(text):
        (pages / "index.md").write_text(f"# Title\n\n{text}")
        build.make(pages, site, nav=["index.md"], plugins=[])
        fences.check(site)

    built("```toml\na = 1\n```\n\nOne begins with ` ``` `:\n\n```rust\n//! ```text\n```\n")
    with pytest.raises(fences.RawFenceError, match=r"index\.html shows .```toml wrong"):
        built("```toml wrong\na = 1\n```\n\nMore.\n\n```text\nb\n```\n")
