"""Summary of bench/lab/before-after.sh: the learned choice (`auto`) against the rule of the machine.

    python3 bench/lab/before-after.py FOLDER

Reads the JSON files of the folder and writes cells.tsv there: a line per program and graph. The ratio is the median
over the runs of auto's time by the rule's time; the runs of a pair have the same source and follow each other. A cell
is slower only where even the lower quartile of these ratios is above 1. Cells in which both schedules are the same text
tell how much chance there is.
"""

import json
import math
import pathlib
import statistics
import sys


def cells(folder):
    for path in sorted(folder.glob("*.json")):
        rows = {}
        for row in json.loads(path.read_text()):
            rows.setdefault((path.stem.split("-")[0], row["program"], row["graph"]), {})[row["schedule_name"]] = row
        for key, pair in rows.items():
            if {"rule", "auto"} <= pair.keys() and all(r["seconds"] and not r["error"] for r in pair.values()):
                yield key, pair["rule"], pair["auto"]


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = []
    for key, rule, auto in cells(folder):
        ratios = sorted(a / r for a, r in zip(auto["seconds"], rule["seconds"]))
        quarter = len(ratios) // 4
        lines.append({
            "suite": key[0], "program": key[1], "graph": key[2], "runs": len(ratios),
            "rule_ms": 1e3 * rule["median_seconds"], "auto_ms": 1e3 * auto["median_seconds"],
            "ratio": statistics.median(ratios), "low": ratios[quarter], "high": ratios[-1 - quarter],
            "same": int(rule["schedule"] == auto["schedule"]), "schedule": auto["schedule"],
        })
    if not lines:
        print("nothing was measured")
        return
    with open(folder / "cells.tsv", "w") as file:
        print("\t".join(lines[0]), file=file)
        for line in lines:
            print("\t".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in line.values()), file=file)
    same = [line for line in lines if line["same"]]
    changed = [line for line in lines if not line["same"]]
    for title, some in [("all cells", lines), ("auto chose otherwise", changed), ("the same schedule", same)]:
        if some:
            ratios = [line["ratio"] for line in some]
            span = f"best {min(ratios):.2f}, worst {max(ratios):.2f}"
            print(f"{title}: {len(some)}, auto / rule {mean(ratios):.3f} ({span})")
    by_program = {}
    for line in changed:
        by_program.setdefault(line["program"], []).append(line["ratio"])
    for program, ratios in sorted(by_program.items()):
        print(f"  {program}: {len(ratios)} changed, {mean(ratios):.3f}, worst {max(ratios):.2f}")
    slower = [line for line in changed if line["ratio"] > 1.05 and line["low"] > 1.0]
    print(f"slower than the rule by more than 5 %, beyond the spread: {len(slower)}")
    for line in sorted(slower, key=lambda line: -line["ratio"]):
        times = f"{line['rule_ms']:.3f} -> {line['auto_ms']:.3f} ms"
        print(f"  {line['suite']} {line['program']} {line['graph']}: {times}, {line['ratio']:.2f} "
              f"({line['low']:.2f} to {line['high']:.2f}): {line['schedule']}")


if __name__ == "__main__":
    main()
