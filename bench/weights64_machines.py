"""Twenty graphs with weights of 64 bits x every program with weights, on a machine and on the reference machine.

    python bench/weights64_machines.py --gw target/release/gw --target cuda [--jobs 8]

Prints a table: cells, cells that both machines refuse in the same words, and the greatest relative error of every
program. Lengths of paths and labels must be equal; sums may differ by 1e-9. Needs Python alone. The graphs are of the
twenty kinds of `bindings/python/tests/test_real_weights.py`, drawn by Python's own generator.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

N = 48
#: How weights are drawn.
DRAWS = {
    "uniform": lambda r: r.random() + 0.01,
    "wide": lambda r: 10.0 ** r.uniform(-9, 12),
    "cents": lambda r: r.randrange(1, 100_000) / 100,
    "powers": lambda r: 2.0 ** r.randrange(-20, 20),
    "zeros": lambda r: 0.0 if r.random() < 0.25 else r.random(),
    "tenths": lambda r: r.randrange(1, 4) / 10,
    "small": lambda r: r.random() * 1e-3 + 1e-6,
    "long": lambda r: 2**53 + 1 + r.randrange(2**40),
    "negative cents": lambda r: r.randrange(-20_000, 80_000) / 100,
    "negative": lambda r: r.random() - 0.25,
}
#: Name, shape, weights, whether every edge has its reverse.
GRAPHS = [
    ("uniform", "random", "uniform", False),
    ("1e-9 to 1e12", "random", "wide", False),
    ("cents", "random", "cents", False),
    ("powers of two", "random", "powers", False),
    ("zeros", "random", "zeros", False),
    ("few edges", "sparse", "uniform", False),
    ("grid of cents", "grid", "cents", True),
    ("undirected uniform", "random", "uniform", True),
    ("undirected 1e-9 to 1e12", "random", "wide", True),
    ("undirected cents", "random", "cents", True),
    ("undirected powers of two", "random", "powers", True),
    ("loops and parallel edges", "multi", "cents", True),
    ("parts", "sparse", "uniform", True),
    ("integers beyond 2^53", "random", "long", False),
    ("undirected integers beyond 2^53", "random", "long", True),
    ("negative cents", "forward", "negative cents", False),
    ("negative uniform", "forward", "negative", False),
    ("chain of small ones", "chain", "small", True),
    ("star", "star", "uniform", True),
    ("ties of tenths", "random", "tenths", True),
]
SAME, ROUNDED = 0.0, 1e-9
#: Program: what is compared, and the greatest error.
PROGRAMS = {
    "sssp": (["dist"], SAME),
    "sssp-delta": (["dist"], SAME),
    "ppsp": (["distance"], SAME),
    "astar": (["distance"], SAME),
    "k-shortest-paths": (["length"], SAME),
    "earliest-arrival": (["arrival"], SAME),
    "temporal-reach": (["steps"], SAME),
    "bc-weighted": (["centrality", "edge_centrality"], ROUNDED),
    "maxflow": (["value"], ROUNDED),
    "msf": (["weight", "trees"], ROUNDED),
    "matching-weighted": (["weight", "pairs"], ROUNDED),
    "spmv": (["y"], ROUNDED),
    # Vectors of 32-bit floats, whose sums come in another order.
    "cf": (["rmse", "scale"], 1e-6),
    "pagerank-weighted": (["rank"], ROUNDED),
    "ppr-weighted": (["rank"], ROUNDED),
    "hits-weighted": (["hub", "authority"], ROUNDED),
    "katz-weighted": (["centrality"], ROUNDED),
    "eigenvector-weighted": (["centrality"], ROUNDED),
    "louvain": (["label", "modularity"], ROUNDED),
    "leiden": (["label", "modularity"], ROUNDED),
}
WITHOUT_ROUNDS = {"bc-weighted", "matching-weighted"}
#: Results that are one number.
NUMBERS = {"distance", "value", "weight", "trees", "pairs", "rmse", "scale", "modularity"}


def shaped(shape, r):
    """Pairs of vertices."""
    if shape == "grid":
        at = [(v, v + 1) for v in range(N) if v % 6 < 5]
        return at + [(v, v + 6) for v in range(N - 6)]
    if shape == "chain":
        return [(v - 1, v) for v in range(1, N)]
    if shape == "star":
        return [(0, v) for v in range(1, N)]
    pairs = [(r.randrange(N), r.randrange(N)) for _ in range(60 if shape == "sparse" else 260)]
    if shape == "multi":
        return pairs
    pairs = sorted({pair for pair in pairs if pair[0] != pair[1]})
    return [(min(p), max(p)) for p in pairs] if shape == "forward" else pairs


def write(folder, number):
    """The file of a graph, a source and a target far from it."""
    name, shape, draw, both = GRAPHS[number]
    r = random.Random(number)
    edges = [(u, v, DRAWS[draw](r)) for u, v in shaped(shape, r)]
    if both:
        edges += [(v, u, w) for u, v, w in edges]
    field = "integer" if draw == "long" else "real"
    lines = [f"%%MatrixMarket matrix coordinate {field} general", f"{N} {N} {len(edges)}"]
    lines += [f"{u + 1} {v + 1} {w!r}" for u, v, w in edges]
    file = folder / f"{number}.mtx"
    file.write_text("\n".join(lines) + "\n")
    out = {}
    for u, v, _ in edges:
        out.setdefault(u, []).append(v)
    source = max(out, key=lambda u: (len(set(out[u])), -u))
    hops, queue = {source: 0}, [source]
    for u in queue:
        for v in out.get(u, []):
            if v not in hops:
                hops[v] = hops[u] + 1
                queue.append(v)
    return file, source, max(hops, key=lambda v: (hops[v], -v))


def run(gw, folder, target, programs, number, file, source, sink):
    """What every program gives on a graph, all in one process: the compared results, or a text where it fails."""
    command = [gw, "run", ",".join(programs), str(file), "--target", target, "--json"]
    given = {
        "source": (source, {"sssp", "sssp-delta", "ppsp", "astar", "k-shortest-paths", "earliest-arrival", "temporal-reach",
                            "maxflow", "ppr-weighted"}),
        "to": (sink, {"ppsp", "astar", "k-shortest-paths"}),
        "sink": (sink, {"maxflow"}),
        "count": (6, {"k-shortest-paths"}),
        "rounds": (20, {name for name in PROGRAMS if name == "cf" or name.endswith("-weighted")} - WITHOUT_ROUNDS),
        "tolerance": (1e-300, {name for name in PROGRAMS if name.endswith("-weighted")} - WITHOUT_ROUNDS),
    }
    for name, (value, takers) in given.items():
        if takers & set(programs):
            command += [f"--{name}", str(value)]
    outs = {}
    for program in programs:
        for name in PROGRAMS[program][0]:
            if name not in NUMBERS:
                outs[program, name] = folder / f"{program}-{number}-{target}-{name}.txt"
                command += ["--out", f"{program}.{name}={outs[program, name]}"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        reports = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}") from None
    found = {}
    for program, report in zip(programs, reports if isinstance(reports, list) else [reports]):
        assert report["program"] == program, report
        if "error" in report:
            found[program] = json.dumps(report["error"])
            continue
        assert report["target"] == target, (report["target"], command)
        values = [report["results"][name] for name in PROGRAMS[program][0] if name in NUMBERS]
        for name in PROGRAMS[program][0]:
            if name not in NUMBERS:
                words = outs[program, name].read_text().split()
                values += [int(word) if word.lstrip("-").isdigit() else float(word) for word in words]
        found[program] = values
    return found


def error(program, found, right):
    """The greatest difference, in parts of the greatest entry where sums are compared."""
    if len(found) != len(right):
        return math.inf
    if PROGRAMS[program][1] == SAME:
        return 0.0 if found == right else math.inf
    size = max((abs(x) for x in right if not math.isinf(x)), default=0) or 1
    return max((0.0 if a == b else abs(a - b) / size for a, b in zip(found, right)), default=0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gw", default="gw")
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--graphs", type=int, default=len(GRAPHS), help="only the first ones")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no run after this time")
    args = parser.parse_args()
    start, wrong, programs = time.time(), 0, args.programs.split(",")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        files = [write(Path(folder), number) for number in range(args.graphs)]

        def of(cell):
            target, number = cell
            if time.time() - start > args.seconds:
                return None
            return run(args.gw, Path(folder), target, programs, number, *files[number])

        cells = [(target, number) for number in range(args.graphs) for target in (args.target, "reference")]
        answers = dict(zip(cells, pool.map(of, cells)))
    done = [n for n in range(args.graphs) if answers["reference", n] and answers[args.target, n]]
    print(f"{len(done)} graphs\n")
    print("| program | cells | refused by both | greatest error | allowed |\n|---|---|---|---|---|")
    total = refused = 0
    worst = 0.0
    for program in programs:
        errors, same, most = [], 0, PROGRAMS[program][1]
        for number in done:
            right, found = answers["reference", number][program], answers[args.target, number][program]
            if isinstance(right, str) and right == found:
                same += 1
                continue
            fails = isinstance(right, str) or isinstance(found, str)
            errors.append(math.inf if fails else error(program, found, right))
            if errors[-1] > most:
                wrong += 1
                print(f"{program} on {GRAPHS[number][0]}: {errors[-1]}\n{right}\n{found}", file=sys.stderr)
        worst, total, refused = max([worst, *errors]), total + len(errors), refused + same
        print(f"| `{program}` | {len(errors)} | {same} | {max(errors, default=0):.1e} | {most:.0e} |", flush=True)
    print(f"| all | {total} | {refused} | {worst:.1e} | |")
    print(f"{wrong} wrong, {time.time() - start:.1f} s", file=sys.stderr)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
