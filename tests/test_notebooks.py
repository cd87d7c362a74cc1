"""The notebooks of examples/ run, and show pictures and tables."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 120
"""Of a cell on a busy machine; a whole notebook takes some seconds."""


def read(notebook):
    return nbformat.read(notebook, as_version=4)


def test_there_are_three():
    assert [each.stem for each in NOTEBOOKS] == ["first-steps", "own-algorithm", "study"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_stored_without_output(notebook):
    """What is stored would not be what the engine gives now."""
    for cell in read(notebook).cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_shows_what_it_has(notebook, tmp_path):
    found = read(notebook)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(found, timeout=SECONDS, resources=resources).execute()
    outputs = [output for cell in found.cells for output in cell.get("outputs", ())]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) >= 2
    assert any("data:image/png;base64" in data.get("text/html", "") for data in shown)
    for output in outputs:
        assert output.get("name") != "stderr", output.text
        # A figure that shows its name alone.
        assert "image/png" in output.get("data", {}) or "<Figure" not in str(output)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_links_of_a_notebook_lead_somewhere(notebook):
    text = "\n".join(cell.source for cell in read(notebook).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []
