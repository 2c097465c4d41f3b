"""The page about R runs, where there is R with reticulate and a NumPy that it knows."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "r.md"
READY = "library(reticulate); use_python('PYTHON', required = TRUE); cat(py_numpy_available(TRUE))"
SHOW = """
cat("hops", hops, "dist", dist, "names", colnames(hops), "\\n")
cat("parts", unlist(parts), "strong", unlist(strong), "\\n")
"""


def rscript(code):
    code = code.replace("PYTHON", sys.executable).replace("/path/to/venv/bin/python", sys.executable)
    return subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, timeout=300)


def test_the_page_runs():
    if shutil.which("Rscript") is None or not PAGE.exists():
        pytest.skip("R is not installed")
    ready = rscript(READY)
    if ready.returncode or not ready.stdout.endswith("TRUE"):
        pytest.skip("reticulate is missing, or too old for this NumPy")
    shown = rscript("\n".join(re.findall(r"```r\n(.*?)```", PAGE.read_text(), re.S)) + SHOW)
    assert shown.returncode == 0, shown.stderr
    assert "hops 0 -1 1 0 2 1 3 2 dist 0 Inf 2 0 3 1 7 5 names a b c d" in shown.stdout
    assert "parts a a a a strong a b c d" in shown.stdout
