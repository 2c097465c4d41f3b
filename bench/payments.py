#!/usr/bin/env python3
"""Ten million payments: three questions to a table, by gw, by pandas with igraph, and by pandas with networkit.

    bench/payments.py make FOLDER [ROWS]         # payments.csv and accounts.csv
    bench/payments.py gw FOLDER [GW]             # the commands of bench/payments.md, with wall and peak memory
    bench/payments.py igraph|networkit FOLDER    # the same by pandas and a peer; needs these packages

Questions: PageRank of accounts by amount; components of the payments since a day; the cheapest chain of payments of
2026 above 10 that are not in cash, from the first account to all others.
"""
import pathlib
import resource
import subprocess
import sys
import time

SINCE, YEAR = "2026-10-19", "2026-01-01"
QUESTIONS = pathlib.Path(__file__).parent / "payments"


def make(folder, rows=10**7):
    import numpy as np

    rng, accounts = np.random.default_rng(7), rows // 10
    payer, payee = ((accounts * rng.random(rows) ** 2.2).astype(np.int64) for _ in range(2))
    amount = np.round(np.exp(rng.normal(4, 1.5, rows)), 2)
    start = np.datetime64("2025-11-01T00:00:00")
    when = np.datetime_as_string(start + rng.integers(0, 383 * 86400, rows).astype("timedelta64[s]"))
    kind = np.array(["card", "wire", "cash", "check"])[rng.choice(4, rows, p=[0.55, 0.25, 0.15, 0.05])]
    with open(folder / "payments.csv", "w") as file:
        file.write("payer,payee,amount,when,kind\n")
        for a in range(0, rows, 500_000):
            part = (column[a : a + 500_000].tolist() for column in (payer, payee, amount, when, kind))
            file.write("".join("acc%07d,acc%07d,%.2f,%s,%s\n" % row for row in zip(*part)))
    region = np.array(["north", "south", "east", "west"])[rng.integers(0, 4, accounts)].tolist()
    with open(folder / "accounts.csv", "w") as file:
        file.write("id,region,opened\n")
        file.write("".join("acc%07d,%s,2020-01-%02d\n" % (i, r, 1 + i % 28) for i, r in enumerate(region)))


def timed(what, work, *args):
    start = time.perf_counter()
    result = work(*args)
    print(f"{what:12} {time.perf_counter() - start:7.2f} s", flush=True)
    return result


def gw(folder, binary="gw"):
    table = str(folder / "payments.csv")
    paths = ["--parallel", "keep", "--weight-column", "amount"]
    for what, words in {
        "pagerank": ["pagerank-weighted", table, "--weight-column", "amount", "--parallel", "sum", "--top", "3"],
        "components": [QUESTIONS / "components.gt", f"{table}:sym", "--parallel", "keep"],
        "paths": [QUESTIONS / "paths.gt", table, "acc0000000", *paths, "--vertices", folder / "accounts.csv"],
    }.items():
        command = [binary, "run", *map(str, words)]
        print("$", " ".join(command), flush=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        timed(what, lambda command=command: subprocess.run(command, check=True))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{'':12} {after.ru_utime - before.ru_utime:7.2f} s of processors, peak so far {after.ru_maxrss >> 10} MiB")


def table_of(folder):
    import pandas as pd

    frame = timed("read", pd.read_csv, folder / "payments.csv")

    def prepare():
        codes, names = pd.factorize(pd.concat([frame["payer"], frame["payee"]], ignore_index=True))
        frame["s"], frame["t"] = codes[: len(frame)], codes[len(frame) :]
        frame["when"] = pd.to_datetime(frame["when"])
        return len(names), int(frame["s"][frame["payer"] == "acc0000000"].iloc[0])

    vertices, first = timed("ids, dates", prepare)
    recent = frame["when"] >= SINCE
    chosen = (frame["when"] >= YEAR) & (frame["kind"] != "cash") & (frame["amount"] > 10)
    return frame, vertices, first, recent, chosen


def igraph(folder):
    import igraph
    import numpy as np

    frame, vertices, first, recent, chosen = table_of(folder)
    pairs = frame[["s", "t"]].to_numpy()
    graph = timed("graph", lambda: igraph.Graph(n=vertices, edges=pairs, directed=True))
    amount = frame["amount"].to_numpy()
    graph.es["amount"] = amount
    timed("pagerank", lambda: graph.pagerank(weights="amount"))

    def components():
        return len(igraph.Graph(n=vertices, edges=pairs[recent.to_numpy()]).connected_components())

    print(timed("components", components), "components")

    def paths():
        part = igraph.Graph(n=vertices, edges=pairs[chosen.to_numpy()], directed=True)
        part.es["amount"] = amount[chosen.to_numpy()]
        return np.array(part.distances(first, weights="amount")[0])

    dist = timed("paths", paths)
    print(np.isfinite(dist).sum(), "reached, sum", round(dist[np.isfinite(dist)].sum(), 2))


def networkit(folder):
    import networkit as nk
    import numpy as np

    frame, vertices, first, recent, chosen = table_of(folder)

    def build(rows, directed):
        ends = (rows["s"].to_numpy(np.uint64), rows["t"].to_numpy(np.uint64))
        return nk.GraphFromCoo((rows["amount"].to_numpy(), ends), n=vertices, weighted=True, directed=directed)

    graph = timed("graph", build, frame, True)
    timed("pagerank", lambda: nk.centrality.PageRank(graph, 0.85, 1e-6).run())

    # The graph must outlive the algorithm.
    def components():
        part = build(frame[recent], False)
        return nk.components.ConnectedComponents(part).run().numberOfComponents()

    def paths():
        part = build(frame[chosen], True)
        return np.array(nk.distance.Dijkstra(part, first, False).run().getDistances())

    print(timed("components", components), "components")
    dist = timed("paths", paths)
    dist = dist[dist < 1e300]
    print(len(dist), "reached, sum", round(dist.sum(), 2))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("make", "gw", "igraph", "networkit"):
        sys.exit(__doc__)
    given = [int(word) if sys.argv[1] == "make" else word for word in sys.argv[3:]]
    timed("all", globals()[sys.argv[1]], pathlib.Path(sys.argv[2]), *given)
