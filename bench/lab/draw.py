#!/usr/bin/env python3
"""Prints the graphs of a set as NAME=SPEC lines for `gw lab add graphs`: kind, size and shape drawn by the seed of the set,
sizes log-uniform. `sets.tsv` has the sets: machine, name, number of graphs, least and most edges, seed, prefix of the names,
and the kinds in turn where they are not the usual ones.

Usage: draw.py MACHINE SET
"""
import csv
import pathlib
import random
import sys

with open(pathlib.Path(__file__).parent / "sets.tsv", newline="") as table:
    rows = [row for row in csv.DictReader(table, delimiter="\t") if [row["machine"], row["set"]] == sys.argv[1:]]
if len(rows) != 1:
    sys.exit(f"{' '.join(sys.argv[1:])}: not a set of sets.tsv")
row = rows[0]
count, least, most, prefix = int(row["count"]), float(row["least"]), float(row["most"]), row["prefix"]
rng = random.Random(int(row["seed"]))


def log_uniform(low, high):
    return low * (high / low) ** rng.random()


def whole(low, high):
    return round(log_uniform(low, high))


def kron(edges):
    degree = whole(4, 48)
    return f"kron:{max(8, (int(edges / degree)).bit_length() - 1)}:{degree}"


def urand(edges):
    degree = whole(2, 32)
    return f"urand:{max(8, (int(edges / degree)).bit_length() - 1)}:{degree}"


def powerlaw(edges):
    return f"powerlaw:{max(500, int(edges / 6))}:{rng.uniform(1.9, 2.8):.2f}:min={whole(1, 4)}"


def smallworld(edges):
    degree = 2 * whole(2, 10)
    return f"smallworld:{max(500, int(edges / degree))}:{degree}:{log_uniform(0.02, 0.5):.3f}"


def regular(edges):
    degree = 2 * whole(2, 16)
    return f"regular:{max(500, int(edges / degree))}:{degree}"


def bipartite(edges):
    left = max(50, int(edges / whole(4, 60)))
    return f"bipartite:{left}:{max(50, int(left * log_uniform(0.1, 10)))}:{int(edges / 2)}"


def tree(edges):
    return f"tree:{min(2000000, max(500, int(edges / 2)))}"


# One thread walks the list of the centre under some schedules: larger ones would take most of the time.
def star(edges):
    return f"star:{min(300000, max(500, int(edges / 2)))}"


# Deep graphs take thousands of steps: they are few and of bounded size.
def road(edges):
    side = min(300, max(20, int((edges / 4) ** 0.5)))
    return f"road:{side}x{max(20, int(side * rng.uniform(0.2, 1)))}"


kinds = [kron, kron, kron, urand, urand, powerlaw, powerlaw, smallworld, regular, bipartite, tree, star, road]
first = 1
if row["kinds"]:
    known = {kind.__name__: kind for kind in kinds}
    kinds, first = [known[name] for name in row["kinds"].split(",")], 1001
for number in range(count):
    kind = kinds[number % len(kinds)]
    spec = kind(log_uniform(least, most))
    print(f"{prefix}{kind.__name__}-{number:02}={spec}:seed={number + first}")
