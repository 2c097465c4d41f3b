"""Times of Graphwright's Python package beside other libraries, as a user sees them: wall time, conversion told apart.

    python bench/python-peers.py [--graphs kron:16 road:700x700 ...] [--rounds 3] [--limit 60] [--out table.md]

Needs graphwright, networkx and scipy; igraph, networkit, rustworkx, nx-parallel and graphblas-algorithms where installed. Every
library runs in a process of its own and gets the same edges as NumPy arrays. The libraries take turns: each work is done by all of
them before the next round, so that other work on the machine meets all alike. A cell is the median wall time of the rounds, the
spread (greatest minus least, in percent of the median), and in brackets the median of the CPU time of all threads, which other work
on the machine changes far less. A work that takes longer than the limit is ended, told as "more than", and not tried again; what
takes longer than a tenth of the limit is done once.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import platform
import signal
import statistics
import tempfile
import time

import numpy as np

WORKS = ["bfs", "sssp", "pagerank", "components", "betweenness, 4 sources", "triangles", "core numbers", "bfs, 32 sources"]


def graphwright_works(edges):
    import graphwright as gw

    source, target, weight, n, hub, few, many = edges
    begin = time.perf_counter()
    g = gw.Graph.from_edges((source, target, weight), vertices=n)
    yield time.perf_counter() - begin
    yield {
        "bfs": lambda: gw.bfs_levels(g, hub),
        "sssp": lambda: gw.sssp(g, hub),
        "pagerank": lambda: gw.pagerank(g, weights=False),
        "components": lambda: gw.cc_fast(g),
        "betweenness, 4 sources": lambda: gw.betweenness(g, sources=few),
        "triangles": lambda: gw.tc(g),
        "core numbers": lambda: gw.kcore(g),
        "bfs, 32 sources": lambda: gw.bfs(g, sources=many),
    }


def igraph_works(edges):
    igraph = importlib.import_module("igraph")
    source, target, weight, n, hub, few, many = edges
    begin = time.perf_counter()
    g = igraph.Graph(n=n, edges=np.column_stack((source, target)), directed=False)
    g.es["weight"] = weight
    yield time.perf_counter() - begin
    yield {
        "bfs": lambda: g.distances(hub),
        "sssp": lambda: g.distances(hub, weights="weight"),
        "pagerank": lambda: g.pagerank(),
        "components": lambda: g.connected_components().membership,
        "betweenness, 4 sources": lambda: g.betweenness(sources=few, targets=None),
        "triangles": lambda: g.transitivity_undirected(),
        "core numbers": lambda: g.coreness(),
        "bfs, 32 sources": lambda: g.distances(many),
    }


def networkit_works(edges):
    nk = importlib.import_module("networkit")
    source, target, weight, n, hub, _, many = edges
    begin = time.perf_counter()
    g = nk.Graph(n, weighted=True, directed=False)
    g.addEdges((weight.astype(np.float64), (source.astype(np.uint64), target.astype(np.uint64))), checkMultiEdge=False)
    yield time.perf_counter() - begin
    plain = nk.graphtools.toUnweighted(g)
    g.indexEdges()

    def run(make, get):
        def work():
            algorithm = make()
            algorithm.run()
            return get(algorithm)

        return work

    yield {
        "bfs": run(lambda: nk.distance.BFS(plain, hub, storePaths=False), lambda a: a.getDistances()),
        "sssp": run(lambda: nk.distance.Dijkstra(g, hub, storePaths=False), lambda a: a.getDistances()),
        "pagerank": run(lambda: nk.centrality.PageRank(g, 0.85, 1e-6), lambda a: a.scores()),
        "components": run(lambda: nk.components.ParallelConnectedComponents(g), lambda a: a.getPartition()),
        "triangles": run(lambda: nk.sparsification.TriangleEdgeScore(g), lambda a: a.scores()),
        "core numbers": run(lambda: nk.centrality.CoreDecomposition(g), lambda a: a.scores()),
        "bfs, 32 sources": run(lambda: nk.distance.SPSP(plain, many), lambda a: a.getDistances()),
    }


def rustworkx_works(edges):
    rx = importlib.import_module("rustworkx")
    source, target, weight, n, hub, *_ = edges
    begin = time.perf_counter()
    g = rx.PyGraph(multigraph=True)
    g.add_nodes_from(range(n))
    g.add_edges_from(list(zip(source.tolist(), target.tolist(), weight.tolist())))
    yield time.perf_counter() - begin
    directed = g.to_directed()
    yield {
        "bfs": lambda: rx.dijkstra_shortest_path_lengths(g, hub, lambda _: 1.0),
        "sssp": lambda: rx.dijkstra_shortest_path_lengths(g, hub, float),
        "pagerank": lambda: rx.pagerank(directed),
        "components": lambda: rx.connected_components(g),
        "core numbers": lambda: rx.core_number(g),
    }


def networkx_works(edges):
    """NetworkX itself, and its backends: "first" converts, "again" does not."""
    import networkx as nx

    source, target, weight, n, hub, *_ = edges
    begin = time.perf_counter()
    g = nx.Graph()
    g.add_nodes_from(range(n))
    g.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weight.tolist()))
    yield time.perf_counter() - begin
    nx.config.warnings_to_ignore.add("cache")
    calls = {
        "bfs": (nx.single_source_shortest_path_length, (hub,), {}),
        "sssp": (nx.single_source_dijkstra_path_length, (hub,), {}),
        "pagerank": (nx.pagerank, (), {}),
        "components": (lambda *a, **k: list(nx.connected_components(*a, **k)), (), {}),
        "betweenness, 4 sources": (nx.betweenness_centrality, (), {"k": 4, "seed": 1}),
        "triangles": (nx.triangles, (), {}),
        "core numbers": (nx.core_number, (), {}),
    }

    def call(work, backend):
        function, arguments, named = calls[work]
        return lambda: function(g, *arguments, backend=backend, **named)

    works = {}
    for work in calls:
        works["networkx", work] = call(work, "networkx")
        works["backend graphwright, first", work] = call(work, "graphwright")
        works["backend graphwright, again", work] = call(work, "graphwright")
    works["nx-parallel", "betweenness, 4 sources"] = call("betweenness, 4 sources", "parallel")
    for work in ("bfs", "pagerank", "triangles"):
        works["graphblas, first", work] = call(work, "graphblas")
        works["graphblas, again", work] = call(work, "graphblas")
    works["forget"] = g.__networkx_cache__.clear
    yield works


#: A process per entry; the columns that it fills.
LIBRARIES = {
    "graphwright": (graphwright_works, ["graphwright"]),
    "igraph": (igraph_works, ["igraph"]),
    "networkit": (networkit_works, ["networkit"]),
    "rustworkx": (rustworkx_works, ["rustworkx"]),
    "networkx": (
        networkx_works,
        ["backend graphwright, first", "backend graphwright, again", "graphblas, first", "graphblas, again", "nx-parallel", "networkx"],
    ),
}


def too_long(*_):
    raise TimeoutError


def serve(name, path, pipe, limit):
    """A process with one library: builds its graph, then does the works it is asked for."""
    signal.signal(signal.SIGALRM, too_long)
    try:
        loaded = np.load(path)
        edges = [loaded[key] for key in ("source", "target", "weight")]
        edges += [int(loaded["n"]), int(loaded["hub"]), loaded["few"].tolist(), loaded["many"].tolist()]
        steps = LIBRARIES[name][0](edges)
        pipe.send(next(steps))
        works = next(steps)
    except Exception as error:  # noqa: BLE001
        pipe.send(f"{type(error).__name__}: {str(error)[:90]}")
        return
    called = set()
    while True:
        key = pipe.recv()
        if key not in works:
            pipe.send(None)
            continue
        if key[0].endswith("first"):
            works["forget"]()
        elif key[0].endswith("again") and (key[0].replace("again", "first"), key[1]) not in called:
            # The process was started again since the first call.
            try:
                works[key]()
            except Exception as error:  # noqa: BLE001
                pipe.send(f"{type(error).__name__}: {str(error)[:90]}")
                continue
        called.add(key)
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            signal.setitimer(signal.ITIMER_REAL, limit)
            works[key]()
            signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send((time.perf_counter() - begin, time.process_time() - cpu))
        except TimeoutError:
            pipe.send(f"> {limit:,.0f} s")
        except Exception as error:  # noqa: BLE001
            signal.setitimer(signal.ITIMER_REAL, 0)
            pipe.send(f"{type(error).__name__}: {str(error)[:90]}")


class Library:
    """The other end of such a process; started again when a work had to be ended."""

    def __init__(self, name, path, patience, limit):
        self.name, self.path, self.patience, self.limit = name, path, patience, limit
        self.process = self.pipe = None
        self.build = self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(self.name, self.path, other, self.limit), daemon=True)
        self.process.start()
        if not self.pipe.poll(self.patience):
            self.end()
            return f"more than {self.patience} s"
        return self.pipe.recv()

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def do(self, key):
        """Wall and CPU seconds, a text that says why not, or None where the library has no such work."""
        if self.process is None and not isinstance(self.start(), float):
            return "the graph was not built in time"
        self.pipe.send(key)
        # Work in native code may not hear of its limit.
        if not self.pipe.poll(1.2 * self.limit + 5):
            self.end()
            return f"> {self.limit:,.0f} s"
        return self.pipe.recv()


def edges_of(spec):
    import graphwright as gw

    file = os.path.exists(spec)
    g = gw.read(spec if file or ":weights" in spec else spec + ":weights=1..100")
    source, target, weight = g._edge_arrays()
    rng = np.random.default_rng(1)
    if file:
        # Directed edges and weights of a file are not kept: all libraries get one undirected graph with weights 1 to 100.
        g = gw.Graph.from_edges((source, target), vertices=g.num_vertices)
        source, target, _ = g._edge_arrays()
        weight = rng.integers(1, 101, len(source)).astype(np.int32)
    kept = source != target
    source, target, weight = source[kept], target[kept], weight[kept]
    order = rng.permutation(len(source))
    live = np.flatnonzero(g.degrees > 0)
    path = os.path.join(tempfile.mkdtemp(), "edges.npz")
    np.savez(path, source=source[order], target=target[order], weight=weight[order], n=g.num_vertices, hub=int(np.argmax(g.degrees)),
             few=rng.choice(live, 4), many=rng.choice(live, 32))  # fmt: skip
    return path, g.num_vertices, len(source)


def told(times):
    """A cell: the median in ms, and the spread."""
    if not times:
        return ""
    if isinstance(times[-1], str):
        return times[-1] if times[-1].startswith(">") else "fails"
    walls, cpus = zip(*times)
    middle = statistics.median(walls)
    spread = f" ±{(max(walls) - min(walls)) / middle * 100:.0f}%" if len(walls) > 1 else " once"
    return f"{middle * 1e3:,.1f}{spread} ({statistics.median(cpus) * 1e3:,.1f})"


def measure(spec, options):
    path, vertices, edges = edges_of(spec)
    libraries = {name: Library(name, path, options.build_limit, options.limit) for name in LIBRARIES if name not in options.without}
    builds = {name: library.build for name, library in libraries.items()}
    for name, build in builds.items():
        print(f"# {spec} build {name}: {build}", flush=True)
    libraries = {name: library for name, library in libraries.items() if isinstance(library.build, float)}
    cells: dict = {}
    for work in WORKS:
        for _ in range(options.rounds):
            for name, library in libraries.items():
                for column in LIBRARIES[name][1]:
                    times = cells.setdefault((column, work), [])
                    if times and (isinstance(times[-1], str) or times[0][0] > options.limit / 10):
                        continue
                    done = library.do((column, work) if name == "networkx" else work)
                    if done is not None:
                        times.append(done)
        for column in (c for name in libraries for c in LIBRARIES[name][1]):
            print(f"# {spec} {work}, {column}: {cells[column, work]}", flush=True)
    for library in libraries.values():
        library.end()
    columns = [c for name in libraries for c in LIBRARIES[name][1] if any(cells[c, w] for w in WORKS)]
    lines = [f"`{os.path.basename(spec)}`: {vertices:,} vertices, {edges:,} edges", "",
             "| ms, wall (CPU) | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]  # fmt: skip
    made = [f"{builds[c] * 1e3:,.0f}" if isinstance(builds.get(c), float) else "" for c in columns]
    lines.append("| build from arrays | " + " | ".join(made) + " |")
    lines += [f"| {work} | " + " | ".join(told(cells[c, work]) for c in columns) + " |" for work in WORKS]
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", nargs="*", default=["kron:16:seed=1", "road:700x700:seed=1"])
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one work")
    parser.add_argument("--build-limit", type=float, default=180.0, help="seconds until a library has its graph")
    parser.add_argument("--out", help="a file to add the tables to")
    options = parser.parse_args()
    first = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start"
    lines = [first, ""]
    for spec in options.graphs:
        lines = [*lines, *measure(spec, options), ""]
        print("\n".join(lines), flush=True)
        if options.out:
            with open(options.out, "a", encoding="utf-8") as file:
                file.write("\n".join(lines))
        lines = []


if __name__ == "__main__":
    main()
