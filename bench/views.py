"""Views of edges under `filter=view` and `filter=graph`: seconds of a run, the least of several by turns, as a table.

    python bench/views.py --gw target/release/gw [--target cpu] [--threads 2] [--scale 18] [--side 1000] [--runs 5]
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "views"
SCHEDULES = {"cpu": "push,par=dynamic", "cuda": "push,lb=etwc"}


def seconds(args, program, spec, values, how):
    loop = "s1" if program == "rounds" else "s0:s1"
    command = [args.gw, "run", str(HERE / f"{program}.gt"), spec, *map(str, values), "--target", args.target, "--json"]
    command += ["--schedule", f"{loop}@{SCHEDULES[args.target]},filter={how}"]
    command += ["--threads", args.threads] if args.threads else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)["seconds"]


def source(gw, spec):
    """The vertex with the most out-edges."""
    done = subprocess.run([gw, "run", "bfs", spec], capture_output=True, text=True)
    return done.stderr.split("taken is ")[1].split(",")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gw", default="gw")
    parser.add_argument("--target", default="cpu", choices=SCHEDULES)
    parser.add_argument("--threads")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--side", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    graphs = {
        f"kron:{args.scale}": f"kron:{args.scale}:weights=1..100:as=int",
        f"road:{args.side}x{args.side}": f"road:{args.side}x{args.side}:weights=1..100:as=int",
    }
    print("| graph | program | edges chosen | view, ms | graph, ms | view/graph |\n|---|---|---|---|---|---|")
    for graph, spec in graphs.items():
        start = source(args.gw, spec)
        cells = [(program, share, [start, share]) for program in ("search", "sssp") for share in (10, 60)]
        cells += [("rounds", share, [start, share, count]) for share in (10, 60) for count in (1, 10, 100)]
        for program, share, values in cells:
            best = {"view": [], "graph": []}
            for _ in range(args.runs):
                for how, times in best.items():
                    times.append(seconds(args, program, spec, values, how) * 1e3)
            view, made = min(best["view"]), min(best["graph"])
            what = f"`{program}` {values[2]}" if program == "rounds" else f"`{program}`"
            print(f"| {graph} | {what} | {share} % | {view:.1f} | {made:.1f} | {view / made:.2f} |", flush=True)


if __name__ == "__main__":
    main()
