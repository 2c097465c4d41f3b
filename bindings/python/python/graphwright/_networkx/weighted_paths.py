"""Shortest paths as lists of nodes, by weights.

Of several shortest paths NetworkX gives the one that its heap leads to: `ordered_dijkstra` visits nodes in the same order. The method of
Bellman and Ford leaves the path open; here it is the one with the fewest edges.
"""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .. import _native
from .paths import _source, _weighted
from .run import algorithm, distances, is_negative, levels, no_function, outcome, standard
from .searches import _search


class _Tree:
    """Nodes in the order of a search with their lengths, and the node before each."""

    def __init__(self, g, order, lengths, before, sources):
        self.g, self.order, self.before = g, order, before
        self.lengths = lengths.tolist()
        self.sources = sources

    def distances(self) -> dict:
        return dict(zip(self.g.nodes_at(self.order), self.lengths))

    def paths(self) -> dict:
        nodes, parents = self.g.nodes_at(self.order), self.g.nodes_at(self.before)
        paths: dict = {}
        for number, node, parent in zip(self.order.tolist(), nodes, parents):
            paths[node] = [node] if number in self.sources else [*paths[parent], node]
        return paths

    def to(self, target):
        """The length and the path to a node; None when it is out of reach."""
        known = dict(zip(self.order.tolist(), range(len(self.order))))
        if target not in known:
            return None
        path = [target]
        while path[-1] not in self.sources:
            path.append(int(self.before[known[path[-1]]]))
        return self.lengths[known[target]], self.g.nodes_at(np.array(path[::-1], dtype=np.int64))


def _dijkstra(g, sources, weight, target=None, cutoff=None) -> _Tree:
    graph, whole = _weighted(g, weight)
    if graph is None:
        limit = None if cutoff is None or cutoff == math.inf else math.floor(cutoff)
        order, before, ends = _search(g, sources, limit)
        found = np.repeat(np.arange(len(ends)), np.diff(np.concatenate(([0], ends)).astype(np.int64)))
        return _Tree(g, order, found, before, set(sources))
    integral = graph._native.weight_kind in ("int", "int64")
    numbers = np.array(sources, dtype=np.uint32)
    try:
        order, lengths, before = _native.ordered_dijkstra(graph._native, g.ordered_targets, numbers, target, cutoff, integral)
    except OverflowError as error:
        raise NotImplementedError(str(error)) from None
    kind = np.int64 if whole else np.float64
    return _Tree(g, order, lengths.astype(kind), before, set(sources))


@algorithm(lambda G, sources, target=None, cutoff=None, weight="weight": no_function(weight))
def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    if not sources:
        raise ValueError("sources must not be empty")
    numbers = [_source(G, source, f"Node {source} not found in graph") for source in sources]
    if target in sources:
        return 0, [target]
    if target is None:
        tree = _dijkstra(G, numbers, weight, None, cutoff)
        return tree.distances(), tree.paths()
    end = G.number(target)
    found = None if end is None else _dijkstra(G, numbers, weight, end, cutoff).to(end)
    if found is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found


@algorithm(lambda G, sources, cutoff=None, weight="weight": no_function(weight))
def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


@algorithm(lambda G, source, target=None, cutoff=None, weight="weight": no_function(weight))
def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


@algorithm(lambda G, source, cutoff=None, weight="weight": no_function(weight))
def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, {source}, None, cutoff, weight)[1]


@algorithm(lambda G, source, target, weight="weight": no_function(weight))
def dijkstra_path(G, source, target, weight="weight"):
    return multi_source_dijkstra(G, {source}, target, None, weight)[1]


@algorithm(lambda G, cutoff=None, weight="weight": no_function(weight))
def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    for node in G.nodes:
        yield node, multi_source_dijkstra(G, {node}, None, cutoff, weight)


@algorithm(lambda G, cutoff=None, weight="weight": no_function(weight))
def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    for node in G.nodes:
        yield node, multi_source_dijkstra(G, {node}, None, cutoff, weight)[1]


# The method of Bellman and Ford


def _bellman_ford(g, number, weight) -> _Tree:
    graph, whole = _weighted(g, weight)
    if graph is None or not is_negative(graph):
        return _dijkstra(g, [number], weight)
    # Raises for cycles of negative length.
    lengths, inside = distances(graph, [number], True)
    before = outcome(standard("sssp"), graph, source=number).parents()
    order = _parents_first(before, np.flatnonzero(inside), number)
    return _Tree(g, order, lengths[order].astype(np.int64 if whole else np.float64), before[order], {number})


def _parents_first(before, inside, source) -> np.ndarray:
    """The nodes of a tree, each behind the one before it."""
    depth = np.full(len(before), -1, dtype=np.int64)
    depth[source] = 0
    left = inside[inside != source]
    while len(left):
        ready = depth[before[left]] >= 0
        if not ready.any():
            raise NotImplementedError("edges of length 0 in a circle")
        depth[left[ready]] = depth[before[left[ready]]] + 1
        left = left[~ready]
    return inside[np.argsort(depth[inside], kind="stable")]


@algorithm(lambda G, source, target=None, weight="weight": no_function(weight))
def single_source_bellman_ford(G, source, target=None, weight="weight"):
    number = _source(G, source, f"Node {source} is not found in the graph" if source == target else f"Source {source} not in G")
    if source == target:
        return 0, [source]
    tree = _bellman_ford(G, number, weight)
    if target is None:
        return tree.distances(), tree.paths()
    end = G.number(target)
    found = None if end is None else tree.to(end)
    if found is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found


@algorithm(lambda G, source, weight="weight": no_function(weight))
def single_source_bellman_ford_path(G, source, weight="weight"):
    return single_source_bellman_ford(G, source, None, weight)[1]


@algorithm(lambda G, source, target, weight="weight": no_function(weight))
def bellman_ford_path(G, source, target, weight="weight"):
    return single_source_bellman_ford(G, source, target, weight)[1]


@algorithm(lambda G, weight="weight": no_function(weight))
def all_pairs_bellman_ford_path(G, weight="weight"):
    for node in G.nodes:
        yield node, single_source_bellman_ford(G, node, None, weight)[1]


# Hops


@algorithm()
def has_path(G, source, target):
    for node, what in ((source, "Source"), (target, "Target")):
        if node not in G:
            raise nx.NodeNotFound(f"{what} {node} is not in G")
    return bool(levels(G.structure, G.number(source))[G.number(target)] >= 0)


@algorithm(lambda G, target, cutoff=None: "the order of predecessors is not converted" if G.is_directed() else True)
def single_target_shortest_path(G, target, cutoff=None):
    number = G.number(target)
    if number is None:
        raise nx.NodeNotFound(f"Target {target} not in G")
    order, parents, _ = _search(G, [number], cutoff)
    paths = {target: [target]}
    for parent, node in zip(G.nodes_at(parents[1:]), G.nodes_at(order[1:])):
        paths[node] = [node, *paths[parent]]
    return paths
