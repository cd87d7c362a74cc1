"""The notebooks of examples/ run, and show pictures and tables."""

import itertools
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*/*.ipynb"))
SECONDS = 120
"""The limit for a cell on a busy machine; a whole notebook takes some seconds."""


def read(notebook):
    return nbformat.read(notebook, as_version=4)


def execute(cells, notebook, folder):
    """Runs the cells of a notebook in a folder, with copies of the files beside it."""
    beside = shutil.ignore_patterns("*.ipynb", "__pycache__")
    shutil.copytree(notebook.parent, folder, ignore=beside, dirs_exist_ok=True)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(cells, timeout=SECONDS, resources=resources, record_timing=False).execute()


def test_there_are_three_and_five_labs():
    rooms = [each.parent.name for each in NOTEBOOKS]
    assert [(room, rooms.count(room)) for room in sorted(set(rooms))] == [
        ("labs", 5),
        ("notebooks", 3),
    ]


def said(notebook):
    """The output of each cell: printed texts, and the kinds of tables and pictures. The contents of
    these have wall times and identities, which change with the engine. Printed text may come in
    pieces.
    """
    cells = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    return [list(_shown(outputs)) for outputs in cells]


def _shown(outputs):
    for is_text, some in itertools.groupby(outputs, lambda each: each.output_type == "stream"):
        if is_text:
            yield "".join(each.text for each in some)
        else:
            yield from (sorted(each.data) for each in some)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_stored_with_what_it_shows(notebook):
    """A reader on a Git host sees pictures and tables, and no paths of the author's machine."""
    kinds = [kind for cell in said(read(notebook)) for each in cell for kind in each]
    assert kinds.count("image/png") >= 2
    assert not re.search(r"/(tmp|home|root|work|Users)/", notebook.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_shows_what_it_has(notebook, tmp_path):
    """``FREEZE=1 pytest tests/test_notebooks.py`` stores the outputs of notebooks."""
    found, stored = read(notebook), read(notebook)
    execute(found, notebook, tmp_path)
    outputs = [output for cell in found.cells for output in cell.get("outputs", ())]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) >= 2
    if notebook.parent.name == "notebooks":
        assert any("data:image/png;base64" in data.get("text/html", "") for data in shown)
    for output in outputs:
        assert output.get("name") != "stderr", output.text
        # Output of a figure must be a picture, not only its name.
        assert "image/png" in output.get("data", {}) or "<Figure" not in str(output)
    if os.environ.get("FREEZE"):
        found.metadata = stored.metadata
        nbformat.write(found, notebook)
    assert said(found) == said(read(notebook))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_links_of_a_notebook_lead_somewhere(notebook):
    text = "\n".join(cell.source for cell in read(notebook).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    assert [link for link in links if not (notebook.parent / link).exists()] == []
