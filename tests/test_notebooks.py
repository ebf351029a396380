"""The notebooks are committed as a reader should see them: run from top to bottom, with their outputs.

nbval compares stored with fresh outputs, and passes in silence where nothing is stored: these guards see to it that
there is something to compare.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
EXPECTED = ["01_extract", "02_dedupe", "03_communities", "04_review", "05_query", "06_language_models"]
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_all_notebooks_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == EXPECTED


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_code_cell_was_run_in_order(path: Path) -> None:
    counts = [cell.execution_count for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1)), "run it again: make notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_outputs_are_stored_and_free_of_errors_and_state(path: Path) -> None:
    cells = code_cells(path)
    stored = [output for cell in cells for output in cell.outputs]
    assert len(stored) >= len(cells) // 2
    assert not [o for o in stored if o.output_type == "error" or o.get("name") == "stderr"]
    assert "widgets" not in nbformat.read(path, as_version=4).metadata


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_written_for_a_reader(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    words = sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown")
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    assert words > 100
