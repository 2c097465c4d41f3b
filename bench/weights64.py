"""Times of shortest paths with weights of 64 bits beside those of 32 bits: `gw bench` of one graph after the other, by
turns, several times. Prints a table: medians of all rounds, and the ratios.

    python bench/weights64.py --gw target/release/gw-tools [--target cuda] [--rounds 5] [--graph NAME=FILE=DELTA ...]
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

KINDS = ("int", "int64", "float", "double")
WEIGHTS = {"int": "1..255", "int64": "1..255", "float": "1.0..255.0", "double": "1.0..255.0"}
SUITE = Path(__file__).parent / "suites/weights64.toml"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gw", default="gw", help="the command whose `bench` is used")
    parser.add_argument("--target", help="the machine, passed on")
    parser.add_argument("--rounds", type=int, default=5, help="how often every cell is measured")
    parser.add_argument("--graphs", default="kron18,kron20,road", help="graphs of the suite")
    parser.add_argument("--graph", action="append", default=[], metavar="NAME=FILE=DELTA", help="a further graph")
    parser.add_argument("--threads", help="passed on")
    return parser.parse_args()


def measure(args, name, file, delta):
    """Program and seconds of both programs on one graph: medians over the runs of one command."""
    command = [args.gw, "bench", str(SUITE), "--graphs", name, "--json"]
    command += ["--graph", f"{name}={file}", "--set", f"delta={delta}"] if file else []
    command += ["--target", args.target] if args.target else []
    command += ["--threads", args.threads] if args.threads else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return [(row["program"], row["median_seconds"]) for row in json.loads(done.stdout)]


def main():
    args = arguments()
    cells = [(name, kind, None, None) for name in args.graphs.split(",") if name for kind in KINDS]
    for given in args.graph:
        name, file, delta = given.split("=")
        cells += [(name, kind, f"{file}:weights={WEIGHTS[kind]}:as={kind}", delta) for kind in KINDS]
    times: dict = {}
    for round in range(args.rounds):
        for name, kind, file, delta in cells[round % len(KINDS):] + cells[: round % len(KINDS)]:
            for program, seconds in measure(args, f"{name}-{kind}", file, delta):
                times.setdefault((name, program, kind), []).append(seconds)
            print(f"round {round + 1}: {name}-{kind}", file=sys.stderr, flush=True)
    print("| graph | program | int | int64 | ratio | float | double | ratio |\n|---|---|---|---|---|---|---|---|")
    for name, program in dict.fromkeys((name, program) for name, program, _ in times):
        of = {kind: statistics.median(times[name, program, kind]) * 1e3 for kind in KINDS}
        print(
            f"| {name} | `{program}` | {of['int']:.1f} | {of['int64']:.1f} | {of['int64'] / of['int']:.2f} "
            f"| {of['float']:.1f} | {of['double']:.1f} | {of['double'] / of['float']:.2f} |"
        )


if __name__ == "__main__":
    main()
