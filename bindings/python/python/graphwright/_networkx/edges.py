"""Functions that give edges: spanning trees, bridges, matchings, trusses."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .._graph import Graph
from .run import algorithm, outcome, standard


def _pairs(g, ends, others) -> list[tuple]:
    """Edges as NetworkX tells them: the end that comes first in the graph first."""
    return list(zip(g.nodes_at(np.minimum(ends, others)), g.nodes_at(np.maximum(ends, others))))


def _spanning_can_run(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if algorithm != "kruskal":
        return f"algorithm {algorithm}"
    if G.is_multigraph():
        return "the graph is a multigraph"
    return True if isinstance(weight, str) else "no weights"


@algorithm(_spanning_can_run)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    if not len(G):
        return iter(())
    graph, _ = G.weighted(weight)
    if not graph._native.edges:
        return iter(())
    found = outcome(standard("msf"), graph)
    ends, others, lengths = (found.get(name) for name in ("one_end", "other_end", "length"))
    kept = np.flatnonzero(ends >= 0)
    # Kruskal's method finds edges by growing weight.
    least, most = np.minimum(ends[kept], others[kept]), np.maximum(ends[kept], others[kept])
    kept = kept[np.lexsort((most, least, lengths[kept]))]
    pairs = _pairs(G, ends[kept], others[kept])
    if not data:
        return iter(pairs)
    adjacency = G.original()._adj
    return ((u, v, adjacency[u][v]) for u, v in pairs)


def _without_loops(g) -> Graph:
    """The graph of an undirected one without edges from a node to itself."""
    if not g.has_loops():
        return g.structure

    def make():
        sources, targets, _ = g.structure._edge_arrays()
        return Graph.from_edges((sources, targets), vertices=len(g))

    return g.derived("without loops", make)


def _plain_can_run(G, root=None):
    if G.is_multigraph():
        return "the graph is a multigraph"
    return True if root is None else "a root is given"


def _bridges(g) -> list[tuple]:
    if not len(g):
        return []
    others = outcome(standard("bridges"), _without_loops(g)).get("bridge_to")
    ends = np.flatnonzero(others >= 0)
    others = others[ends]
    order = np.lexsort((np.maximum(ends, others), np.minimum(ends, others)))
    return _pairs(g, ends[order], others[order])


@algorithm(_plain_can_run)
def bridges(G, root=None):
    return iter(G.derived("bridges", lambda: _bridges(G)))


@algorithm(_plain_can_run)
def has_bridges(G, root=None):
    return bool(G.derived("bridges", lambda: _bridges(G)))


@algorithm()
def maximal_matching(G):
    if not len(G):
        return set()
    others = outcome(standard("matching"), _without_loops(G)).get("mate")
    ends = np.flatnonzero(others > np.arange(len(others)))
    return set(_pairs(G, ends, others[ends]))


@algorithm()
def k_truss(G, k):
    if G.has_loops():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    H = G.original().copy()
    if len(G) and G.structure._native.edges:
        truss = G.derived("truss", lambda: outcome(standard("ktruss"), G.structure).get("truss"))
        indptr, targets, _ = G.structure.to_numpy()
        sources = np.repeat(np.arange(len(G)), np.diff(indptr.astype(np.int64)))
        drop = np.flatnonzero((truss < k) & (sources < targets))
        H.remove_edges_from(zip(G.nodes_at(sources[drop]), G.nodes_at(targets[drop])))
    H.remove_nodes_from(list(nx.isolates(H)))
    return H
