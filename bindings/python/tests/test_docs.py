"""Examples in documentation run."""

import doctest
import os
from pathlib import Path

import pytest

import graphwright
import graphwright._dynamic
import graphwright._graph
import graphwright._program
import graphwright._result
import graphwright.algorithms
import graphwright.cluster
import graphwright.lab

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    "module",
    [graphwright, graphwright._dynamic, graphwright._graph, graphwright._options, graphwright._program, graphwright._result,
     graphwright.algorithms, graphwright.cluster, graphwright.lab],
    ids=lambda module: module.__name__,
)  # fmt: skip
def test_docstrings(module):
    failed, tried = doctest.testmod(module)
    assert failed == 0 and (tried > 0 or module.__name__.endswith("lab"))


def test_the_readme_runs():
    failed, tried = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False)
    assert tried > 5 and failed == 0


def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    path = DOCS / "python.ipynb"
    if not path.exists():
        pytest.skip("the documentation is not beside the package")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": os.fspath(DOCS)}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in shown)
