#!/usr/bin/env python3
"""Updates against runs from scratch: seconds per batch of `gw stream`, with and without --incremental.

    bench/incremental.py GW GRAPH [PROGRAM...]

GRAPH is a spec such as kron:18; its edges are taken as undirected. Half of every batch deletes edges that are there,
the other half inserts edges between ends of edges, so that hubs are hit as often as edges are.
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = ["cc", "bfs-levels 0", "sssp 0", "pagerank-delta", "tc", "kcore", "ktruss"]
BATCHES = [1, 1000, 100_000]
TRIES = 7


def gw(*args):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, args))}\n{done.stderr}")
    return done.stdout


def changes(edges, count, rng, weighted):
    """Lines that delete and insert."""
    for _ in range(count):
        a, b = rng.choice(edges)
        if rng.random() < 0.5:
            yield f"- {a} {b}"
        else:
            b = rng.choice(edges)[1]
            yield f"{a} {b} {rng.randrange(1, 100)}" if weighted else f"{a} {b}"


def main():
    binary, spec, programs = sys.argv[1], sys.argv[2], sys.argv[3:] or PROGRAMS
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = {}
        for weighted in (False, True):
            text = folder / f"edges-{weighted}.{'wel' if weighted else 'el'}"
            graph = folder / f"graph-{weighted}.gwg"
            full = f"{spec}:weights=1..100" if weighted else spec
            gw(binary, "graph", "convert", full, graph)
            gw(binary, "graph", "convert", full, text)
            edges = [tuple(map(int, line.split()[:2])) for line in text.open() if line[0].isdigit()]
            files[weighted] = (graph, rng.sample(edges, min(len(edges), 1_000_000)))
        print("| program | batch | from scratch | updated | ratio | from scratch again |")
        print("|---|---:|---:|---:|---:|---:|")
        for words in programs:
            name, *args = words.split()
            graph, edges = files[name == "sssp"]
            for size in BATCHES:
                updates = folder / "updates.txt"
                updates.write_text("\n".join(changes(edges, size * (TRIES + 1), rng, name == "sssp")) + "\n")
                times = {}
                for mode in ([], ["--incremental"]):
                    command = [binary, "stream", name, graph, updates, *args, "--undirected", "--batch", size, "--json"]
                    lines = [json.loads(line) for line in gw(*command, *mode).splitlines()]
                    # The first batch runs the program in both modes.
                    lines = [line for line in lines if line["changes"] == size][1:]
                    times[bool(mode)] = statistics.median(line["run_seconds"] for line in lines)
                    again = sum(line.get("how") == "again" for line in lines)
                scratch, updated = times[False] * 1e3, times[True] * 1e3
                print(f"| {name} | {size:,} | {scratch:.1f} ms | {updated:.2f} ms | {scratch / updated:.1f} "
                      f"| {again} of {len(lines)} |", flush=True)


main()
