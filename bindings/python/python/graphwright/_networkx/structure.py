"""Components, cores, triangles, colors, independent sets."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np

from .. import _native
from .._graph import Graph
from .run import algorithm, no_function, outcome, packaged, standard


def _labels(g) -> np.ndarray:
    """The least vertex of the (weak) component of every vertex."""
    return g.derived("labels", lambda: outcome(standard("cc-fast"), g.structure).get("label"))


def _components(g):
    labels = _labels(g)
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order])) + 1
    for part in np.split(order, bounds):
        if len(part):
            yield set(g.nodes_at(part))


def _count(g) -> int:
    labels = _labels(g)
    return int((labels == np.arange(len(labels))).sum())


def _is_one(g) -> bool:
    if len(g) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _count(g) == 1


@algorithm()
def connected_components(G):
    return _components(G)


@algorithm()
def weakly_connected_components(G):
    return _components(G)


@algorithm()
def number_connected_components(G):
    return _count(G)


@algorithm()
def number_weakly_connected_components(G):
    return _count(G)


@algorithm()
def is_connected(G):
    return _is_one(G)


@algorithm()
def is_weakly_connected(G):
    return _is_one(G)


@algorithm()
def node_connected_component(G, n):
    number = G.number(n)
    if number is None:
        raise KeyError(n)
    labels = _labels(G)
    return set(G.nodes_at(np.flatnonzero(labels == labels[number])))


@algorithm()
def is_bipartite(G):
    if len(G) == 0:
        return True
    graph = _undirected(G)
    found = outcome(packaged("two-color"), graph, label=_labels(G).astype(np.float64))
    return found.get("conflicts") == 0


def _undirected(g) -> Graph:
    if not g.directed:
        return g.structure
    return g.derived("undirected", lambda: Graph(g.structure._native.symmetrised(), None, False))


def _undirected_only(G, *args, **kwargs):
    return "the graph is directed" if G.is_directed() else True


@algorithm(_undirected_only)
def core_number(G):
    if G.has_loops():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return G.by_node(outcome(standard("kcore"), G.structure).get("core"))


def _triangle_counts(g):
    """Triangles and degree, loops left out, of every vertex."""

    def make():
        sources, targets, _ = g.structure._edge_arrays()
        degrees = g.degrees()
        if g.has_loops():
            degrees = degrees - np.bincount(sources[sources == targets], minlength=len(g))
        # By falling degree: the lists that are compared become short.
        order = np.argsort(-degrees, kind="stable")
        place = np.empty(len(g), dtype=np.uint32)
        place[order] = np.arange(len(g), dtype=np.uint32)
        graph = Graph.from_edges((place[sources], place[targets]), vertices=len(g))
        return outcome(packaged("triangles"), graph).get("triangles").astype(np.int64)[place], degrees

    return g.derived("triangles", make)


def _of_nodes(g, values, nodes):
    if nodes is None:
        return g.by_node(values)
    if nodes in g:
        return values[g.numbers[nodes]].item()
    # NetworkX leaves out what is not a node.
    nodes = [node for node in nodes if node in g]
    return {node: values[g.numbers[node]].item() for node in nodes}


def _clustering_can_run(G, nodes=None, weight=None):
    if G.is_directed() or G.is_multigraph():
        return "the graph is directed or a multigraph"
    return no_function(weight)


def _simple_only(G, *args, **kwargs):
    return "the graph is directed or a multigraph" if G.is_directed() or G.is_multigraph() else True


@algorithm(_simple_only)
def triangles(G, nodes=None):
    return _of_nodes(G, _triangle_counts(G)[0], nodes)


@algorithm(_clustering_can_run)
def clustering(G, nodes=None, weight=None):
    counts, degrees = _triangle_counts(G)
    pairs = degrees * (degrees - 1)
    values = np.zeros(len(G))
    if weight is None:
        np.divide(2.0 * counts, pairs, out=values, where=counts > 0)
    else:
        np.divide(_weighted_triangles(G, weight), pairs, out=values, where=counts > 0)
    return _of_nodes(G, values, nodes)


def _weighted_triangles(G, weight) -> np.ndarray:
    """Twice the sum over the triangles at every node of the cube root of the product of their weights, in parts of the
    greatest weight."""
    from scipy.sparse import diags

    matrix = G.weighted(weight)[0].to_scipy().astype(np.float64)
    if not matrix.nnz:
        return np.zeros(len(G))
    matrix.data = np.cbrt(matrix.data / matrix.data.max())
    matrix = matrix - diags(matrix.diagonal())
    return np.asarray((matrix @ matrix).multiply(matrix).sum(axis=1)).ravel()


@algorithm(_simple_only)
def transitivity(G):
    if len(G) == 0:
        return 0
    counts, degrees = _triangle_counts(G)
    closed = 2 * int(counts.sum())
    return 0 if closed == 0 else closed / int((degrees * (degrees - 1)).sum())


@algorithm(_undirected_only)
def square_clustering(G, nodes=None):
    if nodes is not None and nodes not in G:
        nodes = list(nodes)
    values = G.derived("square clustering", lambda: _square_clustering(G))
    found = _of_nodes(G, values, nodes)
    # NetworkX gives the integer 0 where there are no squares.
    return {node: value or 0 for node, value in found.items()} if isinstance(found, dict) else found or 0


def _square_clustering(g) -> np.ndarray:
    squares = _native.squares(g.structure._native)
    triangles, degrees = _triangle_counts(g)
    indptr, targets, _ = g.structure.to_numpy()
    rows = np.repeat(np.arange(len(g)), np.diff(indptr.astype(np.int64)))
    others = rows != targets
    around = np.bincount(rows[others], weights=degrees[targets[others]], minlength=len(g)).astype(np.int64)
    # How many squares there could be: ends of pairs of neighbours, each triangle and square counted once.
    possible = (degrees - 1) * around - degrees * (degrees - 1) - 2 * triangles - squares
    values = np.zeros(len(g))
    np.divide(squares, possible, out=values, where=(possible > 0) & (degrees > 1))
    return values


def _mis_can_run(G, nodes=None, seed=None):
    if nodes:
        return "nodes are given"
    # NetworkX puts its shared generator where no seed is given.
    return True if seed is None or seed is getattr(random, "_inst", None) else "a seed is given"


@algorithm(_mis_can_run)
def maximal_independent_set(G, nodes=None, seed=None):
    if len(G) == 0 or G.has_loops():
        raise NotImplementedError("no nodes, or loops")
    state = outcome(standard("mis"), G.structure).get("state")
    return G.nodes_at(np.flatnonzero(state == 1))


def _color_can_run(G, strategy="largest_first", interchange=False):
    if G.is_directed() or G.is_multigraph():
        return "the graph is directed or a multigraph"
    if interchange:
        return "interchange"
    known = ("largest_first", nx.coloring.strategy_largest_first)
    return True if strategy in known else f"strategy {strategy}"


@algorithm(_color_can_run)
def greedy_color(G, strategy="largest_first", interchange=False):
    if len(G) == 0:
        return {}
    order, colors = colored(G)
    return dict(zip(G.nodes_at(order), colors[order].tolist()))


def colored(g):
    """Nodes by falling degree, and the least color of each that no neighbour before it has."""
    graph, degrees = g.structure, g.degrees()
    if g.has_loops():
        # NetworkX counts a loop twice in a degree.
        degrees = degrees + g.loops()
        sources, targets, _ = graph._edge_arrays()
        graph = Graph.from_edges((sources, targets), vertices=len(g))
    order = np.argsort(-degrees, kind="stable")
    rank = np.empty(len(g))
    rank[order] = np.arange(len(g))
    return order, outcome(packaged("greedy-color"), graph, rank=rank).get("color")
