"""The shape of the packages: imports form no circle; files and functions stay small."""

import ast
import re
from pathlib import Path

import incast
import incast_papers
import pytest
from incast import papers
from installations import OURS

ROOT = Path(__file__).parents[1]
PACKAGES = [Path(package.__file__).parent for package in (incast, incast_papers)]
FILES = [
    file
    for package in PACKAGES
    for file in sorted(package.rglob("*"))
    if file.suffix in (".py", ".pyi")
]
MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_COLUMNS = 500, 70, 100


def shown(file):
    """The path of a file, with its package."""
    return next(file.relative_to(each.parent) for each in PACKAGES if file.is_relative_to(each))


def module_name(file):
    parts = shown(file).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): file for file in FILES}


def imports(file):
    """The modules of the packages that a file imports: at its top, in functions, or for type
    checkers only. Parent packages that Python loads on the way are left out.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{file}: relative import"
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                if inside in MODULES:
                    yield inside
                elif node.module in MODULES:
                    yield node.module


def circle(graph):
    """The nodes of some circle, in order; empty if there is none."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node) :]
        if node not in done:
            for other in graph[node]:
                if found := visit(other, [*path, node]):
                    return found
            done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := visit(node, []))), [])


def test_imports_form_no_circle():
    graph = {name: sorted(set(imports(file))) for name, file in MODULES.items()}
    assert sum(map(len, graph.values())) > 300
    assert circle(graph) == []


def test_circles_are_found():
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c"]
    assert circle({"a": ["b", "c"], "b": ["c"], "c": []}) == []


@pytest.mark.parametrize(
    ("room", "above"),
    [
        ("measure", ("present", "results", "experiment", "papers", "validate", "cli")),
        ("present", ("results", "experiment", "papers", "validate", "cli")),
        ("papers", ("cli",)),
        ("export", ("results", "experiment", "papers", "validate", "cli")),
        ("store", ("experiment", "campaign", "study", "papers", "validate", "cli")),
        ("campaign", ("present", "study", "papers", "validate", "cli")),
        ("study", ("papers", "validate", "cli")),
        ("fluid", ("present", "results", "experiment", "papers", "cli")),
    ],
)
def test_rooms_do_not_know_what_is_above_them(room, above):
    for name, file in MODULES.items():
        if name.startswith(f"incast.{room}"):
            known = {each.removeprefix("incast.") for each in imports(file)}
            assert not [each for each in known if each.startswith(above)], name


def test_papers_are_apart():
    """Only commands and the name `incast.papers` need the machinery of papers."""
    known = re.compile(r"\bincast\.papers\b|from incast import [^#\n]*\bpapers\b")
    users = {
        name
        for name, file in MODULES.items()
        if not f"{name}.".startswith(("incast.papers.", "incast_papers."))
        and known.search(file.read_text("utf-8"))
    }
    assert users == {"incast", "incast.cli.completion", "incast.cli.reproduce"}


def test_incast_knows_no_paper():
    """The papers of this repository are found as those of others."""
    knowing = [name for name, file in MODULES.items() if "incast_papers" in file.read_text("utf-8")]
    assert {name.partition(".")[0] for name in knowing} == {"incast_papers"}


@pytest.mark.parametrize("file", FILES, ids=[module_name(file) for file in FILES])
def test_files_and_functions_are_small(file):
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) <= MAX_FILE_LINES
    assert max(map(len, lines), default=0) <= MAX_COLUMNS
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < MAX_FUNCTION_LINES, node.name


def picoseconds(text):
    """Lines in which a picosecond is defined in seconds, or is a factor."""
    for node in ast.walk(ast.parse(text)):
        parts = {
            ast.Assign: lambda node: [node.value],
            ast.BinOp: lambda node: [node.left, node.right],
        }.get(type(node), lambda node: [])(node)
        if any(isinstance(part, ast.Constant) and part.value in (1e-12, 1e12) for part in parts):
            yield node.lineno


def test_a_picosecond_is_defined_once():
    found = [name for name, file in MODULES.items() for _ in picoseconds(file.read_text("utf-8"))]
    assert found == ["incast.time_units"]


def test_picoseconds_are_found():
    text = "_PS = 1e-12\nx = y * 1e-12\nz = 1e12 * x\nsolve(xtol=1e-12)\n"
    assert list(picoseconds(text)) == [1, 2, 3]


ROOMS = {
    "__init__.py",
    "algorithms.py",
    "claims.toml",
    "figures",
    "metrics.py",
    "networks.py",
    "paper.py",
    "tried.py",
    "words.py",
}
MORE = {"hardware": {"measured.toml"}, "isolation": {"testbed.py"}}
"""Additional files of papers: numbers of other sources, or a network beside `networks.py`."""


FOLDERS = {name: PACKAGES[1].parent / package.replace(".", "/") for name, package in OURS.items()}
"""The folders of papers, by name."""


def test_every_folder_is_a_paper():
    assert {file.parent for file in PACKAGES[1].glob("*/claims.toml")} == {*FOLDERS.values()}


@pytest.mark.parametrize("paper", FOLDERS)
def test_every_paper_has_the_same_rooms(paper):
    names = {each.name for each in FOLDERS[paper].iterdir() if each.name != "__pycache__"}
    assert names == ROOMS | MORE.get(paper, set())
    files = {file.stem for file in (FOLDERS[paper] / "figures").glob("*.py")} - {"__init__"}
    assert {figure.id for figure in papers.paper(paper).figures} == files


@pytest.mark.parametrize("paper", FOLDERS)
def test_words_of_papers_are_data(paper):
    """Claims, figures and papers take their words from `claims.toml`."""
    for file in FOLDERS[paper].rglob("*.py"):
        assert made_without_words(file.read_text("utf-8")) == [], file


def made_without_words(text):
    """Lines that make a claim, figure or paper without `claims.toml`, or change the words of a
    claim.
    """
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id in ("Claim", "Figure", "Paper"))
            or {keyword.arg for keyword in node.keywords} & {"says", "claimed", "tolerance"}
        )
    ]


def test_words_in_code_are_noticed():
    text = 'Claim("A01")\nWORDS.claim("A01")\nreplace(claim, says="")\nreplace(claim, show=str)\n'
    assert made_without_words(text) == [1, 3]


def places(page):
    """The files and folders that ARCHITECTURE.md names for tasks, as paths in the repository."""
    table = page.split("## Where things are")[1].split("\n## ")[0]
    crates = {folder.name.removeprefix("incast-") for folder in (ROOT / "crates").iterdir()}
    for name in re.findall(r"`([^`]+)`", table):
        room, _, rest = name.partition("/")
        if "…" in name:
            continue
        if room in crates:
            yield name, ROOT / "crates" / f"incast-{room}" / "src" / rest
        else:
            yield name, ROOT / ("python" if room == "incast" else "") / name


def test_the_map_names_files_that_there_are():
    found = list(places((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
    assert len(found) > 80
    assert [name for name, path in found if not path.exists()] == []


def test_a_file_that_is_not_there_is_noticed():
    page = "## Where things are\n`net/…` `net/flow.rs` `net/flown.rs` `incast/flown.py`\n\n## Next"
    missing = [name for name, path in places(page) if not path.exists()]
    assert missing == ["net/flown.rs", "incast/flown.py"]


MAX_WORDS = 40
"""The most words of a sentence in a docstring or a comment; the tidy test has the same limit for
Rust.
"""


def sentences(text):
    """The sentences of prose: paragraphs end at blank lines, at items of lists, and at lines in
    columns.
    """
    paragraphs = [[]]
    for line in text.splitlines():
        words = line.strip()
        if not words or re.match(r"[-*>|] ?", words) or "  " in words:
            paragraphs.append([])
        if words and "  " not in words:
            paragraphs[-1].append(words)
    for paragraph in paragraphs:
        yield from re.split(r"(?<=[.!?])\s+", " ".join(paragraph))


def texts(source):
    """Docstrings and comments of a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""
    yield "\n".join(
        found[1] if (found := re.match(r"\s*# (.*)", line)) else "" for line in source.splitlines()
    )


def long_sentences(source):
    found = [each for text in texts(source) for each in sentences(text)]
    return [each for each in found if len(re.findall(r"\S*[A-Za-z]{2}\S*", each)) > MAX_WORDS]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(shown(file)))
def test_sentences_are_short(file):
    assert long_sentences(file.read_text(encoding="utf-8")) == []


def test_a_long_sentence_is_noticed():
    short, long = "word " * MAX_WORDS, "word " * (MAX_WORDS + 1)
    source = f'"""{short}. {short}.\n\n- {short}\n"""\n\ndef f():\n    """{long}"""\n    # {long}\n'
    assert len(long_sentences(source)) == 2
