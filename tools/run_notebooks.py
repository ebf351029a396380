"""Run the notebooks in place and keep only what a reader needs: sources and outputs, no widget state, no times."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent


def main(names: list[str]) -> None:
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": path.parent}}
        ).execute()
        nbformat.write(tidy(notebook), path)
        print(f"{path.name}: {sum(c.cell_type == 'code' for c in notebook.cells)} code cells run")


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Remove what changes from run to run and says nothing to a reader."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02d}"
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            for output in cell.outputs:
                data = output.get("data", {})
                data.pop("application/vnd.jupyter.widget-view+json", None)
    return notebook


if __name__ == "__main__":
    main(sys.argv[1:])
