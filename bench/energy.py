#!/usr/bin/env python3
"""Tables of time, power and energy of load balancers, from `mapping energy` (bench/primitives/mapping.cu).

    bench/energy.py mapping.tsv

Prints microseconds, watts and millijoules per pass for every load balancer and shape, how well energy follows time
(rank correlation per shape), and what the claims of the source need: the least energy of static and of dynamic mappings.
"""
import csv
import sys

STATIC = ("vertex-based", "vw2", "vw4", "vw8", "vw16", "vw32", "dvw4")


def ranks(values):
    """Ranks from 1; equal values share the mean of their ranks."""
    order = sorted(values)
    return [order.index(v) + (order.count(v) + 1) / 2 for v in values]


def spearman(one, other):
    """Rank correlation; None where a column is constant."""
    a, b = ranks(one), ranks(other)
    mean = (len(a) + 1) / 2
    both = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    squares = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return both / squares**0.5 if squares > 0 else None


def read(path):
    """Rows by mapping and shape: milliseconds, joules, watts, highest watts."""
    table = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["group"] == "mapping":
                numbers = [float(row[name]) for name in ("ms", "joules", "watts", "peak_watts")]
                table.setdefault(row["variant"], {})[row["input"]] = numbers
    if not table:
        sys.exit(f"{path}: no rows of the group `mapping`; make them with `mapping energy SECONDS SHAPE...`")
    return table


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = read(sys.argv[1])
    shapes = list(next(iter(table.values())))
    quantities = (("Time, us per pass", 0, 1e3), ("Power, W (mean)", 2, 1), ("Energy, mJ per pass", 1, 1e3))
    for title, place, factor in quantities:
        print(f"\n{title}\n\n| mapping | {' | '.join(shapes)} |\n|{'---|' * (len(shapes) + 1)}")
        for mapping, row in table.items():
            cells = (f"{row[s][place] * factor:.4g}" if s in row else "-" for s in shapes)
            print(f"| `{mapping}` | {' | '.join(cells)} |")
    print("\nshape: rank correlation of energy and time; of power and time; least energy of static and dynamic mappings")
    for shape in shapes:
        rows = [(m, row[shape]) for m, row in table.items() if shape in row]
        column = lambda place: [numbers[place] for _, numbers in rows]
        least = lambda wanted: min(((n[1] * 1e3, m) for m, n in rows if (m in STATIC) == wanted), default=None)
        shown = [f"{c:.2f}" if c is not None else "-" for c in (spearman(column(p), column(0)) for p in (1, 2))]
        best = ["none" if b is None else f"{b[0]:.4g} mJ (`{b[1]}`)" for b in (least(True), least(False))]
        print(f"{shape}: {shown[0]}; {shown[1]}; {best[0]}, {best[1]}")


main()
