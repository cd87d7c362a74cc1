"""Papers are found wherever a distribution brings them; each mistake of one has its error."""

import json
import subprocess
import sys

import incast
import pytest
import scenarios
from incast import papers
from incast.errors import traceback_text
from incast.papers import installed as installed_papers
from incast.toml import dumps
from installations import OURS, installed
from shell import PROGRAM, Shell, given

CLAIMS = """\
name = "foreign"
title = "A foreign paper"
summary = "Four flows come to one host"
source = "A. Author"

[figures.fig1]
title = "Four flows"
where = "Fig. 1"

[claims.F01]
kind = "number"
says = "four flows complete"
claimed = "4"
tolerance = "none"
"""
PAPER = """\
import tomllib
from dataclasses import dataclass
from importlib.resources import files

import incast
from incast.papers import panels
from incast.papers.figure import RunPlan
from incast.papers.tolerances import close_to
from incast.papers.words import Words

@dataclass(frozen=True)
class Frozen:
    x: int = 1


WORDS = Words.of(__package__)
STAR = tomllib.loads((files(__package__) / "star.toml").read_text())
FIGURE = WORDS.figure(
    "fig1",
    runs=lambda scale: {"HPCC": RunPlan(STAR, hops=1600)},
    claims=[
        WORDS.claim(
            "F01",
            measure=lambda runs: {"": len(runs["HPCC"].flows)},
            holds=close_to(4, 0),
        )
    ],
)
PAPER = WORDS.paper([FIGURE])
"""
FOREIGN = {
    "foreign_paper/__init__.py": PAPER,
    "foreign_paper/claims.toml": CLAIMS,
    "foreign_paper/star.toml": dumps(scenarios.as_dict()),
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path of modules, in this process and in those that it starts."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    before = {*sys.modules}
    yield folder
    for name in {*sys.modules} - before:
        if name.startswith("foreign"):
            del sys.modules[name]


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def test_ours_are_there():
    ours = {"3cpo", "fairness", "fncc", "hardware", "isolation", "lgc"}
    assert OURS.keys() == ours
    assert ours <= {*papers.names()}


def test_a_paper_of_another_distribution(site, shell):
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN)
    assert {*OURS, "foreign"} <= {*papers.names()}
    assert papers.names() == sorted(papers.names())
    listed = shell("reproduce", "--list")
    assert "foreign: A foreign paper\n  Four flows come to one host\n  A. Author\n" in listed
    assert "fairness: Fast Convergence to Fairness" in listed
    found = json.loads(shell.process("reproduce", "foreign", "--quick", "--json", "--quiet"))
    assert found["tally"]["claims"] == {"F01": "holds"}
    assert shell.files("results/reproduce/foreign-quick/index.html")


def test_the_help_names_papers_and_imports_none(site, shell):
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN)
    text = " ".join(shell("reproduce", "--help").split())
    assert "foreign" in papers.names()
    assert f"installed: {', '.join(papers.names())} options:" in text
    script = "import sys; from incast.cli import main; main(['reproduce', '--help']); "
    script += "print([name for name in sys.modules if name.endswith(('_papers', '_paper'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.endswith(b"\n[]\n")


@pytest.mark.parametrize("arguments", [["--list"], [], ["fairness", "--quick"]])
def test_none_is_installed(arguments, shell, monkeypatch):
    monkeypatch.setattr(installed_papers, "distributions", list)
    said = shell("reproduce", *arguments, code=2)
    assert said.startswith("error: no paper is installed; ")
    assert "`incast-papers`" in said
    assert "`./papers`" in said
    assert "installed: none" in shell("reproduce", "--help")


def test_a_name_that_two_distributions_give(site, shell):
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN)
    installed(site, "another-paper", {"foreign": "another:PAPER"})
    told = "paper `foreign` is in several distributions: `another-paper` and `foreign-paper`"
    with pytest.raises(incast.PaperError, match=told):
        papers.paper("foreign")
    assert f"error: {told}; uninstall all but one" in shell("reproduce", "--list", code=2)
    assert papers.names().count("foreign") == 1


WRONG = {
    "a module that is missing": (
        {"foreign_paper/__init__.py": "import nowhere_at_all"},
        r"paper `foreign` of the distribution `foreign-paper` cannot be imported: "
        r"ModuleNotFoundError: No module named 'nowhere_at_all'; "
        r'python -c "import foreign_paper" shows where',
    ),
    "no Python": ({"foreign_paper/__init__.py": "import"}, "cannot be imported: SyntaxError"),
    "no name": ({"foreign_paper/__init__.py": ""}, "AttributeError: .*no attribute 'PAPER'"),
    "another object": (
        {"foreign_paper/__init__.py": "PAPER = 1"},
        r"`foreign_paper:PAPER` is no `incast\.papers\.Paper`",
    ),
    "another name": (
        {"foreign_paper/claims.toml": CLAIMS.replace('"foreign"', '"other"')},
        "has the name `other`; the entry point has to have the same name",
    ),
    "a claim without words": (
        {"foreign_paper/claims.toml": CLAIMS.replace("claims.F01", "claims.F02")},
        r"claims\.toml: claims\.F01: is missing, and the code has it "
        r"\(paper `foreign` of the distribution `foreign-paper`\); did you mean `F02`",
    ),
    "an end of the program": (
        {"foreign_paper/__init__.py": "import sys; sys.exit(3)"},
        r"distribution `foreign-paper` cannot be imported: SystemExit: 3; python -c",
    ),
    "an exception without a text": (
        {
            "foreign_paper/__init__.py": "class Bad(Exception):\n"
            "    def __str__(self):\n"
            "        raise self\n"
            "raise Bad\n"
        },
        r"distribution `foreign-paper` cannot be imported: Bad; python -c",
    ),
    "a summary of two lines": (
        {"foreign_paper/claims.toml": CLAIMS.replace('"Four flows', '"Four flows\\n')},
        r"claims\.toml: summary: is not one line ",
    ),
    "no summary": (
        {"foreign_paper/claims.toml": CLAIMS.replace('"Four flows come to one host"', '""')},
        r"claims\.toml: summary: is not one line ",
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_paper_with_a_mistake(mistake, site, shell):
    files, told = WRONG[mistake]
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN | files)
    with pytest.raises(incast.PaperError, match=told):
        papers.paper("foreign")
    assert shell("reproduce", "foreign", "--quick", code=2).startswith("error: ")


RAISING = {
    "runs": (
        "RunPlan(STAR, hops=1600)",
        "STARS['a']",
        "code of the runs of figure fig1 raised NameError: name 'STARS' is not defined",
    ),
    "a chart": (
        "    claims=[",
        '    charts={"finish": lambda runs: runs["Swift"]}, claims=[',
        "chart finish of figure fig1 raised KeyError: 'Swift'",
    ),
    "a measure": ('runs["HPCC"]', 'runs["Swift"]', "claim F01 raised KeyError: 'Swift'"),
    "a column": (
        'len(runs["HPCC"].flows)',
        'runs["HPCC"].flows["nothing"].sum()',
        "the table has no column `nothing` (claim F01); ",
    ),
    "generated code": (
        'len(runs["HPCC"].flows)',
        'setattr(Frozen(), "x", 2)',
        "claim F01 raised FrozenInstanceError: cannot assign to field 'x'",
    ),
    "a study": (
        'len(runs["HPCC"].flows)',
        "incast.sweep({})",
        "`scenario` is missing (claim F01); ",
    ),
    "a scenario": (
        'len(runs["HPCC"].flows)',
        'incast.Scenario({**STAR, "x": 1})',
        "x: unknown key `x` (claim F01); available: ",
    ),
    "a rule": ("close_to(4, 0)", "lambda values: values[1] == 4", "claim F01 raised KeyError: 1"),
    "a format": (
        "close_to(4, 0)",
        "close_to(4, 0), show=lambda value: NONE",
        "claim F01 raised NameError: name 'NONE' is not defined",
    ),
}
MARKED = {"a column": "nothing", "a scenario": "x"}
"""The part of the line that is marked, if the message names it."""
MORE_FIGURES = {
    False: FOREIGN,
    True: {
        **FOREIGN,
        "foreign_paper/__init__.py": PAPER.replace(
            "[FIGURE]", '[FIGURE, WORDS.figure("fig2", runs=FIGURE.runs)]'
        ),
        "foreign_paper/claims.toml": CLAIMS
        + '\n[figures.fig2]\ntitle = "Again"\nwhere = "Fig. 2"\n',
    },
}


def with_mistake(site, old, new, *, in_a_worker=False):
    """Installs the paper with one place of its code changed, and gives that place."""
    files = MORE_FIGURES[in_a_worker]
    before, after = files["foreign_paper/__init__.py"].split(old)
    code = {"foreign_paper/__init__.py": before + new + after}
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, files | code)
    return f"{site}/foreign_paper/__init__.py:{before.count(chr(10)) + 1}"


@pytest.mark.parametrize("in_a_worker", [False, True])
@pytest.mark.parametrize("mistake", RAISING)
def test_an_exception_of_a_papers_code_is_told_with_its_line(mistake, in_a_worker, site, shell):
    old, new, what = RAISING[mistake]
    place = with_mistake(site, old, new, in_a_worker=in_a_worker)
    told = shell("reproduce", "foreign", "--quick", "--quiet", "--out", "out", code=2)
    error, line, mark = told.splitlines()
    assert error.startswith(f"error: {place}: {what}")
    assert new.strip() in line
    marked = line[mark.index("^") : mark.rindex("^") + 1]
    assert marked == MARKED.get(mistake, line.partition("|")[2].strip())


WITHOUT_A_LINE = {
    "an unknown label": (
        "    claims=[",
        '    charts={"finish": panels.finish("", "Swift")}, claims=[',
        "chart finish of figure fig1 raised ",
    ),
    "no chart": (
        "    claims=[",
        '    charts={"finish": lambda runs: None}, claims=[',
        "chart finish of figure fig1 raised AttributeError: 'NoneType' object has no attribute",
    ),
    "no numbers": ("len(runs", "str(runs", "claim F01 raised TypeError: "),
    "no label": ('{"":', '{("a", 1):', "claim F01 raised TypeError: keys must be"),
    "no title": (
        "    claims=[",
        '    charts={"finish": panels.finish(None)}, claims=[',
        "chart finish of figure fig1 raised AttributeError: 'NoneType' object has no attribute",
    ),
    "no plan": (
        "RunPlan(STAR, hops=1600)",
        "STAR",
        "code of the runs of figure fig1 raised AttributeError: 'dict' object has no attribute",
    ),
    "no scenario": (
        "RunPlan(STAR, hops=1600)",
        "RunPlan({**STAR, 'x': 1}, hops=1600)",
        "x: unknown key `x` (run HPCC of figure fig1); ",
    ),
    "no mapping of charts": (
        "    claims=[",
        '    charts=["finish"], claims=[',
        "paper `foreign` of the distribution `foreign-paper`: the charts of figure fig1 are no "
        "mapping; write e.g. charts=",
    ),
}


@pytest.mark.parametrize("in_a_worker", [False, True])
@pytest.mark.parametrize("mistake", WITHOUT_A_LINE)
def test_a_mistake_that_is_found_in_incast_is_told(mistake, in_a_worker, site, shell):
    old, new, what = WITHOUT_A_LINE[mistake]
    with_mistake(site, old, new, in_a_worker=in_a_worker)
    told = shell("reproduce", "foreign", "--quick", "--quiet", "--out", "out", code=2)
    assert told.startswith(f"error: {what}")
    assert told.count("\n") <= 1


@pytest.mark.parametrize("in_a_worker", [False, True])
def test_the_traceback_of_a_papers_code(in_a_worker, site, shell, monkeypatch):
    with_mistake(site, 'runs["HPCC"]', "SWIFT", in_a_worker=in_a_worker)
    monkeypatch.setenv("INCAST_TRACEBACK", "1")
    out = str(shell.folder / "out")
    said = given("reproduce", "foreign", "--quick", "--quiet", "--out", out)
    assert said.err.count("Traceback") == 1
    first, *_, cause, error, _, _ = said.err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert cause == "NameError: name 'SWIFT' is not defined"
    assert error.startswith("error: ")
    with pytest.raises(incast.PaperError) as raised:
        papers.reproduce("foreign", quick=True, store=out)
    assert "NameError: name 'SWIFT'" in traceback_text(raised.value.__cause__)


@pytest.mark.parametrize("code", ["STARS['a']", "STAR"])
def test_a_mistake_in_runs_hides_no_other_paper(code, site, monkeypatch):
    with_mistake(site, "RunPlan(STAR, hops=1600)", code)
    status, out, err = given("reproduce", "--list")
    assert status == 2
    assert "fairness: Fast Convergence to Fairness" in out
    assert "code of the runs of figure fig1 raised " in err
    assert "Traceback" not in err
    monkeypatch.setenv("INCAST_TRACEBACK", "1")
    assert given("reproduce", "--list").err.count("Traceback") == 1


@pytest.mark.parametrize("value", ["foreign-paper:PAPER", "foreign_paper", "foreign_paper:", "1"])
def test_an_entry_point_that_leads_to_no_name(value, site):
    installed(site, "foreign-paper", {"foreign": value}, FOREIGN)
    told = f"distribution `foreign-paper`: `{value}` is no `module:name`; as in `my_paper:PAPER`"
    with pytest.raises(incast.PaperError, match=told):
        papers.paper("foreign")


@pytest.mark.parametrize("mistake", ["", "import sys; sys.exit(3)"])
def test_others_are_listed_beside_one_with_a_mistake(mistake, site, shell):
    installed(
        site,
        "foreign-paper",
        {"foreign": "foreign_paper:PAPER"},
        {"foreign_paper/__init__.py": mistake},
    )
    done = subprocess.run(
        [*PROGRAM, "reproduce", "--list"], cwd=shell.folder, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "fairness: Fast Convergence to Fairness" in done.stdout
    assert "foreign" not in done.stdout
    assert done.stderr.startswith("error: paper `foreign` of the distribution `foreign-paper`")
    assert done.stderr.count("\n") == 1


MISNAMED = ["../../escaped", "-x", ".hidden", "100%", "Mine", "a b", "mine-quick", "runs", "é"]


def test_names_that_are_no_folders_or_cannot_be_typed_are_refused(site, shell):
    names = [*MISNAMED, "foreign", "0.a-b_c", "run"]
    installed(site, "foreign-paper", dict.fromkeys(names, "foreign_paper:PAPER"), FOREIGN)
    assert {*papers.names()} - {*OURS} == {"foreign", "0.a-b_c", "run"}
    told = "the distribution `foreign-paper` has a name that is refused; "
    for name in MISNAMED:
        with pytest.raises(
            incast.PaperError, match=f"^paper `{name}` of {told}names have up to 64"
        ):
            papers.paper(name)
    said = shell("reproduce", "../../escaped", "--quick", "--out", "out", code=2)
    assert said.startswith(f"error: paper `../../escaped` of {told}")
    assert not shell.files("**/*escaped*")
    assert "100%" not in shell("reproduce", "--help")


def test_others_are_listed_beside_one_that_is_misnamed(site):
    files = {"foreign_paper/claims.toml": CLAIMS.replace('"foreign"', '"mine-quick"')}
    names = dict.fromkeys(MISNAMED, "foreign_paper:PAPER")
    installed(site, "foreign-paper", names, FOREIGN | files)
    code, out, err = given("reproduce", "--list")
    assert code == 2
    assert "fairness: Fast Convergence to Fairness" in out
    assert [line.split("`")[1] for line in err.splitlines()] == sorted(MISNAMED)


BROKEN = {
    "a line without =": {"entry_points.txt": b"[console_scripts]\nno value\n"},
    "no UTF-8": {"entry_points.txt": b"[console_scripts]\n\xff = a:b\n"},
    "no metadata": {"METADATA": None},
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_distribution_does_not_matter(broken, site, shell):
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN)
    installed(site, "aaa", {"aaa": "aaa:PAPER"})
    for name, text in BROKEN[broken].items():
        file = site / "aaa-1.0.dist-info" / name
        file.write_bytes(text) if text is not None else file.unlink()
    assert {*papers.names()} == {*OURS, "foreign"}
    assert papers.paper("foreign").title == "A foreign paper"
    assert "foreign" in shell("reproduce", "--help")
    assert "foreign" in shell("completion", "bash")


def test_a_distribution_that_is_on_the_path_twice_counts_once(site, tmp_path, monkeypatch):
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN)
    installed(tmp_path / "older", "Foreign.Paper", {"foreign": "nowhere:PAPER"})
    monkeypatch.syspath_prepend(tmp_path / "older")
    monkeypatch.syspath_prepend(site)
    assert papers.paper("foreign").title == "A foreign paper"


def test_a_paper_that_a_newer_version_no_longer_has_is_gone(site, tmp_path, monkeypatch):
    installed(tmp_path / "older", "Foreign.Paper", {"foreign": "nowhere:PAPER"})
    installed(site, "foreign-paper", {})
    monkeypatch.syspath_prepend(tmp_path / "older")
    monkeypatch.syspath_prepend(site)
    assert "foreign" not in papers.names()


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('"fig1"', '"../fig1"', "../fig1"),
        ("    claims=[", '    charts={"a/b": None},\n    claims=[', "a/b"),
    ],
)
def test_names_of_files_cannot_leave_the_folder(old, new, name, site):
    files = {**FOREIGN, "foreign_paper/__init__.py": PAPER.replace(old, new, 1)}
    claims = CLAIMS.replace("[figures.fig1]", f"[figures.{new}]") if "fig1" in old else CLAIMS
    files["foreign_paper/claims.toml"] = claims
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, files)
    with pytest.raises(incast.PaperError, match=f"`{name}` cannot be the name of a file"):
        papers.paper("foreign")
