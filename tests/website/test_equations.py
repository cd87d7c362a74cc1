"""The notation of doc comments as formulas, compared with MathML written by hand, and applied to
every head.
"""

import re
from unicodedata import normalize
from xml.etree import ElementTree

import pytest
from incast_website import algorithms, mechanisms
from incast_website.equations.layout import lines, table
from incast_website.equations.mathml import Setting, html
from incast_website.heads import head_of

FILES = {
    *(algorithms.file_of(name) for name in algorithms.names()),
    *(algorithms.SOURCES / name for name in ("aimd.rs", "power.rs", "fncc/averages.rs")),
    *mechanisms.part_files().values(),
    *mechanisms.program_files().values(),
}
BLOCKS = [
    pytest.param(block, id=f"{file.stem}-{number}")
    for file in sorted(FILES)
    for number, block in enumerate(head_of(file).equations())
]

PROSE = {
    "notification, paper's form:",
    "or doubles in slow start",
    "start: no rate limiter, line rate, no window",
    "no CNP counted for a period:",
    "a flow of at most the threshold starts at line rate, without control packets",
    "any other sends a control packet, and waits for it to come back",
    "until the first control packet is back: speculative packets at line rate, up to a BDP",
    "then: at the rate that it brings, from the first packet on that was not let through",
    "when a round trip ends (Algorithm 1):",
    "when a rate is set (Algorithm 2):",
}
"""The lines of all heads that have no formula."""


def formula(statement):
    """The MathML of the only formula in a statement, without its outer row."""
    found = re.fullmatch(r'<math displaystyle="true"><mrow>(.*)</mrow></math>', html(statement))
    return found[1]


def letters(text):
    """The letters and digits of a text, sorted: a formula may move them, but loses none."""
    return sorted(letter for letter in normalize("NFKC", text) if letter.isalnum())


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("R_AI", "<msub><mi>R</mi><mi>AI</mi></msub>"),
        ("α₀", "<msub><mi>α</mi><mn>0</mn></msub>"),
        ("q_i'", '<msub><mrow><mi>q</mi><mo lspace="0" rspace="0">′</mo></mrow><mi>i</mi></msub>'),
        ("x̂", '<mover accent="true"><mi>x</mi><mo>^</mo></mover>'),
        ("b²", "<msup><mi>b</mi><mn>2</mn></msup>"),
        ("d ≥ g₂", "<mi>d</mi><mo>≥</mo><msub><mi>g</mi><mn>2</mn></msub>"),
        ("√W", "<msqrt><mi>W</mi></msqrt>"),
        ("g ≤ −1", '<mi>g</mi><mo>≤</mo><mo form="prefix">−</mo><mn>1</mn>'),
        # An operand that touches the slash is the numerator, ...
        (
            "a·n/W",
            "<mi>a</mi><mo>·</mo><mfrac><mrow><mi>n</mi></mrow><mrow><mi>W</mi></mrow></mfrac>",
        ),
        # ... and around a slash with spaces, the whole product.
        (
            "λ·ν / (b·τ)",
            "<mfrac><mrow><mi>λ</mi><mo>·</mo><mi>ν</mi></mrow>"
            "<mrow><mi>b</mi><mo>·</mo><mi>τ</mi></mrow></mfrac>",
        ),
        (
            "F/2r",
            "<mfrac><mrow><mi>F</mi></mrow><mrow><mrow><mn>2</mn><mi>r</mi></mrow></mrow></mfrac>",
        ),
        (
            "(d − t)/d",
            "<mfrac><mrow><mi>d</mi><mo>−</mo><mi>t</mi></mrow><mrow><mi>d</mi></mrow></mfrac>",
        ),
        (
            "marked ACKs / ACKs",
            "<mfrac><mrow><mtext>marked ACKs</mtext></mrow><mrow><mi>ACKs</mi></mrow></mfrac>",
        ),
        (
            "|x − y|",
            '<mrow><mo stretchy="false">|</mo><mi>x</mi><mo>−</mo><mi>y</mi>'
            '<mo stretchy="false">|</mo></mrow>',
        ),
        # Parentheses grow with their contents, if these are higher than a letter.
        (
            "(1 − α/2)",
            "<mrow><mo>(</mo><mn>1</mn><mo>−</mo>"
            "<mfrac><mrow><mi>α</mi></mrow><mrow><mn>2</mn></mrow></mfrac><mo>)</mo></mrow>",
        ),
        ("stages ← 0", "<mi>stages</mi><mo>←</mo><mn>0</mn>"),
        # Arguments belong to their function, and an index to the name that it touches.
        (
            "min(a, b)/c",
            '<mfrac><mrow><mrow><mi>min</mi><mspace width="0.17em"/><mrow>'
            '<mo stretchy="false">(</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo stretchy="false">)</mo>'
            "</mrow></mrow></mrow><mrow><mi>c</mi></mrow></mfrac>",
        ),
        (
            "table[i]/n",
            '<mfrac><mrow><mrow><mi>table</mi><mrow><mo stretchy="false">[</mo><mi>i</mi>'
            '<mo stretchy="false">]</mo></mrow></mrow></mrow><mrow><mi>n</mi></mrow></mfrac>',
        ),
    ],
)
def test_statements_become_formulas(statement, expected):
    assert formula(statement) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("once per RTT", "once per RTT"),
        ("a packet of 1000 B at 100 Gb/s", "a packet of 1000 B at 100 Gb/s"),
        ("the paper's go-back-N, §III-D", "the paper's go-back-N, §III-D"),
        ("the hosts' links", "the hosts' links"),
        ("the authors' ns-3 code of θ-PowerTCP", "the authors' ns-3 code of θ-PowerTCP"),
        ("see Eq. (2) of `hpcc.rs`", "see Eq. (2) of <code>hpcc.rs</code>"),
        ("the HPCC artifact's CC_MODE 7 does so", "the HPCC artifact's CC_MODE 7 does so"),
        ("between 1 and 5 < 6 packets", None),
    ],
)
def test_words_stay_words(statement, expected):
    found = html(statement, Setting.INLINE)
    assert (found == expected) if expected else "&lt;" in found


def test_a_fraction_in_a_sentence_keeps_its_slash():
    found = html("sent at W/T", Setting.INLINE)
    assert found == "sent at <math><mrow><mi>W</mi><mo>/</mo><mi>T</mi></mrow></math>"


def test_a_block_keeps_its_columns_and_numbers():
    found = table(
        "x ← 1            once per RTT   (1)\n    2            otherwise\nno more words\n"
    )
    rows = re.findall("<tr>(.*?)</tr>", found)
    cells = [re.findall(r"<td[^>]*>", row) for row in rows]
    assert [len(row) for row in cells] == [3, 3, 2]
    assert cells[1][0] == '<td style="padding-left:2.2em">'
    assert [re.sub("<[^>]*>", "", row)[-3:] for row in rows] == ["(1)", "ise", "rds"]
    assert lines("α ← 1       (3)  once per RTT")[0].number == "3"


@pytest.mark.parametrize("block", BLOCKS)
def test_every_line_of_a_head_is_a_formula_or_known_as_words(block):
    found = lines(block)
    words = {" ".join(text for _, text in line.pieces) for line in found if line.is_prose()}
    assert words - {""} <= PROSE
    numbers = re.findall(r"\s\((\d+)\)(?:  |$)", block, re.MULTILINE)
    assert [line.number for line in found if line.number] == numbers
    drawn = ElementTree.fromstring(table(block))
    assert len(drawn.findall(".//tr")) == len(found)
    assert letters("".join(drawn.itertext())) == letters(block)


def test_no_line_is_listed_that_no_head_has():
    texts = {
        " ".join(text for _, text in line.pieces)
        for parameters in BLOCKS
        for line in lines(parameters.values[0])
    }
    assert texts >= PROSE
