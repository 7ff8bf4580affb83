"""The notebooks run, and give the very output that they are kept with."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """What each code cell prints or shows."""
    return [
        "".join(output.get("text") or output.data["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_gives_the_output_it_is_kept_with(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    kept = printed(notebook)
    assert any(kept), "the notebook has not been run"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(notebook) == kept


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
