"""The files of a release agree with each other, and with the program."""

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

import incast
import pytest
import yaml

ROOT = Path(__file__).parents[1]
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
PROJECT, PAPERS = (
    tomllib.loads((ROOT / name).read_text(encoding="utf-8"))["project"]
    for name in ("pyproject.toml", "papers/pyproject.toml")
)
YAML = [
    "CITATION.cff",
    "packaging/conda/recipe.yaml",
    *(str(file.relative_to(ROOT)) for file in sorted((ROOT / ".github").rglob("*.yml"))),
]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", YAML)
def test_yaml_can_be_read(name):
    assert yaml.safe_load(read(name))


def test_every_file_has_the_version_of_the_program():
    found = {
        "CITATION.cff": yaml.safe_load(read("CITATION.cff"))["version"],
        ".zenodo.json": json.loads(read(".zenodo.json"))["version"],
        "codemeta.json": json.loads(read("codemeta.json"))["version"],
        "recipe.yaml": yaml.safe_load(read("packaging/conda/recipe.yaml"))["context"]["version"],
        "CHANGELOG.md": re.search(r"^## (\d\S*)", read("CHANGELOG.md"), re.MULTILINE)[1],
        "incast": incast.__version__,
        "incast-papers": PAPERS["version"],
        "incast, of incast-papers": PAPERS["dependencies"][0].removeprefix("incast=="),
        "incast-papers, installed": metadata.version("incast-papers"),
    }
    assert set(found.values()) == {CARGO["version"]}, found


def test_licences_are_those_of_the_project():
    assert json.loads(read(".zenodo.json"))["license"] == PROJECT["license"]
    assert json.loads(read("codemeta.json"))["license"].endswith(PROJECT["license"])
    assert yaml.safe_load(read("packaging/conda/recipe.yaml"))["about"]["license"] == "Apache-2.0"
    assert PAPERS["license"] == PROJECT["license"]
    assert read("papers/LICENSE") == read("LICENSE")


def test_the_conda_recipe_needs_what_the_package_needs():
    def named(requirements):
        words = (re.match(r"([\w-]+) *(>=[\d.]+)?", each).groups() for each in requirements)
        return {(name.replace("matplotlib-base", "matplotlib"), bound) for name, bound in words}

    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))
    python = f"python {PROJECT['requires-python']}"
    needed = [python, *PROJECT["dependencies"], *PAPERS["dependencies"]]
    assert named(recipe["requirements"]["run"]) == named(needed) - {("incast", None)}


def test_the_papers_are_built_with_what_dev_and_conda_install():
    """They build without a network of their own."""
    (backend,) = tomllib.loads(read("papers/pyproject.toml"))["build-system"]["requires"]
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))["requirements"]["host"]
    assert read("dev").count(f"'{backend}'") == 2
    assert backend.replace("flit_core", "flit-core ") in recipe


def test_workflows_and_containers_use_versions_that_are_enough():
    oldest = tuple(int(number) for number in CARGO["rust-version"].split("."))
    build = re.search(r"FROM rust:(\d+)\.(\d+)", read("Dockerfile"))
    assert tuple(int(number) for number in build.groups()) >= oldest
    assert f"rust-toolchain@{CARGO['rust-version']}.0" in read(".github/workflows/ci.yml")
    assert f'python-version: "{PROJECT["requires-python"].removeprefix(">=")}"' in read(
        ".github/workflows/ci.yml"
    )


def test_workflows_call_commands_of_dev_that_there_are():
    commands = set(re.findall(r"^    ([a-z]+)\)", read("dev"), re.MULTILINE))
    called = {
        name
        for file in (ROOT / ".github/workflows").glob("*.yml")
        for name in re.findall(r"run: \./dev (\w+)", file.read_text(encoding="utf-8"))
    }
    assert called
    assert called <= commands


def test_pages_of_llms_txt_are_there():
    pages = re.findall(r"\]\(([^)]+)\)", read("llms.txt"))
    assert len(pages) > 10
    assert [page for page in pages if not (ROOT / page).exists()] == []


def test_the_paper_cites_what_its_bibliography_has():
    cited = set(re.findall(r"@(\w+)\]", read("paper/paper.md")))
    listed = set(re.findall(r"^@\w+\{(\w+),", read("paper/paper.bib"), re.MULTILINE))
    assert cited == listed
