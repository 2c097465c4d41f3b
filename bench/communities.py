"""Communities beside igraph, leidenalg and NetworKit: modularity on real graphs, and processor time.

    python bench/communities.py quality --gw GW --graphs FOLDER [--count 60] [--seeds 3] [--only NAME ...] [--peers FILE]
    python bench/communities.py speed --gw GW --graphs FOLDER [--turns 3] [--threads 2]

`quality` takes `--count` graphs of FOLDER/INDEX.tsv, spread evenly over its classes, as undirected graphs without weights, and compares
the mean modularity of seeds 1, 2, ... with the mean of as many runs of each peer. What peers reached is kept in `--peers FILE`, so that they
run once. `speed` runs gw and the peers by turns and tells the least processor time of each, for graphs with 100,000 edges or more; of gw
that of the process less that of a program that does nothing with the graph.
Needs igraph, leidenalg, networkit, numpy and zstandard.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import random
import resource
import subprocess
import tempfile
import time

import igraph
import leidenalg
import networkit
import numpy as np
import zstandard

#: Graphs with more edges take peers minutes.
MOST_EDGES = 4_000_000


class Graph:
    """An undirected simple graph: arrays of its edges, and a file for gw."""

    def __init__(self, folder, row, scratch):
        path = os.path.join(folder, row["file"])
        data = open(path, "rb").read()
        if path.endswith(".gz"):
            data = gzip.decompress(data)
        elif path.endswith(".zst"):
            data = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(data, max_output_size=1 << 31)
        lines = data.split(b"\n")
        at = next(i for i, line in enumerate(lines) if not line.startswith(b"%"))
        self.name, self.n = row["name"], int(lines[at].split()[0])
        ends = [line.split()[:2] for line in lines[at + 1:] if line.strip()]
        ends = np.array(ends, dtype=np.int64).reshape(-1, 2) - 1
        ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
        self.ends = ends
        self.file = os.path.join(scratch, self.name + ".mtx")
        if not os.path.exists(self.file):
            with open(self.file + ".part", "w") as out:
                out.write(f"%%MatrixMarket matrix coordinate pattern symmetric\n{self.n} {self.n} {len(ends)}\n")
                np.savetxt(out, ends[:, ::-1] + 1, fmt="%d")
            os.rename(self.file + ".part", self.file)
        self._igraph = self._networkit = None

    def igraph(self):
        if self._igraph is None:
            self._igraph = igraph.Graph(n=self.n, edges=self.ends)
        return self._igraph

    def networkit(self):
        if self._networkit is None:
            graph = networkit.Graph(self.n)
            graph.addEdges((np.ascontiguousarray(self.ends[:, 0]).astype(np.uint64), np.ascontiguousarray(self.ends[:, 1]).astype(np.uint64)))
            self._networkit = graph
        return self._networkit


def igraph_seeded(seed, call):
    random.seed(seed)
    igraph.set_random_number_generator(random)
    return call()


def networkit_run(graph, seed, make):
    networkit.setSeed(seed, True)
    method = make(graph.networkit())
    method.run()
    return networkit.community.Modularity().getQuality(method.getPartition(), graph.networkit())


#: Program of gw, peer, and a run with a seed that gives the modularity.
PEERS = [
    ("louvain", "igraph multilevel", lambda g, seed: igraph_seeded(seed, lambda: g.igraph().community_multilevel().modularity)),
    ("louvain", "NetworKit PLM", lambda g, seed: networkit_run(g, seed, lambda graph: networkit.community.PLM(graph, True))),
    ("leiden", "igraph Leiden", lambda g, seed: igraph_seeded(seed, lambda: g.igraph().community_leiden(
        objective_function="modularity", n_iterations=2).modularity)),
    ("leiden", "leidenalg", lambda g, seed: leidenalg.find_partition(
        g.igraph(), leidenalg.ModularityVertexPartition, n_iterations=2, seed=seed).modularity),
    ("leiden", "NetworKit Leiden", lambda g, seed: networkit_run(g, seed, lambda graph: networkit.community.ParallelLeiden(graph))),
]


def chosen(folder, count):
    rows = list(csv.DictReader(open(os.path.join(folder, "INDEX.tsv")), delimiter="\t"))
    rows = [r for r in rows if 1000 <= int(r["edges"]) <= MOST_EDGES]
    rows.sort(key=lambda r: (r["class"], r["name"]))
    return [rows[i * len(rows) // count] for i in range(min(count, len(rows)))]


def peers_of(graph, seeds):
    found = {}
    for _, name, run in PEERS:
        start, cpu = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        found[name] = [run(graph, seed) for seed in seeds]
        after = resource.getrusage(resource.RUSAGE_SELF)
        used = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
        found[name + " s"] = [(time.perf_counter() - start) / len(found[name]), used / len(found[name])]
    return found


def quality(args):
    """A line per graph and program, and at the end the mean of the ratios and the graphs below."""
    known = json.load(open(args.peers)) if os.path.exists(args.peers) else {}
    ratios = {}
    for row in chosen(args.graphs, args.count):
        if args.only and row["name"] not in args.only:
            continue
        graph, name = None, row["name"]
        path = os.path.join(args.scratch, name + ".mtx")
        if name not in known or not os.path.exists(path):
            graph = Graph(args.graphs, row, args.scratch)
        if name not in known:
            known[name] = {"n": graph.n, "m": len(graph.ends), **peers_of(graph, range(1, args.seeds + 1))}
            with open(args.peers, "w") as out:
                json.dump(known, out, indent=1)
        for program in ("louvain", "leiden"):
            found = [gw_run(args, program, path, seed) for seed in range(1, args.seeds + 1)]
            mean = float(np.mean([run["results"]["modularity"] for run in found]))
            line = f"| {name} | {known[name]['m']} | `{program}` | {mean:.4f} |"
            for of, peer, _ in PEERS:
                theirs = float(np.mean(known[name][peer]))
                if of == program:
                    line += f" {theirs:.4f} |"
                    if theirs > 0.01:
                        ratios.setdefault((program, peer), []).append((mean / theirs, name))
            print(line, flush=True)
    for (program, peer), found in ratios.items():
        values = [ratio for ratio, _ in found]
        below = sorted(entry for entry in found if entry[0] < 0.999)
        print(f"| `{program}` | {peer} | {len(found)} | {np.exp(np.mean(np.log(values))):.4f} | {min(found)[0]:.4f} ({min(found)[1]}) |"
              f" {len(below)} |")


def speed(args):
    """Seconds of processor time by turns, least of all turns; of gw less those of a program that does nothing."""
    nothing = os.path.join(args.scratch, "nothing.gt")
    with open(nothing, "w") as out:
        out.write("element Vertex end\nelement Edge end\nconst edges : edgeset{Edge}(Vertex,Vertex) = load(argv[1]);\nfunc main()\nend\n")
    for row in chosen(args.graphs, args.count):
        if args.only and row["name"] not in args.only or not args.only and int(row["edges"]) < 100_000:
            continue
        graph = Graph(args.graphs, row, args.scratch)
        graph.igraph(), graph.networkit()
        least = {}
        for _ in range(args.turns):
            empty = processor(resource.RUSAGE_CHILDREN, lambda: gw_run(args, nothing, graph.file, None))
            for program in ("louvain", "leiden"):
                used = processor(resource.RUSAGE_CHILDREN, lambda: gw_run(args, program, graph.file, 1)) - empty
                least[program] = min(least.get(program, used), used)
            for _, peer, run in PEERS:
                used = processor(resource.RUSAGE_SELF, lambda: run(graph, 1))
                least[peer] = min(least.get(peer, used), used)
        print(f"| {graph.name} | {len(graph.ends)} | " + " | ".join(f"{least[k]:.3f}" for k in least) + " |", flush=True)


def processor(whose, call):
    before = resource.getrusage(whose)
    call()
    after = resource.getrusage(whose)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def gw_run(args, program, file, seed):
    command = [args.gw, "run", os.path.join(args.programs, program + ".gt") if args.programs and seed else program, file]
    if seed:
        command += [str(seed), "1"] if args.programs else ["--program-seed", str(seed)]
    found = subprocess.run([*command, "--json", "--threads", str(args.threads)], check=True, capture_output=True, text=True)
    return json.loads(found.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["quality", "speed"])
    parser.add_argument("--gw", required=True)
    parser.add_argument("--graphs", required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peers", default="peers.json")
    parser.add_argument("--scratch", default=None)
    parser.add_argument("--programs", default=None, help="a folder with louvain.gt and leiden.gt of another version")
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    args.scratch = args.scratch or tempfile.mkdtemp()
    networkit.setNumberOfThreads(args.threads)
    {"quality": quality, "speed": speed}[args.what](args)


main()
