"""Pages of the documentation site: they have everything that the program has."""

import ast
import json
import re
from pathlib import Path, PurePosixPath

import griffe
import incast.algorithm
import pytest
from incast.cli import main
from incast.present.algorithm import facts
from incast_website import (
    algorithms,
    build,
    citation,
    commands,
    evidence,
    keys,
    names,
    offline,
    python_api,
)
from incast_website.heads import head_of
from incast_website.links import BrokenLinkError, mended, named
from incast_website.repository import ROOT, pages
from mkdocs.exceptions import Abort

MAX_FILE_LINES, MAX_FUNCTION_LINES = 500, 70


@pytest.mark.parametrize("name", algorithms.names())
def test_the_page_of_an_algorithm_has_every_parameter(name):
    page = algorithms.page(name)
    found = facts(name)
    for each in found["parameters"]:
        assert f"| `{each['key']}` |" in page
    for part in found["parts"]:
        assert f"(parts.md#{part})" in page
    for each in found["sets"]:
        assert f"- `{each['name']}`" in page
    told = head_of(algorithms.file_of(name)).table
    listed = {key.strip("`") for key in told.by_first()} if told else set()
    assert listed <= {each["key"] for each in found["parameters"]}
    for title in ("## What it needs", "## Where it is validated", "## Limitations"):
        assert title in page
    assert "**Needs**: " in page


def test_defaults_on_pages_are_those_of_the_registry():
    row = next(line for line in algorithms.page("hpcc").splitlines() if "`max_stage`" in line)
    assert " | `5` | " in row
    page = algorithms.page("hpcc")
    assert re.search(r"\| `max_stage` \| `5` \| `0` \|", page)


def test_pages_say_what_supports_an_algorithm():
    page = algorithms.page("dcqcn")
    assert "`s2-hadoop-dcqcn`" in page
    assert "[Reproduction `isolation`](../reproductions/isolation.md)" in page
    assert "fails `rates`: all flows are cut by half" in page
    assert "it passes all checks" in algorithms.page("hpcc")


def test_algorithms_with_a_plus_in_their_name_have_their_evidence():
    chosen = {"hpcc": "hpcc", "hpcc++": "hpcc++", "hpcc+vai+sf": "hpcc", "swift:fairness": "swift"}
    assert {each: evidence.algorithm_of(each) for each in chosen} == chosen
    header = "| algorithm | fails | because |\n|---|---|---|\n"
    found = evidence.failed_checks(header + "| `hpcc++` | `two` | it is slow |\n\nMore.")
    assert found == {"hpcc++": ("`two`", "it is slow")}


def test_every_public_name_is_in_the_reference():
    public = {name for name in incast.__all__ if name != "__version__"}
    of_validate = {f"validate.{name}" for name in incast.validate.__all__}
    found = {re.sub(r"\.(\w+)\.\1$", r".\1", name) for name in python_api.names()}
    assert {f"incast.{name}" for name in (public - {"validate"}) | of_validate} <= found


def test_docstrings_come_from_the_binary_too_and_have_no_roles():
    loaded = griffe.load(
        "incast",
        search_paths=[ROOT / "python"],
        extensions=griffe.load_extensions(python_api.Docstrings),
        allow_inspection=False,
    )
    marked = incast.algorithm.Ack.marked.__doc__
    assert loaded["_core.Ack.marked"].docstring.value == marked
    assert "`incast.charts`" in loaded["results.Results"].docstring.value
    of_flows = loaded["results.Results.flows"].docstring.value
    assert "see [Columns of flows and ports](../../results/columns.md)." in of_flows


def test_every_command_and_option_is_in_the_reference(capsys):
    page = commands.page()
    for name in ("run", "sweep", "import htsim", "validate ns3"):
        assert main([*name.split(), "--help"]) == 0
        said = capsys.readouterr().out
        section = page.split(f"`incast {name}` {{")[1].split("\n## ")[0]
        options = set(re.findall(r"--[a-z][\w-]+", said)) - {"--help"}
        assert options
        assert all(f"`{option}" in section or f", {option}" in section for option in options)


@pytest.mark.parametrize(("root", "page"), [("Scenario", "network"), ("FabricScenario", "fabric")])
def test_every_key_of_a_scenario_is_in_the_reference(root, page):
    text = {"network": keys.network_page, "fabric": keys.fabric_page}[page]()
    definitions = incast.schema()["$defs"]

    def properties(found, seen):
        if isinstance(found, dict):
            name = found.get("$ref", "").rpartition("/")[2]
            if name and name not in seen and name != "CongestionControl":
                seen.add(name)
                yield from properties(definitions[name], seen)
            for key, value in found.items():
                if key == "properties":
                    yield from (each for each, of in value.items() if "const" not in of)
                yield from properties(value, seen)
        elif isinstance(found, list):
            for value in found:
                yield from properties(value, seen)

    wanted = set(properties(definitions[root]["properties"], set()))
    assert len(wanted) > 40
    sections = {f"[{key}]" for key in definitions[root]["properties"]}
    assert all(section in text for section in sections)
    assert {key for key in wanted if f"| `{key}` |" not in text} == set()
    anchors = re.findall(r"\{ #([^ ]+) \}", text)
    assert sorted(set(anchors)) == sorted(anchors)


def test_names_are_those_of_the_registries(capsys):
    page = names.page()
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    for kind in ("topologies", "charts", "measures"):
        assert all(f"`{name}`" in page for name in listed[kind])


def test_examples_have_the_files_that_they_name():
    section = names.examples_page().split("{ #own-network }")[1].split("\n## ")[0]
    assert "`own-network.graph`:" in section
    assert "link tor0 short 100Gbps 1us\n" in section
    assert "`own-flows.csv`:\n\n```text\nsource,destination,size_bytes,start_us\n" in section


def test_the_page_on_citing_has_citation_and_licence():
    page = citation.page()
    assert f"@software{{incast-{incast.__version__}," in page
    assert "author  = {{The incast contributors}}" in page
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").rstrip() in page
    person = {"family-names": "Doe", "given-names": "Jo"}
    known = {"title": "t", "version": "1", "license": "MIT", "authors": [person, person]}
    assert "url" not in citation.bibtex(known)
    entry = citation.bibtex({**known, "repository-code": "https://example.org/r"})
    assert "  author  = {Doe, Jo and Doe, Jo}," in entry
    assert "  url     = {https://example.org/r}," in entry


def test_links_lead_from_page_to_page():
    def link(text, source="docs/sweeps.md"):
        return mended(text, PurePosixPath(source))

    assert link("[a](scenario/cc.md#cc)") == "[a](scenario/cc.md#cc)"
    assert link("[a](../CONTRIBUTING.md)") == "[a](contributing.md)"
    assert link("[a](docs/sweeps.md)", "CHANGELOG.md") == "[a](sweeps.md)"
    assert link("[a](../attacks.md)", "docs/reproductions/isolation.md") == "[a](../attacks.md)"
    assert link("[a](docs/reproductions)", "ARCHITECTURE.md") == "[a](reproductions/index.md)"
    assert link("[a](../examples/studies/load.toml)") == "[a](examples.md#load)"
    assert link("[a](../LICENSE)") == "[a](citation.md)"
    assert link("[a](https://example.org)") == "[a](https://example.org)"
    # Links to source code become the plain name.
    assert link("[`dev`](../dev)") == "`dev`"
    # Brackets in a code block are no link.
    assert link("```\n[a](nothing.md)\n```\n") == "```\n[a](nothing.md)\n```\n"
    with pytest.raises(BrokenLinkError, match=r"sweeps\.md: the link to nothing\.md"):
        link("[a](nothing.md)")


def test_names_of_pages_in_help_are_links():
    assert "a study file (TOML); see [Sweeps](../sweeps.md)" in commands.page()
    assert "docs/" not in re.sub(r"`[^`]*`", "", commands.page())
    with pytest.raises(BrokenLinkError, match=r"names docs/nothing\.md, which is no page"):
        named("see docs/nothing.md", lambda title, place: "")


def test_links_of_the_repository_lead_somewhere():
    for source in [*pages(), PurePosixPath("README.md")]:
        mended((ROOT / source).read_text(encoding="utf-8"), source)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index.html", '<script src="https://example.org/a.js"></script>'),
        ("index.html", '<link rel="stylesheet" href="//example.org/a.css">'),
        ("a.css", "@font-face { src: url(https://example.org/a.woff2) }"),
    ],
)
def test_pages_that_load_from_elsewhere_are_refused(tmp_path, name, content):
    (tmp_path / "fine.html").write_text('<a href="https://example.org">a</a><img src="a.png">')
    offline.check(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(offline.NotOfflineError, match=r"loads (https:)?//example\.org"):
        offline.check(tmp_path)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("[a](nothing.md)", ""),
        ("[a](#nothing)", ""),
        ("[a](other.md#nothing)", "# Other"),
        ("no link", "# A page outside the navigation"),
    ],
)
def test_dead_links_and_lost_pages_end_the_build(tmp_path, text, other):
    folder, site = tmp_path / "pages", tmp_path / "site"
    folder.mkdir()
    (folder / "index.md").write_text(f"# Title\n\n{text}\n")
    inside = ["index.md"]
    if other:
        (folder / "other.md").write_text(other)
        inside += [] if "outside" in other else ["other.md"]
    with pytest.raises(Abort):
        build.make(folder, site, nav=inside, plugins=[])
    (folder / "index.md").write_text("# Title\n\n[a](#title)\n")
    (folder / "other.md").unlink(missing_ok=True)
    build.make(folder, site, nav=["index.md"], plugins=[])


def test_files_and_functions_are_small():
    files = sorted((Path(python_api.__file__).parent).rglob("*.py"))
    assert len(files) > 10
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert text.count("\n") <= MAX_FILE_LINES, file
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < MAX_FUNCTION_LINES, (file, node.name)


def test_the_version_to_cite_is_the_program_s():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {incast.__version__}\n" in cited
    assert "\nlicense: Apache-2.0\n" in cited
