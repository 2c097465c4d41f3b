#!/usr/bin/env python3
"""Times Graphwright against other graph systems on the CPU, on the same graph files, cell by cell.

A peer is a program `PEERS/bin/SYSTEM-ALGORITHM[-VARIANT] GRAPH SOURCES [DELTA]` that runs one trial per entry of
the comma-separated SOURCES and prints `trial SECONDS CHECK` for each: the time of the algorithm alone and a short
summary of the answer (vertices reached, components, triangles...), by which answers are compared.
Variants are the schedules a system offers; `--tune` tries them all, with several deltas for shortest paths,
and stores the best of each cell in PEERS/tuning.tsv, which later runs use.

The graphs folder holds per graph NAME.sg and NAME.wsg (weighted) for the peers, NAME.gwg and NAME.w.gwg for
Graphwright, and NAME.sources.txt with one source per line.

    bench/cpu-peers.py --peers DIR --gw target/release/gw --graphs DIR --tune
    bench/cpu-peers.py --peers DIR --gw target/release/gw --graphs DIR -o table.tsv
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# How Graphwright is called, and the suite that tells it what to run.
GW_BENCH = "{gw} bench {suite} --target cpu --threads {threads} --schedule auto --json"
GW_SUITE = """
name = "peers"
trials = {trials}
warm-ups = {warm_ups}
verify = {verify}
[[graph]]
name = "graph"
spec = "{spec}"
sources = [{sources}]
[[entry]]
program = "{program}"
args = {args}
{count}
"""
# algorithm: (program, arguments behind the graph, weighted?, trials)
ALGORITHMS = {
    "bfs": ("bfs", "{source}", False, 8),
    "sssp": ("sssp-delta", "{source} {delta}", True, 8),
    "pr": ("pagerank", "20", False, 4),
    "cc": ("cc-fast", "", False, 8),
    "bc": ("bc", "{source}", False, 4),
    "tc": ("tc", "", False, 3),
}
GRAPHS = ["kron20", "urand20", "road1000", "uk2007", "india"]
# On a grid the numbers of shortest paths exceed what a double holds: no system's betweenness means anything there.
LEFT_OUT = {("road1000", "bc")}
SYSTEMS = ["gw", "gapbs", "ligra", "graphit", "graph", "petgraph"]
# Deltas tried for shortest paths with weights 1..255: few long steps suit graphs of great diameter.
DELTAS = {"dense": [2, 4, 8, 16, 32], "sparse": [128, 256, 512, 1024, 2048]}
WITHOUT_DELTA = ("petgraph-sssp", "ligra-sssp-bf")
TUNING_TRIALS = 2
TUNING_COLUMNS = ["graph", "algorithm", "system", "variant", "delta"]
COLUMNS = ["graph", "algorithm", "system", "median_ms", "min_ms", "max_ms", "trials", "variant", "delta", "check"]


class Cell:
    """One graph and algorithm: the files, the sources and how often to run."""

    def __init__(self, options, graph, algorithm):
        self.options, self.graph, self.algorithm = options, graph, algorithm
        self.program, self.args, self.weighted, self.trials = ALGORITHMS[algorithm]
        base = pathlib.Path(options.graphs) / graph
        self.peer_file = f"{base}.wsg" if self.weighted else f"{base}.sg"
        self.gw_file = f"{base}.w.gwg" if self.weighted else f"{base}.gwg"
        self.sources = pathlib.Path(f"{base}.sources.txt").read_text().split()
        if options.tune:
            self.sources = self.sources[:1]

    def deltas(self):
        """The deltas worth trying, by the mean degree of the graph."""
        if self.algorithm != "sssp":
            return [""]
        with open(self.peer_file, "rb") as file:
            head = file.read(17)
        arcs, vertices = (int.from_bytes(head[i : i + 8], "little") for i in (1, 9))
        return DELTAS["dense" if arcs > 6 * vertices else "sparse"]

    def plan(self, trials):
        """The sources of the trials, the first of them twice: the first trial only warms up."""
        chosen = [self.sources[i % len(self.sources)] for i in range(trials)]
        return [chosen[0]] + chosen


class Result:
    """Times of the counted trials in ms, and what the system said of its answers."""

    def __init__(self, trials, complaint=""):
        self.times = [seconds * 1000 for seconds, _ in trials]
        self.checks = [check for _, check in trials]
        self.complaint = complaint

    @property
    def median(self):
        return statistics.median(self.times) if self.times else math.inf


def run_command(command, seconds, environment=None):
    """Output of a command, and a word of complaint if it failed or was cut off."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
        return done.stdout, "" if done.returncode == 0 else f"failed ({done.returncode}) {done.stderr.strip()[-200:]}"
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(), "timeout"


def run_peer(cell, variant, delta, trials):
    """All trials of a peer in one process."""
    options, threads = cell.options, str(cell.options.threads)
    environment = dict(os.environ, OMP_NUM_THREADS=threads, RAYON_NUM_THREADS=threads)
    binary = pathlib.Path(options.peers) / "bin" / variant
    command = [str(binary), cell.peer_file, ",".join(cell.plan(trials)), str(delta or 1)]
    output, complaint = run_command(command, options.timeout, environment)
    lines = [line.split() for line in output.splitlines() if line.startswith("trial ")]
    done = [(float(line[1]), line[2]) for line in lines if len(line) > 2]
    # A run cut off after one trial has nothing but its warm-up to show: better than nothing.
    return Result(done[1:] or done, complaint)


def run_graphwright(cell, _variant, delta, trials):
    """All trials in one `gw bench`, by a suite made for the cell.

    The peers make and fill their arrays within the measured time, and so does Graphwright."""
    options, values = cell.options, {"source": "{source}", "delta": delta or 1}
    starts = "{source}" in cell.args
    program = fixed_rounds(options) if cell.algorithm == "pr" else cell.program
    arguments = ["{graph}"] + cell.args.format(**values).split()
    suite = pathlib.Path(options.scratch) / "suite.toml"
    def bench(verify):
        """Checking an answer empties the caches, which peers have warm: checked runs are apart from timed ones."""
        suite.write_text(GW_SUITE.format(
            program=program, args=json.dumps(arguments), spec=os.path.abspath(cell.gw_file),
            sources=", ".join(cell.plan(trials)[1:]), count=f"sources = {trials}" if starts else "",
            trials=1 if starts or verify else trials, verify=str(verify).lower(),
            # Kernels are compiled when a run first needs them: every source is run once before.
            warm_ups=trials if starts else 1))
        command = GW_BENCH.format(gw=options.gw, suite=suite, threads=options.threads).split()
        output, complaint = run_command(command, 4 * options.timeout)
        return (json.loads(output)[0] if output.strip() else None), complaint

    timed, complaint = bench(verify=False)
    if timed is None:
        return Result([], complaint)
    checked = timed if options.tune else bench(verify=True)[0] or timed
    answer = "WRONG" if checked["problem"] else "verified" if checked["verified"] else "-"
    return Result([(seconds, answer) for seconds in timed["seconds"]],
                  checked["problem"] or timed["error"] or complaint)


def fixed_rounds(options):
    """PageRank without its early stop, so that all systems do the same 20 rounds."""
    path = pathlib.Path(options.scratch) / "pagerank20.gt"
    if not path.exists():
        text = (pathlib.Path(__file__).resolve().parent.parent / "programs" / "pagerank.gt").read_text()
        stop = " and change >= 0.0001"
        if stop not in text:
            sys.exit("programs/pagerank.gt has another early stop than this script expects")
        path.write_text(text.replace(stop, ""))
    return path


def run_system(cell, system, variant, delta, trials):
    """One system in one cell."""
    return (run_graphwright if system == "gw" else run_peer)(cell, variant, delta, trials)


def variants_of(options, system, algorithm):
    """The programs of a system for an algorithm: the plain one and its variants."""
    if system == "gw":
        return ["gw"]
    names = sorted(path.name for path in (pathlib.Path(options.peers) / "bin").glob(f"{system}-{algorithm}*"))
    plain = f"{system}-{algorithm}"
    return [name for name in names if name == plain or name.startswith(plain + "-")]


def read_tuning(path):
    """The stored choices: (graph, algorithm, system) to (variant, delta)."""
    chosen = {}
    if path.exists():
        for line in path.read_text().splitlines()[1:]:
            graph, algorithm, system, variant, delta = line.split("\t")
            chosen[graph, algorithm, system] = (variant, delta)
    return chosen


def tune(cells, systems, path):
    """Tries all variants and deltas of every cell from one source and stores the fastest."""
    chosen = read_tuning(path)
    for cell in cells:
        for system in systems:
            best = (math.inf, "", "")
            candidates = [(variant, delta) for variant in variants_of(cell.options, system, cell.algorithm)
                          for delta in (cell.deltas()[:1] if variant.startswith(WITHOUT_DELTA) else cell.deltas())]
            for variant, delta in candidates if len(candidates) > 1 else []:
                result = run_system(cell, system, variant, delta, TUNING_TRIALS)
                fastest = min(result.times, default=math.inf)
                print(f"{cell.graph} {cell.algorithm} {variant} {delta}: {fastest:.1f} ms {result.complaint}", flush=True)
                best = min(best, (fastest, variant, str(delta)))
            if best[1]:
                chosen[cell.graph, cell.algorithm, system] = best[1:]
        rows = ["\t".join(TUNING_COLUMNS)] + ["\t".join(key + value) for key, value in sorted(chosen.items())]
        path.write_text("\n".join(rows) + "\n")


def measure(cells, systems, tuning, output):
    """Runs every cell, all its systems back to back, and writes a row per result as it comes."""
    medians = {}
    with open(output, "w") as table:
        print("\t".join(COLUMNS), file=table)
        for cell in cells:
            answers = {}
            for system in systems:
                variants = variants_of(cell.options, system, cell.algorithm)
                if not variants:
                    continue
                variant, delta = tuning.get((cell.graph, cell.algorithm, system), (variants[0], str(cell.deltas()[0])))
                result = run_system(cell, system, variant, delta, cell.trials)
                if result.complaint:
                    print(f"{cell.graph} {cell.algorithm} {system}: {result.complaint}", flush=True)
                if not result.times:
                    continue
                medians[cell.graph, cell.algorithm, system] = result.median
                answers[system] = result.checks
                row = [cell.graph, cell.algorithm, system] + [f"{x:.3f}" for x in (result.median, min(result.times), max(result.times))]
                row += [str(len(result.times)), variant, delta, result.checks[-1]]
                print("\t".join(row), file=table, flush=True)
                print("  ".join(row), flush=True)
            compare_answers(cell, answers)
    return medians


def compare_answers(cell, answers):
    """Says which peers disagree with the first one; PageRank differs by design (rounds in place or not)."""
    peers = [system for system in answers if system != "gw"]
    for system in peers[1:] if cell.algorithm != "pr" else []:
        if any(not same(a, b) for a, b in zip(answers[peers[0]], answers[system])):
            print(f"{cell.graph} {cell.algorithm}: {peers[0]} and {system} answer differently:",
                  answers[peers[0]][-1], answers[system][-1], flush=True)


def same(a, b):
    """Equal, or equal to 1 part in 1000 where answers are sums of floats."""
    return a == b or ("." in a and "." in b and math.isclose(float(a), float(b), rel_tol=1e-3))


def markdown(medians, systems):
    """The table: a row per cell, a column per system, and how Graphwright stands to the best of the others."""
    lines = [f"| graph | algorithm | {' | '.join(systems)} | best peer | best peer / gw |",
             "|---|---|" + "---:|" * len(systems) + "---|---:|"]
    ratios = []
    for graph, algorithm in dict.fromkeys((graph, algorithm) for graph, algorithm, _ in medians):
        row = {system: medians.get((graph, algorithm, system)) for system in systems}
        peers = [(time, system) for system, time in row.items() if time is not None and system != "gw"]
        best, ratio = min(peers)[1] if peers else "", ""
        if peers and row.get("gw"):
            ratios.append(min(peers)[0] / row["gw"])
            ratio = f"{ratios[-1]:.2f}"
        times = " | ".join("" if row[system] is None else f"{row[system]:.2f}" for system in systems)
        lines.append(f"| {graph} | {algorithm} | {times} | {best} | {ratio} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(f"\nTimes in ms, median. Geometric mean of best peer / gw over {len(ratios)} cells: {mean:.3f} "
                     f"(gw is the fastest in {sum(ratio >= 1 for ratio in ratios)}).")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    environment = os.environ.get
    parser.add_argument("--peers", default=environment("GW_PEERS"), help="folder with bin/ and tuning.tsv")
    parser.add_argument("--gw", default=environment("GW", "target/release/gw"), help="the gw binary")
    parser.add_argument("--graphs", default=environment("GW_GRAPHS"), help="folder of the graph files")
    parser.add_argument("--only", default=",".join(ALGORITHMS), help="algorithms, with commas between")
    parser.add_argument("--on", default=",".join(GRAPHS), help="graphs, with commas between")
    parser.add_argument("--systems", default=",".join(SYSTEMS[1:]), help="peers, with commas between")
    parser.add_argument("--no-gw", action="store_true", help="leave Graphwright out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds a system may take in a cell")
    parser.add_argument("--tune", action="store_true", help="find the best variants and deltas instead of measuring")
    parser.add_argument("-o", "--output", default="cpu-peers.tsv", help="the table; the Markdown goes beside it")
    options = parser.parse_args()
    if not (options.peers and options.graphs):
        parser.error("--peers and --graphs (or GW_PEERS and GW_GRAPHS) are needed")
    systems = ([] if options.no_gw else ["gw"]) + options.systems.split(",")
    cells = [Cell(options, graph, algorithm) for graph in options.on.split(",") for algorithm in options.only.split(",")
             if (graph, algorithm) not in LEFT_OUT]
    tuning = pathlib.Path(options.peers) / "tuning.tsv"
    with tempfile.TemporaryDirectory() as options.scratch:
        if options.tune:
            return tune(cells, systems, tuning)
        medians = measure(cells, systems, read_tuning(tuning), options.output)
    text = markdown(medians, systems)
    pathlib.Path(options.output).with_suffix(".md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
