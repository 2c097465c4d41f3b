#!/usr/bin/env python3
"""How the CPU machine scales: over threads on one graph, and over graph sizes with all threads.

    bench/cpu-scaling.py --gw target/release/gw -o bench/cpu-scaling.md

Prints markdown tables. Time per edge is the median time of `main` over the stored edges of the graph, so it falls where
a search leaves most edges out.
"""

import argparse
import json
import os
import subprocess

PROGRAMS = {"bfs": "bfs {graph} {source}", "sssp-delta": "sssp-delta {graph} {source} 3", "pagerank": "pagerank {graph} 20",
            "cc-fast": "cc-fast {graph}", "bc": "bc {graph} {source}"}
SUITE = """
name = "scaling"
trials = {trials}
warm-ups = 1
verify = false
weights = "1..255"
[[graph]]
name = "graph"
spec = "{spec}"
"""
ENTRY = """
[[entry]]
program = "{program}"
args = {args}
{sources}
"""


def measure(gw, spec, threads, scratch):
    """Median seconds and edges per program."""
    suite = SUITE.format(trials=3, spec=spec)
    for program, call in PROGRAMS.items():
        sources = "sources = 4" if "{source}" in call else ""
        suite += ENTRY.format(program=program, args=json.dumps(call.split()[1:]), sources=sources)
    path = os.path.join(scratch, "scaling.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(suite)
    command = [gw, "bench", path, "--schedule", "auto", "--threads", str(threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {row["program"]: (row["median_seconds"], row["graph_edges"]) for row in json.loads(done.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gw", default="target/release/gw")
    parser.add_argument("--scratch", default="/tmp")
    parser.add_argument("--kind", default="kron", help="kron or urand")
    parser.add_argument("--scales", default="16,17,18,19,20,21,22")
    parser.add_argument("--threads-on", default="20", help="scale of the graph for the table over threads")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    names = list(PROGRAMS)
    lines = [f"## Threads, `{options.kind}:{options.threads_on}`, median ms (speed-up)", "",
             "| threads | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    alone = None
    for threads in range(1, (os.cpu_count() or 1) + 1):
        rows = measure(options.gw, f"{options.kind}:{options.threads_on}", threads, options.scratch)
        alone = alone or rows
        cells = [f"{1e3 * rows[n][0]:.1f} ({alone[n][0] / rows[n][0]:.2f})" for n in names]
        lines.append(f"| {threads} | " + " | ".join(cells) + " |")
    lines += ["", f"## Sizes, `{options.kind}`, all threads, ns per stored edge", "",
              "| scale | stored edges | " + " | ".join(names) + " |", "|---|---:|" + "---:|" * len(names)]
    for scale in options.scales.split(","):
        rows = measure(options.gw, f"{options.kind}:{scale}", os.cpu_count() or 1, options.scratch)
        cells = [f"{1e9 * rows[n][0] / rows[n][1]:.2f}" for n in names]
        lines.append(f"| {scale} | {rows[names[0]][1]:,} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
