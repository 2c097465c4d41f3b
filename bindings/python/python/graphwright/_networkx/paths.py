"""Lengths of shortest paths, and what can be reached."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .._native import ProgramError
from ..algorithms import good_delta, is_overflow
from .run import BEFORE_3_5, algorithm, distances, is_negative, levels, no_function, reach, sweep

#: Entries of a block of rows in the functions over all pairs.
_BLOCK = 1 << 23


def _source(g, source, message):
    number = g.number(source)
    if number is None:
        raise nx.NodeNotFound(message)
    return number


def _within(g, level, cutoff) -> dict:
    """Nodes up to ``cutoff`` hops away with their hops, in the order of hops."""
    if cutoff is None or cutoff == math.inf:
        near = np.flatnonzero(level >= 0)
    else:
        near = np.flatnonzero((level >= 0) & (level <= max(math.ceil(cutoff), 0)))
    near = near[np.argsort(level[near], kind="stable")]
    return dict(zip(g.nodes_at(near), level[near].tolist()))


@algorithm()
def single_source_shortest_path_length(G, source, cutoff=None):
    number = _source(G, source, f"Source {source} is not in G")
    return _within(G, levels(G.structure, number), cutoff)


@algorithm(lambda G, target, cutoff=None: "this version of NetworkX gives an iterator" if BEFORE_3_5 else True)
def single_target_shortest_path_length(G, target, cutoff=None):
    number = _source(G, target, f"Target {target} is not in G")
    return _within(G, levels(G.structure.transpose(), number), cutoff)


@algorithm()
def all_pairs_shortest_path_length(G, cutoff=None):
    return _all_pairs(G, G.structure, "bfs-levels", "level", {}, lambda row: _within(G, row, cutoff))


def _all_pairs(g, graph, program, output, arguments, tell):
    size = max(1, _BLOCK // max(len(g), 1))
    for start in range(0, len(g), size):
        numbers = np.arange(start, min(start + size, len(g)), dtype=np.uint32)
        rows = sweep(graph, program, output, numbers, "rows", arguments)
        for number, row in zip(numbers, rows):
            yield g.nodes[number], tell(row)


@algorithm()
def descendants(G, source):
    return _reached(G, G.structure, source)


@algorithm()
def ancestors(G, source):
    return _reached(G, G.structure.transpose(), source)


def _reached(g, graph, source):
    number = g.number(source)
    if number is None:
        raise nx.NetworkXError(f"The node {source} is not in the {'di' if g.directed else ''}graph.")
    return set(g.nodes_at(np.flatnonzero(levels(graph, number) > 0)))


@algorithm()
def descendants_at_distance(G, source, distance):
    number = G.number(source)
    if number is None:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if distance < 0 or distance != int(distance):
        return set()
    return set(G.nodes_at(np.flatnonzero(levels(G.structure, number) == distance)))


# Weighted paths


def _weights_only(G, *args, weight="weight", **kwargs):
    return no_function(weight)


def _weighted(g, weight):
    """The graph with weights, and whether lengths are integers; None for a graph of hops."""
    return (None, True) if weight is None else g.weighted(weight)


def _lengths(g, numbers, weight, negative=False, end=None, cutoff=None):
    graph, whole = _weighted(g, weight)
    if graph is None:
        level = levels(g.structure, numbers[0])
        for number in numbers[1:]:
            other = levels(g.structure, number)
            level = np.where((level >= 0) & (other >= 0), np.minimum(level, other), np.maximum(level, other))
        return level, level >= 0, True
    return *distances(graph, numbers, negative, g.ordered_targets, end, cutoff), whole


def _ordered(g, lengths, inside, whole, cutoff=None) -> dict:
    if cutoff is not None:
        inside = inside & (lengths <= cutoff)
    near = np.flatnonzero(inside)
    near = near[np.argsort(lengths[near], kind="stable")]
    found = lengths[near]
    if whole and found.dtype.kind == "f":
        found = found.astype(np.int64)
    elif not whole:
        found = found.astype(np.float64)
    return dict(zip(g.nodes_at(near), found.tolist()))


@algorithm(lambda G, source, cutoff=None, weight="weight": no_function(weight))
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    number = _source(G, source, f"Node {source} not found in graph")
    return _ordered(G, *_lengths(G, [number], weight, cutoff=cutoff), cutoff)


@algorithm(lambda G, sources, cutoff=None, weight="weight": no_function(weight))
def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    if not sources:
        raise ValueError("sources must not be empty")
    sources = list(sources)
    numbers = [_source(G, source, f"Node {source} not found in graph") for source in sources]
    return _ordered(G, *_lengths(G, numbers, weight, cutoff=cutoff), cutoff)


@algorithm(lambda G, source, target, weight="weight": no_function(weight))
def dijkstra_path_length(G, source, target, weight="weight"):
    number = _source(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    return _one(G, number, source, target, weight, f"Node {target} not reachable from {source}")


def _one(g, number, source, target, weight, message, negative=False):
    end = g.number(target)
    lengths, inside, whole = _lengths(g, [number], weight, negative, end)
    if end is None or not inside[end]:
        raise nx.NetworkXNoPath(message)
    return int(lengths[end]) if whole else float(lengths[end])


@algorithm(lambda G, cutoff=None, weight="weight": no_function(weight))
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    return _all_lengths(G, cutoff, weight, False)


def _all_lengths(g, cutoff, weight, negative):
    graph, whole = _weighted(g, weight)
    if graph is None:
        tell = lambda row: _ordered(g, row, row >= 0, True, cutoff)  # noqa: E731
        return _all_pairs(g, g.structure, "bfs-levels", "level", {}, tell)
    if is_negative(graph) or graph._native.weight_kind == "int64":
        return _one_by_one(g, graph, whole, cutoff, negative)
    infinite = 2**31 - 1 if graph._native.weight_kind == "int" else np.inf
    tell = lambda row: _ordered(g, row, row != infinite, whole, cutoff)  # noqa: E731
    return _all_short(g, graph, tell, whole, cutoff)


def _all_short(g, graph, tell, whole, cutoff):
    """From every node, the cores sharing the nodes; one by one from where a length does not fit 32 bits."""
    done = 0
    try:
        for found in _all_pairs(g, graph, "sssp-delta", "dist", {"delta": good_delta(graph)}, tell):
            done += 1
            yield found
    except ProgramError as error:
        if not is_overflow(error):
            raise
        yield from _one_by_one(g, graph, whole, cutoff, False, done)


def _one_by_one(g, graph, whole, cutoff, negative, begin=0):
    for number in range(begin, len(g)):
        found = distances(graph, [number], negative, g.ordered_targets, cutoff=cutoff)
        yield g.nodes[number], _ordered(g, *found, whole, cutoff)


@algorithm(lambda G, source, weight="weight": no_function(weight))
def single_source_bellman_ford_path_length(G, source, weight="weight"):
    number = _source(G, source, f"Source {source} not in G")
    return _ordered(G, *_lengths(G, [number], weight, negative=True))


@algorithm(lambda G, source, target, weight="weight": no_function(weight))
def bellman_ford_path_length(G, source, target, weight="weight"):
    if source == target:
        _source(G, source, f"Node {source} not found in graph")
        return 0
    number = _source(G, source, f"Source {source} not in G")
    return _one(G, number, source, target, weight, f"node {target} not reachable from {source}", negative=True)


@algorithm(lambda G, weight="weight": no_function(weight))
def all_pairs_bellman_ford_path_length(G, weight="weight"):
    return _all_lengths(G, None, weight, True)


# Distances of all nodes, summed up


@algorithm(lambda G, v=None, sp=None, weight=None: "sp is given" if sp is not None else no_function(weight))
def eccentricity(G, v=None, sp=None, weight=None):
    if not len(G):
        raise NotImplementedError("no nodes: versions of NetworkX differ")
    if v is None:
        nodes = G.nodes
    elif v in G:
        nodes = [v]
    else:
        nodes = list(v)
        if any(node not in G for node in nodes):
            raise NotImplementedError("nodes that are not in the graph")
    numbers = np.array([G.numbers[node] for node in nodes], dtype=np.uint32)
    graph, whole = _weighted(G, weight)
    figures = reach(G.structure if graph is None else graph, numbers, graph is not None)
    if (figures[:, 0] != len(G)).any():
        kind = "the digraph is not strongly connected" if G.directed else "the graph is not connected"
        raise nx.NetworkXError(f"Found infinite path length because {kind}")
    found = {node: int(most) if whole else float(most) for node, most in zip(nodes, figures[:, 3].tolist())}
    return found[v] if v is not None and v in G else found


def _average_can_run(G, weight=None, method=None):
    if method not in (None, "unweighted", "dijkstra"):
        return f"method {method}"
    return no_function(weight)


@algorithm(_average_can_run)
def average_shortest_path_length(G, weight=None, method=None):
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    hops = method == "unweighted" or weight is None
    graph = G.structure if hops else G.weighted(weight)[0]
    apart = "Graph is not strongly connected." if G.directed else "Graph is not connected."
    if not hops and is_negative(graph):
        # NetworkX looks at this first.
        if any((levels(each, 0) < 0).any() for each in (G.structure, G.structure.transpose())):
            raise nx.NetworkXError(apart)
    figures = reach(graph, np.arange(n, dtype=np.uint32), not hops)
    if (figures[:, 0] != n).any():
        raise nx.NetworkXError(apart)
    return float(figures[:, 1].sum() / (n * (n - 1)))
