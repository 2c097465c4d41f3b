"""What type checkers know of the package, and scripts that they read."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import graphwright as gw

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "typed").glob("*.py"))

WRONG = """
import graphwright as gw

gw.pagerank("path:4", rouns=5)
gw.sssp("path:4", 0, sources=[1])
gw.bfs("path:4", 0).levle.sum()
gw.kcore("path:4").core.nonsense
"""


def test_the_stubs_are_those_of_the_package():
    spec = importlib.util.spec_from_file_location("stubs", HERE.parent / "stubs.py")
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    for name, text in stubs.stubs().items():
        assert (stubs.FOLDER / name).read_text() == text, f"{name} is old: python bindings/python/stubs.py"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_run(script):
    assert subprocess.run([sys.executable, "-W", "error", script]).returncode == 0


def test_mypy_reads_the_scripts_and_finds_mistakes(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    read = subprocess.run([*command, *map(str, SCRIPTS)], capture_output=True, text=True)
    assert read.returncode == 0, read.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    read = subprocess.run([*command, str(wrong)], capture_output=True, text=True)
    lines = {line.split(":")[1] for line in read.stdout.splitlines() if ": error:" in line}
    assert {"4", "5", "7"} <= lines, read.stdout


def test_every_function_has_an_example():
    without = [name for name in gw._ALGORITHMS if ">>>" not in (getattr(gw, name).__doc__ or "")]
    assert not without
