"""Times of Graphwright's Python package beside other libraries, as a user sees them: wall time, conversion told apart.

    python bench/python-peers.py [--graphs kron:16 road:700x700 ...] [--out bench/python-peers.md]

Needs graphwright, networkx and scipy; igraph, networkit and rustworkx where installed. Every library gets the same edges as NumPy arrays;
a time is the least of three runs (one for what takes longer than two seconds). NetworkX is run with weights as it wants them.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import time

import numpy as np

LIMIT = 2.0


def least(work, runs=3):
    """The least wall time in ms of some runs; of one where one takes long."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken = time.perf_counter() - start
        best = min(best, taken)
        if taken > LIMIT:
            break
    return best * 1e3


class Library:
    """A library with a graph in it."""

    def __init__(self, name, build, works):
        self.name, self.build, self.works = name, build, works


def graphwright_library(edges):
    import graphwright as gw

    state = {}

    def build():
        source, target, weight, n = edges[:4]
        state["g"] = gw.Graph.from_edges((source, target, weight), vertices=n)

    def at(function, *args, **kwargs):
        return lambda: function(state["g"], *args, **kwargs)

    hub = edges[4]
    return Library("graphwright", build, {
        "bfs": at(gw.bfs_levels, hub),
        "sssp": at(gw.sssp, hub),
        "pagerank": at(gw.pagerank),
        "components": at(gw.cc_fast),
        "betweenness, 4 sources": at(gw.betweenness, sources=edges[5]),
        "triangles": at(gw.tc),
        "core numbers": at(gw.kcore),
        "bfs, 32 sources": at(gw.bfs, sources=edges[6]),
    })  # fmt: skip


def igraph_library(edges):
    igraph = importlib.import_module("igraph")
    state = {}

    def build():
        source, target, weight, n = edges[:4]
        g = igraph.Graph(n=n, edges=np.column_stack((source, target)), directed=False)
        g.es["weight"] = weight
        state["g"] = g.simplify(combine_edges="min")

    hub = edges[4]
    return Library("igraph", build, {
        "bfs": lambda: state["g"].distances(hub),
        "sssp": lambda: state["g"].distances(hub, weights="weight"),
        "pagerank": lambda: state["g"].pagerank(),
        "components": lambda: state["g"].connected_components().membership,
        "betweenness, 4 sources": lambda: state["g"].betweenness(sources=edges[5], targets=None),
        "triangles": lambda: state["g"].transitivity_undirected(),
        "core numbers": lambda: state["g"].coreness(),
        "bfs, 32 sources": lambda: state["g"].distances(edges[6]),
    })  # fmt: skip


def networkit_library(edges):
    nk = importlib.import_module("networkit")
    state = {}

    def build():
        source, target, weight, n = edges[:4]
        g = nk.Graph(n, weighted=True, directed=False)
        g.addEdges((weight.astype(np.float64), (source.astype(np.uint64), target.astype(np.uint64))), checkMultiEdge=False)
        g.removeMultiEdges()
        g.removeSelfLoops()
        state["g"] = g

    hub = int(edges[4])

    def run(make, get):
        def work():
            algorithm = make()
            algorithm.run()
            return get(algorithm)

        return work

    return Library("networkit", build, {
        "bfs": run(lambda: nk.distance.BFS(state["g"], hub, storePaths=False), lambda a: a.getDistances()),
        "sssp": run(lambda: nk.distance.Dijkstra(state["g"], hub, storePaths=False), lambda a: a.getDistances()),
        "pagerank": run(lambda: nk.centrality.PageRank(state["g"], 0.85, 1e-6), lambda a: a.scores()),
        "components": run(lambda: nk.components.ParallelConnectedComponents(state["g"]), lambda a: a.getPartition()),
        "triangles": run(lambda: nk.sparsification.TriangleEdgeScore(_indexed(state["g"])), lambda a: a.scores()),
        "core numbers": run(lambda: nk.centrality.CoreDecomposition(state["g"]), lambda a: a.scores()),
        "bfs, 32 sources": run(lambda: nk.distance.SPSP(_unweighted(nk, state), edges[6]), lambda a: a.getDistances()),
    })  # fmt: skip


def _indexed(graph):
    graph.indexEdges()
    return graph


def _unweighted(nk, state):
    if "u" not in state:
        state["u"] = nk.graphtools.toUnweighted(state["g"])
    return state["u"]


def rustworkx_library(edges):
    rx = importlib.import_module("rustworkx")
    state = {}

    def build():
        source, target, weight, n = edges[:4]
        g = rx.PyGraph(multigraph=False)
        g.add_nodes_from(range(n))
        g.add_edges_from(list(zip(source.tolist(), target.tolist(), weight.tolist())))
        state["g"] = g

    def directed():
        if "d" not in state:
            state["d"] = state["g"].to_directed()
        return state["d"]

    hub = int(edges[4])
    return Library("rustworkx", build, {
        "bfs": lambda: rx.dijkstra_shortest_path_lengths(state["g"], hub, lambda _: 1.0),
        "sssp": lambda: rx.dijkstra_shortest_path_lengths(state["g"], hub, float),
        "pagerank": lambda: rx.pagerank(directed()),
        "components": lambda: rx.connected_components(state["g"]),
        "core numbers": lambda: rx.core_number(state["g"]),
    })  # fmt: skip


def networkx_library(edges, backend):
    import networkx as nx

    state = {}

    def build():
        source, target, weight, _ = edges[:4]
        g = nx.Graph()
        g.add_nodes_from(range(edges[3]))
        g.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weight.tolist()))
        g.remove_edges_from(list(nx.selfloop_edges(g)))
        state["g"] = g

    def call(function, *args, **kwargs):
        def work():
            if backend != "networkx" and kwargs.get("cold"):
                state["g"].__networkx_cache__.clear()
            more = {key: value for key, value in kwargs.items() if key != "cold"}
            return function(state["g"], *args, backend=backend, **more)

        return work

    hub = int(edges[4])
    return Library(f"nx/{backend}", build, {
        "bfs": call(nx.single_source_shortest_path_length, hub),
        "sssp": call(nx.single_source_dijkstra_path_length, hub),
        "pagerank": call(nx.pagerank),
        "components": lambda: list(call(nx.connected_components)()),
        "betweenness, 4 sources": call(nx.betweenness_centrality, k=4, seed=1),
        "triangles": call(nx.triangles),
        "core numbers": call(nx.core_number),
    }), state  # fmt: skip


def edges_of(spec):
    import graphwright as gw

    G = gw.read(spec if ":weights" in spec else spec + ":weights=1..100")
    source, target, weight = G._edge_arrays()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(source))
    live = np.flatnonzero(G.degrees > 0)
    hub = int(np.argmax(G.degrees))
    return source[order], target[order], weight[order], G.num_vertices, hub, rng.choice(live, 4).tolist(), rng.choice(live, 32).tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", nargs="*", default=["kron:16:seed=1", "road:700x700:seed=1"])
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--out")
    options = parser.parse_args()
    lines = [f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; ms, wall"]
    for spec in options.graphs:
        edges = edges_of(spec)
        # The four first entries are all that a library needs to build a graph.
        libraries, times = [], {}
        makers = {
            "graphwright": lambda: graphwright_library((*edges[:4], *edges[4:])),
            "igraph": lambda: igraph_library(edges),
            "networkit": lambda: networkit_library(edges),
            "rustworkx": lambda: rustworkx_library(edges),
        }
        for name, make in makers.items():
            if name in options.without:
                continue
            try:
                library = make()
            except ImportError:
                continue
            libraries.append(library.name)
            times[library.name] = {"build from arrays": least(library.build, 2)}
            for work, run in library.works.items():
                try:
                    times[library.name][work] = least(run)
                    print(f"# {spec} {library.name} {work}: {times[library.name][work]:.1f} ms", flush=True)
                except Exception as error:  # noqa: BLE001
                    print(f"{library.name} {work}: {type(error).__name__}: {str(error)[:90]}")
            del library
        if "networkx" not in options.without:
            slow, state = networkx_library(edges, "networkx")
            fast, fast_state = networkx_library(edges, "graphwright")
            slow.build()
            fast_state["g"] = state["g"]
            state["g"].__networkx_cache__.clear()
            import networkx as nx

            nx.config.warnings_to_ignore.add("cache")
            libraries += ["nx/networkx", "nx/graphwright first", "nx/graphwright again"]
            for name in libraries[-3:]:
                times[name] = {}
            for work in slow.works:
                state["g"].__networkx_cache__.clear()
                times["nx/graphwright first"][work] = least(fast.works[work], 1)
                times["nx/graphwright again"][work] = least(fast.works[work])
                times["nx/networkx"][work] = least(slow.works[work], 1)
                told = ", ".join(f"{times[name][work]:.0f}" for name in libraries[-3:])
                print(f"# {spec} {work}: NetworkX, first, again: {told} ms", flush=True)
        rows = list(dict.fromkeys(work for name in libraries for work in times[name]))
        lines += ["", f"`{spec}`: {edges[3]:,} vertices, {len(edges[0]):,} edges", "",
                  "| | " + " | ".join(libraries) + " |", "|---|" + "---:|" * len(libraries)]  # fmt: skip
        for work in rows:
            cells = [f"{times[name][work]:,.1f}" if work in times[name] else "" for name in libraries]
            lines.append(f"| {work} | " + " | ".join(cells) + " |")
        print("\n".join(lines[-len(rows) - 4 :]), flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
