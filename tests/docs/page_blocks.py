"""The code of a Markdown page: fenced blocks, each with the remarks before it, and inline code.

A remark is an HTML comment, which no reader of the page sees: ``<!-- snippet: not run: why -->``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

REMARK = re.compile(r"<!-- snippet: (.*?) -->", re.DOTALL)
REMARKS = (
    r"not run: (?P<reason>.+)",
    r"runs (?P<shorter>.+): (?P<why>.+?)",
    r"save as (?P<saved>\S+)",
    r"given (?P<given>\S+): (?P<source>\S+)",
    r"part of (?P<whole>\S+)",
    r"(?P<output>output)",
    r"(?P<refused>refused)",
)
"""What a remark may say:

- ``not run: REASON``: a test cannot run the block; its `incast` commands are still parsed.
- ``runs COMMAND: REASON``: a test runs COMMAND, which takes less time, and parses the commands of
  the block.
- ``save as FILE``: the page tells its reader to save the block as FILE.
- ``given FILE: SOURCE``: FILE of the page is SOURCE of this project; ``.`` stands for all
  files of a folder.
- ``part of FILE``: the code is a part of FILE, which is compiled elsewhere.
- ``output``: what the block before printed; ``…`` stands for anything.
- ``refused``: the command fails.
"""


@dataclass
class Block:
    """A fenced block."""

    language: str
    info: str
    """The words after the language: `wrong` of `toml wrong`."""
    text: str
    line: int
    reason: str = ""
    """Why the block is not run."""
    shorter: str = ""
    """The command that is run in place of the block."""
    why: str = ""
    saved: str = ""
    given: dict[str, str] = field(default_factory=dict)
    whole: str = ""
    output: bool = False
    refused: bool = False

    def remark(self, text: str) -> None:
        """Takes in the text of a comment before the block."""
        words = " ".join(text.split())
        found = next(filter(None, (re.fullmatch(each, words) for each in REMARKS)), None)
        assert found, f"line {self.line}: unknown remark `{words}`; see {__file__}"
        said = {key: value for key, value in found.groupdict().items() if value}
        if "given" in said:
            self.given[said["given"]] = said["source"]
            return
        for key, value in said.items():
            setattr(self, key, True if isinstance(getattr(self, key), bool) else value)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found: list[Block] = []
    remarks: list[str] = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "fence":
            language, _, info = token.info.strip().partition(" ")
            block = Block(language, info, token.content, token.map[0] + 1)
            for remark in remarks:
                block.remark(remark)
            found.append(block)
            remarks = []
        elif token.type == "html_block" and REMARK.search(token.content):
            remarks += REMARK.findall(token.content)
        elif remarks:
            raise AssertionError(f"{page}: no block follows the remark `{remarks[-1]}`")
    assert not remarks, f"{page}: no block follows the remark `{remarks[-1]}`"
    return found


def code_in_lines(page: Path) -> Iterator[tuple[int, str]]:
    """Inline code in text and tables, each with its line."""
    parser = MarkdownIt("commonmark").enable("table")
    for token in parser.parse(page.read_text(encoding="utf-8")):
        for child in token.children or ():
            if child.type == "code_inline":
                yield (token.map or [0])[0] + 1, " ".join(child.content.split())
