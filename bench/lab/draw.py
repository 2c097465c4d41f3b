#!/usr/bin/env python3
"""Draws graphs at random, as NAME=SPEC lines for `gw lab add graphs`: kind, size and shape by a seed, sizes log-uniform.

Usage: draw.py COUNT LEAST_EDGES MOST_EDGES SEED [KIND,...]
With kinds, only those are drawn, in turn, and names begin with `more-`: a second list for kinds that the first has few of.
"""
import random
import sys

count, least, most, seed = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)


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
prefix, first = "", 1
if len(sys.argv) > 5:
    known = {kind.__name__: kind for kind in kinds}
    kinds = [known[name] for name in sys.argv[5].split(",")]
    prefix, first = "more-", 1001
for number in range(count):
    kind = kinds[number % len(kinds)]
    spec = kind(log_uniform(least, most))
    print(f"{prefix}{kind.__name__}-{number:02}={spec}:seed={number + first}")
