#!/usr/bin/env python3
"""Tables in Markdown from results of `gw bench --target cuda --out FILE`.

    bench/gpu-table.py cells.json --peers peers.tsv --verified validated.json
                                                       against the best system known for each cell
    bench/gpu-table.py ablation.json --schedules       schedules side by side, with the ratio to the first of a row

A file of peers has the columns graph, algorithm, best (milliseconds), best_system, others; lines with # are left out.
PageRank is told per round, as the peers do.
"""

import argparse
import json
import math

# What the peers call a program, where it has another name.
ALGORITHMS = {"sssp-delta": "sssp", "cc-fast": "cc"}


def milliseconds(row):
    """Median, least and greatest time of a row; of a round for PageRank."""
    by = rounds_of(row)
    return [1e3 * row[key] / by if row[key] is not None else None for key in ("median_seconds", "min_seconds", "max_seconds")]


def text(value):
    """Three digits."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.3f}"


def rounds_of(row):
    """Rounds of a PageRank run: each looks at every edge once. 1 for other programs."""
    if row["program"] != "pagerank" or not row["edges"]:
        return 1
    return max(1, round(row["edges"] / row["graph_edges"]))


def peers_table(rows, peers, verified):
    print("| graph | program | median (least..greatest) | first run | GPU's clock | verified | best peer | peer / Graphwright | schedule |")
    print("|---|---|---:|---:|---:|---|---:|---:|---|")
    ratios = []
    for row in rows:
        median, least, greatest = milliseconds(row)
        if median is None:
            continue
        first, device = row.get("first_seconds"), row.get("device_seconds")
        by = rounds_of(row)
        best = peers.get((row["graph"], ALGORITHMS.get(row["program"], row["program"])))
        ratio = best[0] / median if best and median else None
        if ratio:
            ratios.append(ratio)
        print(
            f"| {row['graph']} | {row['program']} | **{text(median)}** ({text(least)}..{text(greatest)}) "
            f"| {text(1e3 * first) if first else ''} | {text(1e3 * device / by) if device else ''} | {'yes' if (row['graph'], row['program']) in verified else 'no'} "
            f"| {f'{text(best[0])} ({best[1]})' if best else ''} | {f'{ratio:.2f}' if ratio else ''} | `{row['schedule']}` |"
        )
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of peer / Graphwright over {len(ratios)} cells: {mean:.2f}; least {min(ratios):.2f}, greatest {max(ratios):.2f}.")


def schedules_table(rows):
    print("| graph | program | schedule | median (least..greatest) | first / this |")
    print("|---|---|---|---:|---:|")
    first = {}
    for row in rows:
        median, least, greatest = milliseconds(row)
        if median is None:
            print(f"| {row['graph']} | {row['program']} | `{row['schedule']}` | {row['error'] or ''} | |")
            continue
        base = first.setdefault((row["graph"], row["program"]), median)
        print(
            f"| {row['graph']} | {row['program']} | `{row['schedule']}` | {text(median)} ({text(least)}..{text(greatest)}) "
            f"| {base / median:.2f} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--peers")
    parser.add_argument("--schedules", action="store_true")
    parser.add_argument("--verified", action="append", default=[], metavar="FILE", help="other results, of runs that were validated")
    options = parser.parse_args()
    rows = []
    for path in options.results:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)
    if options.schedules:
        schedules_table(rows)
        return
    peers = {}
    if options.peers:
        with open(options.peers, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        for graph, algorithm, best, system, *_ in lines[1:]:
            peers[graph, algorithm] = (float(best), system)
    verified = {(row["graph"], row["program"]) for row in rows if row["verified"]}
    for path in options.verified:
        with open(path, encoding="utf-8") as file:
            verified |= {(row["graph"], row["program"]) for row in json.load(file) if row["verified"]}
    peers_table(rows, peers, verified)


if __name__ == "__main__":
    main()
