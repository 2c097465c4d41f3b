"""Leaves the cells out of a lab whose rule was another one when they were measured.

    python3 bench/lab/changed-rules.py LAB COPY

The learned choice is learned against the rule, and the first schedule of a cell counts as the rule. portfolio.lab was
measured before the rules of the GPU were changed by its own numbers, and that of `coloring` on processors
(bench/tune.md); the copy has the cells for which the rule is still the same.
"""

import json
import shutil
import sqlite3
import sys

SMALL_GRAPH = 4 << 20
LARGE_CHANGED = {"sssp", "cc", "pagerank-delta", "sssp-delta", "coloring"}


def is_changed(program, edges, vertices, greatest):
    mean = edges / vertices
    short = mean < 5 and greatest <= 64
    if program == "tc":
        return not short and (edges < SMALL_GRAPH or mean >= 10)
    if program == "triangles":
        return not short
    if program == "kcore":
        return short or edges >= SMALL_GRAPH
    if program == "pagerank":
        return not short and greatest < 64
    if program == "cc" and not short and (greatest < 64 or greatest >= 4096):
        return True
    if program == "sssp-delta" and mean >= 5:
        return True
    return program in LARGE_CHANGED and edges >= SMALL_GRAPH


def main():
    shutil.copyfile(sys.argv[1], sys.argv[2])
    lab = sqlite3.connect(sys.argv[2])
    left_out = 0
    cells = lab.execute("SELECT id, program, target, features FROM TuneCell").fetchall()
    for cell, program, target, features in cells:
        of = json.loads(features)
        on_cpu = target == "cpu" and program == "coloring"
        if on_cpu or target == "cuda" and is_changed(program, of["edges"], of["vertices"], of["out-degree-max"]):
            lab.execute("DELETE FROM TuneTrial WHERE cellId = ?", (cell,))
            lab.execute("DELETE FROM TuneCell WHERE id = ?", (cell,))
            left_out += 1
    lab.commit()
    print(f"{left_out} of {len(cells)} cells are left out")


if __name__ == "__main__":
    main()
