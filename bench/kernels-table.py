"""Tables from the measurements of bench/kernels.sh: a row per schedule, a column per graph.

    python3 bench/kernels-table.py FOLDER

A cell has milliseconds by the clock of the GPU, the median over the sources. Where the edges of a run were counted, the
second table has them as a multiple of the least on the graph: what is above 1 was walked again because of repeats.
"""

import json
import pathlib
import sys


def rows(folder):
    """All measured rows, by program."""
    found = {}
    for file in sorted(pathlib.Path(folder).glob("*.json")):
        for row in json.loads(file.read_text()):
            found.setdefault(row["program"], []).append(row)
    return found


def table(title, graphs, cells):
    """Prints a table of texts by schedule and graph."""
    print(f"\n### {title}\n")
    print("| schedule | " + " | ".join(graphs) + " |")
    print("|---" * (1 + len(graphs)) + "|")
    schedules = list(dict.fromkeys(schedule for schedule, _ in cells))
    for schedule in schedules:
        print(f"| {schedule} | " + " | ".join(cells.get((schedule, graph), "-") for graph in graphs) + " |")


def main(folder):
    for program, measured in rows(folder).items():
        graphs = list(dict.fromkeys(row["graph"] for row in measured))
        times, edges = {}, {}
        for row in measured:
            key = (row["schedule_name"], row["graph"])
            seconds = row.get("device_seconds") or row["median_seconds"]
            times[key] = f"{1e3 * seconds:.3f}" if seconds else "failed"
            if row.get("edges"):
                edges[key] = row["edges"]
        table(f"{program}: milliseconds", graphs, times)
        least = {g: min((n for (_, graph), n in edges.items() if graph == g), default=0) for g in graphs}
        shares = {key: f"{n / least[key[1]]:.4f}" for key, n in edges.items() if least[key[1]]}
        if shares:
            table(f"{program}: edges walked, by the least of the graph", graphs, shares)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
