"""Papers are found wherever a distribution brings them; each mistake of one has its error."""

import json
import subprocess
import sys

import incast
import pytest
import scenarios
from incast import papers
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
from importlib.resources import files

from incast.papers.figure import RunPlan
from incast.papers.tolerances import close_to
from incast.papers.words import Words

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
    "runs": ("RunPlan(STAR, hops=1600)", "STARS['a']", "`runs` of figure `fig1`"),
    "a chart": (
        "    claims=[",
        '    charts={"finish": lambda runs: runs["Swift"]}, claims=[',
        "chart `finish` of figure `fig1`",
    ),
    "a measure": ('runs["HPCC"]', 'runs["Swift"]', "claim `F01`"),
    "a rule": ("close_to(4, 0)", "lambda values: values[1] == 4", "claim `F01`"),
    "an end of the program": ("close_to(4, 0)", "lambda values: exit(0)", "claim `F01`"),
}


@pytest.mark.parametrize("mistake", RAISING)
def test_an_exception_of_a_papers_code_is_told_with_its_line(mistake, site, shell):
    old, new, what = RAISING[mistake]
    before, after = PAPER.split(old)
    files = {"foreign_paper/__init__.py": before + new + after}
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN | files)
    told = shell("reproduce", "foreign", "--quick", "--quiet", "--out", "out", code=2)
    place = f"foreign_paper/__init__.py:{before.count(chr(10)) + 1}"
    error, line, mark = told.splitlines()[-3:]
    assert error.startswith(f"error: {site}/{place}: {what} raised ")
    assert new.strip() in line
    assert "^^" in mark
    assert "Traceback" not in told


def test_an_exception_of_the_code_of_runs_hides_no_other_paper(site):
    code = PAPER.replace("RunPlan(STAR, hops=1600)", "STARS['a']")
    files = {"foreign_paper/__init__.py": code}
    installed(site, "foreign-paper", {"foreign": "foreign_paper:PAPER"}, FOREIGN | files)
    code, out, err = given("reproduce", "--list")
    assert code == 2
    assert "fairness: Fast Convergence to Fairness" in out
    assert "`runs` of figure `fig1` raised NameError: name 'STARS' is not defined" in err


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
