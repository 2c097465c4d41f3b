"""What the Python package promises about long lives: memory that stays flat, interrupts that are never lost, small graphs that are
cheap, ids that are read fast.

    python bench/python-trust.py interrupts|memory|small|ids
"""

import os
import random
import signal
import sys
import time

import numpy as np

import graphwright as gw


def interrupts(count=1000):
    """Ctrl-C at random moments of loading and running: each must raise KeyboardInterrupt once, and nothing else may come."""
    rng = random.Random(1)
    texts = [np.random.default_rng(at).integers(0, 10**5, 10**5).astype(str).astype(object) for at in (1, 2)]
    numbers = [np.random.default_rng(at).integers(0, 10**5, 5 * 10**5) for at in (1, 2)]
    graph = gw.read("kron:14:seed=1:weights=1..9")
    work = [
        lambda: gw.Graph.from_edges(tuple(texts)),
        lambda: gw.Graph.from_edges(tuple(numbers)),
        lambda: gw.read("kron:13"),
        lambda: gw.pagerank(graph),
        lambda: gw.sssp(graph, 0),
        lambda: gw.betweenness(graph, 16),
        lambda: gw.leiden(graph),
    ]
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    lost, others, waits = 0, [], []
    for _ in range(count):
        task = rng.choice(work)
        delay = rng.uniform(0.0005, 0.08)
        try:
            start = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, delay)
            while time.perf_counter() - start < 20:
                task()
            lost += 1
        except KeyboardInterrupt:
            waits.append(time.perf_counter() - start - delay)
        except BaseException as error:  # noqa: BLE001 - whatever comes is counted
            others.append(repr(error)[:100])
        signal.setitimer(signal.ITIMER_REAL, 0)
    waits.sort()
    print(f"{count} interrupts: {len(waits)} KeyboardInterrupt, {lost} lost, {len(others)} other exceptions {others[:3]}")
    print(f"seconds until raised: median {waits[len(waits) // 2]:.3f}, 99 % {waits[int(len(waits) * 0.99)]:.3f}, most {waits[-1]:.3f}")
    assert gw.bfs_levels("path:3", 0).level.tolist() == [0, 1, 2]


def memory(count=10_000):
    """Resident memory over many calls on new graphs and on one graph."""
    import psutil

    process = psutil.Process()
    large = gw.read("kron:11:weights=1..9")
    rng = np.random.default_rng(3)
    seen = []
    for at in range(count):
        n = int(rng.integers(5, 200))
        G = gw.Graph.from_edges((rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)), weight=rng.random(3 * n), vertices=n)
        gw.components(G)
        gw.sssp(G, at % n).to_dict()
        gw.pagerank(large, rounds=3)
        if at % (count // 10) == count // 10 - 1:
            seen.append(process.memory_info().rss / 2**20)
    print("MiB after each tenth of", count, "rounds of three calls:", " ".join(f"{mib:.1f}" for mib in seen))


def small():
    """Microseconds of a call on a graph that is new."""
    import networkx as nx

    for n, m in ((50, 150), (500, 1500), (2500, 7500)):
        graphs = [list(nx.gnm_random_graph(n, m, seed=seed).edges) for seed in range(20)]
        for name, call in (
            ("from_edges", lambda G: None),
            ("components", gw.components),
            ("bfs_levels", lambda G: gw.bfs_levels(G, G.ids[0])),
            ("pagerank", gw.pagerank),
            ("triangles", gw.triangles),
        ):
            times = []
            for edges in graphs:
                start = time.perf_counter()
                G = gw.Graph.from_edges(edges)
                made = time.perf_counter()
                call(G)
                done = time.perf_counter()
                times.append((done - made if name != "from_edges" else made - start) * 1e6)
            print(f"{n} vertices, {m} edges: {name:11} first {times[0]:9.0f} us, then {sorted(times[1:])[9]:7.0f} us (median)")


def ids(count=10**6):
    """Seconds to read edges between texts, beside pandas.factorize and a matrix of SciPy."""
    import pandas
    import scipy.sparse as sp

    ends = [np.random.default_rng(at).integers(0, count, count).astype(str) for at in (1, 2)]
    columns = {"a": pandas.Series(ends[0].astype(object)), "b": pandas.Series(ends[1].astype(object))}
    table = pandas.DataFrame(columns)

    def factorized():
        codes, labels = pandas.factorize(pandas.concat([table.a, table.b], ignore_index=True))
        n = len(labels)
        return sp.coo_array((np.ones(count), (codes[:count], codes[count:])), shape=(n, n)).tocsr()

    forms = {"scipy and factorize": factorized, "objects": lambda: gw.Graph.from_edges(table)}
    categories = pandas.api.types.union_categoricals([table.a.astype("category"), table.b.astype("category")]).categories
    coded = table.astype(pandas.CategoricalDtype(categories))
    forms["categorical"] = lambda: gw.Graph.from_edges(coded)
    strings = table.astype("string")
    forms["pandas string"] = lambda: gw.Graph.from_edges(strings)
    try:
        import polars

        frame = polars.DataFrame({"a": ends[0].tolist(), "b": ends[1].tolist()})
        forms["polars"] = lambda: gw.Graph.from_edges(frame)
    except ImportError:
        pass
    for name, make in forms.items():
        best = []
        for _ in range(3):
            start, cpu = time.perf_counter(), time.process_time()
            make()
            best.append((time.perf_counter() - start, time.process_time() - cpu))
        print(f"{count} edges, {name:20} {min(best)[0]:.2f} s, CPU {min(best)[1]:.2f} s")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    {"interrupts": interrupts, "memory": memory, "small": small, "ids": ids}[sys.argv[1]]()
