"""Words of papers are data beside the code, tied by id; each check of them can fail."""

import pytest
from incast.errors import PaperError
from incast.papers.claim import Kind
from incast.papers.explanation import Recorded, written
from incast.papers.words import FILE, Words

TEXT = """
name = "tiny"
title = "A tiny paper"
summary = "It is tiny"
source = "A. Author"
readings = ["One reading."]

[texts]
shared = \"\"\"
Said
twice.\"\"\"
chosen = "{count} of them."

[texts.once]
text = "It was 7."
fingerprints = { "A #1" = "0123456789abcdef" }

[figures.fig1]
title = "A figure"
where = "Fig. 1"
setup = "Nothing is run."
scaled = "less"

[claims.T1]
kind = "number"
where = "§2"
says = "it is {limit}"
claimed = "{limit}"
metric = "it"
tolerance = "none"
full_only = true
note = "{shared} It is {found}."
explanation = "{once}"
replaced = "another one"

[claims.T1-other]
like = "T1"
kind = "reading"
note = "{shared}"
"""


def words(tmp_path, text=TEXT):
    file = tmp_path / FILE
    file.write_text(text, encoding="utf-8")
    return Words(file)


def code(found, *, values=None, claims=("T1", "T1-other"), figures=("fig1",)):
    """The paper to which the text above belongs."""
    given = {"limit": "ten", "found": lambda runs: f"{runs['A']}"} if values is None else values
    rule = {"measure": lambda runs: {"": runs["A"]}, "holds": lambda values: True}
    found.text("chosen", "count")
    made = [found.claim("T1", values=given, **rule)]
    if "T1-other" in claims:
        made.append(found.again(made[0], "T1-other", values={"limit": "ten"}))
    made += [found.claim(name, **rule) for name in claims if name not in ("T1", "T1-other")]
    drawn = [found.figure(name, claims=made if name == "fig1" else []) for name in figures]
    return found.paper(drawn)


def test_words_meet_their_code(tmp_path):
    paper = code(words(tmp_path))
    assert (paper.name, paper.title) == ("tiny", "A tiny paper")
    assert (paper.summary, paper.source) == ("It is tiny", "A. Author")
    assert paper.readings == ["One reading."]
    (figure,) = paper.figures
    assert (figure.id, figure.where, figure.scaled) == ("fig1", "Fig. 1", "less")
    claim, other = paper.claims
    assert (claim.says, claim.claimed, claim.metric, claim.where) == (
        "it is ten",
        "ten",
        "it",
        "§2",
    )
    assert (claim.kind, claim.full_only, claim.replaced) == (Kind.NUMBER, True, "another one")
    runs = {"A": 3}
    assert written(claim.note, runs, own_size=True) == "Said twice. It is 3."
    assert claim.explanation == (Recorded("It was 7.", {"A #1": "0123456789abcdef"}),)
    assert (other.id, other.kind, other.note) == ("T1-other", Kind.READING, "Said twice.")
    assert (other.says, other.replaced) == (claim.says, claim.replaced)
    assert other.measure(runs) == {"": 3}


def test_remarks_of_another_id(tmp_path):
    other = TEXT.replace('like = "T1"', 'like = "T1"\nexplanation = "{found} is less."')
    found = words(tmp_path, other)
    given = {"limit": "ten", "found": lambda runs: f"{runs['A']}"}
    claim = found.claim("T1", values=given, measure=lambda runs: {}, holds=lambda values: True)
    remarked = found.remarked(claim, "T1-other", values=given)
    assert (remarked.id, remarked.kind, remarked.note) == ("T1", Kind.NUMBER, "Said twice.")
    assert written(remarked.explanation, {"A": 3}, own_size=True) == "3 is less."
    without = found.remarked(claim, "T1-rest")
    assert (without.note, without.explanation) == (claim.note, "")


def test_a_copy_has_no_words_but_its_own(tmp_path):
    alone = TEXT.replace('like = "T1"\n', 'says = "b"\nclaimed = "b"\ntolerance = "b"\n')
    found = words(tmp_path, alone)
    claim = found.claim(
        "T1",
        values={"limit": "", "found": ""},
        measure=lambda runs: {},
        holds=lambda values: True,
    )
    other = found.again(claim, "T1-other")
    assert (other.where, other.metric, other.full_only) == ("", "", False)
    assert (other.explanation, other.replaced) == ("", "")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "A tiny', "title = A tiny", "cannot be read: .*line 3"),
        ('title = "A tiny paper"\n', "", "title: is missing; write a text"),
        ('title = "A tiny paper"', "title = 1", "title: is not a text"),
        ('summary = "It is tiny"\n', "", "summary: is missing; write a text"),
        ('["One reading."]', "[1]", "readings.0: is not a text"),
        ("readings =", "reading =", "reading: unknown key; did you mean `readings`"),
        ('"""\nSaid\ntwice."""', "1", "texts.shared: is not a text"),
        ("Said\n", "{chosen}\n", "texts.shared: has the text `{chosen}` in it; write it out"),
        ('"0123456789abcdef"', "1", "texts.once.fingerprints.A #1: is not a text"),
        ('text = "It was 7."\n', "", "texts.once.text: is missing"),
        ('scaled = "less"', "scaled = true", "figures.fig1.scaled: is not a text"),
        ('scaled = "less"', 'scale = "less"', "figures.fig1.scale: unknown key; did you mean"),
        ('where = "Fig. 1"\n', "", "figures.fig1.where: is missing"),
        (
            '"Nothing is run."',
            '"{limit}"',
            "figures.fig1.setup: `{limit}` is no text; only claims have values",
        ),
        ('says = "it is {limit}"\n', "", "claims.T1.says: is missing; write a text"),
        ("full_only = true", "full_only = 1", "claims.T1.full_only: is not true or false"),
        ('metric = "it"', 'metrics = "it"', "claims.T1.metrics: unknown key; did you mean"),
        ('"number"', '"numbers"', "claims.T1.kind: unknown kind `numbers`; .*reading"),
        ('kind = "reading"', 'kind = "readings"', "claims.T1-other.kind: unknown kind"),
        ('like = "T1"', 'like = "T2"', "claims.T1-other.like: `T2` is no claim that .*`T1`"),
        ('like = "T1"', 'like = "T1-other"', "claims.T1-other.like: `T1-other` is no claim"),
        ('like = "T1"', 'like = ["T1"]', "claims.T1-other.like: is not a text"),
        ("[claims.T1]", "[claims]\nT3 = 1\n[claims.T1]", "claims.T3: is not a table"),
        ("[figures.fig1]", "[figures.fig2]", "figures.fig1: is missing, and the code has it"),
        ("[claims.T1-other]", "[claims.T1-rest]", "claims.T1-other: is missing, and the code"),
        ("{found}", "{find}", "claims.T1: `{find}` is no text, and the code has no value for it"),
        ("It is {found}.", "", "claims: none has a placeholder for the value `found`"),
        ('claimed = "{limit}"', 'claimed = "{found}"', "claims.T1.claimed: depends on runs"),
        ("{count} of", "{number} of", "texts.chosen: `{number}` is no text"),
        ("chosen = ", "other = ", "texts.chosen: is missing, and the code has it"),
        ("\n[texts.once]", 'rest = "x"\n[texts.once]', "texts.rest: is not in the code"),
    ],
)
def test_each_mistake_is_told_with_its_key(tmp_path, old, new, told):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(PaperError, match=rf"claims\.toml: {told}"):
        code(words(tmp_path, text))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"claims": ("T1",)}, "claims.T1-other: is not in the code"),
        ({"claims": ("T1", "T1-other", "T2")}, "claims.T2: is missing, and the code has it"),
        ({"figures": ("fig1", "fig2")}, "figures.fig2: is missing, and the code has it"),
        ({"values": {}}, "claims.T1: `{found}` is no text"),
    ],
)
def test_ids_of_one_side_alone_are_told(tmp_path, given, told):
    with pytest.raises(PaperError, match=rf"claims\.toml: {told}"):
        code(words(tmp_path), **given)


def test_figures_of_the_file_alone_are_told(tmp_path):
    more = TEXT.replace("[claims.T1]", '[figures.x]\ntitle=""\nwhere=""\nsetup=""\n[claims.T1]')
    with pytest.raises(PaperError, match=r"figures\.x: is not in the code"):
        code(words(tmp_path, more))


def test_a_text_with_fingerprints_is_for_claims(tmp_path):
    with pytest.raises(PaperError, match=r"texts\.once: has fingerprints"):
        words(tmp_path).text("once")


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(PaperError, match=r"claims\.toml: cannot be read: "):
        Words(tmp_path / FILE)
