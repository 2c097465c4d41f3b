#!/usr/bin/env python3
"""How the CPU machine scales: over numbers of threads, and over sizes of graphs with all threads.

    bench/cpu-scaling.py --gw target/release/gw -o bench/cpu-scaling.md

Three tables: the programs that people run most on large graphs, all standard programs on small ones, and the cost per
stored edge of Kronecker graphs of rising scale. Every graph is made once, as a file, and each `gw bench` runs all
programs of a table on it. Behind the tables stand the cells in which more threads took longer than fewer. What does not
fit into `--budget` seconds (six minutes, meant for 16 cores) is left out, with a word.

Time per edge is the median time of a run over the stored edges, so it is low where a search leaves most edges out.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Program: arguments. Buckets of shortest paths get their width from the rule, whatever is given here.
MOST_RUN = {
    "bfs": "{graph} {source}",
    "sssp-delta": "{graph} {source} 1",
    "pagerank": "{graph} 5 0",
    "cc-fast": "{graph}",
    "bc": "{graph} {source}",
}
ALL = {
    **MOST_RUN,
    "astar": "{graph} {source} 1 2 64",
    "bfs-levels": "{graph} {source}",
    "cc": "{graph}",
    "cf": "{graph} 2",
    "closeness": "{graph} 4",
    "coloring": "{graph}",
    "eigenvector": "{graph} 5",
    "kcore": "{graph}",
    "kcore-unordered": "{graph}",
    "mis": "{graph}",
    "pagerank-delta": "{graph} 0.0001",
    "pagerank-div": "{graph} 5 0",
    "pagerank-gs": "{graph} 0.0001",
    "ppsp": "{graph} {source} 1 64",
    "setcover": "{graph}",
    "spmv": "{graph}",
    "sssp": "{graph} {source}",
    "sssp-real": "{graph} {source}",
    "tc": "{graph}",
}
LARGE_GRAPHS = ["kron:21", "urand:21", "road:3000x3000"]
SMALL_GRAPHS = ["kron:16", "urand:16", "road:250x250"]
# On a grid the numbers of shortest paths exceed what a double holds.
LEFT_OUT = {("road", "bc")}
SUITE = """
name = "scaling"
trials = {trials}
warm-ups = 1
verify = false
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
# More threads may take this much longer than fewer before it is called slower: runs differ by as much.
NOISE = 1.1


class Lab:
    """Runs `gw` until the time is spent."""

    def __init__(self, options, scratch):
        self.gw, self.scratch, self.trials = options.gw, pathlib.Path(scratch), options.trials
        self.end = time.monotonic() + options.budget
        self.left_out = []

    def graph(self, spec):
        """A file with the graph, weights included; None when the time is spent."""
        path = self.scratch / (spec.replace(":", "-") + ".gwg")
        if not path.exists() and not self.run("graph", "generate", f"{spec}:weights=1..255", "-o", str(path)):
            return None
        return path

    def run(self, *arguments):
        """The finished command; None when it failed or the time is spent."""
        left = self.end - time.monotonic()
        if left <= 0:
            return None
        try:
            done = subprocess.run([self.gw, *arguments], capture_output=True, text=True, timeout=left)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            print(" ".join(arguments), done.stderr.strip()[-300:], sep="\n", file=sys.stderr)
        return None if done.returncode else done

    def measure(self, spec, programs, threads):
        """Seconds and edges by program; empty when the time is spent."""
        path = self.graph(spec)
        text = SUITE.format(trials=self.trials, spec=path)
        for program, call in programs.items():
            if (spec.split(":")[0], program) not in LEFT_OUT:
                sources = "sources = 2" if "{source}" in call else ""
                text += ENTRY.format(program=program, args=json.dumps(call.split()), sources=sources)
        suite = self.scratch / "scaling.toml"
        suite.write_text(text)
        command = ["bench", str(suite), "--target", "cpu", "--schedule", "auto", "--threads", str(threads), "--json"]
        done = path and self.run(*command)
        if not done:
            self.left_out.append(f"`{spec}` with {threads} threads")
            return {}
        rows = [row for row in json.loads(done.stdout) if row["seconds"]]
        return {row["program"]: (row["median_seconds"], row["graph_edges"]) for row in rows}


def thread_table(lab, spec, programs, numbers, slower):
    """Median ms and speed-up over one thread, a row per program; cells that got slower are noted."""
    by_threads = {threads: lab.measure(spec, programs, threads) for threads in numbers}
    lines = ["", f"### `{spec}`", "", f"| threads: | {' | '.join(str(n) for n in numbers)} |",
             "|---|" + "---:|" * len(numbers)]
    for program in programs:
        times = {n: rows[program][0] for n, rows in by_threads.items() if program in rows}
        if not times:
            continue
        first = times[min(times)]
        cells = [f"{1e3 * times[n]:.2f} ({first / times[n]:.2f})" if n in times else "" for n in numbers]
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
        for n in times:
            best = min((times[fewer], fewer) for fewer in times if fewer <= n)
            if times[n] > NOISE * best[0]:
                slower.append(f"{program} on `{spec}`: {1e3 * times[n]:.2f} ms with {n} threads, "
                              f"{1e3 * best[0]:.2f} with {best[1]}")
    return lines


def size_table(lab, scales, threads):
    """ns per stored edge, a row per scale."""
    names = list(MOST_RUN)
    lines = ["", f"## Sizes: `kron`, {threads} threads, ns per stored edge", "",
             "| scale | stored edges | " + " | ".join(names) + " |", "|---|---:|" + "---:|" * len(names)]
    for scale in scales:
        rows = lab.measure(f"kron:{scale}", MOST_RUN, threads)
        if rows:
            edges = max(count for _, count in rows.values())
            cells = [f"{1e9 * rows[n][0] / edges:.2f}" if n in rows else "" for n in names]
            lines.append(f"| {scale} | {edges:,} | " + " | ".join(cells) + " |")
        (lab.scratch / f"kron-{scale}.gwg").unlink(missing_ok=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = os.cpu_count() or 1
    usual = ",".join(str(n) for n in (1, 2, 4, 8, 16) if n <= cores)
    parser.add_argument("--gw", default="target/release/gw", help="the gw binary")
    parser.add_argument("--threads", default=usual, help="numbers of threads, with commas between")
    parser.add_argument("--large", default=",".join(LARGE_GRAPHS), help="graphs for the programs that are run most")
    parser.add_argument("--small", default=",".join(SMALL_GRAPHS), help="graphs for all programs")
    parser.add_argument("--scales", default="16,18,20,22,24", help="scales of the Kronecker graphs")
    parser.add_argument("--trials", type=int, default=2, help="runs per cell, or per source")
    parser.add_argument("--budget", type=float, default=360, help="seconds for the whole")
    parser.add_argument("--scratch", help="folder for the graph files (by default a temporary one)")
    parser.add_argument("-o", "--output", help="write the tables to this file as well")
    options = parser.parse_args()
    numbers = [int(n) for n in options.threads.split(",")]
    split = lambda text: [part for part in text.split(",") if part]
    slower, lines = [], []
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        lab = Lab(options, scratch)
        lines += ["## Threads: median ms (speed-up)"]
        for spec in split(options.large):
            lines += thread_table(lab, spec, MOST_RUN, numbers, slower)
        lines += ["", "## Threads: all programs, small graphs"]
        for spec in split(options.small):
            lines += thread_table(lab, spec, ALL, numbers, slower)
        lines += size_table(lab, split(options.scales), max(numbers))
    lines += ["", "## Slower with more threads", ""]
    lines += [f"- {cell}" for cell in slower] or ["Nothing."]
    if lab.left_out:
        lines += ["", f"The time was up before: {'; '.join(lab.left_out)}."]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        pathlib.Path(options.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
